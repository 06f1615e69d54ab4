import type { Page } from "@playwright/test";
import { expect, search, signIn, test } from "../fixtures.ts";

// The time slider below the map, moved by pointer and by touch.

type Spot = { x: number; y: number };

/** Opens the map. Returns a function that returns where a share of the slider's span is. */
async function openSlider(page: Page): Promise<(share: number) => Spot> {
  await signIn(page, "officer");
  await search(page);
  await page.getByRole("tab", { name: "Map View" }).click();
  const rail = page.locator("[data-time-rail]");
  await expect(rail).toBeVisible();
  const box = await rail.boundingBox();
  if (!box) throw new Error("The slider has no box.");
  return (share) => ({ x: box.x + box.width * share, y: box.y + box.height - 14 });
}

/** Returns where both thumbs are, in percent of the span. */
const thumbs = (page: Page) =>
  page
    .getByRole("slider")
    .evaluateAll((all) =>
      all.map((one) => (one instanceof HTMLElement ? Math.round(parseFloat(one.style.left)) : -1)),
    );

async function drag(page: Page, from: Spot, to: Spot): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

test("thumbs that were dragged onto each other can be dragged apart to both sides", async ({ page }) => {
  const at = await openSlider(page);
  // The pointer leaves the window and is released there.
  await drag(page, at(0), { x: 3000, y: -200 });
  await expect.poll(() => thumbs(page)).toEqual([100, 100]);
  await drag(page, at(1), at(0.6));
  await expect.poll(() => thumbs(page)).toEqual([60, 100]);
  await drag(page, at(1), at(0.5));
  await expect.poll(() => thumbs(page)).toEqual([60, 60]);
  await drag(page, at(0.6), at(0.8));
  await expect.poll(() => thumbs(page)).toEqual([60, 80]);
  // No button is pressed.
  await page.mouse.move(at(0.3).x, at(0.3).y);
  expect(await thumbs(page)).toEqual([60, 80]);
});

test.describe("with touch", () => {
  test.use({ hasTouch: true });

  test("a second finger does not pull the thumb of the first", async ({ page }) => {
    const at = await openSlider(page);
    const session = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...shares: number[]) =>
      session.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: shares.map((share, id) => ({ ...at(share), id })),
      });
    await touch("touchStart", 0);
    await touch("touchMove", 0.2);
    await touch("touchStart", 0.2, 0.9);
    await touch("touchMove", 0.3, 0.7);
    await touch("touchMove", 0.4, 0.6);
    await expect.poll(() => thumbs(page)).toEqual([40, 100]);
    await touch("touchEnd", 0.4);
    await touch("touchMove", 0.3);
    await touch("touchEnd");
    await expect.poll(() => thumbs(page)).toEqual([30, 100]);
  });
});
