import { expect, search, signIn, test } from "../fixtures.ts";

test("a jump of the scrollbar shows its rows at once, and what is around them once it stands", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  const rows = page.locator("[role=grid] [data-row]");
  const copyButtons = page.getByRole("grid").getByRole("button", { name: /^Copy / });
  // The rows around what is seen are there as soon as the buttons are.
  await expect(copyButtons.first()).toBeAttached();
  const standing = await rows.count();

  const jumped = await page.getByRole("grid").evaluate(async (grid) => {
    const box = grid.parentElement as HTMLElement;
    box.scrollTop = box.scrollHeight / 2;
    // In the frame that scrolls: on a slow machine the rows around may be there by the next.
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
  expect(jumped.drawn).toBeLessThan(standing);

  await expect.poll(() => rows.count()).toBeGreaterThan(jumped.drawn);
  await expect(async () => expect(await copyButtons.count()).toBe(await rows.count())).toPass();
});
