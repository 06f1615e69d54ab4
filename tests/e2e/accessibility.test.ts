import { expect, expectAccessible, search, signIn, THEMES, test } from "./fixtures.ts";

for (const theme of THEMES) {
  test.describe(`in ${theme}`, () => {
    test.use({ theme });

    test("sign-in, search, results and detail are accessible", async ({ page }) => {
      await page.goto("/");
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      await expectAccessible(page);
      await signIn(page, "officer");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await expect(page.getByText("Justification and date range are required.").first()).toBeVisible();
      await expectAccessible(page);
      await search(page, { programs: ["Axis"] });
      const first = page.locator("[role=grid] [data-row='0']");
      await expect(first).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("j");
      await expect(first).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectAccessible(page);
    });
  });
}
