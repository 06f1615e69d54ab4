// Helpers for providers' reads: newest first, no duplicates, at most the requested number, and only matching reads. A
// vendor's own filters are not trusted: a program that ignores one must not show reads that were not searched for.

import { confusedWith, lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at as elementAt } from "#app/lib/at.ts";
import type { SightingPage } from "./provider.ts";

/** Reads before paging; `lost` if some matching reads could not be fetched. */
export type Batch = { sightings: Sighting[]; lost: boolean };

type Compared = Pick<Sighting, "plate" | "capturedAt" | "plateState" | "color" | "make" | "bodyType">;

/**
 * Returns a function that tells whether a read matches a query. A read without a time matches, because the vendor was
 * asked for the range.
 */
export function queryMatcher(query: SightingQuery): (sighting: Compared) => boolean {
  const resembles = query.lookAlikes ? lookAlikeMatcher(query.plate) : undefined;
  return (sighting) => {
    const { capturedAt, plate } = sighting;
    if (capturedAt !== null && (capturedAt < query.from || capturedAt > query.to)) return false;
    if (query.plateState !== "" && sighting.plateState !== query.plateState) return false;
    if (query.color !== "" && sighting.color !== query.color) return false;
    if (query.make !== "" && sighting.make !== query.make) return false;
    if (query.bodyType !== "" && sighting.bodyType !== query.bodyType) return false;
    return resembles ? resembles(plate) !== undefined : plateMatches(query.plate, plate);
  };
}

/** Minimum number of known characters of a plate in a vendor's query: fewer would return most reads of the range. */
const LEAST_KNOWN = 3;

/**
 * Returns the plate for a vendor's query, with wildcards; undefined for every plate. One query covers look-alikes: `?`
 * replaces confused characters, starting with the first, while enough known characters remain.
 */
export function vendorPlate({
  plate,
  lookAlikes,
}: Pick<SightingQuery, "plate" | "lookAlikes">): string | undefined {
  if (plate.kind === "any") return undefined;
  const text = lookAlikes ? opened(plate.text).glob : plate.text;
  return plate.kind === "contains" ? `*${text}*` : text;
}

function opened(text: string): { glob: string; covered: number; confused: number } {
  const signs = text.split("");
  const confused = signs.flatMap((sign, i) => (confusedWith(sign).length > 1 ? [i] : []));
  const known = signs.filter((sign) => sign !== "*" && sign !== "?").length;
  const replaced = new Set(confused.slice(0, Math.max(0, known - LEAST_KNOWN)));
  const glob = signs.map((sign, i) => (replaced.has(i) ? "?" : sign)).join("");
  return { glob, covered: replaced.size, confused: confused.length };
}

/**
 * Returns, as text for the user, which look-alikes a vendor that knows only `*` and `?` was asked for and which not;
 * undefined for other searches.
 */
export function vendorAsked({ plate, lookAlikes }: SightingQuery): string | undefined {
  if (!lookAlikes || plate.kind === "any") return undefined;
  const { covered, confused } = opened(plate.text);
  const was = covered === 0 ? "the plate as entered" : `${vendorPlate({ plate, lookAlikes })}`;
  const rest = covered < confused ? "other confused characters, or " : "";
  return `Asked for ${was}. Not asked for ${rest}missing, extra or wrong characters.`;
}

const timeOf = (sighting: Sighting) => sighting.capturedAt ?? Number.NEGATIVE_INFINITY;

/** Sorts newest first, reads without a time last. Sorts in place. */
export function newestFirst(sightings: Sighting[]): Sighting[] {
  return sightings.sort((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || 0);
}

type Head = { iterator: AsyncIterator<Batch>; waiting: Sighting[]; at: number; done: boolean };

/**
 * Merges streams that are newest first into one that is, reading them in parallel. Duplicates across streams are
 * dropped: a vendor that ignores the filter of a stream returns every read in all of them.
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
    if (head.done || head.at < head.waiting.length) return;
    const { done, value } = await head.iterator.next();
    if (done) head.done = true;
    else {
      lost ||= value.lost;
      Object.assign(head, { waiting: value.sightings, at: 0 });
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
    // Not awaited: a stream in the middle of a request ends with that request.
    for (const head of heads) void head.iterator.return?.()?.catch(() => {});
  }
}

function takeNewest(live: Head[]): Sighting {
  const newest = live.reduce((best, head) => (timeOf(nextOf(head)) > timeOf(nextOf(best)) ? head : best));
  const sighting = nextOf(newest);
  newest.at++;
  return sighting;
}

const nextOf = (head: Head) => elementAt(head.waiting, head.at);

/**
 * Yields pages of at most `maxReads` reads in total; `truncated` on the last one if there were more. A page without a
 * match is yielded too: it shows that the vendor still answers.
 */
export async function* capped(batches: AsyncIterable<Batch>, maxReads: number): AsyncGenerator<SightingPage> {
  let left = maxReads;
  let lost = false;
  for await (const batch of batches) {
    lost ||= batch.lost;
    const sightings = batch.sightings.slice(0, left);
    left -= sightings.length;
    const truncated = sightings.length < batch.sightings.length;
    yield { sightings, truncated };
    if (truncated) return;
  }
  if (lost) yield { sightings: [], truncated: true };
}
