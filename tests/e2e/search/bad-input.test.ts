import type { Page } from "@playwright/test";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { encodeJpeg } from "../../../workers/vendors/world/pictures/jpeg.ts";
import { sightingId } from "../../support/search/sighting.ts";
import { callAs, expect, expectAccessible, logIn, newPlate, search, signIn } from "../fixtures.ts";
import { test } from "../hits.ts";

// Long names, many agencies, no results, very many results, large images, no WebGL, a zoomed or narrow window.

const rows = "[role=grid] [data-row]";
const JPEG = encodeJpeg({ width: 160, height: 90, data: new Uint8ClampedArray(160 * 90 * 4).fill(120) }, 80);

/** Expects that the page does not scroll sideways; wide tables scroll within their own box. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(wide, page.url()).toBeLessThanOrEqual(0);
}

/** Expects that an element is visible and is cut off neither at the left nor at the right edge of the window. */
async function expectInside(page: Page, part: ReturnType<Page["locator"]>): Promise<void> {
  const box = await part.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

test("a camera name of 60 characters fits the table, the cards of a phone, the gallery and the detail", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  expect(camera.name).toHaveLength(60);
  const plate = newPlate("L");
  await camera.pass(plate);
  await signIn(page, "officer");
  await search(page, { plate, programs: ["Axis"] });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const name = page.locator(rows).first().getByText(camera.name.slice(0, 20));
    await expect(name).toBeVisible();
    await expectNoSidewaysScroll(page);
    if (width === 390) await expectInside(page, name);
    await page.getByRole("tab", { name: "Gallery View" }).click();
    await expectInside(page, page.locator("[role=gridcell][data-row]").first());
    await page.getByRole("tab", { name: "Table View" }).click();
    await page.locator(rows).first().click();
    const detail = page.getByRole("dialog");
    await expect(detail.getByText(camera.name)).toBeVisible();
    await expectInside(page, detail.getByText(camera.name));
    await page.keyboard.press("Escape");
    await expect(detail).toBeHidden();
  }
});

/** Signs in on the page as the administrator of a new agency, with this many Rekor keys. */
async function signInWithKeys(page: Page, count: number): Promise<void> {
  const suffix = Date.now().toString(36);
  const temporary = "Meridian-Lantern-48!";
  await logIn(page, "owner");
  const { id } = await callAs(page, "POST /owner/agencies", { name: `Agency with many keys ${suffix}` });
  const username = `keys${suffix}`;
  const person = { username, name: "Kim Keys", email: "kim@keys.example", role: "admin", agency_id: id };
  await callAs(page, "POST /owner/add-user", { ...person, password: temporary });
  await page.context().clearCookies();
  await callAs(page, "POST /login", { username, password: temporary, notice: USE_NOTIFICATION.version });
  await callAs(page, "POST /reset-password", { new_password: DEMO_PASSWORD });
  await page.context().clearCookies();
  await logIn(page, username);
  const line = (_: unknown, i: number) =>
    `Police Department of the Town of Longmeadow ${i + 1},${suffix}${String(i).padStart(12, "0")}abcd,Rekor,${process.env.ODIN_VENDORS_URL}`;
  const csv = ["agency,api_key,source_program,base_url", ...Array.from({ length: count }, line)].join("\n");
  const answer = await page.request.post("/bulk-upload-api-keys", {
    headers: { "sec-fetch-site": "same-origin" },
    multipart: { file: { name: "keys.csv", mimeType: "text/csv", buffer: Buffer.from(csv) } },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

test("40 agencies can be listed, filtered, selected and searched; those that fail are counted", async ({
  page,
}) => {
  await signInWithKeys(page, 40);
  await page.goto("/search");
  const rekor = page.locator("summary", { hasText: "0 of 40 selected" });
  await rekor.click();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoSidewaysScroll(page);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Filter Rekor agencies").fill("longmeadow 33");
  await expect(page.getByRole("checkbox", { name: /Longmeadow 33/ })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: /Longmeadow 1$/ })).toBeHidden();
  await page.getByLabel("Filter Rekor agencies").fill("");
  await expectAccessible(page);
  await page.getByRole("checkbox", { name: "All Rekor agencies" }).check();
  await expect(page.getByText(/^24 hours, 40 agencies/)).toBeVisible();
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
  await expect(page.getByText("Rekor did not return complete results.").first()).toBeVisible();
  await expect(page.getByText("No results found.")).toBeHidden();
  await expectNoSidewaysScroll(page);
});

test("every view reports that a search has no results, and Refine returns to the filled-in form", async ({
  page,
}) => {
  await signIn(page, "officer");
  await page.getByLabel("Plate", { exact: true }).fill("NOSUCH9");
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const view of ["Gallery View", "Map View", "Table View"]) {
      await page.getByRole("tab", { name: view }).click();
      await expect(page.getByText("No results found.")).toBeVisible();
    }
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  }
  await page.getByRole("link", { name: "Refine Previous Search" }).last().click();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("NOSUCH9");
});

