import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { at } from "#app/lib/at.ts";
import { makeFleet, PERSONS_OF_INTEREST } from "../../workers/vendors/world/fleet.ts";
import { expect, logOut, newPlate, search, signIn, zoneAtNoon } from "./fixtures.ts";
import { test } from "./hits.ts";

// The number of clicks that the most frequent tasks take; docs/decisions.md has the table.

/** A vehicle of the simulated world that cameras read every day. */
const FREQUENT_PLATE = at(makeFleet({ seed: 1, count: 2500 }), PERSONS_OF_INTEREST[0]).plate;

/**
 * Counts the user's clicks on a page from now on: pointer presses, and keys that submit or choose something (Enter,
 * and any key with Ctrl). Typing and the Tab key do not count.
 */
async function countClicks(page: Page): Promise<() => number> {
  let count = 0;
  await page.exposeFunction("countClick", () => {
    count += 1;
  });
  const listen = () => {
    const told = window as unknown as { countClick: () => void };
    addEventListener("pointerdown", () => told.countClick(), true);
    addEventListener(
      "keydown",
      ({ key, ctrlKey }) => {
        if (key === "Enter" || (ctrlKey && key !== "Control")) told.countClick();
      },
      true,
    );
  };
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return () => count;
}

const plateField = (page: Page) => page.getByLabel("Plate", { exact: true });

test("a first search and its third image take 4 clicks; the next search takes 3, as agencies are remembered", async ({
  page,
}) => {
  await signIn(page, "officer");
  const clicks = await countClicks(page);
  const openThird = async () => {
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
    // A click on a row that is being replaced would be repeated, and counted twice.
    await expect(page.locator("[role=grid][aria-busy=true]")).toHaveCount(0);
    await page.locator("[role=grid] [data-row='2']").click();
    const picture = page.getByRole("dialog").getByRole("img", { name: /^Vehicle / });
    await expect(picture.first()).toBeVisible();
  };
  await expect(plateField(page)).toBeFocused();
  await page.getByLabel("Justification").click();
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  await page.getByRole("button", { name: "Select all" }).click();
  await openThird();
  expect(clicks()).toBeLessThanOrEqual(4);

  const before = clicks();
  await page.goto("/search");
  await expect(page.getByText(/^24 hours, \d+ agencies/)).toBeVisible();
  await page.getByLabel("Justification").click();
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  await openThird();
  expect(clicks() - before).toBeLessThanOrEqual(3);
});

test("finding all places of one car and its track takes 5 clicks", async ({ page }) => {
  await signIn(page, "officer");
  const clicks = await countClicks(page);
  await expect(plateField(page)).toBeFocused();
  await page.keyboard.type(FREQUENT_PLATE);
  // One Tab from the plate field reaches the justification.
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Justification")).toBeFocused();
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  await page.getByRole("radio", { name: "30 Days" }).check();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/results?id=*");
  await page.getByRole("button", { name: "Show track", exact: true }).click();
  const track = page.getByRole("region", { name: `Track of ${FREQUENT_PLATE}` });
  await expect(track.getByText(/^\d+ reads, \d+ trips/)).toBeVisible();
  await expect(track.getByRole("list", { name: "Reads of the track" })).toContainText(/@/);
  await page.getByText(/^Places as a list/).click();
  await expect(
    page.getByRole("list", { name: "Places with reads" }).getByRole("button").first(),
  ).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(5);
});

test("adding a plate to a hotlist and opening its hit takes 7 clicks", async ({ page, newCamera }) => {
  const camera = await newCamera();
  await signIn(page, "hotadmin");
  const clicks = await countClicks(page);
  const plate = newPlate("T");
  await page.getByRole("link", { name: "Alerts", exact: true }).first().click();
  const card = page.getByRole("listitem").filter({ hasText: "Missing persons" });
  await card.getByRole("link", { name: "Details" }).click();
  await page.getByRole("link", { name: "Edit Group" }).click();
  await page.getByLabel("Plate number").click();
  await page.keyboard.type(plate);
  await page.getByLabel(/^Reason/).click();
  await page.keyboard.type("Missing person");
  // Saving the group also saves a plate that is typed but not added.
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByRole("row").filter({ hasText: plate })).toBeVisible();
  await camera.pass(plate);
  const arrived = page.getByRole("region", { name: "New hits" });
  await expect(arrived).toContainText(plate, { timeout: 60_000 });
  await arrived.getByRole("button", { name: new RegExp(`^Open the hit ${plate}`) }).click();
  await expect(
    page.getByRole("dialog").getByRole("heading", { name: "Verify plate and state before action" }),
  ).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(7);
});

test("exporting ten reads to a verified PDF takes 6 clicks", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  const clicks = await countClicks(page);
  const box = (row: number) => page.locator(`[role=grid] [data-row="${row}"]`).getByRole("checkbox");
  await box(0).click();
  await box(9).click({ modifiers: ["Shift"] });
  await expect(page.getByRole("toolbar", { name: "Selected reads" })).toContainText("10 of");
  await page.getByRole("button", { name: "Export Selected to PDF" }).click();
  await expect(page.getByLabel(/^Justification/)).toHaveValue("Stolen vehicle, case 26-1044");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the report" }).click();
  const file = await (await saving).path();
  const opening = page.waitForEvent("popup");
  await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Verify" }).click();
  const verify = await opening;
  const choosing = verify.waitForEvent("filechooser");
  // The sixth click is on another page.
  await verify.getByLabel("Report, archive, or manifest with signature").click();
  const report = { name: "report.pdf", mimeType: "application/pdf", buffer: await readFile(file) };
  await (await choosing).setFiles(report);
  await expect(verify.getByRole("region", { name: "Result" })).toContainText(
    "Verified. Unchanged since export.",
  );
  expect(clicks() + 1).toBeLessThanOrEqual(6);
});

test.describe("in a month that does not end during the test", () => {
  test.use({ timezoneId: zoneAtNoon() });

  test("finding who looked up a plate last month takes 3 clicks", async ({ page }) => {
    const plate = newPlate("zw");
    await signIn(page, "officer");
    await search(page, { plate, programs: ["Axis"] });
    await logOut(page);
    await signIn(page, "admin");
    const clicks = await countClicks(page);
    await page.getByRole("link", { name: "Audit Log" }).click();
    await page.getByLabel("Plate Search").click();
    await page.keyboard.type(plate);
    await page.getByRole("button", { name: "Last month" }).click();
    await expect(page.getByRole("button", { name: "Last month", pressed: true })).toBeVisible();
    expect(clicks()).toBeLessThanOrEqual(3);
    // The search of this test was made this month.
    const rows = page.getByRole("table", { name: "Audit log, newest first" }).getByRole("row");
    await expect(rows.filter({ hasText: plate })).toHaveCount(0);
    await page.getByRole("button", { name: "7 days" }).click();
    await expect(rows.filter({ hasText: new RegExp(plate, "i") })).toContainText("Otis Officer");
  });
});
