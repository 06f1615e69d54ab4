import { expect, expectAccessible, signIn, test } from "../fixtures.ts";

test("the owner starts a backup, sees it finish, and verifies it", async ({ page }) => {
  test.setTimeout(400_000);
  const messages = page.getByRole("region", { name: "Messages" });
  await signIn(page, "owner");
  await page.getByRole("link", { name: "Owner", exact: true }).click();
  await page.getByRole("link", { name: "Backups" }).click();
  await expect(page.getByRole("heading", { name: "Backups", exact: true })).toBeVisible();
  await expect(page.getByText(/There is no backup yet|kept for 30 days/).first()).toBeVisible();
  await expectAccessible(page);
  const begin = page.getByRole("button", { name: "Back up now" });
  // The backup of a previous attempt may still be running.
  await expect(begin).toBeEnabled({ timeout: 180_000 });
  const started = page.waitForResponse("**/backups/start");
  await begin.click();
  const { id }: { id: string } = await (await started).json();
  await expect(messages.getByText("The backup has started.")).toBeVisible();
  const newest = page.getByRole("row").nth(1);
  await expect(newest).toContainText(id);
  await expect(newest).toContainText("owner");
  await expect(newest).toContainText("Finished", { timeout: 180_000 });
  await expect(page.getByText("There is no backup yet")).toHaveCount(0);
  await expectAccessible(page);
  await newest.getByRole("button", { name: /^Verify/ }).click();
  await expect(messages.getByText("The backup is intact")).toBeVisible({ timeout: 120_000 });

  // Purged objects were listed, but not read. The counts are of all parts.
  const part = { total: 2, rows: 5, objects: 3, missing: 1, problem: null };
  await page.route("**/backups/*/verify", (route) => {
    const isFirst = route.request().postDataJSON().after === 0;
    return route.fulfill({ json: { ...part, checked: isFirst ? 1 : 2, next: isFirst ? 1 : null } });
  });
  await newest.getByRole("button", { name: /^Verify/ }).click();
  await expect(
    messages.getByText("10 rows and 4 objects were read back. 2 objects were purged since."),
  ).toBeVisible();
});
