import { useEffect, useRef } from "react";
import { onSessionBack } from "#app/components/accounts/session/end.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";

/** How often the open app asks for news. */
export const POLL_MS = 6 * SECOND;
const LONGEST_MS = 2 * MINUTE;
/** Between the beginnings of two rounds, whatever wakes the page. */
const LEAST_MS = 5 * SECOND;
/** A phone that changes its network learns of no end of what it has asked over the old one. */
const DEADLINE_MS = 15 * SECOND;

/** How long to wait before asking again: longer after each failure, up to two minutes. */
export function pollDelay(failures: number): number {
  return Math.min(POLL_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
}

/**
 * What a round came to; `stop` ends it until somebody signs in again, since nobody is; `seldom` asks again after the
 * longest wait: there is nothing to wait for yet.
 */
export type PollOutcome = "ok" | "seldom" | "failed" | "stop";

/** One round. `resumed` says that time has passed unseen since the last answer; the signal also ends what hangs. */
export type Ask = (input: { resumed: boolean; signal: AbortSignal }) => Promise<PollOutcome>;

/** The rounds of `usePolling`, without a page around them. */
export function startPolling(ask: Ask, options: { immediately: boolean; isAwake: () => boolean }) {
  const { immediately, isAwake } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let resumed = immediately;
  let stopped = false;

  function schedule(wait: number) {
    clearTimeout(timer);
    timer = setTimeout(round, wait);
  }
  function scheduleSoon() {
    schedule(Math.min(Math.max(startedAt + LEAST_MS - Date.now(), 0), LEAST_MS));
  }
  async function round() {
    if (asking || stopped || !isAwake()) return;
    const own = new AbortController();
    const deadline = setTimeout(() => own.abort(), DEADLINE_MS);
    const hasResumed = resumed;
    asking = own;
    resumed = false;
    startedAt = Date.now();
    let outcome: PollOutcome = "failed";
    try {
      outcome = await ask({ resumed: hasResumed, signal: own.signal });
    } finally {
      clearTimeout(deadline);
      asking = undefined;
      goOn(outcome, hasResumed);
    }
  }
  function goOn(outcome: PollOutcome, hasResumed: boolean) {
    const hasWoken = resumed;
    stopped ||= outcome === "stop";
    failures = outcome === "failed" ? failures + 1 : 0;
    if (outcome === "failed") resumed ||= hasResumed;
    if (stopped || !isAwake()) return;
    if (hasWoken) scheduleSoon();
    else schedule(outcome === "seldom" ? LONGEST_MS : pollDelay(failures));
  }
  function wake() {
    if (!isAwake()) return clearTimeout(timer);
    resumed = true;
    if (!asking && !stopped) scheduleSoon();
  }

  if (immediately) void round();
  else schedule(POLL_MS);
  return {
    /** The page has been shown or hidden, the network has come or gone. */
    wake,
    /** Somebody is signed in again. */
    back: () => {
      stopped = false;
      wake();
    },
    end: () => {
      stopped = true;
      clearTimeout(timer);
      asking?.abort();
    },
  };
}

/** Asks again and again while the page is visible and the network there, soon after it becomes so. */
export function usePolling(ask: Ask, options: { immediately: boolean }): void {
  const latest = useRef(ask);
  latest.current = ask;
  const { immediately } = options;

  useEffect(() => {
    const polling = startPolling((input) => latest.current(input), {
      immediately,
      isAwake: () => document.visibilityState === "visible" && navigator.onLine,
    });
    const unhear = onSessionBack(polling.back);
    document.addEventListener("visibilitychange", polling.wake);
    window.addEventListener("online", polling.wake);
    window.addEventListener("offline", polling.wake);
    return () => {
      polling.end();
      unhear();
      document.removeEventListener("visibilitychange", polling.wake);
      window.removeEventListener("online", polling.wake);
      window.removeEventListener("offline", polling.wake);
    };
  }, [immediately]);
}
