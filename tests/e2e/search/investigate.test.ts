import type { Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { expect, expectAccessible, search, signIn, test } from "../fixtures.ts";
import { changeResult } from "../stored-results.ts";

// Follows docs/tutorial.md.

const DAY = 86_400_000;
const HOME = /Asylum Ave EB @ Broad St/;
const WORK = /Main St SB @ Court St/;

/** Returns the date `days` days ago in New York, as a date field expects it. */
const day = (days: number) =>
  new Date(Date.now() - days * DAY).toLocaleDateString("sv", { timeZone: "America/New_York" });

async function fillPlace(page: Page, place: number, input: { camera: RegExp; from: string; to: string }) {
  await page
    .getByRole("list", { name: `Cameras of place ${place}` })
    .getByLabel(input.camera)
    .check();
  await page.locator(`[name=p${place - 1}_start]`).fill(`${day(1)}T${input.from}`);
  await page.locator(`[name=p${place - 1}_end]`).fill(`${day(1)}T${input.to}`);
}

async function fillThreePlaces(page: Page) {
  await fillPlace(page, 1, { camera: HOME, from: "06:00", to: "12:00" });
  await fillPlace(page, 2, { camera: WORK, from: "06:00", to: "12:00" });
  await page.locator("summary", { hasText: "Place 3" }).click();
  await fillPlace(page, 3, { camera: HOME, from: "13:00", to: "20:00" });
  await page.getByLabel("Justification").fill("Burglary series on Asylum Avenue");
}

test("tutorial: finds a car that was in several places, and shows it on a map and over time", async ({
  page,
}) => {
  await signIn(page, "admin");
  await page.getByRole("link", { name: "Investigate places and convoys" }).click();
  await expect(page.getByRole("heading", { name: "Investigate" })).toBeVisible();
  await fillThreePlaces(page);
  // The case number is missing: its field shows the error and has the focus.
  await page.getByRole("button", { name: "Search places" }).click();
  const number = page.getByLabel("Case number");
  await expect(number).toBeFocused();
  await expect(number).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
  await number.fill("26-2001");
  await page.getByRole("button", { name: "Search places" }).click();
  await expect(page).toHaveURL(/\/investigate\/[\w-]+$/);
  await expect(page.getByText("Being read in several places proves nothing.")).toBeVisible();
  const car = page
    .getByRole("list", { name: "Plates", exact: true })
    .getByRole("listitem")
    .filter({ hasText: "UV35776" })
    .first();
  await expect(car).toContainText("3 places");
  await expect(car).toContainText("Yellow Honda");
  await expectAccessible(page);
  await page.getByRole("radio", { name: "Map" }).check();
  const map = page.getByRole("application", { name: /^Map of the places/ });
  await expect(map.locator("[data-layer=names]")).toBeVisible();
  await page.getByRole("radio", { name: "Timeline" }).check();
  const timed = page.getByRole("button", { name: /^UV35776: \d+ reads$/ });
  await expect(timed).toBeVisible();
  // Its marks are visible in forced colors, which replace backgrounds.
  await page.emulateMedia({ forcedColors: "active" });
  const mark = timed.locator("[aria-hidden] > .bg-accent").first();
  await expect(mark).toHaveCSS("border-inline-start-width", "4px");
  await page.emulateMedia({ forcedColors: null });
  await page.setViewportSize({ width: 390, height: 844 });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(390);
});

test("tutorial: finds who travels with a car, with the keyboard alone", async ({ page }) => {
  await signIn(page, "admin", "/investigate?tool=convoy");
  const plate = page.getByRole("textbox", { name: "Plate", exact: true });
  await plate.focus();
  await page.keyboard.type("kmy6237");
  await page.getByLabel("Start").fill(`${day(3)}T00:00`);
  await page.getByLabel("End").fill(`${day(0)}T00:00`);
  await page.getByLabel("Justification").focus();
  await page.keyboard.type("Burglary series on Asylum Avenue");
  await page.keyboard.press("Tab");
  await page.keyboard.type("26-2001");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/investigate\/[\w-]+$/);
  await expect(page.getByText("Traveling together proves nothing.")).toBeVisible();
  const first = page.getByRole("list", { name: "Plates", exact: true }).getByRole("listitem").first();
  await expect(first).toContainText("A84FFG");
  await expect(first).toContainText("after");
  const opened = page.waitForEvent("popup");
  await first.getByRole("button", { name: "Search this plate: A84FFG" }).press("Enter");
  const search = await opened;
  await expect(search.getByLabel("Plate", { exact: true })).toHaveValue("A84FFG");
});

/** Draws from the middle of the map of places. */
async function dragOnMap(page: Page, by = { x: 60, y: 20 }): Promise<void> {
  const map = page.getByRole("application", { name: /^Map of the places/ });
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  if (!box) throw new Error("the map is not visible");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.x, y + by.y, { steps: 4 });
  await page.mouse.up();
}