function* manySightings(count: number): Generator<Sighting> {
  for (let i = 0; i < count; i++) {
    yield {
      id: sightingId(i),
      program: SOURCE_PROGRAMS[i % 3] ?? "Rekor",
      sourceId: `source-${i % 14}`,
      agency: `Agency ${i % 14} Police Department`,
      plate: `AB${100_000 + i}`,
      plateState: "CT",
      make: "Honda",
      color: "Blue",
      bodyType: "SUV",
      capturedAt: Date.UTC(2026, 10, 20) - i * 30_000,
      cameraName: `Camera ${i % 120}`,
      latitude: 41 + ((i * 7919) % 100_000) / 100_000,
      longitude: -73 + ((i * 104_729) % 100_000) / 100_000,
      confidence: 90,
      vehicleImage: "v",
      plateImage: "p",
      plateCorners: null,
    };
  }
}

/** Replaces the results of a search with this many generated reads, each with an image. */
async function withManyReads(page: Page, count: number): Promise<void> {
  const builder = createColumns();
  appendSightings(builder, [...manySightings(count)]);
  const body = Buffer.from(encodeColumns(builder, newestFirst(builder)));
  await page.route("**/results/*/columns*", (route) => route.fulfill({ body }));
  await page.route(/proxy-|cropped-plate/, (route) =>
    route.fulfill({ contentType: "image/jpeg", body: Buffer.from(JPEG) }),
  );
  // The server does not know the generated reads.
  await page.route("**/sightings/*/address", () => {});
  // The data that the screen loads after a search. A server-rendered page would have the count in its HTML too.
  await page.route("**/results.data?*", async (route) => {
    const response = await route.fetch();
    const [head = "", ...rest] = (await response.text()).split("\n");
    const values: unknown[] = JSON.parse(head);
    const keyOf = (name: string) => `_${values.indexOf(name)}`;
    const isSummary = (value: unknown): value is Record<string, number> =>
      value instanceof Object && keyOf("firstRows") in value;
    const summary = values.find(isSummary);
    if (!summary) throw new Error("The answer contains no results.");
    summary[keyOf("count")] = values.push(count) - 1;
    await route.fulfill({ response, body: [JSON.stringify(values), ...rest].join("\n") });
  });
}

test("the table, filter, detail, gallery and map stay usable with 200,000 results", async ({ page }) => {
  const COUNT = 200_000;
  await signIn(page, "officer");
  await withManyReads(page, COUNT);
  await search(page, { programs: ["Axis"] });
  const grid = page.getByRole("grid");
  await expect(grid).toHaveAttribute("aria-rowcount", String(COUNT + 1));
  await page.locator(rows).first().focus();
  await page.keyboard.press("End");
  await expect(page.locator(`[role=grid] [data-row="${COUNT - 1}"]`)).toBeFocused();
  expect(await page.locator(rows).count()).toBeLessThan(100);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toContainText("200,000 of 200,000");
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("AB299999");
  await expect(page.locator(rows)).toHaveCount(1);
  await page.getByRole("searchbox").fill("");
  await expect(grid).toHaveAttribute("aria-rowcount", String(COUNT + 1));

  await page.getByRole("tab", { name: "Gallery View" }).click();
  const tiles = page.locator("[role=gridcell][data-row]");
  await expect(tiles.first()).toBeVisible();
  await tiles.first().focus();
  await page.keyboard.press("Home");
  await expect(page.locator('[role=gridcell][data-row="0"]')).toBeFocused();
  expect(await tiles.count()).toBeLessThan(200);

  await page.getByRole("tab", { name: "Map View" }).click();
  await expect(page.getByRole("application", { name: /^Map with 200,000 reads/ })).toBeVisible();
  await expect(page.locator('canvas[data-layer="markers"]')).toBeVisible();
  const slider = page.getByRole("slider", { name: "Earliest time" });
  for (let i = 0; i < 5; i++) await slider.press("PageUp");
  await expect(page.getByRole("application", { name: /^Map with 200,000 reads/ })).toBeHidden();
  await expect(page.getByRole("application", { name: /^Map with 1\d\d,\d{3} reads/ })).toBeVisible();
});

test("an image of 10 MB is shown without changing the row height", async ({ page }) => {
  await signIn(page, "officer");
  // Decoders ignore the bytes after the end of the image, which only slow down the download.
  const large = Buffer.concat([Buffer.from(JPEG), Buffer.alloc(10 * 1024 * 1024)]);
  await page.route(/proxy-rekor-image/, (route) => route.fulfill({ contentType: "image/jpeg", body: large }));
  await search(page, { programs: ["Rekor"] });
  const row = page.locator(rows).first();
  const before = (await row.boundingBox())?.height;
  const picture = row.getByRole("img", { name: /^Vehicle/ });
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(160);
  expect((await row.boundingBox())?.height).toBe(before);
  await page.getByRole("searchbox").fill("no such plate");
  await expect(page.getByText("No reads match.")).toBeVisible();
});

