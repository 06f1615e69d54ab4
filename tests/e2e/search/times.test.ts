import type { Page } from "@playwright/test";
import { expect, logOut, search, signIn, test } from "../fixtures.ts";

/** Locates the times that the page shows below its time fields. */
const writtenTimes = (page: Page) => page.locator("[data-written-time]");

test("time fields show their time in 24-hour format with the zone, whether typed, chosen or set by a range", async ({
  page,
}) => {
  await signIn(page, "officer");
  await page.getByLabel(/^Start/).fill("2026-07-04T21:05:09");
  await page.getByLabel(/^End/).fill("2026-12-24T00:00");
  await expect(writtenTimes(page)).toHaveText(["2026-07-04 21:05:09 EDT", "2026-12-24 00:00 EST"]);
  // Clocks repeat this hour when DST ends: a range includes both occurrences.
  await page.getByLabel(/^Start/).fill("2026-11-01T01:30:05");
  await page.getByLabel(/^End/).fill("2026-11-01T01:30:05");
  await expect(writtenTimes(page)).toHaveText(["2026-11-01 01:30:05 EDT", "2026-11-01 01:30:05 EST"]);
  // Clocks skip this hour when DST begins.
  await page.getByLabel(/^Start/).fill("2026-03-08T02:30:00");
  await expect(writtenTimes(page).first()).toBeEmpty();
  await page.getByRole("radio", { name: "7 Days" }).check();
  // The range moves with the clock. Browsers omit seconds that are zero.
  await expect(async () => {
    const start = await page.getByLabel(/^Start/).inputValue();
    expect(await writtenTimes(page).first().textContent()).toMatch(
      new RegExp(`^${start.slice(0, 10)} ${start.slice(11, 19)} E[SD]T$`),
    );
  }).toPass();

  await logOut(page);
  await signIn(page, "admin", "/audit-log");
  await expect(writtenTimes(page)).toHaveText(["", ""]);
  await page.getByRole("button", { name: "Last month" }).click();
  await expect(writtenTimes(page).first()).toHaveText(/^\d{4}-\d\d-01 00:00 E[SD]T$/);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(writtenTimes(page)).toHaveText(["", ""]);
});

test("a search of the last hour covers it, although the computer's clock is ahead", async ({ page }) => {
  await page.clock.install({ time: Date.now() + 5 * 3_600_000 });
  // The first answer that names the server's time.
  const known = page.waitForResponse("**/session-time");
  await signIn(page, "officer");
  await known;
  const sent = page.waitForRequest("**/search-data");
  await search(page, { programs: ["Axis"], range: "1 Hour" });
  const { start_time, end_time } = (await sent).postDataJSON();
  expect(Math.abs(Date.parse(end_time) - Date.now())).toBeLessThan(60_000);
  expect(Date.parse(end_time) - Date.parse(start_time)).toBe(3_600_000);
});

test("a search in one line ends now, although the computer's clock is slow", async ({ page }) => {
  await page.clock.install({ time: Date.now() - 5 * 3_600_000 });
  await signIn(page, "officer");
  await page.getByRole("textbox", { name: "In one line" }).fill("last 3 hours");
  await expect(page.getByRole("list", { name: "Understood as" })).toContainText("last 3 hours");
  await page.getByRole("button", { name: "Fill in" }).click();
  const end = await page
    .getByLabel(/^End/)
    .evaluate((field: HTMLInputElement) => new Date(field.value).getTime());
  expect(Math.abs(end - Date.now())).toBeLessThan(60_000);
});

test.describe("in a time zone other than the agency's", () => {
  test.use({ timezoneId: "America/Denver" });

  test("a search that is refined keeps its times, whole minutes too", async ({ page }) => {
    await signIn(page, "officer");
    await page.getByLabel("Plate", { exact: true }).fill("7*K");
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const times = [`${day}T03:00`, `${day}T04:10:05`] as const;
    await page.getByLabel(/^Start/).fill(times[0]);
    await page.getByLabel(/^End/).fill(times[1]);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
    await page.goto(page.url().replace("/results?id=", "/search?refine="));
    // The server writes the agency's time until the scripts have started.
    await expect(page.getByLabel(/^End/)).toHaveValue(times[1]);
    await expect(page.getByLabel(/^Start/)).toHaveValue(times[0]);
  });
});
