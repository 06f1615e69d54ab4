import type { Locator, Page } from "@playwright/test";
import { at } from "#app/lib/at.ts";
import { makeFleet, PERSONS_OF_INTEREST } from "../../../workers/vendors/world/fleet.ts";
import { expect, expectAccessible, search, signIn, tabTo, test } from "../fixtures.ts";

// WebGL on the CPU: enough to test that the GPU renderer draws, not its speed. Only WebGL: with ANGLE on SwiftShader,
// every page of the browser would be painted there too, which took a third of the processor time of these journeys.
test.use({
  contextOptions: { reducedMotion: "no-preference" },
  launchOptions: async ({ launchOptions }, use) => {
    const args = [...(launchOptions.args ?? []), "--disable-gpu", "--enable-unsafe-swiftshader"];
    await use({ ...launchOptions, args });
  },
});

/** A vehicle of the simulated world that cameras read every day. */
const FREQUENT_PLATE = at(makeFleet({ seed: 1, count: 2500 }), PERSONS_OF_INTEREST[0]).plate;

async function openMap(page: Page): Promise<void> {
  await signIn(page, "officer");
  await search(page);
  await page.getByRole("tab", { name: "Map View" }).click();
  await expect(page.locator('canvas[data-layer="marks"]')).toBeVisible();
}

const onMap = (page: Page) => page.getByText(/reads? on the map$/).first();
const shownCount = async (page: Page) =>
  Number((await onMap(page).locator("strong").textContent())?.replaceAll(",", ""));

/** Returns whether anything is painted on a canvas. */
function isPainted(page: Page, layer: string): Promise<boolean> {
  return page.locator(`canvas[data-layer="${layer}"]`).evaluate((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) throw new TypeError("The layer is not a canvas.");
    const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data;
    return data?.some((value) => value !== 0) ?? false;
  });
}

test("the canvas and GPU renderers draw the map without external requests", async ({ page }) => {
  await openMap(page);
  await expect(page.locator("[data-map-ground]")).toHaveAttribute("data-renderer", "canvas");
  await expect.poll(() => isPainted(page, "ground")).toBe(true);
  await expect.poll(() => isPainted(page, "markers")).toBe(true);
  const results = page.url();
  await page.goto("/profile");
  await page.getByRole("radio", { name: "Graphics card" }).check();
  await page.goto(results);
  await page.getByRole("tab", { name: "Map View" }).click();
  await expect(page.locator('[data-layer="gpu"] canvas').first()).toBeVisible();
  await expect(page.locator('[data-layer="gpu"] canvas')).toHaveCount(2);
  const marks = () =>
    page.locator('canvas[data-layer="marks"]').evaluate((element: HTMLCanvasElement) => element.toDataURL());
  const plain = await marks();
  await page
    .getByRole("button", { name: "Heat", exact: true })
    .or(page.getByRole("radio", { name: "Heat" }))
    .click();
  await expect.poll(marks).not.toBe(plain);
});

test("a graphics card that is lost, as when a computer wakes up, does not leave a map without markers", async ({
  page,
}) => {
  await signIn(page, "officer", "/profile");
  await page.getByRole("radio", { name: "Graphics card" }).check();
  await page.goto("/search");
  await search(page);
  await page.getByRole("tab", { name: "Map View" }).click();
  const gpu = page.locator('[data-layer="gpu"] canvas');
  await expect(gpu).toHaveCount(2);
  // deck.gl's canvas, which has the markers.
  await gpu.last().evaluate((canvas: HTMLCanvasElement) => {
    canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
  });
  await expect(page.locator("[data-map-ground]")).toHaveAttribute("data-renderer", "canvas");
  await expect.poll(() => isPainted(page, "markers")).toBe(true);
  await expect(page.getByText("WebGL is not available.")).toBeVisible();
});

