import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "@playwright/test";

/** For how long the pages run between two stops. */
const SLICE_MS = 4;

/**
 * Stops the pages of a browser again and again, so that they run for one of `times` parts of the time, until the
 * returned function is called. DevTools' own throttling keeps a core busy instead, which took a fifth of the processor time
 * of all suites.
 */
export async function slowDown(browser: Browser, times: number): Promise<() => Promise<void>> {
  if (times === 1) return async () => {};
  const devtools = await browser.newBrowserCDPSession();
  const pages = async () => {
    const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  };
  let isSlow = true;
  async function stopAndGo() {
    let stopped = await pages();
    while (isSlow) {
      const started = performance.now();
      await delay(SLICE_MS);
      for (const id of stopped) signal(id, "SIGSTOP");
      const stop = (performance.now() - started) * (times - 1);
      // A navigation may have started another process.
      const next = Promise.all([pages(), delay(stop)]).finally(() => {
        for (const id of stopped) signal(id, "SIGCONT");
      });
      [stopped] = await next;
    }
    await devtools.detach();
  }
  const ended = stopAndGo();
  return () => {
    isSlow = false;
    return ended;
  };
}

function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
