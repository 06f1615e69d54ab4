import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, test as base, expect, type Page, type Route, request } from "@playwright/test";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import type { Fault } from "../../workers/vendors/faults.ts";
import { focusAsSafari } from "./safari-focus.ts";
import { slowDown } from "./slow-browser.ts";
import { makePatient, neverWait } from "./wait-for-hydration.ts";

type Fixtures = {
  /** Console errors that the test expects; any other error fails it. */
  expectedErrors: RegExp[];
  /** Names of environment variables that hold other origins the test visits. */
  otherOrigins: string[];
  faults: (...faults: Fault[]) => Promise<void>;
};

export const THEMES = ["light", "dark", "night"] as const;

/** Each test also fails on requests to other origins, content security policy violations and console errors. */
export const test = base.extend<Fixtures>({
  expectedErrors: [[], { option: true }],
  otherOrigins: [[], { option: true }],
  page: async (
    { page, browser, baseURL, expectedErrors, otherOrigins, javaScriptEnabled },
    use,
    { retry },
  ) => {
    const allowed = [baseURL, ...otherOrigins.map((name) => process.env[name])];
    if (javaScriptEnabled === false) neverWait(page.context());
    else await makePatient(page.context());
    const errors: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => {
      // The page shows that a form was refused; the browser also logs the status.
      const isRefusedForm =
        /status of 400/.test(message.text()) && /\.data(\?|$)/.test(message.location().url);
      if (isRefusedForm) return;
      if (message.type() === "error" || /content security policy/i.test(message.text()))
        errors.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!["data:", "blob:", "about:"].includes(url.protocol) && !allowed.includes(url.origin))
        foreign.push(request.url());
    });
    // SLOW_BROWSER=6 simulates a machine that is six times slower.
    const speedUp = await slowDown(browser, Number(process.env.SLOW_BROWSER ?? 1));
    // SAFARI_FOCUS=1 moves the focus as Safari on a Mac.
    if (process.env.SAFARI_FOCUS) await page.context().addInitScript(focusAsSafari);
    // BREAK_OFF=6 aborts each first attempt after six seconds: the retry must work with its partial data.
    const abortAfterMs = Number(process.env.BREAK_OFF ?? 0) * 1000;
    const end =
      abortAfterMs > 0 && retry === 0 ? setTimeout(() => page.context().close(), abortAfterMs) : undefined;
    await use(page);
    await speedUp();
    clearTimeout(end);
    expect(foreign, "requests to other origins").toEqual([]);
    expect(
      errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text))),
      "errors in the console",
    ).toEqual([]);
  },
  faults: async ({ request }, use) => {
    const set = async (...faults: Fault[]) => {
      await request.put(`${process.env.ODIN_VENDORS_URL}/_simulator/faults`, { data: faults });
    };
    await use(set);
    await set();
  },
});

export { expect };

/** Signs in by a call, which takes less time than the screen that other tests use, and opens no screen. */
export async function logIn(caller: Caller, username: string): Promise<void> {
  const notice = USE_NOTIFICATION.version;
  const call = () => callAs(caller, "POST /login", { username, password: DEMO_PASSWORD, notice });
  await (isPage(caller) ? withoutBackground(caller, call) : call());
}

function isPage(caller: Caller): caller is Page {
  return "mainFrame" in caller;
}

/**
 * Ends or replaces the session of an open page. Leaves its background requests unanswered meanwhile: a 401 would be logged as a
 * console error.
 */
export async function withoutBackground(page: Page, end: () => Promise<unknown>): Promise<void> {
  const left = page.url();
  const leave = (route: Route) => {
    const sent = route.request();
    const isBackground = ["fetch", "image"].includes(sent.resourceType()) && !sent.url().endsWith("/logout");
    return isBackground && sent.frame().url() === left ? undefined : route.fallback();
  };
  await page.route("**", leave);
  await end();
  await page.unroute("**", leave);
}

/** The dialog that covers a page whose session has ended. */
export const sessionLock = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });

/** Ends the session of an open page and shows the page as it is printed then, with its lock. */
export async function printLocked(page: Page): Promise<void> {
  await page.emulateMedia({ media: "screen" });
  await page.context().clearCookies();
  await expect(sessionLock(page)).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(sessionLock(page)).toBeVisible();
}

/** Signs in by a call and opens a screen. */
export async function signIn(page: Page, username: string, path = "/search"): Promise<void> {
  await makePatient(page.context());
  await logIn(page, username);
  await page.goto(path);
  if (path === "/search")
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
}

/** Signs out. */
export async function logOut(page: Page): Promise<void> {
  await withoutBackground(page, async () => {
    await page.getByRole("button", { name: "Logout" }).first().click();
    await page.waitForURL((url) => url.pathname === "/");
  });
}

/** A page, or a context, which needs no page for calls. */
type Caller = Pick<BrowserContext, "request">;

/** Calls an endpoint ("POST /login") as the user who is signed in; returns its JSON. */
export async function callAs<T = Record<string, unknown>>(
  { request }: Caller,
  call: string,
  data?: object,
): Promise<T> {
  const [method = "", path = ""] = call.split(" ");
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await request.fetch(path, { method, headers, ...(data && { data }) });
  expect(answer.ok(), `${call}: ${answer.status()} ${await answer.text()}`).toBe(true);
  return (await answer.json()) as T;
}

/**
 * Creates a user in an administrator's agency for this attempt only, with the demo password: a second factor left by a
 * failed attempt would block sign-in for later tests. Returns the username.
 */
export async function newPerson(admin: string): Promise<string> {
  const username = `guest${Date.now().toString(36)}`;
  const temporary = "Meridian-Lantern-48!";
  const postAs = async (who: string, password: string, path: string, data: object) => {
    const context = await request.newContext({
      baseURL: process.env.ODIN_URL ?? "",
      extraHTTPHeaders: { "sec-fetch-site": "same-origin" },
    });
    const notice = USE_NOTIFICATION.version;
    expect((await context.post("/login", { data: { username: who, password, notice } })).status()).toBe(200);
    const answer = await context.post(path, { data });
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
    await context.dispose();
  };
  const person = { username, name: "Gale Guest", email: "gale@guest.example", role: "user" };
  await postAs(admin, DEMO_PASSWORD, "/admin/add-user", { ...person, password: temporary });
  await postAs(username, temporary, "/reset-password", { new_password: DEMO_PASSWORD });
  return username;
}

/**
 * Leaves a screen of a session that ends. The screen detects the end and navigates to the sign-in page, which would
 * abort a navigation of the test, so this one is repeated.
 */
export async function leaveScreen(page: Page): Promise<void> {
  await expect(() => page.goto("about:blank")).toPass({ intervals: [100] });
}

/** Deletes the cookies, on a page that makes no requests. */
export async function forgetSession(page: Page): Promise<void> {
  await leaveScreen(page);
  await page.context().clearCookies();
}

/** Returns a plate of seven characters that no other test searches for. */
export function newPlate(prefix: string): string {
  return prefix + String(Date.now()).slice(prefix.length - 7);
}

/** Holds requests to an address until the returned function is called, so that a test can check the pending state. */
export async function hold(page: Page, address: string, method?: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    if (!method || route.request().method() === method) await held;
    await route.continue();
  });
  return release;
}

/** Returns the controls whose center is covered by an element that matches a selector, such as the new hits. */
export function coveredControls(page: Page, cover: string): Promise<string[]> {
  return page.evaluate((cover) => {
    // While a modal dialog is open, only its own controls accept input.
    const scope = document.querySelector("dialog:modal") ?? document;
    const controls = scope.querySelectorAll(
      "a[href], button, input, select, textarea, [role=row], [role=slider]",
    );
    return [...controls].flatMap((control) => {
      const { left, top, width, height } = control.getBoundingClientRect();
      const found = document.elementFromPoint(left + width / 2, top + height / 2)?.closest(cover);
      return found && !found.contains(control) ? [control.outerHTML.slice(0, 80)] : [];
    });
  }, cover);
}

