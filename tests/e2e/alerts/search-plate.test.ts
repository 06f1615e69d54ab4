import { expect, signIn } from "../fixtures.ts";
import { newPlate, test, watch } from "../hits.ts";

test("a search for the plate of a hit starts from its dialog, which closes", async ({ page, newCamera }) => {
  await signIn(page, "hotadmin");
  // Hits that the bell finds at its first call are not announced.
  await expect(page.getByRole("button", { name: /^Hits/ })).toBeVisible();
  const camera = await newCamera();
  const plate = newPlate();
  await watch(page, plate);
  await camera.pass(plate);
  await page.getByRole("button", { name: `Open the hit ${plate} NY` }).click({ timeout: 60_000 });
  const dialog = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
  await dialog.getByRole("button", { name: "Search this plate" }).waitFor();
  await dialog.getByRole("button", { name: "Search this plate" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
  await expect(page.getByLabel("Justification")).toHaveValue("");

  // A review loads the screen's data again. The plate was handed over only once.
  await page.getByLabel("Plate", { exact: true }).fill("TYPED1");
  await page.getByRole("button", { name: /^Hits/ }).click();
  await page
    .getByRole("dialog", { name: "Newest hits" })
    .getByRole("button", { name: new RegExp(plate) })
    .click();
  const loaded = page.waitForResponse(/\/search\.data/);
  await dialog.getByRole("button", { name: "Misread" }).click();
  await loaded;
  await expect(dialog.getByText(/Misread\s+by Hanna Hotlist/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("TYPED1");
});