test("tiles that begin at a closer zoom are not loaded by the thousand", async ({ page }) => {
  await page.route("**/map/basemap", (route) =>
    route.fulfill({ json: { kind: "raster", attribution: "© Somebody", minZoom: 8, maxZoom: 12 } }),
  );
  let asked = 0;
  await page.route("**/map/tiles/**", (route) => {
    asked += 1;
    return route.fulfill({ status: 204 });
  });
  await openMap(page);
  await expect.poll(() => asked).toBeGreaterThan(0);
  const map = page.getByRole("application", { name: /^Map with/ });
  await expect(async () => {
    await map.press("-");
    await expect(page.getByRole("button", { name: "Zoom out" })).toBeDisabled({ timeout: 300 });
  }).toPass();
  expect(asked).toBeLessThan(1000);
});

test.describe("a tile server that failed for a moment", () => {
  test.use({ expectedErrors: [/503/] });

  test("is asked for the tiles again when the map is drawn later", async ({ page }) => {
    await page.route("**/map/basemap", (route) =>
      route.fulfill({ json: { kind: "raster", attribution: "© Somebody", minZoom: 0, maxZoom: 12 } }),
    );
    const asked = new Map<string, number>();
    await page.route("**/map/tiles/**", (route) => {
      const url = route.request().url();
      asked.set(url, (asked.get(url) ?? 0) + 1);
      return route.fulfill({ status: 503 });
    });
    await openMap(page);
    await expect.poll(() => asked.size).toBeGreaterThan(0);
    const map = page.getByRole("application", { name: /^Map with/ });
    await expect(async () => {
      await map.press("ArrowRight");
      await map.press("ArrowLeft");
      expect(Math.max(...asked.values())).toBeGreaterThan(1);
    }).toPass();
  });
});

test.describe("code of the WebGL renderer that cannot be loaded", () => {
  test.use({ expectedErrors: [/ERR_FAILED/] });

  for (const [how, press] of [
    ["the pointer", (button: Locator) => button.click()],
    ["the keyboard", (button: Locator) => button.press("Enter")],
  ] as const)
    test(`is loaded again on request with ${how}`, async ({ page }) => {
      await signIn(page, "officer", "/profile");
      await page.getByRole("radio", { name: "Graphics card" }).check();
      await page.goto("/search");
      await page.route(/\/assets\/canvas\.client-/, (route) => route.abort());
      await search(page);
      await page.getByRole("tab", { name: "Map View" }).click();
      const ground = page.locator("[data-map-ground]");
      await expect(ground.getByText("This part could not be loaded.")).toBeVisible();
      await expectAccessible(page);
      await page.unroute(/\/assets\/canvas\.client-/);
      await press(ground.getByRole("button", { name: "Try again" }));
      await expect(page.locator('[data-layer="gpu"] canvas').first()).toBeVisible();
    });
});

test("rapid arrow keys in the detail all count, even before the URL changes", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  await page.getByRole("row").nth(1).click();
  const dialog = page.getByRole("dialog", { name: /Sighting/ });
  await expect(dialog.getByText(/^1 of /)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Next" })).toBeFocused();
  await page.evaluate(() => {
    const press = () => new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true });
    for (let i = 0; i < 6; i++) document.activeElement?.dispatchEvent(press());
  });
  await expect(dialog.getByText(/^7 of /)).toBeVisible();
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
  await expect(dialog.getByText(/^3 of /)).toBeVisible();
  await expect(page).toHaveURL(/&read=2$/);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("grid")).toBeVisible();
});

test("table and map share filter, selection and highlight", async ({ page }) => {
  await openMap(page);
  const all = await shownCount(page);
  await page
    .getByLabel(/Filter these results/)
    .first()
    .fill("I-91");
  await expect.poll(() => shownCount(page)).toBeLessThan(all);
  const filtered = await shownCount(page);
  await page.getByRole("button", { name: "Next marker" }).click();
  const popup = page.getByRole("dialog");
  await expect(popup).toBeVisible();
  const plate = (await popup.locator(".plate-text").first().textContent()) ?? "";
  await popup.getByRole("checkbox", { name: "Selected" }).check();
  await page.getByRole("tab", { name: "Table View" }).click();
  const selected = page.locator('[role="row"][aria-selected="true"]');
  await expect(selected).toHaveCount(1);
  await expect(selected).toContainText(plate);
  await page.getByRole("tab", { name: "Map View" }).click();
  await expect.poll(() => shownCount(page)).toBe(filtered);
});

