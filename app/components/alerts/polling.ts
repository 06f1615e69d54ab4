import { useEffect, useRef } from "react";
import { onSessionBack } from "#app/components/account/session-end.ts";
import { MINUTE, SECOND } from "#app/lib/dates.ts";

/** How often the open app asks for news. */
export const POLL_MS = 6 * SECOND;
const LONGEST_MS = 2 * MINUTE;

/** How long to wait before asking again: longer after each failure, up to two minutes. */
export function pollDelay(failures: number): number {
  return Math.min(POLL_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
}

/**
 * What a round came to; `stop` ends it until somebody signs in again, since nobody is; `seldom` asks again after the
 * longest wait: there is nothing to wait for yet.
 */
export type PollOutcome = "ok" | "seldom" | "failed" | "stop";

/**
 * Asks again and again while the page is visible and the network there, at once when it becomes so. `resumed` tells a
 * round that time has passed unseen.
 */
export function usePolling(
  ask: (input: { resumed: boolean; signal: AbortSignal }) => Promise<PollOutcome>,
  options: { immediately: boolean },
): void {
  const latest = useRef(ask);
  latest.current = ask;
  const { immediately } = options;

  useEffect(() => {
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let running = false;
    let stopped = false;
    const isAwake = () => document.visibilityState === "visible" && navigator.onLine;

    async function round(resumed: boolean) {
      clearTimeout(timer);
      if (running || stopped || !isAwake()) return;
      running = true;
      const outcome = await latest.current({ resumed, signal: leave.signal });
      running = false;
      if (leave.signal.aborted) return;
      stopped = outcome === "stop";
      failures = outcome === "failed" ? failures + 1 : 0;
      if (!stopped && isAwake())
        timer = setTimeout(() => round(false), outcome === "seldom" ? LONGEST_MS : pollDelay(failures));
    }
    function wake() {
      if (isAwake()) void round(true);
      else clearTimeout(timer);
    }

    if (immediately) void round(true);
    else timer = setTimeout(() => round(false), POLL_MS);
    const unhear = onSessionBack(() => {
      stopped = false;
      wake();
    });
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("online", wake);
    window.addEventListener("offline", wake);
    return () => {
      leave.abort();
      clearTimeout(timer);
      unhear();
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("online", wake);
      window.removeEventListener("offline", wake);
    };
  }, [immediately]);
}
