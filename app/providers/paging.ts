// How reads come out of an adapter: newest first, each once, no more than were asked for, and only those that fit.
// A vendor's own filters are never trusted: a program that ignores one must not show a read that nobody asked for.

import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SightingPage } from "./provider.ts";

/** Reads on their way to a page; `lost` where some that may fit could not be reached. */
export type Batch = { sightings: Sighting[]; lost: boolean };

/** Whether a read fits a query. One without a time cannot be shown not to fit, and the vendor was asked for the range. */
export function fits(sighting: Sighting, query: SightingQuery): boolean {
  const { capturedAt } = sighting;
  if (capturedAt !== null && (capturedAt < query.from || capturedAt > query.to)) return false;
  if (query.plateState !== "" && sighting.plateState !== query.plateState) return false;
  if (query.color !== "" && sighting.color !== query.color) return false;
  if (query.make !== "" && sighting.make !== query.make) return false;
  if (query.bodyType !== "" && sighting.bodyType !== query.bodyType) return false;
  return plateMatches(query.plate, sighting.plate);
}

const timeOf = (sighting: Sighting) => sighting.capturedAt ?? Number.NEGATIVE_INFINITY;

/** Sorts newest first, reads without a time last. */
export function newestFirst(sightings: Sighting[]): Sighting[] {
  return sightings.sort((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || 0);
}

type Head = { iterator: AsyncIterator<Batch>; waiting: Sighting[]; at: number; done: boolean };

/**
 * Merges streams that are newest first into one that is, asking them side by side. A read that several streams give
 * comes once: a vendor that ignores the filter that tells the streams apart gives every read to all of them.
 */
export async function* mergeNewestFirst(streams: AsyncIterable<Batch>[]): AsyncGenerator<Batch> {
  const heads: Head[] = streams.map((stream) => ({
    iterator: stream[Symbol.asyncIterator](),
    waiting: [],
    at: 0,
    done: false,
  }));
  let lost = false;
  const fill = async (head: Head) => {
    while (!head.done && head.at === head.waiting.length) {
      const { done, value } = await head.iterator.next();
      if (done) head.done = true;
      else {
        lost ||= value.lost;
        Object.assign(head, { waiting: value.sightings, at: 0 });
      }
    }
  };
  let time = Number.NaN;
  const givenAtTime = new Set<string>();
  try {
    for (;;) {
      await Promise.all(heads.map(fill));
      const live = heads.filter((head) => !head.done);
      if (live.length === 0) break;
      const sightings: Sighting[] = [];
      while (live.every((head) => head.at < head.waiting.length)) {
        const next = takeNewest(live);
        if (timeOf(next) !== time) {
          time = timeOf(next);
          givenAtTime.clear();
        }
        if (givenAtTime.has(next.id)) continue;
        givenAtTime.add(next.id);
        sightings.push(next);
      }
      yield { sightings, lost: false };
    }
    if (lost) yield { sightings: [], lost };
  } finally {
    // Not awaited: a stream in the middle of a request ends with that request, and the reader need not wait for it.
    for (const head of heads) void head.iterator.return?.()?.catch(() => {});
  }
}

function takeNewest(live: Head[]): Sighting {
  const newest = live.reduce((best, head) =>
    timeOf(head.waiting[head.at] as Sighting) > timeOf(best.waiting[best.at] as Sighting) ? head : best,
  );
  return newest.waiting[newest.at++] as Sighting;
}

/** Pages of at most `maxReads` reads in all; the last one says whether there were more. */
export async function* capped(batches: AsyncIterable<Batch>, maxReads: number): AsyncGenerator<SightingPage> {
  let left = maxReads;
  let lost = false;
  for await (const batch of batches) {
    lost ||= batch.lost;
    const sightings = batch.sightings.slice(0, left);
    left -= sightings.length;
    const truncated = sightings.length < batch.sightings.length;
    if (sightings.length > 0 || truncated) yield { sightings, truncated };
    if (truncated) return;
  }
  if (lost) yield { sightings: [], truncated: true };
}
