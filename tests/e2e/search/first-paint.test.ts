import type { CDPSession, Page } from "@playwright/test";
import { instantsAt } from "#app/lib/time/wall-clock.ts";
import { expect, signIn, test } from "../fixtures.ts";

// Types and submits at the first paint of /search, before its scripts have run.

const JUSTIFICATION = "Stolen vehicle, case 26-1044";

/** CPU slowdown factors of the browser. */
const SLOWDOWNS = [1, 6, 20];

async function slowed(page: Page, rate: number): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate });
  return devtools;
}

/** Opens the search form and returns after a page event, without waiting for hydration. */
async function openSearch(page: Page, moment: "domcontentloaded" | "load"): Promise<void> {
  const reached = moment === "load" ? page.waitForEvent("load") : page.waitForEvent("domcontentloaded");
  await Promise.all([reached, page.evaluate(() => location.assign("/search"))]);
}

/** Opens the search form with its scripts held back. Returns a function that lets them load and waits for hydration. */
async function openWithoutScripts(page: Page): Promise<() => Promise<void>> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.evaluate(() => location.assign("/search"));
  await expect(page.getByLabel("Plate", { exact: true })).toBeVisible();
  expect(await isHydrated(page)).toBe(false);
  return async () => {
    release();
    await expect.poll(() => isHydrated(page), { timeout: 60_000 }).toBe(true);
  };
}

async function isHydrated(page: Page): Promise<boolean> {
  return page.evaluate(() => "__odinAnswers" in window);
}

for (const rate of SLOWDOWNS)
  for (const moment of ["domcontentloaded", "load"] as const)
    test(`text typed at ${moment}, ${rate} times slower, is kept to the last character`, async ({ page }) => {
      await signIn(page, "officer");
      const devtools = await slowed(page, rate);
      await openSearch(page, moment);
      await expect(page.getByLabel("Plate", { exact: true })).toBeFocused();
      await page.keyboard.type("NX6185");
      await page.keyboard.press("Tab");
      await page.keyboard.type(JUSTIFICATION);
      // Everything is typed, so the rest of the hydration need not be slow.
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
      await expect.poll(() => isHydrated(page), { timeout: 60_000 }).toBe(true);
      await expect(page.getByText(/with a plate containing NX6185/)).toBeVisible();
      await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("NX6185");
      await expect(page.getByLabel("Justification")).toHaveValue(JUSTIFICATION);
      await expect(page.getByLabel(/^Start/)).not.toHaveValue("");
      await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
      await expect(page.getByText(/24 hours, [1-9]\d* agenc/)).toBeVisible();
    });

test("every choice made before the scripts arrive is kept", async ({ page }) => {
  await signIn(page, "officer");
  const arrive = await openWithoutScripts(page);
  await page.getByLabel("Plate", { exact: true }).fill("AB?12");
  await page.getByLabel("Justification").fill(JUSTIFICATION);
  await page.getByLabel("Case number").fill("26-1044");
  await page.getByLabel("Purpose").selectOption({ index: 1 });
  await page.getByLabel("Color").selectOption("Red");
  await page.getByRole("radio", { name: "7 Days" }).check();
  await page.getByRole("checkbox", { name: "Top rack" }).check();
  await page.getByRole("checkbox", { name: "All Axon agencies" }).check();
  await arrive();
  await expect(page.getByText(/^7 days, [1-9].* red vehicles .* like AB\?12 and top rack$/)).toBeVisible();
  await expect(page.getByLabel("Justification")).toHaveValue(JUSTIFICATION);
  await expect(page.getByLabel("Case number")).toHaveValue("26-1044");
  await expect(page.getByLabel("Purpose")).not.toHaveValue("");
  await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "All Axon agencies" })).toBeChecked();
  // Read together, because the range moves with the clock. It may include a DST change or a repeated hour.
  const texts = await page.evaluate(() =>
    ["start", "end"].map((name) => document.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? ""),
  );
  const [starts = [], ends = []] = texts.map((text) => instantsAt(text, "America/New_York"));
  expect(starts.flatMap((start) => ends.map((end) => end - start))).toContain(7 * 86_400_000);
});

test("a typed time clears the preset, and stays if it was typed before the scripts arrive", async ({
  page,
}) => {
  await signIn(page, "officer");
  const arrive = await openWithoutScripts(page);
  await page.getByLabel(/^Start/).fill("2026-11-18T08:30:00");
  await arrive();
  await expect(page.getByLabel(/^Start/)).toHaveValue(/^2026-11-18T08:30/);
  await expect(page.getByLabel(/^End/)).not.toHaveValue("");
  const preset = page.getByRole("radio", { name: "24 Hours" });
  await expect(preset).not.toBeChecked();
  for (const edge of [/^Start/, /^End/]) {
    await preset.check();
    await page.getByLabel(edge).fill("2026-11-18T09:00:00");
    await expect(preset).not.toBeChecked();
  }
});

test("a search sent before the scripts arrive is run", async ({ page }) => {
  await signIn(page, "officer");
  const arrive = await openWithoutScripts(page);
  await page.getByLabel("Justification").fill(JUSTIFICATION);
  await page.getByRole("radio", { name: "7 Days" }).check();
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page).toHaveURL(/\/results\?id=[\w-]+$/);
  await arrive();
  await expect(page.locator("[role=grid] [data-row]").first()).toBeVisible();
});

test.describe("a refused search", () => {
  test.use({ expectedErrors: [/400/] });
  test("sent before the scripts arrive shows its problems at the fields and keeps everything typed", async ({
    page,
  }) => {
    await signIn(page, "officer");
    const arrive = await openWithoutScripts(page);
    await page.getByLabel("Plate", { exact: true }).fill("NX;61");
    await page.getByLabel("Justification").fill(JUSTIFICATION);
    await page.getByRole("radio", { name: "30 Days" }).check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.locator("#search-plate-error")).toHaveText(
      "A plate has letters, digits, * and ? only.",
    );
    await expect(page.locator("#search-agencies-error")).toHaveText("Select at least one agency.");
    await arrive();
    await expect(page.getByLabel("Plate", { exact: true })).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("NX;61");
    await expect(page.getByLabel("Justification")).toHaveValue(JUSTIFICATION);
    await expect(page.getByRole("radio", { name: "30 Days" })).toBeChecked();
    await page.getByLabel("Plate", { exact: true }).fill("NX61");
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
  });
});
