// Runs writes in the databases of their days, and again if a day moves, its database is full, or its key is destroyed meanwhile.

import { at } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { sleep } from "#app/lib/waiting.ts";
import { isFenced, isFull } from "./fences.ts";
import type { ReadKeys } from "./keys.ts";
import type { PlacedPart, Places, ReadsDatabase } from "./placement.ts";
import { isKeyClosed, type NewRead } from "./rows.ts";

/** Delays between retries while a day is moved; afterwards the write fails with `unavailable`. */
const WAITS_MS = [0, 50, 100, 200, 400, 800, 1000, 1000];

/** Runs idempotent work with the parts of days, again if a day moved or its database is full. */
export async function whilePlaced<T>(
  places: Places,
  days: number[],
  work: (partsOf: (day: number) => PlacedPart[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const parts = await places.forWriting(days);
    try {
      return await work((day) => parts.get(day) ?? []);
    } catch (error) {
      if (!(await hasMoved(places, [...parts.values()], error))) throw error;
    }
    await waitForMove(attempt);
  }
}

/**
 * Runs idempotent work, and again if a key of the reads is closed: once it is destroyed, its day gets another. Throws AppError
 * unavailable while a purge destroys it: a read under it would be lost, perhaps of a held plate.
 */
export async function withOpenKeys<T>(
  keys: ReadKeys,
  reads: Pick<NewRead, "agencyId">[],
  work: () => Promise<T>,
): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (error) {
      if (!isKeyClosed(error)) throw error;
    }
    if (!isFirst)
      throw new AppError("unavailable", "A day of these reads is being purged. Send them again.", {
        retryAfter: 60,
      });
    for (const agencyId of new Set(reads.map((read) => read.agencyId)))
      await keys.of(agencyId, { fresh: true });
  }
}

/** Returns whether writing may succeed elsewhere, and then prepares that. */
export async function hasMoved(places: Places, days: PlacedPart[][], error: unknown): Promise<boolean> {
  if (isFenced(error)) await places.refresh(days.flat());
  else if (isFull(error)) await places.continueDays(lastParts(days));
  else return false;
  return true;
}

/** Returns the part of each day that takes new passes. */
export const lastParts = (days: PlacedPart[][]) => days.map((parts) => at(parts, parts.length - 1));

/** Waits before the next attempt. Throws AppError unavailable if there were too many. */
export async function waitForMove(attempt: number): Promise<void> {
  const ms = WAITS_MS[attempt];
  if (ms === undefined)
    throw new AppError("unavailable", "The reads of this day are being moved. Try again.", {
      retryAfter: 10,
    });
  await sleep(ms);
}

/** Identifies the parts of a day: days with the same name are written together. */
export const nameOf = (parts: PlacedPart[]) => parts.map(({ name }) => name).join();

/** Returns the database of a part. Throws AppError unavailable if its binding is missing. */
export function placeOf({ name, place }: PlacedPart): ReadsDatabase {
  if (place) return place;
  throw new AppError("unavailable", `The database ${name} is not bound.`, { retryAfter: 60 });
}