test("the slider, its time fields and the counts stay consistent", async ({ page }) => {
  await openMap(page);
  const all = await shownCount(page);
  const from = page.getByRole("slider", { name: "Earliest time" });
  const before = (await from.getAttribute("aria-valuetext")) ?? "";
  for (let i = 0; i < 6; i++) await from.press("PageUp");
  await expect(from).not.toHaveAttribute("aria-valuetext", before);
  await expect.poll(() => shownCount(page)).toBeLessThan(all);
  const field = page.locator('input[type="datetime-local"]').first();
  await expect(async () => {
    const text = await from.getAttribute("aria-valuetext");
    expect((await field.inputValue()).slice(11, 16)).toBe(text?.slice(11, 16));
  }).toPass();
  await from.press("Home");
  await expect.poll(() => shownCount(page)).toBe(all);
  await page.getByRole("button", { name: /Play/ }).click();
  await expect.poll(() => shownCount(page)).toBeLessThan(all);
  await page.getByRole("button", { name: "Pause" }).click();
  // Playback only adds reads: it moves the latest time and keeps the earliest.
  const paused = await shownCount(page);
  await page.getByRole("button", { name: "One read forward" }).click();
  await expect.poll(() => shownCount(page)).toBeGreaterThan(paused);
  await page.getByRole("button", { name: "One read back" }).click();
  await expect.poll(() => shownCount(page)).toBe(paused);
  await page.getByRole("button", { name: "All times" }).click();
  await expect.poll(() => shownCount(page)).toBe(all);
});

test("the map works with the keyboard alone", async ({ page }) => {
  await openMap(page);
  const map = page.getByRole("application", { name: /^Map with/ });
  await map.press("+");
  await map.press("ArrowRight");
  await map.press("n");
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeVisible();
  await expect(map).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: /Sighting/ })).toBeVisible();
  await expect(
    page
      .getByRole("dialog", { name: /Sighting/ })
      .getByText("Nearest address")
      .first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: /Sighting/ })).toBeHidden();
  await map.press("Escape");
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeHidden();
  await page.getByText("Places as a list").click();
  await page.getByRole("list", { name: "Places with reads" }).getByRole("button").first().click();
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeVisible();
});

test("showing a track fits the map to it and fades the other markers until the track is hidden", async ({
  page,
}) => {
  await openMap(page);
  await page.getByRole("button", { name: "Next marker" }).click();
  const popup = page.getByRole("dialog", { name: /^Reads at/ });
  const markers = page.locator('canvas[data-layer="markers"]');
  await expect(markers).toHaveCSS("opacity", "1");
  await popup.getByRole("button", { name: "Show track" }).click();
  await expect(popup).toBeHidden();
  await expect(page.getByRole("region", { name: /^Track of / })).toBeVisible();
  await expect(markers).toHaveCSS("opacity", "0.3");
  await expect(page.getByRole("application", { name: /^Map with/ })).toBeFocused();
  await page.getByRole("button", { name: "Hide the track" }).click();
  await expect(markers).toHaveCSS("opacity", "1");
});

