import { expect, signIn, test } from "../fixtures.ts";

test("polling a draining database does not count as use of the session", async ({ page }) => {
  await page.route("**/storage.data*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"open"', '"draining"') });
  });
  await signIn(page, "owner");
  await page.getByRole("button", { name: "Operations" }).click();
  const polled = page.waitForRequest("**/storage/data");
  await page.getByRole("link", { name: "Storage" }).click();
  const states = page.getByRole("table", { name: "Databases of reads" });
  await expect(states.getByText("Draining", { exact: true }).first()).toBeVisible();
  expect((await polled).headers()["odin-background"]).toBe("1");
  await expect(states.getByText("Draining", { exact: true })).toHaveCount(0);
});
