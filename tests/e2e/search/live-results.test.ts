import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { unzipSync } from "fflate";
import { expect, expectAccessible, signIn, tabTo, test } from "../fixtures.ts";

// Results as they arrive. The simulated Axon answers once a test replaces its faults; other programs answer at once.

const HELD = { program: "axon", kind: "hold" } as const;
/** Timeout until Axon's reads are on screen. */
const WITH_AXON = { timeout: 60_000 };

const row = "[role=grid] [data-row]";
const selected = "[role=grid] [data-row][aria-selected=true]";
const focused = "[role=grid] [data-row]:focus";
const offer = /^Show [\d,]+ reads? so far$/;

const overlay = (page: Page) => page.getByRole("dialog", { name: "Search in progress" });
const bar = (page: Page) => page.getByRole("region", { name: "Search in progress" });
const resultId = (page: Page) => new URL(page.url()).searchParams.get("id") ?? "";
const readCount = async (page: Page) =>
  Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1;
/** Returns the text of rows, which identifies their reads. */
const wordsOf = (page: Page, rows: string) =>
  page.locator(rows).evaluateAll((all) => all.map((one) => one.textContent ?? ""));

const PROGRAMS = ["Rekor", "Axon", "Axis"];

async function startSearch(page: Page, programs: readonly string[]): Promise<void> {
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("radio", { name: "7 Days" }).check();
  for (const program of programs)
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
}

/** Waits until the reads of all programs but Axon are shown; they may answer at different times. Returns how many. */
async function untilAllButAxon(page: Page): Promise<number> {
  await expect(bar(page)).toContainText("Still searching. Axon has not finished.");
  const answers = bar(page).getByRole("list", { name: "Progress by program" }).getByRole("listitem");
  let shown = 0;
  await expect(async () => {
    const counts = (await answers.allTextContents()).map((text) => /([\d,]+) reads?$/.exec(text)?.[1] ?? "0");
    const answered = counts.reduce((sum, count) => sum + Number(count.replace(",", "")), 0);
    shown = await readCount(page);
    expect(shown).toBe(answered);
  }).toPass();
  return shown;
}

/** Searches and opens the reads so far. Returns how many are shown once only Axon has not finished. */
async function showSoFar(page: Page, programs: readonly string[] = PROGRAMS): Promise<number> {
  await startSearch(page, programs);
  const button = overlay(page).getByRole("button", { name: offer });
  const offered = Number((await button.textContent())?.replace(/\D/g, ""));
  await button.click();
  await page.waitForURL("**/results?id=*");
  const shown = await untilAllButAxon(page);
  expect(shown).toBeGreaterThanOrEqual(offered);
  return shown;
}

test("reads are shown while the search runs, and their selection and filter stay when the rest arrives", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  const soFar = await showSoFar(page);
  const partialId = resultId(page);

  await page.getByRole("columnheader", { name: "Plate", exact: true }).getByRole("button").first().click();
  await page.getByRole("searchbox").fill("police");
  await page.getByRole("grid").evaluate((grid) => {
    if (grid.parentElement) grid.parentElement.scrollTop = 3000;
  });
  const boxes = page.locator(`${row} [data-select]`);
  await expect.poll(() => boxes.count()).toBeGreaterThan(8);
  await boxes.nth(5).click();
  await boxes.nth(7).click();
  await expect(page.locator(selected)).toHaveCount(2);
  const top = () => page.locator(focused).evaluate((one) => one.getBoundingClientRect().top);
  const before = {
    chosen: await wordsOf(page, selected),
    on: await wordsOf(page, focused),
    top: await top(),
  };
  expect(before.on).toHaveLength(1);
  await expect(bar(page)).toBeVisible();

  await faults();
  await expect(page.getByText(/^The search has finished\. [\d,]+ reads added/)).toBeAttached(WITH_AXON);
  expect(await wordsOf(page, selected)).toEqual(before.chosen);
  expect(await wordsOf(page, focused)).toEqual(before.on);
  // The bar above the table may have disappeared.
  const head = () =>
    page
      .getByRole("grid")
      .locator("thead")
      .evaluate((one) => one.getBoundingClientRect().top);
  expect(Math.abs((await top()) - before.top)).toBeLessThan(80);
  expect(await top()).toBeGreaterThan(await head());
  await expect(page.getByRole("columnheader", { name: "Plate", exact: true })).toHaveAttribute(
    "aria-sort",
    /.+ing/,
  );
  await expect(page.getByRole("searchbox")).toHaveValue("police");

  await page.getByRole("searchbox").fill("");
  const total = await readCount(page);
  expect(total).toBeGreaterThan(soFar);
  const words = `2 of ${total.toLocaleString("en-US")} selected`;
  await expect(page.getByRole("toolbar", { name: "Selected reads" })).toContainText(words);
  await expect(page.getByRole("list", { name: "Search status by program" })).toBeVisible();
  await expect(page.getByText("did not finish here")).toBeHidden();

  // The URL is that of the complete set, even after a reload and after Back and Forward.
  expect(resultId(page)).not.toBe(partialId);
  await page.reload();
  await expect.poll(() => readCount(page)).toBe(total);
  await page.goBack();
  await expect(page).toHaveURL(/\/search/);
  await page.goForward();
  await expect.poll(() => readCount(page)).toBe(total);
});

