import { expect, printLocked, signIn } from "../fixtures.ts";
import { newPlate, test, watch } from "../hits.ts";

test.use({ expectedErrors: [/status of 401/] });

test("a hit that is open in a dialog is printed whole, without the page behind it, unless the page is locked", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  await signIn(page, "hotadmin");
  await expect(page.getByRole("button", { name: /^Hits/ })).toBeVisible();
  const plate = newPlate();
  await watch(page, plate);
  await camera.pass(plate);
  await page.getByRole("button", { name: `Open the hit ${plate} NY` }).click({ timeout: 60_000 });
  const dialog = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
  const maps = dialog.getByRole("link", { name: /Open in Google Maps/ });
  await expect(maps).toBeVisible();
  await expect(dialog.getByText("Added to Hotlist")).toBeHidden();

  const other = newPlate();
  await watch(page, other);
  await camera.pass(other);
  const newHits = dialog.getByRole("region", { name: "New hits" });
  await expect(newHits).toBeVisible({ timeout: 60_000 });

  await page.emulateMedia({ media: "print" });
  await expect(newHits).toBeHidden();
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toBeHidden();
  await expect(dialog.getByText("Nearest Address")).toBeVisible();
  await expect(dialog.getByText("Added to Hotlist")).toBeVisible();
  await expect(maps).toBeHidden();
  await expect(dialog.getByRole("textbox")).toBeHidden();
  // Nothing scrolls or is cut: every text is within the dialog, and a page holds the dialog from its top.
  const sheet = await dialog.boundingBox();
  expect(sheet).toMatchObject({ x: 0, y: 0 });
  const ends = await dialog
    .locator("dt, dd, p")
    .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().bottom));
  expect(ends.length).toBeGreaterThan(10);
  expect(sheet?.height).toBeGreaterThanOrEqual(Math.max(...ends));

  await printLocked(page);
  await expect(dialog.getByText("Nearest Address")).toBeHidden();
});
