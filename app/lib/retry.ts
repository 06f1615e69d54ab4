/** How a failed attempt is tried again. */
export type RetryPlan = {
  /** Milliseconds to wait before the next attempt, or undefined where another one is pointless. */
  delayAfter: (error: unknown, attempt: number) => number | undefined;
  /** Attempts in all. */
  attempts: number;
  signal: AbortSignal;
};

/**
 * Runs an attempt until it holds, the plan gives no further delay, or the attempts are used up; then throws what the
 * last one threw. An abort while waiting ends it with that same error, because it is the one worth telling.
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
 * Runs a step of our own databases until it holds, four times at most within some two seconds: one that fails now and then
 * hardly does so twice. For steps that may be done again. Throws what the last attempt threw.
 */
export function persistently<T>(step: () => Promise<T>, signal = new AbortController().signal): Promise<T> {
  return withRetry(step, {
    attempts: 4,
    delayAfter: (_, attempt) => fullJitter(attempt, { base: 100, cap: 500 }),
    signal,
  });
}

/**
 * Full jitter: anywhere between nothing and the exponential step, in milliseconds, so that callers who failed together
 * do not come back together. `attempt` counts from one.
 */
export function fullJitter(
  attempt: number,
  options: { base: number; cap: number; random?: () => number },
): number {
  const { base, cap, random = Math.random } = options;
  return Math.floor(random() * Math.min(cap, base * 2 ** (attempt - 1)));
}

/**
 * Milliseconds that a Retry-After header asks for (RFC 9110 section 10.2.3: seconds, or an HTTP date),
 * never negative; undefined where there is none or it cannot be read.
 */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes far more than HTTP dates, "5 apples" among it; a weekday in front is what RFC 9110 asks for.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - now) : undefined;
}

/** Waits so many milliseconds; comes back early, without an error, when the signal aborts. Leaves no timer behind. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
