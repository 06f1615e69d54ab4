/**
 * Makes tests wait until a page is interactive: on a slow machine, seconds pass between the server-rendered page and
 * its hydration.
 */
import { type BrowserContext, expect, type Page } from "@playwright/test";

/** Installs React's DevTools hook, which production builds call too. A page is ready after its first commit. */
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
async function waitForHydration(page: Page): Promise<void> {
  await expect(async () => {
    const isHydrated = await page.evaluate(() => {
      const all = window as unknown as Record<string, unknown>;
      return all.__odinAnswers === true || !document.querySelector('script[type="module"]');
    });
    expect(isHydrated).toBe(true);
  }).toPass({ intervals: [20, 50, 100, 250], timeout: 120_000 });
}

/** Contexts whose pages are already patched, or must never wait. */
const SETTLED_CONTEXTS = new WeakSet<BrowserContext>();

function patch(page: Page): void {
  for (const name of ["goto", "reload", "goBack", "waitForURL"] as const) {
    const original = page[name].bind(page) as (...values: unknown[]) => Promise<unknown>;
    const waiting = async (...values: unknown[]) => {
      const result = await original(...values);
      await waitForHydration(page);
      return result;
    };
    Object.assign(page, { [name]: waiting });
  }
}

/** Excludes a context without scripts, so that `makePatient` does not make its pages wait. */
export function neverWait(context: BrowserContext): void {
  SETTLED_CONTEXTS.add(context);
}

/** Makes every page of a context, including later ones, wait for hydration after each navigation. */
export async function makePatient(context: BrowserContext): Promise<void> {
  if (SETTLED_CONTEXTS.has(context)) return;
  SETTLED_CONTEXTS.add(context);
  await context.addInitScript(watchReact);
  for (const page of context.pages()) patch(page);
  context.on("page", patch);
}
