// The form of a place search in an agency with more cameras than a place lists: a filter on the server finds them.

import type { Page } from "@playwright/test";
import { callAs, expect, expectAccessible, logIn, test } from "../fixtures.ts";
import { newAgency } from "../new-agency.ts";

const CAMERAS = 201;
const AT_ONCE = 10;

/** Creates an agency with 201 Axis cameras. Returns the user name of its administrator, who is signed in. */
async function agencyOfCameras(page: Page): Promise<string> {
  const username = await newAgency(page, `q${Date.now().toString(36)}`);
  const names = Array.from({ length: CAMERAS }, (_, number) => `Crossing ${101 + number}`);
  for (let from = 0; from < names.length; from += AT_ONCE)
    await Promise.all(
      names
        .slice(from, from + AT_ONCE)
        .map((name) => callAs(page, "POST /axis-cameras", { name, latitude: 41.7, longitude: -72.6 })),
    );
  return username;
}

test("a camera that a place does not list is found, and stays picked when the filter is cleared", async ({
  page,
}) => {
  await agencyOfCameras(page);
  await page.goto("/investigate");
  const list = page.getByRole("list", { name: "Cameras of place 2" });
  const filter = page.getByRole("searchbox", { name: "Filter cameras of place 2" });
  const boxes = list.getByRole("checkbox");
  await expect(boxes).toHaveCount(50);
  const second = page.getByRole("group", { name: "Place 2", exact: true });
  await expect(second.getByText(/^50 of 2\d\d cameras are listed\./)).toBeVisible();
  await filter.fill("crossing 159");
  const last = list.getByLabel(/Crossing 159/);
  await expect(last).toBeVisible();
  await expect(boxes).toHaveCount(1);
  await expectAccessible(page);
  // Enter in the filter starts no search.
  await filter.press("Enter");
  await expect(page).toHaveURL(/\/investigate$/);
  await page.keyboard.press("Tab");
  await expect(last).toBeFocused();
  await page.keyboard.press("Space");
  // Escape empties a search field, and what was found stays.
  await filter.focus();
  await page.keyboard.press("Escape");
  await expect(boxes).toHaveCount(51);
  await expect(last).toBeChecked();
  await expect(page.locator("[name=p0_cameras]")).toHaveCount(50);
});

test("without scripts, one search finds the cameras of all places", async ({ page, browser, baseURL }) => {
  const username = await agencyOfCameras(page);
  const context = await browser.newContext({ baseURL: baseURL ?? "", javaScriptEnabled: false });
  const plain = await context.newPage();
  await logIn(plain, username);
  await plain.goto("/investigate");
  await expect(plain.locator("[name=p0_cameras]")).toHaveCount(50);
  const find = plain.getByRole("searchbox", { name: "Find cameras" });
  await find.fill("crossing 159, crossing 102");
  await find.press("Enter");
  await expect(plain).toHaveURL(/find=crossing/);
  const first = plain.getByRole("list", { name: "Cameras of place 1" });
  const second = plain.getByRole("list", { name: "Cameras of place 2" });
  for (const list of [first, second]) await expect(list.getByRole("checkbox")).toHaveCount(2);
  await first.getByLabel(/Crossing 159/).check();
  await second.getByLabel(/Crossing 102/).check();
  // A form that is refused keeps the cameras.
  await plain.getByRole("button", { name: "Search places" }).click();
  await expect(plain.locator("[name=p0_start]")).toHaveAttribute("aria-invalid", "true");
  await expect(first.getByLabel(/Crossing 159/)).toBeChecked();
  await expect(second.getByLabel(/Crossing 102/)).toBeChecked();
  await context.close();
});
