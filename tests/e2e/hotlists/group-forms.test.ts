import type { Page } from "@playwright/test";
import { expect, flash, logIn } from "../fixtures.ts";
import { GROUP, newPlate, test, watch } from "../hits.ts";

/** Collects the URLs that the page requests by a method. */
function requestsOf(page: Page, method: string): string[] {
  const urls: string[] = [];
  page.on("request", (request) => request.method() === method && urls.push(request.url()));
  return urls;
}

test("Enter in a control that is not a field of the group does not save the group", async ({ page }) => {
  await logIn(page, "hotadmin");
  const plate = newPlate();
  await watch(page, plate);
  await page.goto(`/groups/${GROUP}/edit`);
  const posted = requestsOf(page, "POST");
  await page.getByLabel("Plate number").fill("HALF");
  await expect(page.getByText("Not saved yet")).toBeVisible();
  await page.getByRole("radio", { name: "Replace All Plates" }).press("Enter");
  const parts = page.getByRole("radiogroup", { name: "Part of the list" });
  await parts.getByRole("radio", { name: /^Active/ }).press("Enter");
  await page.getByLabel("Find a plate").fill(plate);
  await page.getByLabel("Find a plate").press("Enter");
  await expect(page.getByText("1 found")).toBeVisible();
  await page.getByRole("button", { name: `More for ${plate}` }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: /^Edit plate/ });
  await dialog.getByLabel(/^Reason/).fill("Found again");
  await dialog.getByLabel(/^Reason/).press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row").filter({ hasText: plate })).toContainText("Found again");
  expect(posted.filter((url) => url.includes("/edit"))).toEqual([]);
  await expect(page.getByText("Not saved yet")).toBeVisible();
});

test("Create Group is left with what was typed only after a question", async ({ page }) => {
  await logIn(page, "hotadmin");
  await page.goto("/create-group");
  await page.getByLabel("Name").fill(`Kept ${newPlate()}`);
  const search = page.getByRole("link", { name: "Search", exact: true }).first();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await search.click();
  await question.getByRole("button", { name: "Stay" }).click();
  await expect(page.getByLabel("Name")).toHaveValue(/^Kept /);
  await page.getByRole("link", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL("**/alerts");
  await page.goto("/create-group");
  await search.click();
  await page.waitForURL("**/search");
});

test("a user who leaves Create Group after its success is not taken to the groups", async ({ page }) => {
  await page.clock.install();
  await logIn(page, "hotadmin");
  await page.goto("/create-group");
  await page.getByLabel("Name").fill(`Left ${newPlate()}`);
  const said = flash(page, "Group created successfully!");
  await page.getByRole("button", { name: "Create Group" }).click();
  await said;
  const got = requestsOf(page, "GET");
  await page.getByRole("link", { name: "Search", exact: true }).first().click();
  await page.waitForURL("**/search");
  await page.clock.fastForward(5000);
  await page.waitForLoadState("networkidle");
  expect(got.filter((url) => url.includes("/alerts.data"))).toEqual([]);
  await expect(page).toHaveURL(/\/search$/);
});
