import { expect, expectAccessible, newPlate, signIn } from "../fixtures.ts";
import { test } from "../hits.ts";

test("look-alikes: switch, match column, filter and reason, with the keyboard alone", async ({
  page,
  newCamera,
}) => {
  await signIn(page, "hotadmin");
  const camera = await newCamera();
  const plate = `${newPlate("B").slice(0, 6)}X`;
  const misread = `8${plate.slice(1)}`;
  await camera.pass(plate);
  await camera.pass(misread);

  await page.goto("/search");
  await page.getByLabel("Plate", { exact: true }).fill(plate);
  const alike = page.getByRole("switch", { name: /^Look-alikes/ });
  await expect(alike).not.toBeChecked();
  await alike.focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/results?id=*");

  const rows = page.locator("[role=grid] [data-row]");
  await expect(rows.nth(0)).toContainText("Exact");
  await expect(rows.nth(1)).toContainText("0.90: B read as 8");
  await expect(page.getByRole("columnheader", { name: "Match" })).toHaveAttribute("aria-sort", "descending");
  await expectAccessible(page);
  await rows.nth(1).click();
  await expect(page.getByRole("dialog").getByText("0.90: B read as 8")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByLabel("Match").selectOption({ label: "Exact (1)" });
  await page.keyboard.press("Escape");
  await expect(rows).toHaveCount(1);

  await page.goto(page.url().replace(/results\?id=([\w-]+).*/, "results/$1/table?page=1"));
  await expect(page.getByText("0.90: B read as 8").first()).toBeVisible();
  await page.goto("/search");
  await expect(page.getByRole("switch", { name: /^Look-alikes/ })).not.toBeChecked();
});
