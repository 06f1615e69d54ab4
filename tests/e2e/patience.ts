/**
 * Makes tests wait until a page is interactive: on a slow machine, seconds pass between the server-rendered page and
 * its hydration.
 */
import { type BrowserContext, expect, type Page } from "@playwright/test";

/** Installs React's DevTools hook, which every build calls: a page is ready after the effects of the first commit. */
function watchReact(): void {
  const all = window as unknown as Record<string, unknown>;
  all.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => {},
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {
      all.__odinAnswers = true;
    },
  };
}

/**
 * Waits until the page is hydrated; a page without scripts is ready at once. Polls from the test, because Playwright's
 * `waitForFunction` evaluates code in the page, which our content security policy forbids.
 */
async function untilItAnswers(page: Page): Promise<void> {
  await expect(async () => {
    const answers = await page.evaluate(() => {
      const all = window as unknown as Record<string, unknown>;
      return all.__odinAnswers === true || !document.querySelector('script[type="module"]');
    });
    expect(answers).toBe(true);
  }).toPass({ intervals: [20, 50, 100, 250], timeout: 120_000 });
}

const PATIENT = new WeakSet<BrowserContext>();

function patch(page: Page): void {
  for (const name of ["goto", "reload", "goBack", "waitForURL"] as const) {
    const original = page[name].bind(page) as (...values: unknown[]) => Promise<unknown>;
    const patient = async (...values: unknown[]) => {
      const result = await original(...values);
      await untilItAnswers(page);
      return result;
    };
    Object.assign(page, { [name]: patient });
  }
}

/** Makes the pages of a context without scripts wait for nothing. */
export function neverWait(context: BrowserContext): void {
  PATIENT.add(context);
}

/** Makes every page of a context, including later ones, wait for hydration after each navigation. */
export async function makePatient(context: BrowserContext): Promise<void> {
  if (PATIENT.has(context)) return;
  PATIENT.add(context);
  await context.addInitScript(watchReact);
  for (const page of context.pages()) patch(page);
  context.on("page", patch);
}
