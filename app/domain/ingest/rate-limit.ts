// Limits how fast one source may post. This bounds what a misconfigured camera, or an attacker who knows its address,
// can cost: each event is about three writes to a database that handles one at a time. Counts are per isolate; the
// account's own rate rules bound the total. The state after each count is noted for the answer's header fields.

import type { AppContext } from "#app/context.ts";
import { AppError } from "#app/lib/errors.ts";

/** Token bucket: events accepted at once, and events per second after that. `policy` names it for callers. */
export type Rate = { policy: string; burst: number; perSecond: number };

/** A camera sends three events per car; two full lanes are about three cars a second. The burst is one full list. */
export const CAMERA_RATE: Rate = { policy: "camera", burst: 5000, perSecond: 60 };
/** A webhook carries the reads of all of an agency's cameras. */
export const WEBHOOK_RATE: Rate = { policy: "webhook", burst: 3000, perSecond: 500 };

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

type Bucket = { left: number; at: number };

const buckets = new Map<string, Bucket>();

type Counting = Pick<AppContext, "clock" | "rateLimits">;

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

/** Uncounts one event, once it has proved to be valid. */
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

function dropOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
