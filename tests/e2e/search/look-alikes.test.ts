import { expect, expectAccessible, logIn, newPlate, tabTo } from "../fixtures.ts";
import { test } from "../hits.ts";

test("look-alikes: the switch, match column, filter and reason work with the keyboard alone", async ({
  page,
  newCamera,
}) => {
  await logIn(page, "hotadmin");
  const camera = await newCamera();
  const plate = `${newPlate("B").slice(0, 6)}X`;
  const misread = `8${plate.slice(1)}`;
  await camera.pass(plate);
  await camera.pass(misread);

  await page.goto("/search");
  await expect(page.getByLabel("Plate", { exact: true })).toBeFocused();
  await page.keyboard.type(plate);
  const alike = page.getByRole("switch", { name: /^Look-alikes/ });
  await expect(alike).not.toBeChecked();
  await tabTo(page, "Look-alikes");
  await page.keyboard.press("Space");
  await expect(alike).toBeChecked();
  await tabTo(page, "Justification");
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  await tabTo(page, "All Axis agencies");
  await page.keyboard.press("Space");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/results?id=*");

  const rows = page.locator("[role=grid] [data-row]");
  await expect(rows.nth(0)).toContainText("Exact");
  await expect(rows.nth(1)).toContainText("0.90: B read as 8");
  await expect(page.getByRole("columnheader", { name: "Match" })).toHaveAttribute("aria-sort", "descending");
  await expect(page.locator("[role=grid][aria-busy=true]")).toHaveCount(0);
  await expectAccessible(page);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByText("0.90: B read as 8")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, "Match");
  await page.keyboard.type("Exact");
  await page.keyboard.press("Escape");
  await expect(rows).toHaveCount(1);

  await page.goto(page.url().replace(/results\?id=([\w-]+).*/, "results/$1/table?page=1"));
  await expect(page.getByText("0.90: B read as 8").first()).toBeVisible();
  await page.goto("/search");
  await expect(page.getByRole("switch", { name: /^Look-alikes/ })).not.toBeChecked();
});
