import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { expect, search, signIn, test } from "./fixtures.ts";

const rows = "[role=grid] [data-row]";

test("exports what is selected, tells why it asks, and the archive is known again", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  const toPdf = page.getByRole("button", { name: "Export Selected to PDF" });
  const toZip = page.getByRole("button", { name: "Export Selected to ZIP" });
  await expect(toPdf).toBeDisabled();
  await expect(toZip).toBeDisabled();
  for (const n of [0, 1]) await page.locator(rows).nth(n).getByRole("checkbox").check();

  await toPdf.click();
  await page.getByRole("button", { name: "Create the report" }).click();
  await expect(page.getByText("Justification is required.")).toBeVisible();
  await page.getByLabel(/^Justification/).fill("Stolen vehicle");
  const report = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the report" }).click();
  await expect(page.getByText("Please Wait While Odin Finishes Your Report")).toBeVisible();
  const pdf = await report;
  expect(pdf.suggestedFilename()).toMatch(/^odin-report-\d{4}-\d\d-\d\d\.pdf$/);
  expect((await readFile(await pdf.path())).subarray(0, 5).toString()).toBe("%PDF-");

  await toZip.click();
  await page.getByLabel(/^Justification/).fill("Stolen vehicle");
  const archive = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the archive" }).click();
  const bytes = await readFile(await (await archive).path());
  expect(Object.keys(unzipSync(new Uint8Array(bytes)))).toContain("manifest.sig");

  await page.goto("/profile");
  await expect(page.getByRole("link", { name: "Download" })).toHaveCount(2);

  await page.goto("/verify");
  const file = (buffer: Buffer) => ({ name: "export.zip", mimeType: "application/zip", buffer });
  const field = page.getByLabel("Archive, or manifest with signature");
  await field.setInputFiles(file(bytes));
  await expect(page.getByText("Everything fits.").first()).toBeVisible();
  const tampered = Buffer.from(bytes);
  tampered.writeUInt8(tampered.readUInt8(5000) ^ 1, 5000);
  await field.setInputFiles(file(tampered));
  await expect(page.getByText("Do not rely on this export").first()).toBeVisible();
  await expect(page.getByText("Its content was changed").first()).toBeVisible();
});
