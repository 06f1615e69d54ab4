import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import {
  expect,
  expectAccessible,
  logIn,
  logOut,
  newPlate,
  search,
  signIn,
  test,
  zoneAtNoon,
} from "../fixtures.ts";

const log = (page: Page) => page.getByRole("table", { name: "Audit log, newest first" });

async function auditorOpensLog(page: Page, username: string) {
  await logOut(page);
  await signIn(page, username);
  await page.getByRole("link", { name: "Audit Log" }).click();
  await expect(page.getByRole("heading", { name: "Audit Log" })).toBeVisible();
}

test.describe("on a day that does not end during the test", () => {
  test.use({ timezoneId: zoneAtNoon() });

  test("an auditor finds a search by its plate, exports the log and verifies it", async ({ page }) => {
    // The log stores the query as it was sent, in lower case (specification section 9).
    const plate = newPlate("zq");
    await signIn(page, "officer");
    await search(page, { plate, programs: ["Axis"] });
    await auditorOpensLog(page, "admin");
    await expect(log(page).getByRole("row").nth(1)).toContainText(
      new RegExp(`Searched plate ${plate}, 7 days, 5 agencies`, "i"),
    );
    await expectAccessible(page);
    await page.getByLabel("Plate Search").fill(plate.slice(2));
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByText("Page 1, 1 entry")).toBeVisible();
    await expect(log(page).getByRole("row").nth(1)).toContainText("Stolen vehicle, case 26-1044");
    expect(page.url()).not.toContain(plate);

    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    await page.getByRole("menuitem", { name: "Redacted, for public records" }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toMatch(/^odin-audit-log-redacted-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await file.path(), "utf8");
    expect(text).toContain("officer");
    expect(text.toLowerCase()).not.toContain(plate);

    await page.getByLabel("Action").selectOption({ label: "Use of the audit log" });
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(log(page)).toContainText("Exported the audit log");
    const cutOff = () =>
      log(page).evaluate((table) => {
        const box = table.closest("section");
        return box ? box.scrollWidth - box.clientWidth : Number.NaN;
      });
    expect(await cutOff()).toBe(0);
    await log(page).getByText("Details").first().click();
    expect(await cutOff()).toBe(0);
    await expect(log(page).getByText('"action": "audit.').first()).toBeVisible();

    await page.getByRole("button", { name: "Today" }).click();
    await expect(page.getByRole("button", { name: "Today", pressed: true })).toBeVisible();
    await expect(log(page)).toContainText("Exported the audit log");
    await page.getByRole("button", { name: "Clear" }).click();
    await expect(page.getByLabel("Plate Search")).toHaveValue("");

    await page.getByRole("button", { name: "Verify" }).click();
    // New rows are sealed once a minute.
    await expect(
      page.getByText(/[1-9]\d* entr(y|ies) verified; none missing or altered|No entries can be verified yet/),
    ).toBeVisible();
  });
});

test.describe("on a computer whose time zone the browser does not know", () => {
  const [own, unknown] = ["Antarctica/Troll", "Etc/Unknown"];
  test.use({ timezoneId: own });

  test("the log opens, with times in UTC", async ({ page }) => {
    // Chromium returns that name then, and refuses it as a time zone.
    await page.addInitScript(
      ([own, unknown]) => {
        const { resolvedOptions } = Intl.DateTimeFormat.prototype;
        Intl.DateTimeFormat.prototype.resolvedOptions = function () {
          const options = resolvedOptions.call(this);
          return options.timeZone === own ? { ...options, timeZone: unknown } : options;
        };
      },
      [own, unknown] as const,
    );
    await signIn(page, "admin", "/audit-log");
    await expect(page.getByText("Times are in UTC.")).toBeVisible();
  });
});

test("a time that is only partly typed is not left out of the filter", async ({ page }) => {
  await signIn(page, "admin", "/audit-log");
  await expect(page.getByText(/^Page 1/)).toBeVisible();
  const start = page.getByLabel("Start");
  await start.pressSequentially("12");
  let searches = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") searches++;
  });
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(start).toBeFocused();
  expect(searches).toBe(0);
});

test("a user who is not an administrator is denied access", async ({ page }) => {
  await signIn(page, "officer");
  await expect(page.getByRole("link", { name: "Audit Log" })).toHaveCount(0);
  const answer = await page.request.get("/audit-log");
  expect(answer.status()).toBe(403);
  expect(await answer.text()).toContain("Access Denied");
});

test("an auditor pages forward and back on a narrow screen", async ({ page }) => {
  await logIn(page, "admin");
  await page.setViewportSize({ width: 400, height: 800 });
  for (let visit = 0; visit < 22; visit++) await page.request.get("/admin-audit-logs-api");
  await page.goto("/audit-log");
  await page.getByLabel("Action").selectOption({ label: "All actions" });
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByText("Page 1, 20 entries")).toBeVisible();
  await expect(page.getByRole("button", { name: "Previous" })).toBeDisabled();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText(/^Page 2,/)).toBeVisible();
  await page.getByRole("button", { name: "Previous" }).click();
  await expect(page.getByText("Page 1, 20 entries")).toBeVisible();
});

test("a range that ends before it starts is reported at its field, which gets the focus", async ({
  page,
}) => {
  await signIn(page, "admin", "/audit-log");
  const end = page.getByLabel("End", { exact: true });
  await page.getByLabel("Start", { exact: true }).fill("2026-02-02T10:00");
  await end.fill("2026-02-01T10:00");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(end).toBeFocused();
  await expect(end).toHaveAttribute("aria-invalid", "true");
  await expect(end).toHaveAccessibleDescription(/The start is after the end\./);
});

test("a range within the hour that clocks repeat in fall may end earlier by the clock", async ({ page }) => {
  await signIn(page, "admin", "/audit-log");
  await page.getByLabel("Start", { exact: true }).fill("2026-11-01T01:45");
  await page.getByLabel("End", { exact: true }).fill("2026-11-01T01:15");
  const sent = page.waitForRequest("**/audit-log/rows");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const { filter } = (await sent).postDataJSON();
  expect(filter).toMatchObject({ start: "2026-11-01T05:45:00.000Z", end: "2026-11-01T06:15:59.999Z" });
  // An hour later, clocks show each time once.
  await page.getByLabel("End", { exact: true }).fill("2026-11-01T02:15");
  await page.getByLabel("Start", { exact: true }).fill("2026-11-01T02:45");
  await expect(page.getByText("The start is after the end.")).toBeVisible();
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the filter of the audit log is cleared", async ({ page }) => {
    await logIn(page, "admin2");
    await page.goto("/audit-log");
    await page.getByLabel("Plate Search").fill("NOSUCH1");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByLabel("Plate Search")).toHaveValue("NOSUCH1");
    await page.getByRole("button", { name: "Clear" }).click();
    await expect(page.getByLabel("Plate Search")).toHaveValue("");
    expect(new URL(page.url()).search).toBe("");
  });
});