test("a plate search offers pattern and track; the track is listed by trip and played by keyboard", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { plate: FREQUENT_PLATE, range: "30 Days" });
  await page.getByRole("button", { name: "Pattern" }).press("Enter");
  const pattern = page.getByRole("dialog", { name: `Pattern of ${FREQUENT_PLATE}` });
  for (const title of ["Places", "Hours of the week", "Longest gaps"])
    await expect(pattern.getByRole("table", { name: title }).getByRole("row").nth(1)).toBeVisible();
  // The hours with reads differ from the others, also in forced colors, which replace backgrounds.
  await page.emulateMedia({ forcedColors: "active" });
  const shades = await pattern
    .locator("figure .bg-sunken")
    .evaluateAll((hours) => new Set(hours.map((hour) => getComputedStyle(hour).backgroundColor)).size);
  expect(shades).toBeGreaterThan(1);
  await page.emulateMedia({ forcedColors: null });
  await expectAccessible(page);
  await pattern.getByRole("button", { name: "Close" }).press("Enter");
  await expect(pattern).toBeHidden();
  await page.getByRole("button", { name: "Show track", exact: true }).press("Enter");
  const panel = page.getByRole("region", { name: `Track of ${FREQUENT_PLATE}` });
  const list = panel.getByRole("list", { name: "Reads of the track" });
  await expect(panel.getByText(/^\d+ reads, \d+ trips/)).toBeVisible();
  const tripsAfter = async (gap: string) => {
    await panel.getByLabel("New trip after").selectOption(gap);
    return Number(/(\d+) trips|one trip/.exec((await panel.textContent()) ?? "")?.[1] ?? 1);
  };
  expect(await tripsAfter("7 days")).toBeLessThan(await tripsAfter("1 h"));

  await expectAccessible(page);

  // Plays, pauses, then steps: the reads keep their numbers.
  await page.getByRole("button", { name: /Play/ }).press("Enter");
  await page.getByRole("button", { name: "Pause" }).press("Enter");
  const current = list.locator("[aria-current=step]");
  const number = async () => Number((await current.locator("span").first().textContent()) ?? "");
  const paused = await number();
  await page.getByRole("button", { name: "One read forward" }).press("Enter");
  await expect.poll(number).toBe(paused + 1);
  const caption = await current.textContent();
  await page.getByRole("button", { name: "One read forward" }).press("Enter");
  await page.getByRole("button", { name: "One read back" }).press("Enter");
  await expect(current).toHaveText(caption ?? "");

  await list.getByRole("button").first().press("Enter");
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeVisible();

  // At a limit that every trip exceeds, the reads are marked here, in the table and in the detail.
  await page.getByRole("button", { name: "All times" }).press("Enter");
  const limit = panel.getByLabel("Impossible above");
  await limit.fill("30");
  await limit.press("Enter");
  const words = /Impossible trip.* \d+ mph would be needed from .* to /;
  await list.getByRole("button", { name: words }).first().press("Enter");
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeVisible();
  await page.getByRole("tab", { name: "Table View" }).click();
  const row = page.locator('[role="row"][aria-current="true"]');
  await expect(row.getByRole("img", { name: words })).toBeVisible();
  await row.getByRole("img", { name: words }).click();
  await expect(page.getByRole("dialog", { name: /Sighting/ }).getByText(words)).toBeVisible();
});

