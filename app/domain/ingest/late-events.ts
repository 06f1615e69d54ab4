// A camera that was offline sends its backlog all at once. Its late events wait in a queue here, so that current reads,
// and the hits on them, do not wait behind hundreds of old ones in a database that runs one query at a time. The queue
// is per isolate.

import { AppError } from "#app/lib/errors.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";

/** Events captured longer ago than this are queued. */
const LATE_MS = 5 * MINUTE;
/** Maximum number of late posts stored concurrently. */
const AT_ONCE = 16;
/** Total bytes of the queued posts; in memory, a list of events takes several times its size. An isolate has 128 MB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum time in the queue. After it, the post gets 503 with Retry-After. */
const LONGEST_WAIT_MS = 8 * SECOND;
const LOOK_MS = 20;
/** Queue entries not refreshed for this long are dropped: a canceled request does not clean up. */
const LOST_WAIT_MS = 5 * SECOND;
const LOST_WORK_MS = MINUTE;

type Turn = { bytes: number; until: number };

/** In order of arrival. */
const turns = new Set<Turn>();

/** A post: when its newest event was captured, and its size. `now` is in milliseconds UTC, as is `newestAt`. */
export type Post = { newestAt: number; now: number; bytes: number };

/**
 * Does the work of a post: at once if one of its events is recent, otherwise in its turn in the queue. Throws AppError
 * unavailable, with the seconds to wait, if the queue is full or the turn does not come in time.
 */
export async function queueLateEvent<T>({ newestAt, now, bytes }: Post, work: () => Promise<T>): Promise<T> {
  if (newestAt > now - LATE_MS) return work();
  const others = [...turns].reduce((sum, turn) => sum + turn.bytes, 0);
  if (turns.size > 0 && others + bytes > MAX_BYTES) throw later();
  const turn: Turn = { bytes, until: Date.now() + LOST_WAIT_MS };
  turns.add(turn);
  try {
    await comesUp(turn);
    turn.until = Date.now() + LOST_WORK_MS;
    return await work();
  } finally {
    turns.delete(turn);
  }
}

/** Waits with timers of this request, since a Worker's request cannot be resumed by another one. */
async function comesUp(turn: Turn): Promise<void> {
  const start = Date.now();
  for (let now = start; !isNext(turn, now); now = Date.now()) {
    if (now - start > LONGEST_WAIT_MS) throw later();
    turn.until = now + LOST_WAIT_MS;
    await sleep(LOOK_MS);
  }
}

/** Returns whether fewer than AT_ONCE turns are before this one. Drops turns whose request was lost. */
function isNext(turn: Turn, now: number): boolean {
  let before = 0;
  for (const other of turns) {
    if (other === turn) return true;
    if (other.until < now) turns.delete(other);
    else if (++before === AT_ONCE) return false;
  }
  // This turn was dropped, because its request was paused for longer than LOST_WAIT_MS.
  return true;
}

function later(): AppError {
  return new AppError("unavailable", "Too many late events at once: send them again later.", {
    retryAfter: 10,
  });
}