test("the user can scroll to reads that were added above", async ({ page, faults }) => {
  await faults(HELD);
  await signIn(page, "officer");
  // Without Axis: cameras of other tests may have sent the newest reads.
  await showSoFar(page, ["Rekor", "Axon"]);
  await page.getByRole("grid").evaluate((grid) => {
    if (grid.parentElement) grid.parentElement.scrollTop = 3000;
  });
  await faults();
  await expect(bar(page)).toContainText(/\d+ of the \d+ added reads (?:is|are) above\./, WITH_AXON);
  await expectAccessible(page);
  await bar(page).getByRole("button", { name: "Go to top" }).click();
  await expect(page.locator("[role=grid] [aria-rowindex='2']")).toBeFocused();
  await expect(bar(page)).toBeHidden();
});

test("the open read stays open under its new number, with the keyboard alone", async ({ page, faults }) => {
  await faults(HELD);
  await signIn(page, "officer");
  await page.getByLabel("Justification").focus();
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  for (const program of PROGRAMS) {
    await tabTo(page, `All ${program} agencies`);
    if (!(await page.getByRole("checkbox", { name: `All ${program} agencies` }).isChecked()))
      await page.keyboard.press("Space");
  }
  await page.keyboard.press("Control+Enter");
  await expect(overlay(page).getByRole("button", { name: offer })).toBeVisible();
  await expect(overlay(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await tabTo(page, "Show ");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/results?id=*");
  expect(await untilAllButAxon(page)).toBeGreaterThan(20);
  await expect(page.locator("[role=grid] [data-row='0']")).toBeVisible();
  await page.keyboard.press("j");
  await expect(page.locator("[role=grid] [data-row='0']")).toBeFocused();
  // The third oldest read: Axon's reads are newer.
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  const third = (await readCount(page)) - 3;
  await expect(page.locator(`[role=grid] [data-row="${third}"]`)).toBeFocused();
  await page.keyboard.press("Enter");
  const detail = page.getByRole("dialog", { name: /^Sighting/ });
  await expect(detail).toBeVisible();
  const opened = page.url();
  // Program, state, time, camera and agency: the address below is looked up later.
  const facts = async () => (await detail.getByRole("definition").allTextContents()).slice(0, 5);
  const before = await facts();
  await expect(bar(page)).toBeAttached();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(page).toHaveURL(opened);

  await faults();
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  await expect(detail).toBeVisible();
  await expect(page).not.toHaveURL(opened);
  await expect(page).toHaveURL(/&read=\d+$/);
  expect(await facts()).toEqual(before);
  const number = new URL(page.url()).searchParams.get("read");
  await page.keyboard.press("Escape");
  await expect(detail).toBeHidden();
  await expect(page).not.toHaveURL(/read=/);
  await expect(page.locator(`[role=grid] [data-row="${number}"]`)).toBeFocused();
});

test("the open read stays open even if its browser history entry refers to the partial result set", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  const last = (await showSoFar(page)) - 1;
  const partialId = resultId(page);
  // More than the first rows, which the page contains.
  expect(last).toBeGreaterThan(12);
  await page.locator("[role=grid] [data-row='0']").focus();
  await page.keyboard.press("End");
  await expect(page.locator(`[role=grid] [data-row="${last}"]`)).toBeFocused();
  await page.keyboard.press("Enter");
  const detail = page.getByRole("dialog", { name: /^Sighting/ });
  await expect(detail).toBeVisible();
  const facts = async () => (await detail.getByRole("definition").allTextContents()).slice(0, 5);
  const before = await facts();
  await expect(page).toHaveURL(new RegExp(`&read=${last}$`));
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/read=/);
  await faults();
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  await expect.poll(() => resultId(page)).not.toBe(partialId);
  const completeId = resultId(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/search/);

  // Back to the read's history entry, which still refers to the partial result set.
  await page.evaluate(() => history.go(2));
  await expect(detail).toBeVisible();
  expect(await facts()).toEqual(before);
  await expect.poll(() => resultId(page)).toBe(completeId);
  await expect(page).toHaveURL(/&read=\d+$/);
  await expect(detail).toBeVisible();
  expect(await facts()).toEqual(before);
});

