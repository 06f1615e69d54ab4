import type { CDPSession, Page } from "@playwright/test";
import { expect, logIn, test } from "./fixtures.ts";
import { slowDown } from "./slow-browser.ts";

/** Screens with forms, by user. The tests type into each from its first paint on, while its scripts are loading. */
const SCREENS: Record<string, readonly string[]> = {
  visitor: ["/"],
  owner: [
    "/search",
    "/profile",
    "/admin",
    "/single-sign-on",
    "/owner",
    "/owner/policy/hartford-pd",
    "/integrations/rekor",
    "/integrations/axon",
    "/rekor-camera-management",
    "/audit-log",
    "/legal-holds",
    "/review",
    "/public-figures",
  ],
  hotadmin: ["/create-group", "/groups/demo-stolen-hfd/edit", "/edit-alerts-permissions"],
};

/** How many times slower the pages run than this machine. */
const SLOWDOWNS = [1, 6, 20] as const;

const TEXT_FIELDS = [
  "textarea",
  ...["", "[type=text]", "[type=search]", "[type=email]", "[type=password]"].map((type) =>
    type ? `input${type}` : "input:not([type])",
  ),
]
  .map((field) => `${field}:not([readonly]):not([disabled])`)
  .join(",");

/** The one-line search needs scripts, so it appears with them. */
const NOT_WITH_SCRIPTS = ':not(form[aria-label="Search in one line"] *)';

/** Only the first fields of a screen are tested: screens with more have a table of identical fields. */
const MAX_FIELDS = 8;
const MAX_BOXES = 4;

// One test per screen, so that a slow machine shows progress.
for (const slowdown of SLOWDOWNS) {
  for (const [user, screens] of Object.entries(SCREENS)) {
    for (const screen of screens) {
      test(`${screen} keeps what ${user} types from its first paint on, ${slowdown} times slower`, async ({
        browser,
        baseURL,
      }) => {
        test.setTimeout(300_000);
        // A separate context, because pages of the fixture wait for hydration.
        const context = await browser.newContext({
          baseURL,
          locale: "en-US",
          timezoneId: "America/New_York",
        });
        const page = await context.newPage();
        const wrong: string[] = [];
        page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error}`));
        page.on("console", (message) => {
          if (message.type() === "error" && /React|hydrat/i.test(message.text())) wrong.push(message.text());
        });
        if (user !== "visitor") await logIn(page, user);
        if (screen === "/rekor-camera-management") await searchRekor(page);
        const devtools = await context.newCDPSession(page);
        const speedUp = await slowDown(browser, slowdown);
        await typeFromFirstPaint(page, devtools, screen, speedUp).finally(speedUp);
        expect(wrong).toEqual([]);
        await context.close();
      });
    }
  }
}

/** Searches Rekor, so that its cameras are registered from their reads and the owner's screen lists them. */
async function searchRekor(page: Page): Promise<void> {
  const keys = (await (await page.request.get("/api-keys-data")).json()) as { id: string }[];
  const now = Date.now();
  const data = {
    justification: "Stolen vehicle, case 26-1044",
    start_time: new Date(now - 3 * 24 * 60 * 60 * 1000).toISOString(),
    end_time: new Date(now).toISOString(),
    agencies: keys.map(({ id }) => id),
  };
  expect((await page.request.post("/search-data", { data })).status()).toBe(200);
}

async function typeFromFirstPaint(
  page: Page,
  devtools: CDPSession,
  screen: string,
  speedUp: () => Promise<void>,
): Promise<void> {
  await page.goto(screen, { waitUntil: "commit" });
  const main = page.locator("main");
  const texts = main.locator(`:is(${TEXT_FIELDS})${NOT_WITH_SCRIPTS}`).filter({ visible: true });
  const boxes = main.locator("input[type=checkbox]:not([disabled])[name]").filter({ visible: true });
  await texts.or(boxes).first().waitFor();
  const checked = new Map<number, boolean>();
  for (let index = 0; index < Math.min(await boxes.count(), MAX_BOXES); index += 1) {
    const before = await boxes.nth(index).isChecked();
    await boxes.nth(index).press(" ");
    checked.set(index, !before);
  }
  // The first one last: it may be a filter, which hides the rows of the others once it works.
  const fields = Array.from({ length: Math.min(await texts.count(), MAX_FIELDS) }, (_, index) => index);
  const typed = new Map<number, string>();
  for (const index of fields.toReversed()) {
    const field = texts.nth(index);
    const before = await field.inputValue();
    await field.focus();
    await field.press("End");
    const room = Number((await field.getAttribute("maxlength")) ?? 1000) - before.length;
    const word = `NX6185${index}`.slice(0, Math.max(0, room));
    // Sent without waiting for the page, as when a user types.
    for (const character of word) await devtools.send("Input.insertText", { text: character });
    typed.set(index, before + word);
  }
  // Everything is typed, so the rest of the hydration need not be slow.
  await speedUp();
  await untilHydrated(page, screen);
  for (const index of fields) {
    const field = texts.nth(index);
    expect(await field.inputValue(), `field ${index} of ${screen}`).toBe(typed.get(index));
    if ((await field.getAttribute("type")) === "search") await field.fill("");
  }
  for (const [index, isOn] of checked)
    expect(await boxes.nth(index).isChecked(), `box ${index} of ${screen}`).toBe(isOn);
  await expect(page.getByText("Unexpected Application Error!")).toBeHidden();
  await everyControlIsAlive(page, screen);
}

/** Waits until React has hydrated the screen; React marks the elements with its props. */
async function untilHydrated(page: Page, screen: string): Promise<void> {
  await expect(async () => {
    const isHydrated = await page.evaluate(() => {
      const field = document.querySelector("main input, main textarea, main button");
      return field !== null && Object.keys(field).some((key) => key.startsWith("__reactProps"));
    });
    expect(isHydrated, `${screen} is hydrated`).toBe(true);
  }).toPass({ intervals: [50, 100, 250], timeout: 120_000 });
}

/** Expects that React has hydrated every button and field of the screen. */
async function everyControlIsAlive(page: Page, screen: string): Promise<void> {
  const dead = await page.evaluate(() =>
    [...document.querySelectorAll("main button, main input, main select, main textarea")]
      .filter((element) => !element.closest("noscript"))
      .filter((element) => !Object.keys(element).some((key) => key.startsWith("__reactProps")))
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  expect(dead, `dead controls of ${screen}`).toEqual([]);
}
