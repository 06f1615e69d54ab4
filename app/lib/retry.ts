import { sleep } from "./waiting.ts";

/** How failed attempts are retried. */
export type RetryPlan = {
  /** Returns the milliseconds before the next attempt, or undefined if a retry is pointless. */
  delayAfter: (error: unknown, attempt: number) => number | undefined;
  /** Total number of attempts. */
  attempts: number;
  signal: AbortSignal;
};

/**
 * Runs an attempt until it succeeds, the plan returns no delay, or the attempts are used up; then throws the last
 * error. An abort during a delay throws that same error, which is the informative one.
 */
export async function withRetry<T>(attempt: () => Promise<T>, plan: RetryPlan): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      const delay = made < plan.attempts && !plan.signal.aborted ? plan.delayAfter(error, made) : undefined;
      if (delay === undefined) throw error;
      await sleep(delay, plan.signal);
      if (plan.signal.aborted) throw error;
    }
  }
}

/**
 * Runs an idempotent step against our own databases, with up to four attempts within about two seconds, for
 * transient failures. Waits `pauseMs` more before each. Throws the last error.
 */
export function retryBriefly<T>(step: () => Promise<T>, pauseMs = 0): Promise<T> {
  return withRetry(step, {
    attempts: 4,
    delayAfter: (_, attempt) => pauseMs + fullJitter(attempt, { base: 100, cap: 500 }),
    signal: new AbortController().signal,
  });
}

/**
 * Returns a random delay between zero and the exponential step, in milliseconds (full jitter), so that callers that
 * failed together do not retry together. `attempt` counts from one.
 */
export function fullJitter(
  attempt: number,
  options: { base: number; cap: number; random?: () => number },
): number {
  const { base, cap, random = Math.random } = options;
  return Math.floor(random() * Math.min(cap, base * 2 ** (attempt - 1)));
}

/**
 * Returns the milliseconds of a Retry-After header (RFC 9110 section 10.2.3: seconds, or an HTTP date), never
 * negative; undefined if it is absent or invalid.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts far more than HTTP dates, such as "5 apples"; RFC 9110 dates start with a weekday.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - now) : undefined;
}
