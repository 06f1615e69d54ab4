import { expect, expectAccessible, signIn, test } from "../fixtures.ts";

test("a user finds an API endpoint, reads its documentation, and calls it with their own session", async ({
  page,
}) => {
  await signIn(page, "officer");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Screen, group/ }).fill("api documentation");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "API", level: 1 })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("searchbox", { name: "Filter" }).fill("get-current-user");
  await page.getByRole("link", { name: /get-current-user/ }).click();
  await expect(page.getByRole("heading", { name: "GET /get-current-user", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByRole("figure", { name: /Response of this installation/ })).toContainText(
    '"username": "officer"',
  );
  await expectAccessible(page);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the API reference can be filtered and read", async ({ page }) => {
    await signIn(page, "officer", "/docs/api");
    await page.getByRole("searchbox", { name: "Filter" }).fill("export pdf");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: /export-pdf/ }).click();
    await expect(page.getByRole("heading", { name: "POST /export-pdf", level: 1 })).toBeVisible();
    await expect(page.getByText("curl 'http").first()).toBeVisible();
  });
});
