import type { Page } from "@playwright/test";
import { at } from "#app/lib/at.ts";
import { makeFleet, PERSONS_OF_INTEREST } from "../../../workers/vendors/world/fleet.ts";
import { expect, expectAccessible, hold, search, signIn, test } from "../fixtures.ts";
import { test as withCameras } from "../hits.ts";

/** A vehicle of the simulated world that cameras read every day. */
const FREQUENT_PLATE = at(makeFleet({ seed: 1, count: 2500 }), PERSONS_OF_INTEREST[0]).plate;

/** Returns the fraction of the window's height that the map takes above the slider. */
async function mapShare(page: Page): Promise<number> {
  const map = await page.getByRole("application", { name: /^Map with/ }).boundingBox();
  const slider = await page.getByRole("region", { name: "Time of the reads" }).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  if (!map || !slider) return 0;
  return (Math.min(map.y + map.height, slider.y, height) - map.y) / height;
}

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("the Home and End keys lead to the first and the last view of the results", async ({ page }) => {
  await signIn(page, "officer");
  await search(page);
  const view = (name: string) => page.getByRole("tab", { name });
  await view("Gallery View").click();
  for (const [key, name] of [
    ["End", "Map View"],
    ["Home", "Table View"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(view(name)).toBeFocused();
    await expect(view(name)).toHaveAttribute("aria-selected", "true");
  }
});

test("eight rows with images and plain-language values fit on a laptop; a stored row size is kept", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, "officer");
  // The newest reads may be of any vehicles, and the code of an SUV equals its displayed name.
  await page.getByLabel("Body type").selectOption("sedan-standard");
  // Other tests push Axis reads without images.
  await search(page, { programs: ["Rekor", "Axon"] });
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("button", { name: /^Copy / }).first()).toBeAttached();
  const wholeRows = () =>
    grid.locator("[data-row]").evaluateAll(
      (rows) =>
        rows.filter((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight && row.querySelectorAll("img, [role=img]").length >= 2;
        }).length,
    );
  await expect.poll(wholeRows).toBeGreaterThanOrEqual(8);
  const kind = grid.getByText("Sedan", { exact: true }).first();
  await expect(kind).toBeVisible();
  await expect(grid.getByText(/^\w+-standard$/)).toHaveCount(0);

  await kind.click();
  await expect(page.getByRole("dialog").getByText("Recorded as sedan-standard")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("radio", { name: "Compact rows" }).check();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Compact rows" })).toBeChecked();
  await expect(grid).toHaveAttribute("data-density", "compact");
});

test("the controls of one plate fit on two lines at 1280 px; nothing of a card is cut off at 320 px", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn(page, "officer");
  await search(page, { plate: FREQUENT_PLATE });
  await page.locator('[role=grid] [data-row="0"] [data-select]').click();
  await expect(page.getByRole("button", { name: "Show track", exact: true })).toBeVisible();
  const lineOf = async (name: "tab" | "button", text: string) => {
    const box = await page.getByRole(name, { name: text, exact: true }).boundingBox();
    return box ? Math.round(box.y + box.height / 2) : 0;
  };
  const lines = [
    await lineOf("button", "Show track"),
    await lineOf("button", "Export Selected to PDF"),
    await lineOf("tab", "Table View"),
    await lineOf("button", "Columns"),
  ];
  expect(Math.abs(at(lines, 0) - at(lines, 1))).toBeLessThan(4);
  expect(Math.abs(at(lines, 2) - at(lines, 3))).toBeLessThan(4);

  await page.setViewportSize({ width: 320, height: 700 });
  const cutOff = () =>
    page
      .locator("[role=grid] [data-row]")
      .first()
      .evaluate((row) =>
        [...row.querySelectorAll("td, .plate-text")]
          .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1)
          .map(({ textContent }) => textContent),
      );
  await expect(page.locator("[role=grid] [data-row]").first()).toBeVisible();
  await expect.poll(cutOff).toEqual([]);
});

/** Of nine to fifteen characters, the most that a read has. */
const LONG_PLATES = ["LONG56789", "LONG567890", "LONG5678901", "LONG56789012", "LONG56789012345"];