test("a box or a circle is drawn on the map, or a circle is placed on a town", async ({ page }) => {
  await signIn(page, "admin", "/investigate");
  const first = page.getByRole("group", { name: "Place 1", exact: true });
  // The place is defined by cameras before.
  await page.getByRole("radio", { name: "Draw box" }).check();
  await dragOnMap(page);
  await expect(first.getByRole("radio", { name: "Box" })).toBeChecked();
  await expect(first.getByLabel("North edge")).toHaveValue(/^4\d\.\d+$/);
  await expect(first.getByLabel("West edge")).toHaveValue(/^-7\d\.\d+$/);

  await first.getByRole("radio", { name: "Circle" }).check();
  await first.getByLabel("Address or town").fill("Hartford, CT");
  await first.getByRole("button", { name: "Find" }).click();
  await expect(first.getByLabel("Latitude")).toHaveValue(/^41\.7/);
  await page.getByRole("radio", { name: "Draw circle" }).check();
  await dragOnMap(page);
  await expect(first.getByLabel("Radius (miles)")).not.toHaveValue("0.5");
  await expect(page.getByRole("radio", { name: "Move" })).toBeChecked();
});

test("a box is drawn before the base map has loaded, and a line draws none", async ({ page }) => {
  const held = Promise.withResolvers<void>();
  await page.route("**/basemap/embedded.json", async (route) => {
    await held.promise;
    await route.continue();
  });
  await signIn(page, "admin", "/investigate");
  const first = page.getByRole("group", { name: "Place 1", exact: true });
  await page.getByRole("radio", { name: "Draw box" }).check();
  await dragOnMap(page, { x: 60, y: 0 });
  await expect(page.getByRole("radio", { name: "Draw box" })).toBeChecked();
  await expect(first.getByRole("radio", { name: "Cameras" })).toBeChecked();
  await dragOnMap(page);
  await expect(first.getByRole("radio", { name: "Box" })).toBeChecked();
  await expect(first.getByLabel("North edge")).toHaveValue(/^4\d\.\d+$/);
  held.resolve();
  await expect(page.getByText("Loading the map…")).toBeHidden();
});

test("the newest of two look-ups of an address counts, and none changes the place that is being edited", async ({
  page,
}) => {
  await signIn(page, "admin", "/investigate");
  const first = page.getByRole("group", { name: "Place 1", exact: true });
  const second = page.getByRole("group", { name: "Place 2", exact: true });
  const held = { Slow: Promise.withResolvers<void>(), Late: Promise.withResolvers<void>() };
  const found = { Slow: 41.1, Quick: 41.2, Late: 41.3 };
  let ended = 0;
  for (const event of ["requestfinished", "requestfailed"] as const)
    page.on(event as "requestfinished", (request) => {
      if (request.url().endsWith("/map/find-place")) ended += 1;
    });
  await page.route("**/map/find-place", async (route) => {
    const { text }: { text: keyof typeof found } = route.request().postDataJSON();
    if (text !== "Quick") await held[text].promise;
    await route.fulfill({ json: { name: text, latitude: found[text], longitude: -72.5 } }).catch(() => {});
  });
  await first.getByRole("radio", { name: "Circle" }).check();
  const address = first.getByLabel("Address or town");
  const latitude = first.getByLabel("Latitude");
  await address.fill("Slow");
  await address.press("Enter");
  await address.fill("Quick");
  await address.press("Enter");
  await expect(latitude).toHaveValue("41.2");
  held.Slow.resolve();
  await expect.poll(() => ended).toBe(2);
  await expect(first.getByText("Found: Quick")).toBeVisible();
  await expect(latitude).toHaveValue("41.2");

  await address.fill("Late");
  await address.press("Enter");
  await second.getByLabel("Name").focus();
  held.Late.resolve();
  await expect(latitude).toHaveValue("41.3");
  await expect(second.getByLabel("Name")).toBeFocused();
  await page.getByRole("radio", { name: "Draw circle" }).check();
  await dragOnMap(page);
  await expect(second.getByRole("radio", { name: "Circle" })).toBeChecked();
  await expect(latitude).toHaveValue("41.3");
});

test("what was picked for a place stays while another kind is chosen, and two presses start one search", async ({
  page,
}) => {
  await signIn(page, "admin", "/investigate");
  await fillThreePlaces(page);
  await page.getByLabel("Case number").fill("26-2001");
  const first = page.getByRole("group", { name: "Place 1", exact: true });
  const choose = (kind: string) => first.getByRole("radio", { name: kind }).check();
  await choose("Circle");
  await first.getByLabel("Latitude").fill("41.76");
  await choose("Box");
  await expect(first.getByLabel("Latitude")).toBeHidden();
  await choose("Circle");
  await expect(first.getByLabel("Latitude")).toHaveValue("41.76");
  await choose("Cameras");
  await expect(first.getByLabel(HOME)).toBeChecked();
  let started = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/search-places")) started += 1;
  });
  await page.getByRole("form", { name: "Search places" }).evaluate((form: HTMLFormElement) => {
    form.requestSubmit();
    form.requestSubmit();
  });
  await expect(page).toHaveURL(/\/investigate\/[\w-]+$/);
  expect(started).toBe(1);
});