test("the pattern of a plate is opened and closed with the keyboard alone", async ({ page }) => {
  await signIn(page, "officer");
  await search(page, { plate: FREQUENT_PLATE, range: "30 Days" });
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await tabTo(page, "Pattern");
  await page.keyboard.press("Enter");
  const pattern = page.getByRole("dialog", { name: `Pattern of ${FREQUENT_PLATE}` });
  await expect(pattern.getByRole("table", { name: "Longest gaps" })).toBeVisible();
  // The tooltip of the focused close button does not consume Escape.
  await expect(pattern.getByRole("button", { name: "Close" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(pattern).toBeHidden();
  await expect(page.getByRole("button", { name: "Pattern" })).toBeFocused();
});

test("heat and hexagons have a color legend, and a step to a marker is announced", async ({ page }) => {
  await openMap(page);
  const legend = page.getByText(/Legend:/).locator("..");
  await expect(legend).toBeHidden();
  await page.getByRole("radio", { name: "Heat" }).click();
  await expect(legend).toContainText(/Few reads.*many/);
  await page.getByRole("radio", { name: "Hexagons" }).click();
  await expect(legend).toContainText(/1 read.*\d/);
  await page.getByRole("application", { name: /^Map with/ }).press("n");
  await expect(page.getByRole("status").filter({ hasText: /reads?\. Plate / })).toHaveCount(1);
});

test("a popup lists the read that it shows, also after the pages of another popup were turned", async ({
  page,
}) => {
  await openMap(page);
  await page.getByText(/^Places as a list/).click();
  const places = page.getByRole("list", { name: "Places with reads" }).getByRole("button");
  await places.nth(0).click();
  const reads = page.getByRole("list", { name: "Reads at this spot, newest first" });
  await expect(reads.getByRole("button", { pressed: true })).toBeVisible();
  await page.getByRole("button", { name: "Older reads" }).click();
  await expect(reads.getByRole("button", { pressed: true })).toBeHidden();
  await places.nth(1).click();
  await expect(reads.getByRole("button", { pressed: true })).toBeVisible();
});

test("on a phone, an opened popup scrolls into view and the detail shows its facts above the map", async ({
  page,
}) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await openMap(page);
  await page.getByRole("button", { name: "Next marker" }).click();
  const popup = page.getByRole("dialog", { name: /^Reads at/ });
  await expect(popup).toBeInViewport({ ratio: 0.98 });
  await popup.getByRole("button", { name: "Open sighting" }).click();
  const detail = page.getByRole("dialog", { name: /Sighting/ });
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
  const map = detail.getByRole("application", { name: /^Map of the location/ });
  await expect(map).toBeVisible();
  await expect(async () => {
    const facts = await topOf(detail.getByText("Timestamp", { exact: true }));
    expect(facts).toBeLessThan(await topOf(map));
  }).toPass();
});

test("a printed read shows its map and who printed it", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  await page.getByRole("row").nth(1).click();
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await page.getByRole("button", { name: "Print" }).click();
  await expect(page.locator("body[data-printed]")).toBeAttached();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const sheet = page.locator("[data-print-sheet]");
  await expect(sheet).toBeVisible();
  await expect(sheet).toContainText("by Otis Officer, Hartford Police Department");
  await expect(sheet.getByAltText("Map of the location")).toBeVisible();
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(255, 255, 255)");
});

test("a printed map keeps its shape, so that its markers and its scale bar are right", async ({ page }) => {
  // Observers are not told of the size of paper.
  await page.addInitScript(() => {
    window.ResizeObserver = class extends ResizeObserver {
      constructor(callback: ResizeObserverCallback) {
        super((entries, observer) => {
          if (!matchMedia("print").matches) callback(entries, observer);
        });
      }
    };
  });
  await openMap(page);
  const map = page.locator('canvas[data-layer="marks"]');
  const box = async () => (await map.boundingBox()) ?? { width: Number.NaN, height: Number.NaN };
  const shown = await box();
  const bar = async () =>
    (
      await page
        .getByText(/^[\d,.]+ (mi|ft)$/)
        .locator("+ div")
        .boundingBox()
    )?.width ?? 0;
  const miles = (await bar()) / shown.width;
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => {
    document.body.style.width = "680px";
  });
  const printed = await box();
  expect(printed.width).toBeLessThanOrEqual(680);
  expect(printed.width / printed.height).toBeCloseTo(shown.width / shown.height, 1);
  expect((await bar()) / printed.width).toBeCloseTo(miles, 2);
});

test("the map passes the accessibility rules", async ({ page }) => {
  await openMap(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Next marker" }).click();
  await expect(page.getByRole("dialog", { name: /^Reads at/ })).toBeVisible();
  await expectAccessible(page);
});

test.describe("without images", () => {
  test.use({
    // A function, because Playwright reads an array as a fixture with options.
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the empty destructuring
    expectedErrors: async ({}, use) => use([/404/]),
  });

  test("a popup enlarges the image, or reports that it is unavailable", async ({ page }) => {
    await page.route(/proxy-/, (route) => route.fulfill({ status: 404, body: "" }));
    await openMap(page);
    await page.getByRole("button", { name: "Next marker" }).click();
    await expect(page.getByRole("dialog").getByText("Vehicle image unavailable")).toBeVisible();
    const enlarge = page.getByRole("button", { name: "Show the vehicle image full screen" });
    await expect(enlarge).toBeHidden();
    await page.unroute(/proxy-/);
    await page.getByRole("button", { name: "Next marker" }).click();
    await expect(enlarge).toBeVisible();
    await expect
      .poll(async () => (await page.getByRole("dialog").first().boundingBox())?.width)
      .toBeLessThanOrEqual(600);
  });
});
