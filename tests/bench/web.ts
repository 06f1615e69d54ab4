// Measures how long a user waits for results, in Chromium with the profiles of a phone and of a desktop, compared with
// the build of an earlier commit. The old build is made in a temporary folder: `git archive` of the commit, with this
// folder's node_modules. Both builds serve their own demo world at the same time, and are measured in turns.
//
// ODIN_SKIP_BUILD=1 uses this folder's existing build. BENCH_OLD=<folder> uses an existing old build.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { REMIX, ROOT } from "../../workers/local/settings.ts";
import type { Fault } from "../../workers/vendors/faults.ts";
import { findChromium } from "../support/chromium.ts";
import { startProduct } from "../support/operations/product.ts";
import { freePort } from "../support/vendors.ts";
import type { Figure } from "./figure.ts";
import { writeOldSource } from "./support/old-source.ts";

export const name = "web";

/** The last commit before results were rendered on the server. */
const OLD_COMMIT = "2616aff";
const REPEATS = Number(process.env.BENCH_REPEATS ?? 5);

type Profile = {
  name: string;
  context: BrowserContextOptions;
  cpu: number;
  mbits: number;
  latencyMs: number;
};

/** Lighthouse's profiles, with the throttling applied instead of simulated. */
const PHONE: Profile = {
  name: "phone",
  context: { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true },
  cpu: 4,
  mbits: 1.6,
  latencyMs: 150,
};
const DESKTOP: Profile = {
  name: "desktop",
  context: { viewport: { width: 1350, height: 940 } },
  cpu: 1,
  mbits: 10,
  latencyMs: 40,
};

/** Milliseconds. */
type Load = { lcp: number; blocked: number };
type Steps = { density: number; view: number; map: number; dialog: number };
type Site = {
  url: string;
  vendorsUrl: string;
  resultId: string;
  state: BrowserContextOptions["storageState"];
  stop: () => Promise<void>;
};

export async function run(): Promise<Figure[]> {
  const temporary = mkdtempSync(join(tmpdir(), "odin-bench-web-"));
  const started: Site[] = [];
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    if (process.env.ODIN_SKIP_BUILD !== "1") buildIn(ROOT);
    const own = await startSite(ROOT, join(temporary, "own"));
    started.push(own);
    const old = await startSite(oldBuild(temporary), join(temporary, "old"));
    started.push(old);
    return await measure(browser, { own, old });
  } finally {
    await browser.close();
    for (const site of started) await site.stop();
    rmSync(temporary, { recursive: true, force: true });
  }
}

