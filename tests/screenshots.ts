/**
 * `npm run screenshots [-- <url> | <word> …]`: pictures of every screen of `app/routes.ts`, at 1440 and 390 px, light and
 * dark, in `screenshots/`, with a contact sheet, `index.html`. Starts a demo from the build, or uses the given demo's
 * URL. Words choose the screens whose name contains one of them. Playwright signs in as the demo users.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
} from "@playwright/test";
import pMap from "p-map";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { totpCode } from "#app/lib/crypto/totp.ts";
import { DAY } from "#app/lib/time/dates.ts";
import routes from "#app/routes.ts";
import { DEMO_PASSWORD } from "../workers/local/demo-plan.ts";
import { ROOT } from "../workers/local/settings.ts";
import { encodeJpeg } from "../workers/vendors/world/pictures/jpeg.ts";
import { makePatient } from "./e2e/patience.ts";
import start from "./e2e/start.ts";
import { findChromium, NO_CHROMIUM } from "./support/chromium.ts";

const OUT = join(ROOT, "screenshots");
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const THEMES = ["light", "dark"] as const;
const AT_ONCE = 2;
const PATIENCE_MS = 60_000;

/** Calls from a script; the guard refuses other sites. */
const SAME_SITE = { "sec-fetch-site": "same-origin" };

type User =
  | "anyone"
  | "owner"
  | "admin"
  | "hotadmin"
  | "officer"
  | "no notice"
  | "second factor"
  | "must enroll";

/** What the demo has for the pictures: a search, a hit, a published page and an unfinished import. */
type Scene = { results: string; investigation: string; hit: string; group: string; slug: string };

type Shot = {
  /** The screen's path in app/routes.ts, where it has none of its own. */
  name?: string;
  as: User;
  address: (scene: Scene) => string;
  /** Opens a part of the screen, such as a dialog. */
  act?: (page: Page) => Promise<void>;
};

/** Every screen by its path in app/routes.ts. A screen that is missing here ends the run. */
const SCREENS: Record<string, Shot> = {
  "/": { as: "anyone", address: () => "/" },
  "use-notice": { as: "no notice", address: () => "/use-notice" },
  profile: { as: "hotadmin", address: () => "/profile" },
  "change-password": { as: "officer", address: () => "/change-password" },
  "second-factor": { as: "second factor", address: () => "/second-factor" },
  "second-factor/set-up": { as: "must enroll", address: () => "/second-factor/set-up" },
  admin: { as: "admin", address: () => "/admin" },
  owner: { as: "owner", address: () => "/owner" },
  "owner/policy/:id": { as: "owner", address: () => "/owner/policy/hartford-pd" },
  terms: { as: "anyone", address: () => "/terms" },
  privacy: { as: "anyone", address: () => "/privacy" },
  search: { as: "officer", address: () => "/search" },
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
  "groups/:id/columns": { as: "hotadmin", address: ({ group }) => `/groups/${group}/columns` },
  "edit-alerts-permissions": { as: "admin", address: () => "/edit-alerts-permissions" },
  verify: { as: "anyone", address: () => "/verify" },
  "audit-log": { as: "owner", address: () => "/audit-log" },
  "legal-holds": { as: "admin", address: () => "/legal-holds" },
  "figures/:slug": { as: "anyone", address: ({ slug }) => `/figures/${slug}` },
  "public-figures": { as: "admin", address: () => "/public-figures" },
  review: { as: "admin", address: () => "/review" },
  "dead-jobs": { as: "owner", address: () => "/dead-jobs" },
  backups: { as: "owner", address: () => "/backups" },
  "system-health": { as: "admin", address: () => "/system-health" },
  "api-keys": { as: "admin", address: () => "/api-keys" },
  "integrations/rekor": { as: "admin", address: () => "/integrations/rekor" },
  "integrations/axon": { as: "admin", address: () => "/integrations/axon" },
  "integrations/axis": { as: "admin", address: () => "/integrations/axis" },
  "rekor-camera-management": { as: "owner", address: () => "/rekor-camera-management" },
  "*": { as: "officer", address: () => "/no-such-screen" },
};