withCameras(
  "with text of twice the usual size, no plate of the table or the gallery is cut off",
  async ({ page, newCamera }) => {
    const camera = await newCamera();
    for (const plate of LONG_PLATES) await camera.pass(plate);
    await page.setViewportSize({ width: 1280, height: 900 });
    await signIn(page, "officer");
    await search(page);
    /** Returns plates with parts outside of themselves or of their row or tile. */
    const cutOff = () =>
      page.locator("[role=grid] [data-row]").evaluateAll((reads) =>
        reads.flatMap((read) => {
          const box = read.getBoundingClientRect();
          return [...read.querySelectorAll(".plate-text, :has(> .plate-text)")]
            .filter((plate) => {
              const { top, bottom } = plate.getBoundingClientRect();
              const isWhole = top >= box.top && bottom <= box.bottom;
              return !isWhole || plate.scrollWidth > plate.clientWidth + 1;
            })
            .map(({ textContent }) => textContent);
        }),
      );
    const plates = page.locator("[role=grid] .plate-text");
    for (const plate of LONG_PLATES)
      await expect(page.getByRole("grid").getByText(plate, { exact: true }).first()).toBeVisible();
    await expect.poll(cutOff, "usual size").toEqual([]);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    });
    for (const view of ["Gallery View", "Table View"]) {
      await page.getByRole("tab", { name: view }).click();
      await expect(plates.first()).toBeVisible();
      await expect.poll(cutOff, view).toEqual([]);
    }
  },
);

test("selected reads are copied as lines of cells, and a part of a cell as it is", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "officer");
  await search(page, { programs: ["Rekor"] });
  const rows = page.locator("[role=grid] [data-row]");
  await expect(rows.nth(1)).toBeVisible();
  const copied = async () => {
    await page.keyboard.press("ControlOrMeta+c");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const shown = await rows.evaluateAll((all) =>
    all.slice(0, 2).map((row) => [...row.children].slice(1).map((cell) => cell.textContent)),
  );
  await rows.first().evaluate((row) => {
    const next = row.nextElementSibling ?? row;
    getSelection()?.setBaseAndExtent(row, 0, next, next.childElementCount);
  });
  expect((await copied()).split("\n").map((line) => line.split("\t"))).toEqual(shown);
  const plate = rows.first().locator(".plate-text");
  await plate.evaluate(({ firstChild }) => {
    if (firstChild) getSelection()?.setBaseAndExtent(firstChild, 1, firstChild, 4);
  });
  expect(await copied()).toBe((await plate.textContent())?.slice(1, 4));
  // A triple click selects up to the start of the next cell.
  await plate.evaluate(({ firstChild, parentElement }) => {
    const next = parentElement?.nextElementSibling;
    if (firstChild && next) getSelection()?.setBaseAndExtent(firstChild, 0, next, 0);
  });
  expect((await copied()).trim()).toBe(await plate.textContent());
});

