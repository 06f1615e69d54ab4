/** The screens that `npm run screenshots` takes pictures of, and the parts of screens that need a click. */
import { expect, type Page } from "@playwright/test";

export type User =
  | "anyone"
  | "owner"
  | "admin"
  | "hotadmin"
  | "officer"
  | "no notice"
  | "second factor"
  | "must enroll"
  | "temporary password";

/**
 * What the demo has for the pictures: searches of everything, of one plate and of nothing, a convoy, a hit, a published
 * page, an unfinished import, an outgoing webhook and a service account.
 */
export type Scene = {
  results: string;
  onePlate: string;
  nothing: string;
  /** A search of the hotlist administrator. */
  hotlistResults: string;
  investigation: string;
  hit: string;
  group: string;
  slug: string;
  outgoing: string;
  /** A service account. */
  service: string;
};

export type Shot = {
  /** The screen's path in app/routes.ts, where it has none of its own. */
  name?: string;
  as: User;
  address: (scene: Scene) => string;
  /** Prepares the page before it opens, for example by intercepting requests. */
  before?: (page: Page) => Promise<unknown>;
  /** Opens a part of the screen, such as a dialog. */
  act?: (page: Page) => Promise<unknown>;
};

/** Every screen by its path in app/routes.ts. A screen that is missing here ends the run. */
export const SCREENS: Record<string, Shot> = {
  "/": { as: "anyone", address: () => "/" },
  "use-notice": { as: "no notice", address: () => "/use-notice" },
  profile: { as: "hotadmin", address: () => "/profile" },
  "change-password": { as: "temporary password", address: () => "/change-password" },
  "second-factor": { as: "second factor", address: () => "/second-factor" },
  "second-factor/set-up": { as: "must enroll", address: () => "/second-factor/set-up" },
  admin: { as: "admin", address: () => "/admin" },
  "single-sign-on": { as: "admin", address: () => "/single-sign-on" },
  owner: { as: "owner", address: () => "/owner" },
  "owner/email-domains": { as: "owner", address: () => "/owner/email-domains" },
  "owner/policy/:id": { as: "owner", address: () => "/owner/policy/hartford-pd" },
  terms: { as: "anyone", address: () => "/terms" },
  privacy: { as: "anyone", address: () => "/privacy" },
  search: { as: "officer", address: () => "/search" },
  searches: { as: "officer", address: () => "/searches" },
  results: { as: "officer", address: ({ results }) => `/results?id=${results}` },
  "results/:id/table": { as: "officer", address: ({ results }) => `/results/${results}/table` },
  "results/:id/sightings/:row": {
    as: "officer",
    address: ({ results }) => `/results/${results}/sightings/0`,
  },
  investigate: { as: "admin", address: () => "/investigate" },
  "investigate/:id": { as: "admin", address: ({ investigation }) => `/investigate/${investigation}` },
  alerts: { as: "hotadmin", address: () => "/alerts" },
  "alerts/group/:id": { as: "hotadmin", address: ({ group }) => `/alerts/group/${group}` },
  "alert-history-detail/:id": { as: "hotadmin", address: ({ hit }) => `/alert-history-detail/${hit}` },
  "alerts/quality": { as: "admin", address: () => "/alerts/quality" },
  "create-group": { as: "hotadmin", address: () => "/create-group" },
  "groups/:id": { as: "hotadmin", address: ({ group }) => `/groups/${group}` },
  "groups/:id/details": { as: "hotadmin", address: ({ group }) => `/groups/${group}/details` },
  "groups/:id/edit": { as: "hotadmin", address: ({ group }) => `/groups/${group}/edit` },
  "groups/:id/removed": { as: "hotadmin", address: ({ group }) => `/groups/${group}/removed` },
  "groups/:id/columns": { as: "hotadmin", address: ({ group }) => `/groups/${group}/columns` },
  "edit-alerts-permissions": { as: "admin", address: () => "/edit-alerts-permissions" },
  "docs/api": { as: "officer", address: () => "/docs/api" },
  "docs/api/:operation": { as: "officer", address: () => "/docs/api/postSearchData" },
  verify: { as: "anyone", address: () => "/verify" },
  "audit-log": { as: "owner", address: () => "/audit-log" },
  "legal-holds": { as: "admin", address: () => "/legal-holds" },
  "figures/:slug": { as: "anyone", address: ({ slug }) => `/figures/${slug}` },
  "public-figures": { as: "admin", address: () => "/public-figures" },
  review: { as: "admin", address: () => "/review" },
  "dead-jobs": { as: "owner", address: () => "/dead-jobs" },
  backups: { as: "owner", address: () => "/backups" },
  status: { as: "owner", address: () => "/status" },
  storage: { as: "owner", address: () => "/storage" },
  "system-health": { as: "admin", address: () => "/system-health" },
  "api-keys": { as: "admin", address: () => "/api-keys" },
  "integrations/rekor": { as: "admin", address: () => "/integrations/rekor" },
  "integrations/axon": { as: "admin", address: () => "/integrations/axon" },
  "integrations/axis": { as: "admin", address: () => "/integrations/axis" },
  "integrations/outgoing": { as: "admin", address: () => "/integrations/outgoing" },
  "integrations/outgoing/:id": {
    as: "hotadmin",
    address: ({ outgoing }) => `/integrations/outgoing/${outgoing}`,
  },
  "integrations/service-accounts": { as: "admin", address: () => "/integrations/service-accounts" },
  "integrations/service-accounts/:id": {
    as: "admin",
    address: ({ service }) => `/integrations/service-accounts/${service}`,
  },
  "rekor-camera-management": { as: "owner", address: () => "/rekor-camera-management" },
  "*": { as: "officer", address: () => "/no-such-screen" },
};

