// Limits how fast one source may post. This bounds what a misconfigured camera, or an attacker who knows its address,
// can cost: each event is about three writes to a database that handles one at a time. Counts are per isolate; the
// account's own rate rules bound the total.

import { AppError } from "#app/lib/errors.ts";

/** Token bucket: events accepted at once, and events per second after that. */
export type Rate = { burst: number; perSecond: number };

/** A camera sends three events per car; two full lanes are about three cars a second. The burst is one full list. */
export const CAMERA_RATE: Rate = { burst: 5000, perSecond: 60 };
/** A webhook carries the reads of all of an agency's cameras. */
export const WEBHOOK_RATE: Rate = { burst: 3000, perSecond: 500 };

/** Sources tracked at once. The least recently used one is dropped and starts with a full bucket again. */
const MOST = 5000;

/** When a status was last written per source, so that busy sources do not write to the database with every event. */
const noted = new Map<string, number>();

/** Returns whether `pauseMs` has passed in this isolate since this function last returned true for `what`. */
export function isDue(input: { what: string; pauseMs: number; now: number }): boolean {
  const { what, pauseMs, now } = input;
  const last = noted.get(what);
  if (last !== undefined && Math.abs(now - last) < pauseMs) return false;
  noted.delete(what);
  if (noted.size >= MOST) dropOldest(noted);
  noted.set(what, now);
  return true;
}

type Bucket = { left: number; at: number };

const buckets = new Map<string, Bucket>();

/** Counts events of a source. Throws AppError too_many with the seconds to wait. */
export function countEvents(input: { source: string; rate: Rate; now: number; count?: number }): void {
  const { source, rate, now, count = 1 } = input;
  const known = buckets.get(source) ?? { left: rate.burst, at: now };
  const refilled = Math.min(rate.burst, known.left + (Math.max(0, now - known.at) / 1000) * rate.perSecond);
  buckets.delete(source);
  if (buckets.size >= MOST) dropOldest(buckets);
  const isFull = refilled < count;
  buckets.set(source, { left: isFull ? refilled : refilled - count, at: now });
  if (isFull) {
    const retryAfter = Math.max(1, Math.ceil((count - refilled) / rate.perSecond));
    throw new AppError("too_many", "Too many events at once: send them again later.", { retryAfter });
  }
}

function dropOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
