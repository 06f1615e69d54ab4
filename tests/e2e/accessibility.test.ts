import {
  expect,
  expectAccessible,
  expectAccessibleInThemes,
  search,
  signIn,
  THEMES,
  test,
} from "./fixtures.ts";

test("sign-in, search, results and detail are accessible in every theme", async ({ page, baseURL }) => {
  for (const theme of THEMES) {
    await page.context().addCookies([{ name: "odin-theme", value: theme, url: String(baseURL) }]);
    await page.goto("/");
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await expectAccessible(page);
  }
  await signIn(page, "officer");
  await expectAccessibleInThemes(page);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByText("Justification and date range are required.").first()).toBeVisible();
  await expectAccessibleInThemes(page);
  await search(page, { programs: ["Axis"] });
  const first = page.locator("[role=grid] [data-row='0']");
  await expect(first).toBeVisible();
  await expectAccessibleInThemes(page);
  await page.keyboard.press("j");
  await expect(first).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessibleInThemes(page);
});

/** Screens by the user who may open all of them; a request without scripts returns what the server renders. */
const SCREENS = {
  owner: [
    "/owner",
    "/owner/policy/hartford-pd",
    "/rekor-camera-management",
    "/backups",
    "/dead-jobs",
    "/status",
  ],
  admin: [
    "/search",
    "/investigate",
    "/profile",
    "/admin",
    "/api-keys",
    "/integrations/rekor",
    "/integrations/axon",
    "/integrations/axis",
    "/audit-log",
    "/review",
    "/legal-holds",
    "/public-figures",
    "/system-health",
    "/alerts/quality",
    "/edit-alerts-permissions",
    "/docs/api",
    "/docs/api/postSearchData",
  ],
  hotadmin: [
    "/alerts",
    "/alerts/group/demo-stolen-hfd",
    "/groups/demo-stolen-hfd",
    "/groups/demo-stolen-hfd/edit",
    "/create-group",
    // Refused and unknown pages.
    "/admin",
    "/no-such-screen",
    "/results?id=unknown",
    "/groups/unknown",
    "/alert-history-detail/unknown",
    // Public pages.
    "/terms",
    "/privacy",
    "/verify",
  ],
};

test("every screen has its own title and one level-one heading", async ({ page }) => {
  const titles = new Map<string, string>();
  for (const [username, paths] of Object.entries(SCREENS)) {
    await page.goto("about:blank");
    await page.context().clearCookies();
    await signIn(page, username);
    for (const path of paths) {
      const html = await (await page.request.get(path, { headers: { accept: "text/html" } })).text();
      const title = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? "";
      expect(title, path).toMatch(/^.+ · Odin$/);
      expect(html.match(/<h1[\s>]/g), path).toHaveLength(1);
      titles.set(`${username} ${path}`, title);
    }
  }
  const refused = ["/admin", "/no-such-screen", "/results?id=unknown", "/groups/unknown"];
  const own = [...titles].filter(([key]) => !refused.some((path) => key === `hotadmin ${path}`));
  const shared = own.filter(([, title]) => own.filter(([, other]) => other === title).length > 1);
  expect(shared.map(([key]) => key).filter((key) => !key.includes("unknown"))).toEqual([]);
});

test("in forced colors, the current read differs from the others when the focus has moved on", async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: "active" });
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const rows = page.locator("[role=grid] [data-row]");
  await page.keyboard.press("j");
  await expect(rows.first()).toHaveAttribute("aria-current", "true");
  await page.getByRole("searchbox").focus();
  const edges = await rows
    .locator("[data-select]")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).borderInlineStartColor));
  expect(edges.length).toBeGreaterThan(1);
  expect(new Set(edges.slice(1)).size).toBe(1);
  expect(edges[0]).not.toBe(edges[1]);
});

test("in forced colors, the filled part of a progress bar is visible", async ({ page, faults }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await signIn(page, "officer");
  await faults({ program: "axon", kind: "hold" });
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  for (const program of ["Axis", "Axon"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const bar = page.getByRole("dialog", { name: "Search in progress" }).getByRole("progressbar").first();
  const colors = await bar.evaluate((bar) =>
    [bar, bar.firstElementChild].map((part) => part && getComputedStyle(part).backgroundColor),
  );
  expect(colors[0]).not.toBe(colors[1]);
});
