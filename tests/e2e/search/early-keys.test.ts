import type { Page } from "@playwright/test";
import { expect, hold, search, signIn, test } from "../fixtures.ts";

/** Opens the results again with their scripts held back. Returns a function that lets them load. */
async function reopenWithoutScripts(page: Page): Promise<() => void> {
  await signIn(page, "officer");
  await search(page, { programs: ["Rekor", "Axon"] });
  const letGo = await hold(page, "**/assets/*.js");
  await page.evaluate(() => {
    document.body.dataset.left = "";
    // Not `page.reload`, which would wait for the scripts that are held back.
    location.reload();
  });
  await expect(page.locator("body:not([data-left]) [role=grid] [data-row]").nth(4)).toBeVisible();
  return letGo;
}

const read = (page: Page) => page.getByRole("dialog", { name: /^Sighting/ });

test("keys pressed on a row before the scripts have loaded act once they have, in their order", async ({
  page,
}) => {
  const letGo = await reopenWithoutScripts(page);
  await page.locator("[role=grid] [data-row]").first().focus();
  for (const key of ["ArrowDown", "Space", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await expect(read(page)).toBeHidden();
  letGo();
  await expect(read(page)).toHaveAccessibleName(/^Sighting 4 of/);
  await page.keyboard.press("Escape");
  await expect(read(page)).toBeHidden();
  await expect(page.locator("[role=grid] [data-row]:focus")).toHaveAttribute("aria-rowindex", "5");
  await expect(page.getByRole("toolbar", { name: "Selected reads" })).toContainText(/^1 of/);
  await expect(page.locator("[role=grid] [aria-rowindex='3']")).toHaveAttribute("aria-selected", "true");
  // The keys act once, and those pressed from now on immediately.
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("[role=grid] [data-row]:focus")).toHaveAttribute("aria-rowindex", "6");
});

test("single-key shortcuts pressed on the page before the scripts have loaded act once they have", async ({
  page,
}) => {
  const letGo = await reopenWithoutScripts(page);
  for (const key of ["j", "j", "k", "j"]) await page.keyboard.press(key);
  letGo();
  await expect(page.locator("[role=grid] [data-row]:focus")).toHaveAttribute("aria-rowindex", "3");
});

test("keys pressed before the scripts have loaded do not act if the focus has moved on", async ({ page }) => {
  const letGo = await reopenWithoutScripts(page);
  await page.locator("[role=grid] [data-row]").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("link", { name: "Refine Previous Search" }).focus();
  letGo();
  await expect(page.getByRole("searchbox", { name: /^Filter these results/ })).toBeVisible();
  await expect(page.getByRole("link", { name: "Refine Previous Search" })).toBeFocused();
});
