import type { Page } from "@playwright/test";
import { instantsAt } from "#app/lib/time/wall-clock.ts";
import { expect, expectAccessible, newPerson, signIn, test } from "../fixtures.ts";

/** Searches all Axis cameras for a plate over 7 days, and waits for the results. */
async function searchFor(page: Page, plate: string): Promise<void> {
  await page.getByLabel("Plate", { exact: true }).fill(plate);
  await page.getByLabel("Justification").fill("Burglary series on Asylum Avenue");
  await page.getByLabel("Case number").fill("26-2001");
  await page.getByRole("radio", { name: "7 Days" }).check();
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
}

test("a past search is found, named, pinned, opened, and run again with a new justification", async ({
  page,
}) => {
  await signIn(page, await newPerson("admin2"));
  await page.getByRole("link", { name: "Search history" }).click();
  await expect(page.getByRole("heading", { name: "Search History" })).toBeVisible();
  await expect(page.getByText("No searches yet")).toBeVisible();
  await page.getByRole("link", { name: "Search LPR records" }).click();
  await searchFor(page, "UV35776");
  await page.goto("/search");
  await searchFor(page, "KMY6237");

  await page.goto("/searches");
  const history = page.getByRole("table", { name: "History" });
  await expect(history.getByRole("rowheader")).toHaveText([
    /^Plate KMY6237, \d+ agenc(y|ies), 7 days$/,
    /^Plate UV35776, \d+ agenc(y|ies), 7 days$/,
  ]);
  const row = page.getByRole("row", { name: /Plate UV35776/ });
  await expect(row).toContainText("Burglary series on Asylum Avenue");
  await expect(row).toContainText("case 26-2001");
  await expect(row).toContainText(/\d+ reads?/);
  await expectAccessible(page);

  // With the keyboard alone.
  await row.locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Yellow Honda");
  await page.keyboard.press("Enter");
  await expect(row.getByRole("rowheader")).toContainText("Yellow Honda");
  await row.getByRole("button", { name: /^Pin/ }).press("Enter");
  const pinned = page.getByRole("table", { name: "Pinned" });
  await expect(pinned.getByRole("rowheader")).toContainText("Yellow Honda");
  await expect(history.getByRole("rowheader")).toHaveCount(1);

  // A filter that contains a plate does not appear in the URL.
  await page.getByLabel("Filter", { exact: true }).fill("honda 26-2001");
  await page.keyboard.press("Enter");
  await expect(history).toBeHidden();
  await expect(pinned).toBeVisible();
  expect(new URL(page.url()).search).toBe("");
  // The button ignores presses until its list is loaded.
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeEnabled();
  await page.getByLabel("Filter", { exact: true }).fill("no such search");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No searches match")).toBeVisible();
  await page.getByRole("link", { name: "Show all searches" }).click();

  await pinned.getByRole("link", { name: /^Open the results of/ }).click();
  await expect(page).toHaveURL(/\/results\?id=/);
  await page.goto("/searches");
  await pinned.getByRole("link", { name: /^Run again/ }).click();
  await expect(
    page.getByText("Enter a new justification. The range has the same length as then"),
  ).toBeVisible();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("UV35776");
  await expect(page.getByLabel("Case number")).toHaveValue("26-2001");
  await expect(page.getByLabel("Justification")).toHaveValue("");
  await expect(page.getByLabel("Justification")).toBeFocused();
  await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "All Axis agencies" })).toBeChecked();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByRole("link", { name: "Enter a justification." })).toBeVisible();
  await page.getByLabel("Justification").fill("The same car was seen again");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");

  await page.goto("/searches");
  await expect(history.getByRole("rowheader")).toHaveCount(2);
  await expect(history).toContainText("The same car was seen again");
  await pinned.getByRole("button", { name: /^Unpin/ }).click();
  await expect(pinned).toBeHidden();
  await page.setViewportSize({ width: 390, height: 844 });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(390);
});

test("the original time range of a search is restored with one click and kept when the form is sent", async ({
  page,
}) => {
  await signIn(page, await newPerson("admin2"));
  await searchFor(page, "A84FFG");
  await page.goto("/searches");
  await page.getByRole("link", { name: /^Run again/ }).click();
  await page.getByRole("link", { name: /^Use the original range/ }).click();
  await expect(page.getByText("The range is the original one")).toBeVisible();
  await expect(page.getByRole("radio", { name: "7 Days" })).not.toBeChecked();
  await expect(page.getByLabel("Start")).not.toHaveValue("");
  const start = await page.getByLabel("Start").inputValue();
  await page.getByLabel("Justification").fill("The same dates again");
  const sent = page.waitForRequest("**/search-data");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const request: { start_time: string } = (await sent).postDataJSON();
  // In the browser's time zone, which may repeat an hour.
  expect(instantsAt(start, "America/New_York")).toContain(Date.parse(request.start_time));
});

test("a search that is named on an older page stays in view, and text that was typed into the filter is not sent", async ({
  page,
}) => {
  await signIn(page, await newPerson("admin2"));
  const sent = page.waitForRequest("**/search-data");
  await searchFor(page, "A84FFG");
  const body = (await sent).postDataJSON();
  // A page has 25 searches.
  for (let i = 0; i < 25; i++)
    await page.request.post("/search-data", { data: { ...body, plate: `NEWER${i}` } });
  await page.goto("/searches");
  // Pressed twice, because a slow answer looks as if nothing had happened.
  const held = Promise.withResolvers<void>();
  await page.route(/\/searches/, async (route) => {
    if (route.request().method() === "POST") await held.promise;
    await route.continue();
  });
  const button = page.getByRole("button", { name: "Older" });
  await button.click();
  await button.click({ force: true });
  held.resolve();
  const older = page.getByRole("table", { name: "Older searches" });
  await expect(older.getByRole("rowheader")).toHaveText([/A84FFG/]);
  await page.getByLabel("Filter", { exact: true }).fill("not sent yet");
  await older.locator("summary").click();
  await older.getByLabel("Name", { exact: true }).fill("Yellow Honda");
  await older.getByRole("button", { name: "Save" }).click();
  await expect(older.getByRole("rowheader")).toHaveText([/^Yellow Honda.*A84FFG/]);
  await expect(page.getByLabel("Filter", { exact: true })).toHaveValue("not sent yet");

  // Another filter begins with the newest: its older page would leave out what it finds there.
  await page.goto("/searches");
  await page.getByLabel("Filter", { exact: true }).fill("NEWER24");
  await button.click();
  await expect(page.getByRole("table", { name: "History" }).getByRole("rowheader")).toHaveText([/NEWER24/]);
});
