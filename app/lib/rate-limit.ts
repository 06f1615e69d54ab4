// Rate limits (token buckets) of the senders of events and of the callers of documented calls, and the header fields
// that tell a caller the state of its limits. Counts are per isolate; the account's own rate rules bound the total.

import { AppError } from "./errors.ts";

/** Token bucket: events accepted at once, and events per second after that. `policy` names it for callers. */
export type Rate = { policy: string; burst: number; perSecond: number };

/** Sources tracked at once. The least recently used one is dropped and starts with a full bucket again. */
const MAX_SOURCES = 5000;

/** When a status was last written per source, so that busy sources do not write to the database with every event. */
const noted = new Map<string, number>();

/** Returns whether `pauseMs` has passed in this isolate since this function last returned true for `what`. */
export function isDue(input: { what: string; pauseMs: number; now: number }): boolean {
  const { what, pauseMs, now } = input;
  const last = noted.get(what);
  if (last !== undefined && Math.abs(now - last) < pauseMs) return false;
  noted.delete(what);
  if (noted.size >= MAX_SOURCES) dropOldest(noted);
  noted.set(what, now);
  return true;
}

/**
 * Returns a function of the time in milliseconds that returns how long its caller must wait: `burst` callers start at
 * once, then one every `everyMs` milliseconds, in the order of their calls.
 */
export function paced({ burst, everyMs }: { burst: number; everyMs: number }): (now: number) => number {
  let usedUntil = 0;
  return (now) => {
    usedUntil = Math.max(usedUntil, now) + everyMs;
    return Math.max(0, usedUntil - burst * everyMs - now);
  };
}

/** The state of a limit after it was counted. */
export type RateLimit = {
  policy: string;
  /** Events per window, and the window in seconds. */
  quota: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the whole quota is available again, if known. */
  resetSeconds?: number;
};

type Bucket = { left: number; at: number };

const buckets = new Map<string, Bucket>();

type Counting = { clock: () => number; rateLimits: Map<string, RateLimit> };

/** Counts events of a source. Throws AppError too_many with the seconds to wait. */
export function countEvents(app: Counting, input: { source: string; rate: Rate; count?: number }): void {
  const { source, rate, count = 1 } = input;
  const now = app.clock();
  const known = buckets.get(source) ?? { left: rate.burst, at: now };
  const refilled = Math.min(rate.burst, known.left + (Math.max(0, now - known.at) / 1000) * rate.perSecond);
  buckets.delete(source);
  if (buckets.size >= MAX_SOURCES) dropOldest(buckets);
  const isFull = refilled < count;
  const left = isFull ? refilled : refilled - count;
  buckets.set(source, { left, at: now });
  noteLimit(app, rate, left);
  if (isFull) {
    const retryAfter = Math.max(1, Math.ceil((count - refilled) / rate.perSecond));
    throw new AppError("too_many", "Too many events at once: send them again later.", { retryAfter });
  }
}

/** Takes back the count of an event that proved to be valid. */
export function returnEvent(app: Counting, { source, rate }: { source: string; rate: Rate }): void {
  const bucket = buckets.get(source);
  if (!bucket) return;
  bucket.left = Math.min(rate.burst, bucket.left + 1);
  noteLimit(app, rate, bucket.left);
}

function noteLimit(app: Counting, { policy, burst, perSecond }: Rate, left: number): void {
  app.rateLimits.set(policy, {
    policy,
    quota: burst,
    windowSeconds: Math.max(1, Math.ceil(burst / perSecond)),
    remaining: Math.floor(left),
    resetSeconds: Math.ceil((burst - left) / perSecond),
  });
}

/**
 * Returns the values of the header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10):
 * lists of strings with parameters (RFC 9651), one item per policy.
 */
export function rateLimitFields(limits: readonly RateLimit[]): { policy: string; limit: string } {
  const item = (name: string, parameters: [string, number | undefined][]) => {
    const written = parameters.map(([key, value]) => (value === undefined ? "" : `;${key}=${value}`));
    return `"${name.replace(/[^\w-]/g, "-")}"${written.join("")}`;
  };
  return {
    policy: limits
      .map(({ policy, quota, windowSeconds }) =>
        item(policy, [
          ["q", quota],
          ["w", windowSeconds],
        ]),
      )
      .join(", "),
    limit: limits
      .map(({ policy, remaining, resetSeconds }) =>
        item(policy, [
          ["r", remaining],
          ["t", resetSeconds],
        ]),
      )
      .join(", "),
  };
}

function dropOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
