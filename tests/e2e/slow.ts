import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";

/** How long the page's process runs before it is stopped again. */
const RUN_MS = 2;

/**
 * Makes a page that many times slower; returns a function that ends this. DevTools can do it too, but keeps the
 * processor busy meanwhile (25 seconds for one test), so on Linux the page's process is stopped most of the time.
 */
export async function slowDown(page: Page, rate: number): Promise<() => Promise<void>> {
  if (rate === 1) return async () => {};
  const pids = existsSync("/proc/self/schedstat") ? await renderersOf(page) : [];
  if (pids.length === 0) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate });
    return async () => {
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    };
  }
  let isSlow = true;
  const end = () => {
    isSlow = false;
  };
  page.once("close", end);
  const run = async () => {
    while (isSlow) {
      const before = ranMs(pids);
      send(pids, "SIGCONT");
      await sleep(RUN_MS);
      send(pids, "SIGSTOP");
      await sleep((ranMs(pids) - before) * (rate - 1));
    }
    send(pids, "SIGCONT");
  };
  const running = run();
  return async () => {
    end();
    await running;
  };
}

/** Returns the process ids of the browser's pages. */
async function renderersOf(page: Page): Promise<number[]> {
  const devtools = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await devtools?.send("SystemInfo.getProcessInfo")) ?? {};
  await devtools?.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

/** Returns how long the main threads of processes have run; 0 for one that has ended. */
function ranMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const file = `/proc/${pid}/schedstat`;
    return sum + (existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : 0);
  }, 0);
}

function send(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal);
}