/** Waits for text that is visible only briefly, by observing every change of the page. */
export function flash(page: Page, words: string): Promise<void> {
  return page.evaluate(
    (text) =>
      new Promise<void>((resolve) => {
        const look = () => {
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const { textContent, parentElement } = texts.currentNode;
            if (textContent?.includes(text) && parentElement?.checkVisibility()) resolve();
          }
        };
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
        look();
      }),
    words,
  );
}

/** Returns a time zone in which it is about noon, so that the local day does not change during a test. */
export function zoneAtNoon(): string {
  const east = 12 - new Date().getUTCHours();
  // The signs of these names are reversed: Etc/GMT-5 is five hours east.
  return `Etc/GMT${east > 0 ? "-" : "+"}${Math.abs(east)}`;
}

export type Wish = { plate?: string; programs?: ("Rekor" | "Axon" | "Axis")[]; range?: string };

/** Fills the search form and searches; ends on the results screen. */
export async function search(page: Page, wish: Wish = {}): Promise<void> {
  const { plate = "", programs = ["Rekor", "Axon", "Axis"], range = "7 Days" } = wish;
  await page.getByLabel("Plate", { exact: true }).fill(plate);
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("radio", { name: range, exact: true }).check();
  for (const program of programs)
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
  await expect(page.getByRole("heading", { name: "Search Results" })).toBeVisible();
  // The page contains only the first rows; the rest loads afterwards.
  await expect(page.locator("[role=grid][aria-busy=true]")).toHaveCount(0);
}

/** Presses Tab until the focus is on the control whose label starts with these words. */
export async function tabTo(page: Page, name: string, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press(key);
    const label = await page.evaluate(() => {
      const element = document.activeElement;
      const labels = element && "labels" in element && element.labels;
      const words = labels instanceof NodeList ? labels[0]?.textContent : "";
      return element?.getAttribute("aria-label") || words || element?.textContent || "";
    });
    if (label.trim().startsWith(name)) return;
  }
  throw new Error(`${key} does not reach ${name}`);
}

const WCAG = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } as const;
/** The rules of WCAG that depend on colors. */
const COLORS = { type: "rule", values: ["color-contrast", "link-in-text-block"] } as const;

type Rules = { type: "tag" | "rule"; values: readonly string[] };

/**
 * Expects that axe finds no serious or critical violation of WCAG 2.2 AA. Retries until the page has settled, because
 * text may have too little contrast while colors fade.
 */
export async function expectAccessible(page: Page, rules: Rules = WCAG): Promise<void> {
  await expect(async () => expect(await violationsOf(page, rules)).toEqual([])).toPass({ timeout: 20_000 });
}

/** As `expectAccessible`, in each theme. Themes have the same elements in the same places, so only colors are repeated. */
export async function expectAccessibleInThemes(page: Page): Promise<void> {
  await expectAccessible(page);
  const root = page.locator(":root");
  const show = (theme: string) =>
    root.evaluate((element, theme) => element.setAttribute("data-theme", theme), theme);
  const chosen = (await root.getAttribute("data-theme")) ?? "";
  for (const theme of THEMES) {
    await show(theme);
    await expectAccessible(page, COLORS);
  }
  await show(chosen);
}

async function violationsOf(page: Page, { type, values }: Rules): Promise<string[]> {
  // Pages have no frames, so axe need not collect its results in a page of its own, and only violations are read.
  const { violations } = await new AxeBuilder({ page })
    .options({ runOnly: { type, values: [...values] }, resultTypes: ["violations"] })
    .setLegacyMode()
    .analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const found: string[] = [];
  for (const { id, nodes } of grave)
    for (const { target } of nodes) {
      const selector = target.join(" ");
      if (id !== "target-size" || !(await isLargeTarget(page, selector))) found.push(`${id}: ${selector}`);
    }
  return found;
}

/**
 * Returns whether a control or its label is at least 24 px wide and high. axe measures only the visible part of the
 * control, without its label, and the bar at the edge of the window may cover a part of it.
 */
function isLargeTarget(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((control) =>
      [control, control.closest("label")].some((target) => {
        const { width = 0, height = 0 } = target?.getBoundingClientRect() ?? {};
        return width >= 24 && height >= 24;
      }),
    );
}
