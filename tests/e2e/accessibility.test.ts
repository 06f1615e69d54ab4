import { expect, expectAccessible, search, signIn, test } from "./fixtures.ts";

for (const theme of ["light", "dark", "night"] as const) {
  test(`sign-in, search, results and detail are accessible in ${theme}`, async ({
    page,
    context,
    baseURL,
  }) => {
    await context.addCookies([{ name: "odin-theme", value: theme, url: baseURL as string }]);
    await page.emulateMedia({ reducedMotion: "reduce" });
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
}
