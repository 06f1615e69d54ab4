import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page, type Route, request } from "@playwright/test";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import type { Fault } from "../../workers/vendors/faults.ts";
import { makePatient } from "./patience.ts";

type Fixtures = {
  /** Console errors that the journey provokes; any other fails it. */
  expectedErrors: RegExp[];
  faults: (...faults: Fault[]) => Promise<void>;
  /** The theme that the user has chosen, with nothing in motion; none where absent. */
  theme: (typeof THEMES)[number] | undefined;
};

export const THEMES = ["light", "dark", "night"] as const;

/** Every journey also proves that nothing leaves this origin, no policy is broken and nothing is logged as an error. */
export const test = base.extend<Fixtures>({
  expectedErrors: [[], { option: true }],
  theme: [undefined, { option: true }],
  page: async ({ page, baseURL, expectedErrors, javaScriptEnabled, theme }, use, { retry }) => {
    if (theme) {
      await page.context().addCookies([{ name: "odin-theme", value: theme, url: String(baseURL) }]);
      await page.emulateMedia({ reducedMotion: "reduce" });
    }
    if (javaScriptEnabled !== false) await makePatient(page.context());
    const wrong: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => {
      // A form that was refused says so on the page; the browser logs its status besides.
      const isRefusedForm =
        /status of 400/.test(message.text()) && /\.data(\?|$)/.test(message.location().url);
      if (isRefusedForm) return;
      if (message.type() === "error" || /content security policy/i.test(message.text()))
        wrong.push(message.text());
    });
    page.on("pageerror", (error) => wrong.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!["data:", "blob:", "about:"].includes(url.protocol) && url.origin !== baseURL)
        foreign.push(request.url());
    });
    // SLOW_BROWSER=6 shows what a journey would do on a machine that is six times slower.
    if (process.env.SLOW_BROWSER) {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOW_BROWSER) });
    }
    // BREAK_OFF=6 ends each first attempt after six seconds, as a failure would: the second finds what it left halfway.
    const patience = Number(process.env.BREAK_OFF ?? 0) * 1000;
    const end = patience > 0 && retry === 0 ? setTimeout(() => page.context().close(), patience) : undefined;
    await use(page);
    clearTimeout(end);
    expect(foreign, "requests to other origins").toEqual([]);
    expect(
      wrong.filter((text) => !expectedErrors.some((pattern) => pattern.test(text))),
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

export async function signIn(page: Page, username: string): Promise<void> {
  await makePatient(page.context());
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/search");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
}

/** What the page asks by itself meanwhile is left without an answer: refused, it would be noted as an error. */
export async function logOut(page: Page): Promise<void> {
  const left = page.url();
  const leave = (route: Route) => {
    const asked = route.request();
    const isByItself = ["fetch", "image"].includes(asked.resourceType()) && !asked.url().endsWith("/logout");
    return isByItself && asked.frame().url() === left ? undefined : route.fallback();
  };
  await page.route("**", leave);
  await page.getByRole("button", { name: "Logout" }).first().click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.unroute("**", leave);
}

/** Calls an endpoint ("POST /login") as whoever is signed in on the page; gives what it answered. */
export async function callAs<T = Record<string, unknown>>(
  page: Page,
  call: string,
  data?: object,
): Promise<T> {
  const [method = "", path = ""] = call.split(" ");
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await page.request.fetch(path, { method, headers, ...(data && { data }) });
  expect(answer.ok(), `${call}: ${answer.status()} ${await answer.text()}`).toBe(true);
  return (await answer.json()) as T;
}

/**
 * Somebody of an administrator's agency for this attempt alone, with the password of the demo: a second factor that an
 * attempt leaves behind would keep everybody else from signing in.
 */
export async function newPerson(admin: string): Promise<string> {
  const username = `guest${Date.now().toString(36)}`;
  const temporary = "Meridian-Lantern-48!";
  const asking = async (who: string, password: string, path: string, data: object) => {
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
  await asking(admin, DEMO_PASSWORD, "/admin/add-user", { ...person, password: temporary });
  await asking(username, temporary, "/reset-password", { new_password: DEMO_PASSWORD });
  return username;
}

/** Forgets who is signed in, on a page that asks for nothing. */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
}

/** A plate of seven characters that no other journey searches for. */
export function newPlate(prefix: string): string {
  return prefix + String(Date.now()).slice(prefix.length - 7);
}

/** Holds what the page sends to an address until it is let go, so that what shows meanwhile can be looked at. */
export async function hold(page: Page, address: string, method?: string): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(address, async (route) => {
    if (!method || route.request().method() === method) await held;
    await route.continue();
  });
  return letGo;
}

/** Waits from now on for words that stand for a moment only: the page itself sees each of its changes. */
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

/** Lets midnight (UTC) pass where it is near: what is said of "today" holds for a journey that begins and ends in it. */
export async function awayFromMidnight(): Promise<void> {
  const DAY_MS = 86_400_000;
  const NEAR_MS = 120_000;
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left > NEAR_MS) return;
  test.slow();
  await new Promise((resolve) => setTimeout(resolve, left + 1000));
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
}

/** No serious or critical violation of WCAG 2.2 AA that axe can see. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
  ).toEqual([]);
}
