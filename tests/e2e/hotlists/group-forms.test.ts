import type { Page } from "@playwright/test";
import { expect, logIn } from "../fixtures.ts";
import { GROUP, newPlate, test, watch } from "../hits.ts";

/** Collects the URLs that the page requests by a method. */
function requestsOf(page: Page, method: string): string[] {
  const urls: string[] = [];
  page.on("request", (request) => request.method() === method && urls.push(request.url()));
  return urls;
}

test("Enter in a control that is no field of the group does not save the group", async ({ page }) => {
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