test("without WebGL the map is drawn on a 2D canvas and says so, whatever the profile setting", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    Object.assign(HTMLCanvasElement.prototype, {
      getContext(this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
        return kind.startsWith("webgl") ? null : Reflect.apply(original, this, [kind, ...rest]);
      },
    });
  });
  const note = page.getByText("WebGL is not available. The map is drawn on a 2D canvas.");
  await signIn(page, "officer");
  await search(page, { programs: ["Rekor"] });
  const results = page.url();
  for (const choice of ["Automatic", "Graphics card"]) {
    await page.goto("/profile");
    await page.getByRole("radio", { name: choice }).check();
    await page.goto(results);
    await page.getByRole("tab", { name: "Map View" }).click();
    await expect(note).toBeVisible();
    await expect(page.locator("[data-map-ground]")).toHaveAttribute("data-renderer", "canvas");
    await expect(page.locator('canvas[data-layer="markers"]')).toBeVisible();
  }
  await page.goto("/profile");
  await page.getByRole("radio", { name: "2D canvas" }).check();
  await page.goto(results);
  await page.getByRole("tab", { name: "Map View" }).click();
  await expect(page.locator('canvas[data-layer="markers"]')).toBeVisible();
  await expect(note).toBeHidden();
});

test("screen readers get the search progress, match count, selection, sort order and position in the list", async ({
  page,
  faults,
}) => {
  await faults({ program: "axon", kind: "hold" });
  await signIn(page, "officer");
  const spoken = (words: string | RegExp) => page.getByRole("status").filter({ hasText: words });
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  for (const program of ["Rekor", "Axon"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  // Each program is announced once it has finished.
  await expect(spoken(/Rekor/)).toHaveCount(1);
  await faults();
  await page.waitForURL("**/results?id=*");
  await expect(page.locator("[role=grid][aria-busy=true]")).toHaveCount(0);
  await page.getByRole("searchbox").fill("I-91");
  await expect(spoken(/^\d+ of [\d,]+ reads$/)).toHaveCount(1);
  await page.getByRole("searchbox").fill("no such plate");
  await expect(spoken(/^0 of [\d,]+ reads$/)).toHaveCount(1);
  await page.getByRole("searchbox").fill("");
  await page.locator(rows).first().getByRole("checkbox").check();
  await expect(spoken(/^1 of [\d,]+ selected$/)).toHaveCount(1);
  await expect(page.getByRole("columnheader", { name: "Timestamp" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await page.locator(rows).first().click();
  await expect(page.getByRole("dialog", { name: /Sighting/ }).getByText(/^1 of [\d,]+$/)).toHaveAttribute(
    "aria-live",
    "polite",
  );
  await page.keyboard.press("Escape");
  // Every control has a name, and every image has alternative text.
  for (const view of ["Gallery View", "Map View", "Table View"]) {
    await page.getByRole("tab", { name: view }).click();
    await expectAccessible(page);
  }
});

// 640 x 400 is a 1280 x 800 laptop at 200 % zoom; 320 px is 400 % zoom.
for (const size of [
  { width: 640, height: 400 },
  { width: 320, height: 640 },
])
  test(`at ${size.width} px nothing is cut off and no bar covers the search form`, async ({ page }) => {
    await page.setViewportSize(size);
    await signIn(page, "hotadmin");
    await expectNoSidewaysScroll(page);
    const justification = page.getByLabel("Justification");
    await justification.focus();
    const isUncovered = await justification.evaluate((field) => {
      const { left, top, width, height } = field.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === field;
    });
    expect(isUncovered).toBe(true);
    await search(page, { programs: ["Rekor"] });
    await expectNoSidewaysScroll(page);
    await page.getByRole("tab", { name: "Gallery View" }).click();
    await expect(page.locator("[role=gridcell][data-row]").first()).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.locator("[role=gridcell][data-row]").first().click();
    const detail = page.getByRole("dialog");
    await expect(detail.getByRole("button", { name: "Search this plate" })).toBeVisible();
    await expectInside(page, detail.getByRole("button", { name: "Search this plate" }));
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Map View" }).click();
    await expect(page.getByRole("application", { name: /^Map with/ })).toBeVisible();
    await expectNoSidewaysScroll(page);
    for (const path of ["/alerts", "/groups/demo-stolen-hfd/edit", "/profile", "/create-group"]) {
      await page.goto(path);
      await expectNoSidewaysScroll(page);
    }
  });