test("cameras can be selected without scripts", async ({ browser, baseURL }) => {
  const context = await browser.newContext({
    baseURL: baseURL ?? "",
    javaScriptEnabled: false,
    timezoneId: "America/New_York",
  });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByLabel("Username").fill("admin");
  await page.locator("input[name=password]").fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await expect(page).toHaveURL(/\/search$/);
  await page.goto("/investigate");
  await fillThreePlaces(page);
  await page.getByLabel("Case number").fill("26-2001");
  await page.getByRole("button", { name: "Search places" }).click();
  await expect(page).toHaveURL(/\/investigate\/[\w-]+$/);
  await expect(page.getByRole("list", { name: "Plates", exact: true })).toContainText("UV35776");
  await context.close();
});

test("canceling a search of places keeps the form", async ({ page, faults }) => {
  await faults({ program: "axon", kind: "hold" });
  await signIn(page, "admin", "/investigate");
  await fillThreePlaces(page);
  await page.getByLabel("Case number").fill("26-2001");
  await page.getByRole("button", { name: "Search places" }).click();
  const overlay = page.getByRole("dialog", { name: "Search in progress" });
  await expect(overlay).toContainText("Searching");
  // Places and convoys are ranked after all reads have arrived, so there are no partial results.
  await expect(overlay.getByRole("button", { name: /so far$/ })).toHaveCount(0);
  await overlay.getByRole("button", { name: "Cancel" }).click();
  await expect(overlay).toBeHidden();
  await expect(page).toHaveURL(/\/investigate$/);
  await expect(page.getByLabel("Case number")).toHaveValue("26-2001");
  await expect(page.getByRole("list", { name: "Cameras of place 1" }).getByLabel(HOME)).toBeChecked();
  await expect(page.getByRole("button", { name: "Search places" })).toBeFocused();
});

test.describe("a prohibited purpose", () => {
  test.use({ expectedErrors: [/403/] });

  test("blocks a place search, with the error at the justification field", async ({ page }) => {
    await signIn(page, "admin", "/investigate");
    await fillThreePlaces(page);
    await page.getByLabel("Justification").fill("Immigration enforcement on Asylum Avenue");
    await page.getByLabel("Case number").fill("26-2001");
    await page.getByRole("button", { name: "Search places" }).click();
    const justification = page.getByLabel("Justification");
    await expect(justification).toHaveAttribute("aria-invalid", "true");
    await expect(justification).toBeFocused();
    await expect(justification).toHaveAccessibleDescription(
      /Place and convoy searches for that purpose are blocked\./,
    );
    await expect(page).toHaveURL(/\/investigate$/);
    await expectAccessible(page);
  });
});

test.describe("results that end while they are open", () => {
  test.use({ expectedErrors: [/410/] });

  test("are replaced by a note once they have expired", async ({ page }) => {
    await page.clock.install();
    await signIn(page, "admin", "/investigate");
    await fillThreePlaces(page);
    await page.getByLabel("Case number").fill("26-2001");
    await page.getByRole("button", { name: "Search places" }).click();
    await expect(page).toHaveURL(/\/investigate\/[\w-]+$/);
    await expect(page.getByText("Being read in several places proves nothing.")).toBeVisible();
    // Only the browser's clock has passed the expiry: the server still has the results.
    const asked = page.waitForResponse((response) => response.url().includes(".data"));
    await page.clock.fastForward("01:01:00");
    expect((await asked).status()).toBe(200);
    await expect(page.getByText("Being read in several places proves nothing.")).toBeVisible();
    await changeResult(page.url().split("/").at(-1) ?? "", `expires_at = ${Date.now() - 1000}`);
    await page.clock.fastForward("02:00");
    await expect(page.getByText("These results have been purged.")).toBeVisible();
  });

  // The agency is one that does not exist, so that results of other journeys are not affected.
  test("are replaced by a note once an agency has ended its sharing", async ({ page }) => {
    await page.clock.install();
    // No picture asks Odin while this test has its database locked.
    const contentType = "image/svg+xml";
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
    await page.route(/\/(proxy-[a-z-]+|rekor\/cropped-plate)/, (route) =>
      route.fulfill({ contentType, body: picture }),
    );
    await signIn(page, "officer");
    await search(page);
    await expect(page.getByRole("grid").locator("[data-row]").first()).toBeVisible();
    const ended = '{"program":"Axis","agency":"Bristol Police Department","sourceId":"bristol-pd","reads":1}';
    const id = new URL(page.url()).searchParams.get("id") ?? "";
    await changeResult(id, `statuses = json_insert(statuses, '$[#]', json('${ended}'))`);
    await page.clock.fastForward("01:00");
    await expect(
      page.getByText("Bristol Police Department no longer shares reads with your agency."),
    ).toBeVisible();
    await expect(page.getByRole("grid")).toHaveCount(0);
    await expectAccessible(page);
    await page.reload();
    await expect(page.getByText(/no longer shares reads with your agency/)).toBeVisible();
    await page.goto(`/results/${id}/table?page=1`);
    await expect(page.getByText(/no longer shares reads with your agency/)).toBeVisible();
    await page.getByRole("link", { name: "Refine Previous Search" }).click();
    await expect(page.getByLabel("Justification")).toBeVisible();
  });
});
