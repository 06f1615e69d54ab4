/**
 * A page is worked with when it can be: on a slow machine seconds pass between what the server sent, which is seen at
 * once, and the moment when a press on it does something.
 */
import { type BrowserContext, expect, type Page } from "@playwright/test";

/** React tells this hook of itself, in every build: the effects of the first commit are what a page waits for. */
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
 * Waits until the page's scripts have taken it over; a page that has none is ready as it is. It is asked from here: what
 * Playwright lets a page wait for by itself is evaluated there, which our policy for scripts forbids.
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

/** Lets every page of a context, also those that are opened later, wait like this after each way to an address. */
export async function makePatient(context: BrowserContext): Promise<void> {
  if (PATIENT.has(context)) return;
  PATIENT.add(context);
  await context.addInitScript(watchReact);
  for (const page of context.pages()) patch(page);
  context.on("page", patch);
}
