import { expect, hold, search, signIn, test } from "../fixtures.ts";
import { slowDown } from "../slow-browser.ts";

test("a scrollbar jump renders the visible rows at once and the overscan when scrolling stops", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  const rows = page.locator("[role=grid] [data-row]");
  const copyButtons = page.getByRole("grid").getByRole("button", { name: /^Copy / });
  // The overscan rows are rendered together with the copy buttons.
  await expect(copyButtons.first()).toBeAttached();
  const settled = await rows.count();

  const jumped = await page.getByRole("grid").evaluate(async (grid) => {
    const box = grid.parentElement;
    if (!box) throw new Error("The grid has no scroll box.");
    box.scrollTop = box.scrollHeight / 2;
    // Checks the frame that scrolls: on a slow machine the overscan may be rendered in the next one.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { left, bottom, top, width } = box.getBoundingClientRect();
    const head = grid.querySelector("thead")?.getBoundingClientRect().bottom ?? top;
    const rowAt = (y: number) => document.elementFromPoint(left + width / 2, y)?.closest("[data-row]");
    return {
      first: Number(rowAt(head + 2)?.getAttribute("aria-rowindex")),
      last: Number(rowAt(bottom - 2)?.getAttribute("aria-rowindex")),
      drawn: grid.querySelectorAll("[data-row]").length,
      of: Number(grid.getAttribute("aria-rowcount")),
    };
  });
  expect(jumped.first).toBeGreaterThan(jumped.of * 0.4);
  expect(jumped.last).toBeGreaterThanOrEqual(jumped.first);
  expect(jumped.last).toBeLessThan(jumped.of * 0.6);
  expect(jumped.drawn).toBeLessThan(settled);

  await expect.poll(() => rows.count()).toBeGreaterThan(jumped.drawn);
  await expect(async () => expect(await copyButtons.count()).toBe(await rows.count())).toPass();
});

test("keys that are pressed on the first rows while the other rows are rendered all count", async ({
  page,
  browser,
}) => {
  await signIn(page, "officer");
  await search(page, { range: "7 Days" });
  const release = await hold(page, "**/results/*/columns");
  await page.reload();
  const focused = page.locator("[role=grid] [data-row]:focus");
  // Until the scripts listen.
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(focused).toBeVisible({ timeout: 1000 });
  }).toPass();
  const from = Number(await focused.getAttribute("data-row"));
  const speedUp = await slowDown(browser, 10);
  release();
  // Four rows down and four up, since the first rows are few.
  let expected = from;
  for (let presses = 0; await page.locator("[role=grid][aria-busy=true]").count(); presses++) {
    const key = presses % 8 < 4 ? "j" : "k";
    await page.keyboard.press(key);
    expected += key === "j" ? 1 : -1;
  }
  await speedUp();
  await page.keyboard.press("j");
  await expect(focused).toHaveAttribute("data-row", `${expected + 1}`);
});

test("keys that are pressed within one frame all count", async ({ page }) => {
  await signIn(page, "officer");
  await search(page, { range: "7 Days" });
  const focused = page.locator("[role=grid] [data-row]:focus");
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(focused).toBeVisible({ timeout: 1000 });
  }).toPass();
  const press = (...keys: string[]) =>
    page.evaluate(async (keys) => {
      await new Promise(requestAnimationFrame);
      for (const key of keys) {
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    }, keys);
  const last = Number(await page.getByRole("grid").getAttribute("aria-rowcount"));
  await press("End", "ArrowUp", "k");
  await expect(focused).toHaveAttribute("aria-rowindex", `${last - 2}`);
  await press("Home", "ArrowDown", "ArrowDown", " ");
  await expect(focused).toHaveAttribute("aria-rowindex", "4");
  await expect(focused).toHaveAttribute("aria-selected", "true");
  await press("ArrowDown", "Enter");
  await expect(page.getByRole("dialog", { name: /^Sighting/ })).toContainText("4 of");
});
