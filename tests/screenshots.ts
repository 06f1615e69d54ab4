/**
 * `npm run screenshots [-- <url> | <word> …]`: pictures of every screen of `app/routes.ts`, at 1440 and 390 px, light and
 * dark, in `screenshots/`, with a contact sheet, `index.html`. Starts a demo from the build, or uses the given demo's
 * URL. Words choose the screens whose name contains one of them. Playwright signs in as the demo users.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import pMap from "p-map";
import routes from "#app/routes.ts";
import { ROOT } from "../workers/local/settings.ts";
import start from "./e2e/start.ts";
import { makePatient } from "./e2e/wait-for-hydration.ts";
import { findChromium, NO_CHROMIUM } from "./support/chromium.ts";
import { PARTS, SCREENS, type Scene, type Shot } from "./support/screen-list.ts";
import { prepare, type Session, signInAll } from "./support/screen-scene.ts";

const OUT = join(ROOT, "screenshots");
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const THEMES = ["light", "dark"] as const;
const AT_ONCE = 2;
const PATIENCE_MS = 60_000;
const SETTLED_MS = 8000;
const STEP_MS = 400;
const TALLEST = 4000;

/** Returns the paths of all screens: the routes whose file is in routes/screens. */
async function screenPaths(): Promise<string[]> {
  type Route = Awaited<typeof routes>[number];
  const paths = (list: readonly Route[]): string[] =>
    list.flatMap(({ file, path, children = [] }) => [
      ...(file.startsWith("routes/screens/") ? [path ?? "/"] : []),
      ...paths(children),
    ]);
  return paths(await routes);
}

async function main(): Promise<void> {
  const words: string[] = process.argv.slice(2);
  const url = words.find((word) => /^https?:/.test(word));
  const chosen = words.filter((word) => word !== url);
  const shots = (await screenPaths()).map((path) => {
    const shot = SCREENS[path];
    if (!shot)
      throw new Error(`tests/support/screen-list.ts does not know the screen ${path} of app/routes.ts.`);
    return { ...shot, name: path };
  });
  const wanted = [...shots, ...PARTS].filter(
    ({ name }) => chosen.length === 0 || chosen.some((word) => name.includes(word)),
  );
  const executablePath = findChromium();
  if (!executablePath) throw new Error(NO_CHROMIUM);
  const stop = url ? undefined : await start();
  const baseURL = url ?? process.env.ODIN_URL ?? "";
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    const people = await signInAll(browser, baseURL);
    const scene = await prepare(browser, baseURL, people);
    if (chosen.length === 0) rmSync(OUT, { recursive: true, force: true });
    mkdirSync(OUT, { recursive: true });
    const views = THEMES.flatMap((theme) => WIDTHS.map((viewport) => ({ theme, viewport })));
    const problems: string[] = [];
    for (const view of views) {
      await pMap(
        wanted,
        async (shot) => {
          const file = fileOf(shot.name, view);
          const storageState = people[shot.as];
          const context = await contextOf(browser, { baseURL, storageState, ...view });
          await picture(context, { shot, scene, file }).catch((error: unknown) => {
            problems.push(`${file}: ${error}`);
          });
          await context.close();
        },
        { concurrency: AT_ONCE },
      );
    }
    writeFileSync(join(OUT, "index.html"), contactSheet(wanted.map(({ name }) => name)));
    console.log(`${wanted.length * views.length - problems.length} pictures: ${join(OUT, "index.html")}`);
    if (problems.length > 0) throw new Error(problems.join("\n"));
  } finally {
    await browser.close();
    await stop?.();
  }
}

type View = { theme: (typeof THEMES)[number]; viewport: (typeof WIDTHS)[number] };

function fileOf(name: string, { theme, viewport }: View): string {
  const words = name === "/" ? "sign-in" : name === "*" ? "not-found" : name.replace(/[^\w-]+/g, "_");
  return `${words}.${viewport.width}.${theme}.png`;
}

function contextOf(
  browser: Browser,
  { theme, ...options }: View & { baseURL: string; storageState: Session },
) {
  return browser.newContext({
    ...options,
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "America/New_York",
  });
}

async function picture(
  context: BrowserContext,
  { shot, scene, file }: { shot: Shot; scene: Scene; file: string },
): Promise<void> {
  await makePatient(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await shot.before?.(page);
  await page.goto(shot.address(scene));
  await settle(page);
  if (shot.act) {
    await shot.act(page);
    await settle(page);
  }
  // As tall as its content, because sticky bars would cover the middle of a longer picture.
  const { width } = page.viewportSize() ?? { width: 0 };
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > (page.viewportSize()?.height ?? 0))
    await page.setViewportSize({ width, height: Math.min(height, TALLEST) });
  await page.screenshot({ path: join(OUT, file), fullPage: true });
}

/** Waits until the network is idle and nothing is marked as loading, for a limited time. */
async function settle(page: Page): Promise<void> {
  const end = Date.now() + SETTLED_MS;
  await page.waitForLoadState("networkidle", { timeout: SETTLED_MS }).catch(() => {});
  const loading = page
    .locator(".animate-spin, .animate-pulse, [aria-busy=true]")
    .or(page.getByText("Looking it up…"));
  do await page.waitForTimeout(STEP_MS);
  while (Date.now() < end && (await loading.filter({ visible: true }).count()) > 0);
}

function contactSheet(names: readonly string[]): string {
  const views = THEMES.flatMap((theme) => WIDTHS.map((viewport) => ({ theme, viewport })));
  const cells = (name: string) =>
    views
      .map((view) => fileOf(name, view))
      .map((file) => `<td><a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a></td>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens of Odin</title>
<style>body{font:14px system-ui}td{vertical-align:top;padding:4px}img{max-width:340px;max-height:480px;border:1px solid #888}</style>
<h1>Screens of Odin</h1><table><tr><th>Screen</th>${views.map(({ theme, viewport }) => `<th>${viewport.width} px, ${theme}</th>`).join("")}</tr>
${names.map((name) => `<tr><th>${name}</th>${cells(name).join("")}</tr>`).join("\n")}</table></html>`;
}

await main();