/** Parts of screens that need a click. */
const PARTS: (Shot & { name: string })[] = [
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
        .getByText(/^Details of row/)
        .first()
        .click();
    },
  },
  {
    name: "results, map",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    act: async (page) => {
      await page.getByRole("radio", { name: "Map" }).check();
      await page.waitForLoadState("networkidle");
    },
  },
  {
    name: "results, a sighting",
    as: "officer",
    address: ({ results }) => `/results?id=${results}`,
    act: async (page) => {
      await page.locator("[data-row='0']").first().waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
    },
  },
];

/** Returns the paths of all screens: the routes whose file is in routes/screens. */
async function screenPaths(): Promise<string[]> {
  type Route = Awaited<typeof routes>[number];
  const paths = (list: readonly Route[]): string[] =>
    list.flatMap(({ file, path, children = [] }) => [
      ...(file.startsWith("routes/screens/") ? [path ?? "/"] : []),
      ...paths(children),
    ]);
  return paths(await routes);
}

async function main(): Promise<void> {
  const words: string[] = process.argv.slice(2);
  const url = words.find((word) => /^https?:/.test(word));
  const chosen = words.filter((word) => word !== url);
  const shots = (await screenPaths()).map((path) => {
    const shot = SCREENS[path];
    if (!shot) throw new Error(`tests/screenshots.ts does not know the screen ${path} of app/routes.ts.`);
    return { ...shot, name: path };
  });
  const wanted = [...shots, ...PARTS].filter(
    ({ name }) => chosen.length === 0 || chosen.some((word) => name.includes(word)),
  );
  const executablePath = findChromium();
  if (!executablePath) throw new Error(NO_CHROMIUM);
  const stop = url ? undefined : await start();
  const baseURL = url ?? process.env.ODIN_URL ?? "";
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    const people = await signInAll(browser, baseURL);
    const scene = await prepare(browser, baseURL, people);
    if (chosen.length === 0) rmSync(OUT, { recursive: true, force: true });
    mkdirSync(OUT, { recursive: true });
    const views = THEMES.flatMap((theme) => WIDTHS.map((viewport) => ({ theme, viewport })));
    const problems: string[] = [];
    for (const view of views) {
      await pMap(
        wanted,
        async (shot) => {
          const file = fileOf(shot.name, view);
          const storageState = people[shot.as];
          const context = await contextOf(browser, { baseURL, storageState, ...view });
          await picture(context, { shot, scene, file }).catch((error: unknown) => {
            problems.push(`${file}: ${error}`);
          });
          await context.close();
        },
        { concurrency: AT_ONCE },
      );
    }
    writeFileSync(join(OUT, "index.html"), contactSheet(wanted.map(({ name }) => name)));
    console.log(`${wanted.length * views.length - problems.length} pictures: ${join(OUT, "index.html")}`);
    if (problems.length > 0) throw new Error(problems.join("\n"));
  } finally {
    await browser.close();
    await stop?.();
  }
}

type View = { theme: (typeof THEMES)[number]; viewport: (typeof WIDTHS)[number] };
type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

function fileOf(name: string, { theme, viewport }: View): string {
  const words = name === "/" ? "sign-in" : name === "*" ? "not-found" : name.replace(/[^\w-]+/g, "_");
  return `${words}.${viewport.width}.${theme}.png`;
}

function contextOf(
  browser: Browser,
  { theme, ...options }: View & { baseURL: string; storageState: Session },
) {
  return browser.newContext({
    ...options,
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "America/New_York",
  });
}

