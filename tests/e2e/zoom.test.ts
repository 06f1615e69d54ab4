/** Low windows: phones on their side, and the window of a laptop at a zoom of 400 % (WCAG 1.4.10 and 2.4.11). */
import type { Page } from "@playwright/test";
import { at } from "#app/lib/at.ts";
import { makeFleet, PERSONS_OF_INTEREST } from "../../workers/vendors/world/fleet.ts";
import { expect, logIn, search, signIn } from "./fixtures.ts";
import { GROUP, newPlate, test, watch } from "./hits.ts";

const AT_400 = { width: 360, height: 225 };
const PHONE = { width: 390, height: 700 };

/** A vehicle of the simulated world that cameras read every day. */
const FREQUENT_PLATE = at(makeFleet({ seed: 1, count: 2500 }), PERSONS_OF_INTEREST[0]).plate;

/** Returns the focused element if a bar that stays in view covers it; null otherwise. */
function hiddenFocus(page: Page): Promise<string | null> {
  return page.evaluate(async () => {
    // Two frames: the page has scrolled to the element by then.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const bars = "[data-bar], [aria-label='Time of the reads']";
    const element = document.activeElement;
    if (!element || element === document.body || element.closest(bars)) return null;
    const { left, top, width, height } = element.getBoundingClientRect();
    // In a low window, a visible quarter of one that is taller than half of it is enough.
    const isTall = innerHeight < 384 && height > innerHeight / 2;
    const heights = isTall ? [0.25, 0.5, 0.75] : [0.5];
    const isHidden = heights.every((part) =>
      document.elementFromPoint(left + width / 2, top + height * part)?.closest(bars),
    );
    return isHidden ? `${element.outerHTML.slice(0, 120)} at ${top}` : null;
  });
}

async function expectVisibleFocus(page: Page, stops: number): Promise<void> {
  const hidden: (string | null)[] = [];
  for (const key of [...Array(stops).fill("Tab"), ...Array(stops).fill("Shift+Tab")]) {
    await page.keyboard.press(key);
    hidden.push(await hiddenFocus(page));
  }
  expect(hidden.filter((element) => element !== null)).toEqual([]);
}

for (const path of [`/groups/${GROUP}/edit`, "/search"])
  test(`the bars of ${path} never hide the focus, forward and back`, async ({ page }) => {
    await page.setViewportSize(PHONE);
    await signIn(page, "hotadmin", path);
    await expectVisibleFocus(page, 45);
  });

test("the time slider never hides the focus in the list of a track", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await signIn(page, "officer");
  await search(page, { plate: FREQUENT_PLATE });
  await page.getByRole("tab", { name: "Map View" }).click();
  await page.getByRole("button", { name: /^Show track/ }).click();
  const reads = page.getByRole("list", { name: "Reads of the track" }).getByRole("button");
  await reads.first().focus();
  await expectVisibleFocus(page, Math.min(await reads.count(), 20));
});

test("the menu of an owner can be scrolled to its end", async ({ page }) => {
  await signIn(page, "owner");
  for (const size of [PHONE, AT_400]) {
    await page.setViewportSize(size);
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    const end = page.locator("#navigation-panel").getByRole("button", { name: "Logout" });
    await end.scrollIntoViewIfNeeded();
    await expect(end).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("Escape");
  }
});

test("at 400 %, a hit leaves a part of the page visible, and dialogs can be scrolled to their buttons", async ({
  page,
  newCamera,
}) => {
  await page.setViewportSize(AT_400);
  const camera = await newCamera();
  await logIn(page, "hotadmin");
  await page.goto(`/groups/${GROUP}/edit`);
  await expect(page.getByRole("button", { name: /^Hits, / })).toBeVisible();
  const plate = newPlate();
  await watch(page, plate, { priority: "high" });
  await camera.pass(plate, { state: "CT" });
  const arrived = page.getByRole("region", { name: "New hits" });
  await expect(arrived).toContainText(plate, { timeout: 60_000 });
  await arrived.getByRole("button", { name: "No sound" }).scrollIntoViewIfNeeded();
  await expect(arrived.getByRole("button", { name: "No sound" })).toBeInViewport({ ratio: 1 });
  await page.getByLabel("Name").first().focus();
  await expectVisibleFocus(page, 30);

  await page.getByRole("button", { name: "Delete Group" }).press("Enter");
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("region", { name: "New hits" })).toContainText(plate);
  // With the wheel, as a mouse would: a part that only scripts can scroll to is out of reach.
  await question.hover({ position: { x: 20, y: 20 } });
  await page.mouse.wheel(0, 1000);
  await page.mouse.wheel(0, 1000);
  await expect(question.getByRole("button", { name: "Delete Group" })).toBeInViewport({ ratio: 1 });
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
});