function buildIn(folder: string): void {
  execFileSync(process.execPath, [REMIX, "vite:build"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Returns the folder of the old build. */
function oldBuild(temporary: string): string {
  if (process.env.BENCH_OLD) return process.env.BENCH_OLD;
  const folder = writeOldSource(OLD_COMMIT, temporary);
  buildIn(folder);
  return folder;
}

/** Starts a build with a small demo world, signs in, and searches all agencies over seven days. */
async function startSite(folder: string, state: string): Promise<Site> {
  const [port, vendorsPort] = [await freePort(), await freePort()];
  const stop = await startProduct(folder, {
    PORT: `${port}`,
    VENDORS_PORT: `${vendorsPort}`,
    ODIN_STATE: state,
    ODIN_SKIP_BUILD: "1",
    DEMO_DAYS: "3",
    DEMO_READS_PER_DAY: "150",
    DEMO_LIVE: "0",
  });
  try {
    const vendorsUrl = `http://127.0.0.1:${vendorsPort}`;
    return { ...(await search(`http://127.0.0.1:${port}`)), vendorsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function search(url: string): Promise<Omit<Site, "stop" | "vendorsUrl">> {
  const { request } = await import("playwright");
  const client = await request.newContext({
    baseURL: url,
    extraHTTPHeaders: { "sec-fetch-site": "same-origin" },
  });
  const credentials = { username: "officer", password: DEMO_PASSWORD, notice: USE_NOTIFICATION.version };
  await client.post("/login", { data: credentials });
  const listOf = async (path: string): Promise<Record<string, unknown>[]> => (await client.get(path)).json();
  const axis = await listOf("/axis-authorized-agencies");
  const agencies = [
    ...(await listOf("/api-keys-data")).map(({ agency }) => agency),
    ...(await listOf("/axon-authorized-integrations")).map(({ agency_name }) => agency_name),
    ...axis
      .flatMap(({ integrations }) => (Array.isArray(integrations) ? integrations : []))
      .map((one) => one.identifier),
  ];
  const found = await client.post("/search-data", {
    data: {
      plate: "",
      plate_state: "",
      vehicle_color: "",
      vehicle_make: "",
      vehicle_body_type: "",
      justification: "Bench",
      start_time: isoTime(Date.now() - 7 * DAY),
      end_time: isoTime(Date.now()),
      agencies,
      filters: { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
    },
  });
  const resultId = found.headers()["odin-result-id"];
  if (resultId === undefined) throw new Error(`The search failed: ${await found.text()}`);
  const state = await client.storageState();
  await client.dispose();
  return { url, resultId, state };
}

async function measure(browser: Browser, sites: { own: Site; old: Site }): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (what: string, [own, peer]: [number, number], limit: number) =>
    figures.push({ name: `web: ${what}`, own, peer, unit: "ms", goal: 1, limit });
  for (const profile of [PHONE, DESKTOP]) {
    const best = await inTurns(sites, (site) => load(browser, site, profile));
    add(`${profile.name}, largest paint of /results`, best("lcp"), 1500);
    add(`${profile.name}, total blocking time of /results`, best("blocked"), 200);
  }
  const best = await inTurns(sites, (site) => steps(browser, site));
  add("desktop, new row size shown", best("density"), 100);
  add("desktop, back to the table", best("view"), 100);
  add("desktop, map shown again", best("map"), 100);
  add("desktop, sighting dialog shown", best("dialog"), 200);
  const arrivals: Arrival[] = [];
  for (let i = 0; i < REPEATS; i++) arrivals.push(await arrival(browser, sites.own));
  const least = (key: keyof Arrival) => Math.min(...arrivals.map((one) => one[key]));
  add(
    "desktop, first rows after the first program's answer, vs. rows of the complete result",
    [least("first"), least("complete")],
    300,
  );
  return figures;
}

/** The delay of Axon's response, during which the reads of the other programs are shown. */
const LATE_MS = 3000;

/** Milliseconds since the first program answered. */
type Arrival = { first: number; complete: number };

/**
 * Searches all programs while Axon is slow, and presses the button for the reads so far in the frame in which it
 * appears. Measures from the frame in which the overlay says that a program has answered to the frame with the first
 * rows, and to the frame with the reads of the complete search. In between, the server stores the reads so far.
 */
async function arrival(browser: Browser, site: Site): Promise<Arrival> {
  await setFaults(site, [{ program: "axon", kind: "delay", ms: LATE_MS }]);
  const context = await browser.newContext({
    ...DESKTOP.context,
    baseURL: site.url,
    storageState: site.state,
  });
  const page = await context.newPage();
  await page.goto("/search");
  await page.getByLabel("Justification").fill("Bench");
  for (const program of ["Rekor", "Axon", "Axis"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.waitForLoadState("networkidle");
  const measured = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const until = async <T>(find: () => T | null | undefined | false): Promise<T> => {
      for (;;) {
        const found = find();
        if (found) return found;
        await frame();
      }
    };
    const hasAnswered = ({ textContent }: Element) => /(\d+) of \1 answered/.test(textContent ?? "");
    document.querySelector<HTMLFormElement>("form[aria-label='Search LPR Records']")?.requestSubmit();
    await until(() => [...document.querySelectorAll("dialog[open] section")].some(hasAnswered));
    const answered = performance.now();
    const buttons = () => [...document.querySelectorAll<HTMLElement>("dialog[open] button")];
    (await until(() => buttons().find((one) => one.textContent?.endsWith("so far")))).click();
    await until(() => document.querySelector("[role=grid] [data-row]"));
    // The next frame begins after this one is painted.
    await frame();
    const first = performance.now() - answered;
    const isComplete = ({ textContent }: Element) => textContent?.startsWith("The search has finished.");
    await until(() => [...document.querySelectorAll("[role=status]")].some(isComplete));
    await frame();
    return { first, complete: performance.now() - answered };
  });
  await context.close();
  await setFaults(site, []);
  return measured;
}

async function setFaults(site: Site, faults: Fault[]): Promise<void> {
  const answer = await fetch(`${site.vendorsUrl}/_simulator/faults`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults),
  });
  if (!answer.ok) throw new Error(`The simulated vendors answered ${answer.status}.`);
}

/**
 * Measures both builds in turns, so that other load on the machine affects both. Returns a function that returns the
 * best result of each build for a value: ours and theirs.
 */
async function inTurns<Key extends string>(
  { own, old }: { own: Site; old: Site },
  once: (site: Site) => Promise<Record<Key, number>>,
): Promise<(key: Key) => [number, number]> {
  const [ours, theirs]: [Record<Key, number>[], Record<Key, number>[]] = [[], []];
  for (let i = 0; i < REPEATS; i++) {
    ours.push(await once(own));
    theirs.push(await once(old));
  }
  const best = (found: Record<Key, number>[], key: Key) => Math.min(...found.map((one) => one[key]));
  return (key) => [best(ours, key), best(theirs, key)];
}

async function open(browser: Browser, site: Site, profile: Profile): Promise<Page> {
  const context = await browser.newContext({
    ...profile.context,
    baseURL: site.url,
    storageState: site.state,
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: profile.latencyMs,
    downloadThroughput: (profile.mbits * 1e6) / 8,
    uploadThroughput: (profile.mbits * 1e6) / 16,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: profile.cpu });
  return page;
}

/** Opens /results with an empty cache. Returns the largest contentful paint and the total blocking time, in ms. */
async function load(browser: Browser, site: Site, profile: Profile): Promise<Load> {
  const page = await open(browser, site, profile);
  await page.addInitScript(() => {
    const seen = { lcp: 0, first: 0, tasks: [] as [number, number][] };
    Object.assign(window, { seen });
    const watch = (type: string, take: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    watch("largest-contentful-paint", (entry) => {
      seen.lcp = entry.startTime;
    });
    watch("paint", (entry) => {
      if (entry.name === "first-contentful-paint") seen.first = entry.startTime;
    });
    watch("longtask", (entry) => seen.tasks.push([entry.startTime, entry.duration]));
  });
  const columns = page.waitForResponse(/\/columns/);
  await page.goto(`/results?id=${site.resultId}`);
  await columns;
  await page.waitForLoadState("networkidle");
  const result = await page.evaluate(() => {
    const { seen } = window as unknown as { seen: { lcp: number; first: number; tasks: [number, number][] } };
    const blocking = seen.tasks
      .filter(([start]) => start >= seen.first)
      .map(([, ms]) => Math.max(0, ms - 50));
    return { lcp: seen.lcp, blocked: blocking.reduce((sum, ms) => sum + ms, 0) };
  });
  await page.context().close();
  return result;
}

/** Measures from a click to the frame that shows the change, without the first use of a view, which loads its code. */
async function steps(browser: Browser, site: Site): Promise<Steps> {
  const page = await open(browser, site, DESKTOP);
  await page.goto(`/results?id=${site.resultId}`);
  await page.getByRole("grid").getByRole("img").first().waitFor();
  await page.waitForLoadState("networkidle");
  const density = Math.max(
    await clickToShown(page, "input[type=radio][value=compact]", "[data-density=compact] [data-row]"),
    await clickToShown(page, "input[type=radio][value=full]", "[data-density=full] [data-row]"),
  );
  const [table, map] = ["#results-tab-table", "#results-tab-map"];
  await clickToShown(page, map, "[role=application]");
  await page.waitForLoadState("networkidle");
  const view = await clickToShown(page, table, "[role=grid] [data-row]");
  const mapAgain = await clickToShown(page, map, "[role=application]");
  await clickToShown(page, table, "[role=grid] [data-row]");
  const dialog = await clickToShown(page, "[data-row] [data-words]", "dialog[open]");
  await page.context().close();
  return { density, view, map: mapAgain, dialog };
}

function clickToShown(page: Page, press: string, shown: string): Promise<number> {
  return page.evaluate(
    async ([press, shown]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      const start = performance.now();
      document.querySelector<HTMLElement>(press)?.click();
      while (!document.querySelector(shown)) await frame();
      // The next frame begins after this one is painted.
      await frame();
      return performance.now() - start;
    },
    [press, shown] as const,
  );
}
