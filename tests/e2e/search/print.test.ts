import { expect, printLocked, search, signIn, test } from "../fixtures.ts";
import { test as withCameras } from "../hits.ts";

test("a printed read marks a justification that is too long to be printed in full", async ({ page }) => {
  await signIn(page, "officer");
  // The emoji is at the cut, where half of it would be printed.
  const justification =
    `Stolen vehicle, case 26-1044. ${"A witness saw it near the scene. ".repeat(17)}`.padEnd(598, "x");
  await page.getByLabel("Justification").fill(`${justification}🚓${"y".repeat(200)}`);
  await page.getByRole("radio", { name: "7 Days", exact: true }).check();
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
  await page.getByRole("row").nth(1).click();
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await page.getByRole("button", { name: "Print" }).click();
  await expect(page.locator("body[data-printed]")).toBeAttached();
  await page.emulateMedia({ media: "print" });
  const printed = page.locator("[data-print-sheet] dd").filter({ hasText: "A witness saw it" });
  await expect(printed).toHaveText(`${justification}🚓…`);
});

test("printed results have no buttons, tabs or boxes to select", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  const controls = page
    .getByRole("main")
    .getByRole("button", { name: /^(Export|Refine|Filter|Columns)/ })
    .or(page.getByRole("tab"))
    .or(page.getByRole("main").getByRole("checkbox"));
  for (const view of ["Table View", "Gallery View"]) {
    await page.getByRole("tab", { name: view }).click();
    await expect(controls.first()).toBeVisible();
    await page.emulateMedia({ media: "print" });
    await expect(controls).toHaveCount(0);
    await expect(page.getByRole("grid").getByRole("row").nth(1)).toBeVisible();
    await page.emulateMedia({ media: null });
  }
});

withCameras(
  "printed results have whole plates and headings, and dates on one line",
  async ({ page, newCamera }) => {
    const { pass } = await newCamera();
    for (const plate of ["LONG5678", "LONG5678901", "LONG56789012345"])
      await pass(plate, { hasPicture: false });
    await signIn(page, "officer");
    await search(page);
    // The width of Letter without its margins.
    await page.setViewportSize({ width: 703, height: 900 });
    await page.emulateMedia({ media: "print" });
    const parts = page
      .getByRole("grid")
      .getByRole("row")
      .nth(1)
      .getByText(/^(\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2} \w+)$/);
    await expect(parts).toHaveCount(2);
    const lines = await parts.evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(lines).toEqual([1, 1]);
    const [date, time] = await parts.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().height),
    );
    expect(time).toBeLessThan((date ?? 0) * 1.5);
    await expect(page.getByRole("columnheader").locator("svg:visible")).toHaveCount(0);
    await expect(page.getByRole("grid").getByText("LONG56789012345").first()).toBeVisible();
    const cutOff = await page
      .locator("[role=grid] .plate-text, [role=grid] td:has([role=img]), [role=grid] td span.truncate")
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML),
      );
    expect(cutOff).toEqual([]);
  },
);

test.describe("a locked page", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("prints neither the read that is open nor the results behind it", async ({ page }) => {
    await signIn(page, "viewer");
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    await page.getByRole("radio", { name: "7 Days", exact: true }).check();
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
    await page.getByRole("row").nth(1).click();
    await page.emulateMedia({ media: "print" });
    const report = page.getByText("Sighting report");
    await expect(report).toBeVisible();
    await printLocked(page);
    await expect(report).toBeHidden();
    await expect(page.getByRole("heading", { name: "Search Results", includeHidden: true })).toBeHidden();
  });
});
