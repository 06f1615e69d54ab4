// How fast one source may post. It bounds what a camera in a loop, or whoever found its address, can cost: each event
// is some three writes of a database that does one at a time. The count is this isolate's, so a source that is spread
// over several gets as many times more; what a Worker takes in all is bounded before it, by the account's own rules.

import { AppError } from "#app/lib/errors.ts";

/** Events at once, and a second from then on. */
export type Rate = { burst: number; perSecond: number };

/** A camera tells a car in three events; two lanes at full flow are some three cars a second. At once: one full list. */
export const CAMERA_RATE: Rate = { burst: 5000, perSecond: 60 };
/** A webhook carries an agency's cameras together. */
export const WEBHOOK_RATE: Rate = { burst: 3000, perSecond: 500 };

/** Sources that are counted at once; the longest unheard of is forgotten, and so starts anew. */
const MOST = 5000;

/** When something was last written for a source, so that a busy one has the database written now and then only. */
const noted = new Map<string, number>();

/** Whether so long has passed since this was last due, in this isolate; it is not due again before it has. */
export function isDue(input: { what: string; pauseMs: number; now: number }): boolean {
  const { what, pauseMs, now } = input;
  const last = noted.get(what);
  if (last !== undefined && Math.abs(now - last) < pauseMs) return false;
  noted.delete(what);
  if (noted.size >= MOST) noted.delete(noted.keys().next().value as string);
  noted.set(what, now);
  return true;
}

type Bucket = { left: number; at: number };

const buckets = new Map<string, Bucket>();

/** Counts events of a source. Throws AppError too_many with the seconds after which they are taken. */
export function countEvents(input: { source: string; rate: Rate; now: number; count?: number }): void {
  const { source, rate, now, count = 1 } = input;
  const known = buckets.get(source) ?? { left: rate.burst, at: now };
  const refilled = Math.min(rate.burst, known.left + (Math.max(0, now - known.at) / 1000) * rate.perSecond);
  buckets.delete(source);
  if (buckets.size >= MOST) buckets.delete(buckets.keys().next().value as string);
  const isFull = refilled < count;
  buckets.set(source, { left: isFull ? refilled : refilled - count, at: now });
  if (isFull) {
    const retryAfter = Math.max(1, Math.ceil((count - refilled) / rate.perSecond));
    throw new AppError("too_many", "Too many events at once: send them again later.", { retryAfter });
  }
}
