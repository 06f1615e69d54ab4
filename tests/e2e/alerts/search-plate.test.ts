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
});