test("a read that takes over another read's number does not show that read's address or printed map", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  // Without Axis: cameras of other tests may have sent the newest reads, and Axon's must be around this one.
  await showSoFar(page, ["Rekor", "Axon"]);
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await page.locator("[role=grid] [data-row='0']").focus();
  for (let pages = 0; pages < 6; pages++) await page.keyboard.press("PageDown");
  await page.keyboard.press("Enter");
  const detail = page.getByRole("dialog", { name: /^Sighting/ });
  await expect(page).toHaveURL(/&read=\d+$/);
  const before = Number(new URL(page.url()).searchParams.get("read"));
  expect(before).toBeGreaterThan(30);
  const address = detail.getByRole("definition").nth(5);
  await expect(address).not.toHaveText("Looking it up…");
  const known = await address.textContent();
  await detail.getByRole("button", { name: "Print" }).click();
  await expect(page.locator("body[data-printed]")).toBeAttached();
  const printedMap = page.locator("[data-print-sheet]").getByAltText("Map of the location");
  await expect(printedMap).toBeAttached();

  await page.route("**/sightings/*/address", () => {});
  await faults();
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  const numberNow = () => Number(new URL(page.url()).searchParams.get("read"));
  await expect.poll(numberNow).toBeGreaterThan(before);
  // The original read has them under its new number.
  await expect(address).toHaveText(known ?? "");
  await expect(printedMap).toBeAttached();
  for (let now = numberNow(); now > before; now--) await page.keyboard.press("ArrowLeft");
  await expect.poll(numberNow).toBe(before);
  await expect(address).toHaveText("Looking it up…");
  await expect(printedMap).not.toBeAttached();
});

test("reads that arrive while another screen is loading do not keep the user on the results", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  await showSoFar(page);
  const arrived = Promise.withResolvers<void>();
  await page.route(/\/search\.data/, async (route) => {
    await arrived.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/search\.data/);
  await page.getByRole("link", { name: "Refine Previous Search" }).click();
  await asked;
  await faults();
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  arrived.resolve();
  await expect(page.getByText("Filled in from your previous search.")).toBeVisible();
  await expect(page).toHaveURL(/\/search/);
});

test("the map adds reads as they arrive; its open popup stays", async ({ page, faults }) => {
  await faults(HELD);
  await signIn(page, "officer");
  const soFar = await showSoFar(page);
  await page.getByRole("tab", { name: "Map View" }).click();
  const map = page.getByRole("application", { name: /^Map with/ });
  await map.press("n");
  const popup = page.getByRole("dialog", { name: /^Reads at/ });
  await expect(popup).toBeVisible();
  const name = await popup.getAttribute("aria-label");
  await expect(bar(page)).toBeVisible();
  await faults();
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  await expect(popup).toHaveAttribute("aria-label", name ?? "");
  const onMap = async () =>
    Number((await map.getAttribute("aria-label"))?.match(/[\d,]+/)?.[0].replace(",", ""));
  expect(await onMap()).toBeGreaterThan(soFar);
});

test("a search canceled from the results keeps its reads, which can be exported and opened again", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  const soFar = await showSoFar(page);
  await bar(page).getByRole("button", { name: /^Axon/ }).first().click();
  await expect(page.getByRole("region", { name: /: progress by agency$/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await bar(page).getByRole("button", { name: "Cancel search" }).click();
  await expect(bar(page)).toBeHidden();
  await expect(
    page.getByText("The search was canceled. These are the reads that had arrived; Axon had not finished."),
  ).toBeVisible();
  expect(await readCount(page)).toBe(soFar);

  await page.locator(`${row} [data-select]`).first().click();
  await page.getByRole("button", { name: "Export Selected to ZIP" }).click();
  const archive = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the archive" }).click();
  const files = unzipSync(new Uint8Array(await readFile(await (await archive).path())));
  expect(Object.keys(files)).toContain("manifest.json");

  await page.reload();
  await expect(page.getByText("The search did not finish here.")).toBeVisible();
  await expect.poll(() => readCount(page)).toBe(soFar);
});

test("a reload while the search runs keeps the reads, with a note that the search did not finish", async ({
  page,
  faults,
}) => {
  await faults(HELD);
  await signIn(page, "officer");
  const soFar = await showSoFar(page);
  await page.reload();
  await expect(page.getByText(/The search did not finish here\..*Axon had not finished\./)).toBeVisible();
  await expect(bar(page)).toBeHidden();
  await expect.poll(() => readCount(page)).toBe(soFar);
  await page.goto(`/results/${resultId(page)}/table?page=1`);
  await expect(page.getByText("The search did not finish here.")).toBeVisible();
});

test("leaving the results cancels the search", async ({ page, faults }) => {
  await faults(HELD);
  await signIn(page, "officer");
  await showSoFar(page);
  await page.getByRole("link", { name: "Refine Previous Search" }).click();
  await expect(page.getByText("Filled in from your previous search.")).toBeVisible();
  await expect(overlay(page)).toBeHidden();
  await page.goBack();
  await expect(page.getByText("The search was canceled.")).toBeVisible();
});

test("a program that fails is named both while the search runs and afterwards", async ({ page, faults }) => {
  const failing = { program: "rekor", kind: "status", code: 500 } as const;
  await faults(failing, HELD);
  await signIn(page, "officer");
  await showSoFar(page);
  await expect(bar(page)).toContainText(/0 of \d answered, \d without an answer/);
  await faults(failing);
  // The bar may stay because of newer reads that a camera has added above.
  await expect(page.getByText(/^The search has finished\./)).toBeAttached(WITH_AXON);
  const statuses = page.getByRole("list", { name: "Search status by program" });
  await expect(statuses.getByRole("button", { name: /^Rekor failed/ })).toBeVisible();
});