/** Parts of screens that need a click. */
export const PARTS: (Shot & { name: string })[] = [
  {
    name: "review, a finding",
    as: "admin",
    address: () => "/review",
    act: async (page) => {
      await page
        .getByRole("button", { name: /^Review / })
        .first()
        .click();
      await page
        .getByRole("dialog")
        .getByRole("heading", { name: /search/ })
        .waitFor();
    },
  },
  {
    name: "audit log, all actions",
    as: "owner",
    address: () => "/audit-log",
    act: async (page) => {
      const answer = page.waitForResponse("**/audit-log/rows");
      await page.getByLabel("Action").selectOption({ label: "All actions" });
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await answer;
      await page
        .getByText(/^Details of entry/)
        .first()
        .click();
    },
  },
  {
    name: "results, map",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    act: async (page) => {
      await page.getByRole("tab", { name: "Map View" }).click();
    },
  },
  {
    name: "results, a sighting",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    act: async (page) => {
      const row = page.locator("[data-row='0']").first();
      // The server's rows are shown before their scripts listen to keys.
      await expect(async () => {
        await row.press("Enter");
        await expect(page.getByRole("dialog")).toBeVisible({ timeout: 2000 });
      }).toPass();
    },
  },
  {
    name: "results, gallery",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    act: (page) => page.getByRole("tab", { name: "Gallery View" }).click(),
  },
  {
    name: "results, track",
    as: "officer",
    address: ({ onePlate }) => `/results?id=${onePlate}`,
    act: async (page) => {
      await page.getByRole("tab", { name: "Map View" }).click();
      await page.getByRole("button", { name: /^Show track/ }).click();
      await page.getByRole("button", { name: "One read back" }).click();
    },
  },
  {
    name: "results, pattern",
    as: "officer",
    address: ({ onePlate }) => `/results?id=${onePlate}`,
    act: async (page) => {
      await page.getByRole("tab", { name: "Map View" }).click();
      await page.getByRole("button", { name: "Pattern" }).first().click();
      await page.getByRole("dialog").getByRole("table").first().waitFor();
    },
  },
  { name: "results, none", as: "officer", address: ({ nothing }) => `/results?id=${nothing}` },
  {
    name: "results, none match",
    as: "officer",
    address: ({ onePlate }) => `/results?id=${onePlate}`,
    act: async (page) => {
      await page.getByRole("tab", { name: "Gallery View" }).click();
      await unfold(page);
      await page.getByRole("searchbox").fill("no such plate");
    },
  },
  {
    name: "results, not loaded",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    before: (page) => page.route("**/columns*", (route) => route.abort()),
  },
  { name: "results, unknown", as: "officer", address: () => "/results?id=unknown" },
  {
    name: "results, pictures unavailable",
    as: "officer",
    address: ({ results }) => `/results?id=${results}&read=0`,
    before: (page) => page.route(/proxy-|cropped-plate|\/address/, (route) => route.abort()),
    act: (page) => page.getByRole("dialog").waitFor(),
  },
  {
    name: "results, export",
    as: "officer",
    address: ({ onePlate }) => `/results?id=${onePlate}`,
    act: async (page) => {
      await page.locator("[data-row='0'] [data-select]").click();
      await unfold(page);
      await page.getByRole("button", { name: "Export Selected to PDF" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "results, enlarged picture",
    as: "officer",
    address: ({ results }) => `/results?id=${results}&read=0`,
    act: (page) => page.getByRole("button", { name: "Show the vehicle image full screen" }).click(),
  },
  {
    name: "results, add to hotlist",
    as: "hotadmin",
    address: ({ hotlistResults }) => `/results?id=${hotlistResults}&read=0`,
    act: async (page) => {
      await page.getByRole("button", { name: /Hotlist/ }).click();
      await page.getByLabel("Reason").first().waitFor();
    },
  },
  {
    name: "search, problems",
    as: "officer",
    address: () => "/search",
    act: async (page) => {
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.getByText("Enter a justification.").first().waitFor();
    },
  },
  {
    name: "search, prohibited purpose",
    as: "officer",
    address: () => "/search",
    act: async (page) => {
      await page.getByLabel("Justification").fill("ICE immigration enforcement, civil");
      await page.getByRole("checkbox", { name: "All Rekor agencies" }).check();
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.getByLabel("Supervisor who approved it").waitFor();
    },
  },
  {
    name: "search, in progress",
    as: "officer",
    address: () => "/search",
    // Never answered.
    before: (page) => page.route("**/search-data", () => {}),
    act: async (page) => {
      await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
      await page.getByRole("checkbox", { name: "All Rekor agencies" }).check();
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  ...["Map", "Timeline"].map((view) => ({
    name: `investigate, ${view.toLowerCase()}`,
    as: "admin" as const,
    address: ({ investigation }: Scene) => `/investigate/${investigation}`,
    act: (page: Page) => page.getByRole("radio", { name: view }).check(),
  })),
  {
    name: "hit in a dialog",
    as: "hotadmin",
    address: ({ group }) => `/alerts/group/${group}`,
    act: async (page) => {
      await page.locator("[data-alert]").first().click();
      await page.getByRole("dialog").getByText("Verify plate and state before action").waitFor();
    },
  },
  {
    name: "hits, newest",
    as: "hotadmin",
    address: () => "/alerts",
    act: (page) => page.getByRole("button", { name: /^Hits, / }).click(),
  },
  {
    name: "alert history, none",
    as: "hotadmin",
    address: () => "/alerts/group/demo-missing-hfd",
  },
  {
    name: "group edit, problems",
    as: "hotadmin",
    address: ({ group }) => `/groups/${group}/edit`,
    act: async (page) => {
      await page.getByLabel("Name").first().fill("");
      await page.getByRole("button", { name: "Add Plate", exact: true }).click();
      await page.getByRole("button", { name: "Save Changes" }).click();
    },
  },
  {
    name: "group edit, delete",
    as: "hotadmin",
    address: ({ group }) => `/groups/${group}/edit`,
    act: async (page) => {
      await page.getByRole("button", { name: "Delete Group" }).click();
      await page.locator("dialog[open]").waitFor();
    },
  },
  { name: "group unknown", as: "hotadmin", address: () => "/groups/unknown" },
  { name: "forbidden", as: "officer", address: () => "/admin" },
  {
    name: "audit log, none",
    as: "owner",
    address: () => "/audit-log",
    act: async (page) => {
      await page.getByLabel("Plate Search").fill("NOSUCHPLATE");
      await page.getByRole("button", { name: "Search", exact: true }).click();
    },
  },
  {
    name: "legal hold request",
    as: "admin",
    address: () => "/legal-holds",
    act: (page) => page.getByText("Request a legal hold").click(),
  },
  {
    name: "command palette",
    as: "owner",
    address: () => "/search",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "messages",
    as: "admin",
    address: () => "/review",
    act: async (page) => {
      await page.getByRole("button", { name: "Scan today's searches" }).click();
      await page.locator("[data-notice]").first().waitFor();
    },
  },
];

/** Opens the folded header of results on a phone. */
async function unfold(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^Filter, sort and export/ });
  if (await button.isVisible()) await button.click();
}