async function picture(
  context: BrowserContext,
  { shot, scene, file }: { shot: Shot; scene: Scene; file: string },
): Promise<void> {
  await makePatient(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(shot.address(scene));
  await page.waitForLoadState("networkidle");
  await shot.act?.(page);
  await page.screenshot({ path: join(OUT, file), fullPage: true });
}

/** A session of each user who takes pictures. */
async function signInAll(browser: Browser, baseURL: string): Promise<Record<User, Session>> {
  const as = async (username: string, password = DEMO_PASSWORD, notice?: string) => {
    const context = await apiContext(browser, baseURL);
    await call(context.request, "/login", { username, password, notice });
    return { context, state: await context.storageState() };
  };
  const known = async (username: string) =>
    (await as(username, DEMO_PASSWORD, USE_NOTIFICATION.version)).state;
  const admin = await as("admin", DEMO_PASSWORD, USE_NOTIFICATION.version);
  const owner = await as("owner", DEMO_PASSWORD, USE_NOTIFICATION.version);
  const newcomer = async (username: string, agency: string) => {
    const temporary = "Meridian-Lantern-48!";
    const person = { username, name: "Gale Guest", email: "gale@guest.example", role: "user" };
    await call(owner.context.request, "/owner/add-user", {
      ...person,
      password: temporary,
      agency_id: agency,
    });
    const first = await as(username, temporary, USE_NOTIFICATION.version);
    await call(first.context.request, "/reset-password", { new_password: DEMO_PASSWORD });
    return as(username, DEMO_PASSWORD, USE_NOTIFICATION.version);
  };
  // One user's session waits for the code of an authenticator app, another's for a required second factor.
  const suffix = Date.now().toString(36);
  const holder = await newcomer(`holder${suffix}`, "hartford-pd");
  const { secret } = await call<{ secret: string }>(holder.context.request, "/second-factor/totp");
  await call(holder.context.request, "/second-factor/totp/confirm", { code: totpCode(secret, Date.now()) });
  const name = `Strict Agency ${suffix}`;
  const { id } = await call<{ id: string }>(owner.context.request, "/owner/agencies", { name });
  const policy = { ...DEFAULT_POLICY, second_factor_required: true };
  await call(owner.context.request, `PUT /owner/agencies/${id}`, { name, policy });
  return {
    anyone: { cookies: [], origins: [] },
    owner: owner.state,
    admin: admin.state,
    hotadmin: await known("hotadmin"),
    officer: await known("officer"),
    "no notice": (await as("viewer")).state,
    "second factor": await known(`holder${suffix}`),
    "must enroll": (await newcomer(`strict${suffix}`, id)).state,
  };
}

function apiContext(browser: Browser, baseURL: string, storageState?: Session) {
  return browser.newContext({
    baseURL,
    ...(storageState && { storageState }),
  });
}

/** Calls an endpoint, `PUT /path` or just the path of a POST. */
async function call<T = unknown>(
  request: APIRequestContext,
  endpoint: string,
  data: object = {},
): Promise<T> {
  const [path = "", method = "POST"] = endpoint.split(" ").reverse();
  const answer = await request.fetch(path, { method, data, headers: SAME_SITE });
  if (!answer.ok()) throw new Error(`${endpoint}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** Makes what the screens show: two searches, a convoy search, findings, a hit, a legal hold, a public page and an import without columns. */
async function prepare(browser: Browser, baseURL: string, people: Record<User, Session>): Promise<Scene> {
  const group = "demo-stolen-hfd";
  const officer = await apiContext(browser, baseURL, people.officer);
  const page = await officer.newPage();
  await makePatient(officer);
  for (const reason of ["check", "Stolen vehicle, case 26-1044"]) {
    await page.goto("/search");
    await page.getByLabel("Justification").fill(reason);
    await page.getByRole("radio", { name: "7 Days", exact: true }).check();
    for (const box of await page.getByRole("checkbox", { name: /^All .* agencies$/ }).all())
      await box.check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
  }
  const results = new URL(page.url()).searchParams.get("id") ?? "";
  await officer.close();

  const admin = await apiContext(browser, baseURL, people.admin);
  await call(admin.request, "/review/examine", { after: "" });
  await call(admin.request, "/legal-holds/request", {
    case_number: "26-1044",
    reason: "The court asked to preserve the reads of this case",
    plates: "ABC1234",
    start: "2026-01-01",
    end: "2026-12-31",
  });
  const keys: { id: string }[] = await (await admin.request.get("/api-keys-data")).json();
  const convoy = await call<{ result_id: string }>(admin.request, "/search-convoy", {
    plate: "KMY6237",
    justification: "Stolen vehicle, case 26-1044",
    case_number: "26-1044",
    start_time: new Date(Date.now() - 3 * DAY).toISOString(),
    end_time: new Date().toISOString(),
    agencies: keys.map(({ id }) => id),
  });
  const shown = await (await admin.request.get("/public-figures-data")).json();
  const slug = shown.slugs[0];
  if (shown.published_at === null) {
    const introduction = "Readers find stolen vehicles and missing people.";
    await call(admin.request, "PUT /public-figures-data", {
      slug,
      introduction,
      contact: "records@hartford.example",
    });
    await call(admin.request, "/public-figures/publish");
  }
  const spot = { latitude: 41.7637, longitude: -72.6851 };
  const name = `Camera ${Date.now().toString(36)}`;
  const camera = await call<{ address: string }>(admin.request, "/axis-cameras", { name, ...spot });
  await admin.close();

  const hotadmin = await apiContext(browser, baseURL, people.hotadmin);
  // An import without known columns waits for them to be chosen.
  const options = new URLSearchParams({ name: "list.txt", mode: "add", preset: "auto" });
  await hotadmin.request.post(`/groups/${group}/import?${options}`, {
    data: Buffer.from("Nummer;Staat;Wert\nAB1234;CT;Blue\nCD5678;NY;Red\n"),
    headers: { ...SAME_SITE, "content-type": "application/octet-stream" },
  });
  const plate = `S${String(Date.now()).slice(-6)}`;
  const entry = {
    plate_number: plate,
    state: "CT",
    reason: "Stolen vehicle",
    notes: "Dent in the left door",
  };
  await call(hotadmin.request, "/hotlist/add-plate-direct", { ...entry, group_id: group });
  await call(hotadmin.request, new URL(camera.address, baseURL).pathname, readOf(plate));
  const { alerts } = await (await hotadmin.request.get(`/alerts/group/${group}/data`)).json();
  await hotadmin.close();
  return { results, investigation: convoy.result_id, group, slug, hit: alerts?.[0]?.id ?? "none" };
}

/** An event of an Axis camera, with a gray picture. */
function readOf(plate: string) {
  const size = { width: 160, height: 90 };
  const jpeg = encodeJpeg(
    { ...size, data: new Uint8ClampedArray(size.width * size.height * 4).fill(120) },
    80,
  );
  const picture = {
    ImageFormat: "jpg",
    BinaryImage: Buffer.from(jpeg).toString("base64"),
    ImageType: "vehicle",
  };
  return {
    capture_timestamp: String(Date.now()),
    plateUTF8: plate,
    plateRegionCode: "US-CT",
    carState: "lost",
    carID: plate,
    imageType: "vehicle",
    ImageArray: [picture],
  };
}

function contactSheet(names: readonly string[]): string {
  const views = THEMES.flatMap((theme) => WIDTHS.map((viewport) => ({ theme, viewport })));
  const cells = (name: string) =>
    views
      .map((view) => fileOf(name, view))
      .map((file) => `<td><a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a></td>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens of Odin</title>
<style>body{font:14px system-ui}td{vertical-align:top;padding:4px}img{max-width:340px;max-height:480px;border:1px solid #888}</style>
<h1>Screens of Odin</h1><table><tr><th>Screen</th>${views.map(({ theme, viewport }) => `<th>${viewport.width} px, ${theme}</th>`).join("")}</tr>
${names.map((name) => `<tr><th>${name}</th>${cells(name).join("")}</tr>`).join("\n")}</table></html>`;
}

await main();
