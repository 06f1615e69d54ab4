import { useEffect, useRef } from "react";
import { onSessionBack } from "#app/components/accounts/session/events.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";

/** How often the open app polls. */
export const POLL_MS = 6 * SECOND;
const LONGEST_MS = 2 * MINUTE;
/** Minimum time between the starts of two rounds, whatever triggers them. */
const LEAST_MS = 5 * SECOND;
/** A request sent over a network that the phone has left never ends by itself. */
const DEADLINE_MS = 15 * SECOND;

/** Returns the wait before the next round in milliseconds: longer after each failure, up to two minutes. */
export function pollDelay(failures: number): number {
  return Math.min(POLL_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
}

/**
 * The result of a round. `stop`: no one is signed in, so stop until someone signs in again. `seldom`: nothing to wait for
 * yet, so poll again after the longest wait.
 */
export type PollOutcome = "ok" | "seldom" | "failed" | "stop";

/** One round. `resumed`: answers may have been missed since the last one. The signal also aborts a hanging request. */
export type Poll = (input: { resumed: boolean; signal: AbortSignal }) => Promise<PollOutcome>;

/** The rounds of `usePolling`, without React. */
export function startPolling(poll: Poll, options: { immediately: boolean; isAwake: () => boolean }) {
  const { immediately, isAwake } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: AbortController | undefined;
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
    if (pending || stopped || !isAwake()) return;
    const controller = new AbortController();
    const deadline = setTimeout(() => controller.abort(), DEADLINE_MS);
    const hasResumed = resumed;
    pending = controller;
    resumed = false;
    startedAt = Date.now();
    let outcome: PollOutcome = "failed";
    try {
      outcome = await poll({ resumed: hasResumed, signal: controller.signal });
    } finally {
      clearTimeout(deadline);
      pending = undefined;
      continueAfter(outcome, hasResumed);
    }
  }
  function continueAfter(outcome: PollOutcome, hasResumed: boolean) {
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
    if (!pending && !stopped) scheduleSoon();
  }

  if (immediately) void round();
  else schedule(POLL_MS);
  return {
    /** The page was shown or hidden, or the network came or went. */
    wake,
    /** The user signed in again. */
    back: () => {
      stopped = false;
      wake();
    },
    end: () => {
      stopped = true;
      clearTimeout(timer);
      pending?.abort();
    },
  };
}

/** Polls while the page is visible and the network is available, and soon after either returns. */
export function usePolling(poll: Poll, options: { immediately: boolean }): void {
  const latest = useRef(poll);
  latest.current = poll;
  const { immediately } = options;

  useEffect(() => {
    const polling = startPolling((input) => latest.current(input), {
      immediately,
      isAwake: () => document.visibilityState === "visible" && navigator.onLine,
    });
    const stopListening = onSessionBack(polling.back);
    document.addEventListener("visibilitychange", polling.wake);
    window.addEventListener("online", polling.wake);
    window.addEventListener("offline", polling.wake);
    return () => {
      polling.end();
      stopListening();
      document.removeEventListener("visibilitychange", polling.wake);
      window.removeEventListener("online", polling.wake);
      window.removeEventListener("offline", polling.wake);
    };
  }, [immediately]);
}