test("the gallery has the same order, selection, keyboard commands and dialog as the table", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  await page.locator('[role=grid] [data-row="1"] [data-select]').click();
  await page.getByRole("tab", { name: "Gallery View" }).click();
  const tile = (row: number) => page.locator(`[role=gridcell][data-row="${row}"]`);
  await expect(tile(1)).toHaveAttribute("aria-selected", "true");
  await expect(tile(0)).toHaveAttribute("aria-selected", "false");

  await tile(1).focus();
  await page.keyboard.press("ArrowRight");
  await expect(tile(2)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.getByRole("toolbar", { name: "Selected reads" })).toContainText("2 of");
  await page.keyboard.press("End");
  await expect(page.locator("[role=gridcell][aria-current]")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(tile(0)).toBeFocused();
  await page.keyboard.press("ArrowDown");
  const below = Number(await page.getByRole("grid").getAttribute("aria-colcount"));
  await expect(tile(below)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toContainText(`${below + 1} of`);
  await page.keyboard.press("Escape");
  await expect(tile(below)).toBeFocused();
  await expectAccessible(page);

  await page.getByRole("combobox", { name: "Sort" }).selectOption("Oldest first");
  await expect(tile(0)).toHaveCount(0);
  await page.getByRole("searchbox").fill("no such plate");
  await expect(page.getByText("No reads match.")).toBeVisible();
  await page.getByRole("button", { name: "Show all" }).first().click();
  await expect(page.locator("[role=gridcell][data-row]").first()).toBeVisible();
});

test.describe("on a phone", () => {
  test.use(PHONE);

  test("results are cards below a one-line header that expands; the map takes most of the screen", async ({
    page,
  }) => {
    await signIn(page, "officer");
    await search(page, { programs: ["Rekor"] });
    const card = page.locator('[role=grid] [data-row="0"]');
    await expect(card.getByRole("img").first()).toBeVisible();
    await expect(card).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect((await card.boundingBox())?.y).toBeLessThan(200);
    const camera = await card.getByText(/@/).boundingBox();
    expect((camera?.x ?? 0) + (camera?.width ?? 0)).toBeLessThanOrEqual(390);
    await expect(page.getByRole("searchbox")).toBeHidden();
    await page.getByRole("button", { name: /^Filter, sort and export/ }).click();
    await expect(page.getByRole("searchbox")).toBeVisible();
    await expect(page.getByRole("button", { name: "Export Selected to PDF" })).toBeDisabled();
    await page.getByRole("combobox", { name: "Sort" }).selectOption("Oldest first");
    await expect(card).toBeHidden();
    await page.getByRole("button", { name: /^Filter, sort and export/ }).click();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Map View" }).click();
    await expect.poll(() => mapShare(page)).toBeGreaterThanOrEqual(0.6);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("the map takes most of the screen during playback of a track, even on small phones", async ({
    page,
  }) => {
    await signIn(page, "officer");
    await search(page, { plate: FREQUENT_PLATE });
    await page.getByRole("tab", { name: "Map View" }).click();
    await page.getByRole("button", { name: /^Show track/ }).click();
    await page.getByRole("button", { name: "One read back" }).click();
    await expect(page.getByText(/^Read \d+ of \d+/).last()).toBeVisible();
    for (const size of [
      { width: 390, height: 844 },
      { width: 375, height: 667 },
      { width: 360, height: 640 },
    ]) {
      await page.setViewportSize(size);
      await expect.poll(() => mapShare(page)).toBeGreaterThanOrEqual(0.6);
      const { scrollWidth, scrollHeight } = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return { scrollWidth, scrollHeight };
      });
      expect([scrollWidth, scrollHeight]).toEqual([size.width, size.height]);
    }
    await expectAccessible(page);
  });
});

test("the filter, order and selection of results stay while another search is filled in and left", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const plate = page.getByRole("columnheader", { name: "Plate", exact: true });
  await plate.getByRole("button").click();
  await page.getByRole("searchbox").fill("hart");
  await page.locator("[data-row] [data-select]").first().click();
  const counts = page.getByRole("toolbar", { name: "Selected reads" }).getByText(/^1 of [\d,]+ selected/);
  await expect(counts).toBeVisible();
  const first = page.locator("[data-row]").first();
  const shown = (await first.textContent()) ?? "";
  await first.click();
  await page.getByRole("button", { name: "Search this plate" }).click();
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toHaveValue("hart");
  await expect(plate).toHaveAttribute("aria-sort", "ascending");
  await expect(counts).toBeVisible();
  await expect(first).toHaveText(shown);
});

test.describe("on a tablet", () => {
  test.use({ viewport: { width: 1180, height: 820 }, hasTouch: true });

  test("the time slider is in view below the map, also above the bar of a selection", async ({ page }) => {
    await signIn(page, "officer");
    await search(page, { programs: ["Axis"] });
    await page.locator("[data-row] [data-select]").first().tap();
    await page.getByRole("tab", { name: "Map View" }).tap();
    const slider = page.getByRole("region", { name: "Time of the reads" });
    await expect(slider).toBeInViewport({ ratio: 1 });
    const [bar, selection] = await Promise.all([
      slider.boundingBox(),
      page.getByRole("toolbar", { name: "Selected reads" }).boundingBox(),
    ]);
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(selection?.y ?? 0);
  });
});

test.describe("pictures that do not load", () => {
  test.use({ expectedErrors: [/404|ERR_FAILED/] });

  test("do not keep others from loading once their rows are sorted back", async ({ page }) => {
    await signIn(page, "officer");
    await search(page, { programs: ["Rekor"] });
    const pictures = page.locator("[data-row] img");
    await expect.poll(() => pictures.count()).toBeGreaterThan(10);
    // The oldest reads have no pictures any more.
    await page.route(/proxy-rekor-image|cropped-plate/, (route) => route.abort());
    const timestamp = page.getByRole("columnheader", { name: "Timestamp" }).getByRole("button");
    const missing = page.getByRole("img", { name: "Vehicle image unavailable" });
    await timestamp.click();
    await expect.poll(() => missing.count()).toBeGreaterThan(4);
    await timestamp.click();
    await expect(pictures.first()).toBeVisible();
    await timestamp.click();
    await expect.poll(() => missing.count()).toBeGreaterThan(4);
    await page.locator("[data-row]").first().click();
    await expect(
      page.getByRole("dialog").getByRole("img", { name: "Vehicle image unavailable" }),
    ).toBeVisible();
  });

  test("leave labeled placeholders, and slow ones keep their space reserved", async ({ page }) => {
    await page.route(/cropped-plate/, (route) => route.abort());
    // The first vehicle's image request is never answered.
    let slow = "";
    await page.route(/proxy-rekor-image/, async (route) => {
      const url = route.request().url();
      slow ||= url;
      if (url !== slow) await route.abort();
    });
    await signIn(page, "officer");
    await search(page, { programs: ["Rekor"] });
    await expect(page.getByRole("img", { name: "Vehicle image unavailable" }).first()).toBeVisible();
    await page.getByRole("tab", { name: "Gallery View" }).click();
    await expect(page.getByRole("img", { name: "Vehicle image unavailable" }).first()).toBeVisible();
    const tiles = page.locator("[role=gridcell][data-row]");
    await expect(tiles.first()).toBeVisible();
    const heights = await tiles.evaluateAll(
      (tiles) => new Set(tiles.map((tile) => Math.round(tile.getBoundingClientRect().height))).size,
    );
    expect(heights).toBe(1);
  });
});

test.describe("code that cannot be loaded", () => {
  test.use({ expectedErrors: [/ERR_FAILED/] });

  test("leaves the rest of the screen as it is, and is loaded again on request or by itself", async ({
    page,
  }) => {
    await page.route(/\/assets\/(bell|gallery)-/, (route) => route.abort());
    await signIn(page, "hotadmin");
    await search(page, { programs: ["Axis"] });
    const panel = page.getByRole("tabpanel");
    const again = panel.getByRole("button", { name: "Try again" });
    await page.getByRole("tab", { name: "Gallery" }).click();
    await expect(panel.getByText("This part could not be loaded.")).toBeVisible();
    await expectAccessible(page);
    await again.click();
    await expect(panel.getByRole("button", { name: "Reload page" })).toBeFocused();
    // Opened again, it is loaded again.
    await page.getByRole("tab", { name: "Table" }).click();
    await expect(page.locator("[role=grid] [data-row]").first()).toBeVisible();
    await page.getByRole("tab", { name: "Gallery" }).click();
    await page.unroute(/\/assets\/(bell|gallery)-/);
    await again.click();
    await expect(page.getByRole("grid", { name: /as images/ })).toBeVisible();
    // The bell has no place for a message.
    const bell = page.getByRole("button", { name: /^Hits, / });
    await expect(bell).toBeHidden();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(bell).toBeVisible();
  });
});

test.describe("a screen whose route is gone after a deployment", () => {
  test.use({ expectedErrors: [/Cannot (read|destructure)/] });

  /** The data of a screen comes from a build in which its route has another name, or another kind of data. */
  const deployed = (page: Page, path: string, change: (text: string) => string, version = "another") =>
    page.route(
      (url) => url.pathname === `${path}.data`,
      async (route) => {
        const answer = await route.fetch();
        const headers = { ...answer.headers(), "odin-build": version };
        await route.fulfill({ response: answer, headers, body: change(await answer.text()) });
      },
    );
  const renamed = (text: string) => text.replaceAll("routes/screens/", "routes/moved/");
  const changed = (text: string) => text.replaceAll('"agencies"', '"former"');
  const versionOf = (page: Page) => page.evaluate(() => window.__remixManifest.version);
  const link = (page: Page) => page.getByRole("link", { name: "Profile" });

  test("is opened by loading it as a page", async ({ page }) => {
    await signIn(page, "officer");
    await deployed(page, "/profile", renamed);
    await link(page).click();
    await expect(page.getByRole("heading", { name: "User Profile", level: 1 })).toBeVisible();
    await expect(page.getByText("Error loading profile data.")).toBeHidden();
    await expect(page).toHaveURL(/\/profile$/);
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
  });

  test("is not loaded as a page if the data is that of the page's own build", async ({ page }) => {
    await signIn(page, "officer");
    const version = await versionOf(page);
    const sent = await page.evaluate(async () => (await fetch("/profile.data")).headers.get("odin-build"));
    expect(sent).toBe(version);
    await deployed(page, "/profile", renamed, version);
    await link(page).click();
    await expect(page.getByText("Error loading profile data.")).toBeVisible();
  });

  test("is opened without loading it if the build has its route", async ({ page }) => {
    await signIn(page, "officer");
    await deployed(page, "/profile", (text) => text);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await link(page).click();
    await expect(page.getByRole("heading", { name: "User Profile", level: 1 })).toBeVisible();
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  });

  test("is loaded again if it cannot show the data of that build", async ({ page }) => {
    await signIn(page, "officer");
    await link(page).click();
    await expect(page.getByRole("heading", { name: "User Profile", level: 1 })).toBeVisible();
    const failed = page.getByRole("link", { name: "Try again" });
    await deployed(page, "/search", changed, await versionOf(page));
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await expect(failed).toBeVisible();
    await page.goto("/profile");
    await deployed(page, "/search", changed);
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
    await expect(page.getByRole("group", { name: "Agencies" })).toBeVisible();
    await expect(failed).toBeHidden();
  });
});

test.describe("a screen whose code is gone after a deployment", () => {
  test.use({ expectedErrors: [/404|Error loading route module|dynamically imported module/] });

  test("is opened by loading it as a page, which the search has led to", async ({ page }) => {
    await signIn(page, "officer");
    // The former code of the results, once: Odin fetches it, and Remix loads it.
    await page.route(/\/assets\/results-(?!table)/, (route) => route.fulfill({ status: 404 }), { times: 2 });
    await search(page, { programs: ["Axis"] });
    await expect(page).toHaveURL(/\/results\?id=/);
    await expect(page.locator("[role=grid] [data-row]").first()).toBeVisible();
    // Another page that is opened while a screen is still being opened is shown.
    const form = await hold(page, "**/search.data*");
    await page.getByRole("link", { name: "Refine Previous Search" }).click();
    await expect(page.getByText("Loading", { exact: true })).toBeAttached();
    await page.goto("/profile");
    await expect(page).toHaveURL(/\/profile$/);
    form();
    // Later reloads show the screen that is open.
    await page.getByRole("link", { name: "Terms" }).first().click();
    await expect(page).toHaveURL(/\/terms$/);
    await page.reload();
    await expect(page).toHaveURL(/\/terms$/);
  });
});

test("a panel of the results is opened and closed by its button with the keyboard alone", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const button = page.getByRole("button", { name: "Columns", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(button).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Shift+Tab");
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(button).toHaveAttribute("aria-expanded", "false");
});

test("the focus is in a panel as soon as its button says that it is open, so that no key is lost", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const isInside = page.getByRole("button", { name: "Columns", exact: true }).evaluate(
    (button) =>
      new Promise((resolve) => {
        const panel = document.getElementById(button.getAttribute("aria-controls") ?? "");
        const said = () => resolve(panel?.contains(document.activeElement));
        new MutationObserver(said).observe(button, { attributeFilter: ["aria-expanded"] });
        (button as HTMLElement).click();
      }),
  );
  expect(await isInside).toBe(true);
});

test("results that were left on the map are shown on the map again after Back", async ({ page }) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  await page.getByRole("tab", { name: "Map View" }).click();
  const map = page.getByRole("application", { name: /^Map with/ });
  await expect(map).toBeVisible();
  await page.getByRole("link", { name: "Profile", exact: true }).first().click();
  await page.waitForURL("**/profile");
  await page.goBack();
  await expect(map).toBeVisible();
  await expect(page.getByRole("tab", { name: "Map View" })).toHaveAttribute("aria-selected", "true");
});

test("the view is in the URL: a reload keeps it, without a history entry or a new load of the results", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  const table = new URL(page.url());
  const entries = await page.evaluate(() => history.length);
  const loads: string[] = [];
  page.on("request", (request) => {
    if (/\/results(\.data|\/[\w-]+\/(columns|summary))/.test(request.url())) loads.push(request.url());
  });
  const tab = (name: string) => page.getByRole("tab", { name, selected: true });
  for (const [name, view] of [
    ["Gallery View", "gallery"],
    ["Map View", "map"],
    ["Table View", null],
    ["Gallery View", "gallery"],
  ] as const) {
    await page.getByRole("tab", { name }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("view")).toBe(view);
  }
  // An open read, and the one that Back returns from.
  await page.locator("[role=gridcell][data-row]").first().click();
  await expect(page).toHaveURL(/[?&]read=\d+/);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/read=/);
  await expect(page).toHaveURL(/[?&]view=gallery/);
  expect(loads).toEqual([]);
  await page.reload();
  await expect(tab("Gallery View")).toBeVisible();
  await expect(page.locator("[role=gridcell][data-row]").first()).toBeVisible();
  // The read's entry follows the one of the results.
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(entries + 1);

  for (const [view, name] of [
    ["map", "Map View"],
    ["other", "Table View"],
    ["", "Table View"],
  ] as const) {
    await page.goto(`${table.pathname}${table.search}${view && `&view=${view}`}`);
    await expect(tab(name)).toBeVisible();
    await expect(page.locator("[role=grid], [role=application]").first()).toBeVisible();
  }
});
