// The archive of Axis reads, spread over D1 databases by UTC day (placement.ts), so that days are searched in parallel.
// Reads are encrypted, and no read older than its agency's retention is shown. Terms of this room:
//
// - Pass: one trip of a vehicle past a camera. A camera reports a pass in several events; they become one read.
// - Key: 32 random bytes for one agency and UTC day, stored in R2 (keys.ts). Destroying a key erases the day's reads,
//   including copies of them in backups. Held reads (legal holds) have keys of their own, without a day.
// - Ring: all keys of one agency, stored in one R2 object that is encrypted with the operator's keys (rings.ts).
// - Cipher: what one key can do (cipher.ts): seal, open and tag.
// - Seal, open: encrypt and decrypt all fields of a read, with AES-256-GCM. `sealed` is a read's encrypted text.
// - Tag: a number computed from a text with a key (a keyed hash, cut short). Equal texts have equal tags under one key,
//   so SQL can search tags without seeing the texts. Short tags also match other texts by chance, so that every read
//   found is opened and compared in full.
// - Run: three consecutive characters of a plate. Fragments are searched by the tags of their runs (`plate_runs`).
// - Folded: with each character that cameras confuse replaced by one that stands for its set (0 for O, D and Q). Features
//   are those of folded plates, and a run's tag starts with that of the folded run, so that exact and look-alike searches
//   share them; plan.ts chooses them.
// - Feature: a pair of characters, a pair around one other character, or the first or last character of a plate.
//   Features set bits in two columns (`low`, `high`), which filter reads for patterns without a run.
// - Word: the number of a run or a feature (words.ts).

import pLimit from "p-limit";
import { MAX_PASS, PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { ArchivedRead, ReadArchive, ReadPage } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { logError } from "#app/lib/log.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { DAY, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { within } from "#app/store/archive/placement/measure.ts";
import { insertReads, type TakenEvent, takeEvents } from "./events.ts";
import { type Candidate, type FetchCandidates, matcherOf, prepareSearch, type SearchedKey } from "./find.ts";
import { type ImageCopy, imageTime, readImage } from "./images.ts";
import { joinNewestFirst, type SourceRows } from "./merge.ts";
import { type PlacedPart, type ReadsDatabase, readId } from "./placement.ts";
import { planPlate } from "./plan.ts";
import { type NewRead, openRead } from "./rows.ts";
import {
  agencyIdsOf,
  type SearchScope,
  type SearchStart,
  type SearchStartParts,
  startSearch,
} from "./search-start.ts";

export type { TakenEvent } from "./events.ts";
export type { NewRead } from "./rows.ts";

/** Only reads of these agencies and of these cameras are searched; an empty list finds nothing. */
type ReadSearch = SearchScope & {
  cameraIds: string[];
  maxReads: number;
  /** Reads per page; 1,000 by default and at most. */
  pageSize?: number;
  signal: AbortSignal;
};

export type ReadStore = {
  /** Inserts reads that are new to the archive. A read of the same camera, car and instant is skipped. */
  insertReads(reads: NewRead[]): Promise<void>;
  /**
   * Stores camera events, in their order; events of one pass become one read, and events that start a pass are written
   * together.
   */
  takeEvents(reads: NewRead[]): Promise<TakenEvent[]>;
  /** Begins to look up what the next search of this query by these agencies needs. Its errors are those of the search. */
  startSearch(of: SearchScope): void;
  /**
   * Yields pages of reads, newest first; `truncated` on the last page if there are more. If a database does not answer,
   * the others are searched and the last page names the days that were not, or only partly, as it does for days with reads
   * whose keys were lost. Throws the signal's reason, and the error of a database if none answers.
   */
  searchReads(search: ReadSearch): AsyncGenerator<ReadPage>;
};

export type ReadStoreParts = SearchStartParts & {
  /** How long one answer of a database may take in a search before its days count as not searched. */
  answerMs: number;
};

const NO_ROWS = { rows: [], ended: true };

/** Queries at once over all searches of a store: D1 allows a caller six connections. */
const CONNECTIONS = 6;
const PAGE = 1000;

/** Returns the archive in the databases of these places. */
export function createReadStore(parts: ReadStoreParts): ReadStore {
  const { places, keys } = parts;
  const connect = pLimit(CONNECTIONS);
  const archive = { places, keys };
  const started = new WeakMap<SightingQuery, SearchStart>();
  return {
    insertReads: (reads) => insertReads(archive, reads),
    takeEvents: (reads) => takeEvents(archive, reads),
    startSearch(of) {
      started.set(of.query, startSearch(parts, of));
    },
    searchReads(search) {
      const start = started.get(search.query);
      // Used once: the next search must see days that began since.
      started.delete(search.query);
      const isOfThis = start?.agencyIds.join() === agencyIdsOf(search).join();
      return searchReads({ parts, connect, search, start: isOfThis ? start : undefined });
    },
  };
}

/** How long an archive uses what it has read about images. Each request and each job has an archive of its own. */
const KNOWN_MS = 5 * MINUTE;

/**
 * Returns the archive for the Axis provider: reads from the databases, images from the bucket. An export reads up to 10,000
 * images: D1 allows a thousand queries, so their retention and the images under legal holds are not read for each of them.
 */
export function createReadArchive(
  parts: ReadStoreParts & { reads: ReadStore; images: R2Bucket; imageCopy?: ImageCopy },
): ReadArchive {
  const { clock } = parts;
  const keptDays = remembering(clock, async (agencyId: string) =>
    (await retryBriefly(() => parts.retentionDays([agencyId]))).get(agencyId),
  );
  const heldImages = remembering(clock, (agencyId: string, day: number) =>
    retryBriefly(() => listHeldImages(parts, { agencyId, day })),
  );
  return {
    startSearch: (of) => parts.reads.startSearch(of),
    search: (search) => parts.reads.searchReads(search),
    async image({ key, agencyId }) {
      const { from, to } = imageTime(key);
      const kept = await keptDays(agencyId);
      const isKept = kept !== undefined && to >= clock() - kept * DAY;
      if (!isKept && !(await heldImages(agencyId, utcDay(from))).has(key)) return null;
      return retryBriefly(() => readImage(parts.images, key, parts.imageCopy));
    },
  };
}

/** Returns a function that uses an answer for KNOWN_MS; a failure is not remembered. */
function remembering<Input extends (string | number)[], T>(
  clock: () => number,
  find: (...input: Input) => Promise<T>,
): (...input: Input) => Promise<T> {
  const known = new Map<string, { answer: Promise<T>; until: number }>();
  return (...input) => {
    const key = input.join(" ");
    const before = known.get(key);
    if (before && before.until > clock()) return before.answer;
    const answer = find(...input);
    known.set(key, { answer, until: clock() + KNOWN_MS });
    answer.catch(() => known.delete(key));
    return answer;
  };
}

/** Query plan: each key's reads of the range by sealed_reads_time. */
const HELD_READS = `SELECT key_id, captured_at, sealed
  FROM sealed_reads
  WHERE key_id IN (SELECT value FROM json_each(?)) AND captured_at BETWEEN ? AND ?`;

/** Returns the keys of the images of a UTC day whose reads are under a legal hold. */
async function listHeldImages(
  { places, keys }: ReadStoreParts,
  { agencyId, day }: { agencyId: string; day: number },
): Promise<Set<string>> {
  // A key that another isolate has just created must be known: what is not listed here is deleted.
  const held = new Map(
    (await (await keys.of(agencyId, { fresh: true })).held()).map((cipher) => [cipher.id, cipher]),
  );
  const images = new Set<string>();
  if (held.size === 0) return images;
  const [from, until] = [day * DAY - MAX_PASS, (day + 1) * DAY - 1 + PASS_WINDOW];
  const placed = await places.listParts(utcDay(from), utcDay(until));
  for (const database of new Set(placed.flatMap(({ place }) => place?.database ?? []))) {
    const { results } = await database
      .prepare(HELD_READS)
      .bind(JSON.stringify([...held.keys()]), from, until)
      .all<{ key_id: number; captured_at: number; sealed: string }>();
    for (const row of results) {
      const cipher = held.get(row.key_id);
      // A row that cannot be opened is skipped, so that the others are still checked.
      const read = cipher && (await openRead(cipher, row).catch(() => null));
      for (const key of [read?.vehicleImageKey, read?.plateImageKey]) if (key) images.add(key);
    }
  }
  return images;
}

type Searching = {
  parts: ReadStoreParts;
  connect: <T>(work: () => Promise<T>) => Promise<T>;
  search: ReadSearch;
  /** What was looked up already. */
  start: SearchStart | undefined;
};

type Found = Candidate & { readId: string; days: ReadonlySet<number> };

async function* searchReads({ parts, connect, search, start }: Searching): AsyncGenerator<ReadPage> {
  const { query, signal } = search;
  const pageSize = Math.min(search.pageSize ?? PAGE, PAGE);
  signal.throwIfAborted();
  const plan = planPlate(query.plate, query.lookAlikes === true);
  if (plan.kind === "impossible" || query.to < query.from) return;
  const cameras = new Set(search.cameraIds);
  const matches = matcherOf(query, cameras);
  const { rings, placed: listing } = start ?? startSearch(parts, search);
  const placed = await listing;
  const missed = createMissedDays();
  // Without filters the newest day alone fills a page, so databases are queried one after the other, not all at once.
  const filtered = query.make || query.color || query.bodyType || query.plateState;
  const dense = query.plate.kind === "any" && !filtered;
  const sources = searchedDatabases(placed, missed).map(({ place, days }) => {
    const { database } = place;
    const newestDay = Math.max(...days);
    const newest = dense ? Math.min(query.to, (newestDay + 1) * DAY - 1) : Number.POSITIVE_INFINITY;
    const isOwn = (day: number) => days.has(day);
    let fetching: Promise<FetchCandidates> | undefined;
    const prepareWith = (keys: SearchedKey[]) =>
      prepareSearch({ database, keys, plan, query, cameras, days });
    const prepareFresh = async (known: SearchedKey[]) => {
      let keys = await rings.fresh(isOwn, { database, keys: known, most: 1 });
      let lost = await rings.lostDays(database, { keys, days });
      if (lost.length > 0) {
        // A key may have been created since the rings were loaded.
        keys = await rings.fresh(isOwn, { database, keys, most: 2 });
        lost = await rings.lostDays(database, { keys, days });
      }
      missed.addLost(lost);
      return prepareWith(keys);
    };
    const ask = async (limit: number) => {
      if (fetching) return (await fetching)(limit);
      // The first page checks in the same call whether this isolate knows all keys.
      const keys = await rings.known(isOwn);
      const fetchCandidates = await prepareWith(keys);
      const first = await fetchCandidates(limit, await rings.hasUnknown(database, keys));
      fetching = first ? Promise.resolve(fetchCandidates) : prepareFresh(keys);
      return first ?? (await fetching)(limit);
    };
    const next = async (limit: number): Promise<SourceRows<Found>> => {
      try {
        const answer = await connect(async () => {
          signal.throwIfAborted();
          return within(parts.answerMs, ask(limit));
        });
        const { rows, ...others } = answer ?? NO_ROWS;
        return { rows: rows.map((row) => ({ ...row, readId: readId(place, row.id), days })), ...others };
      } catch (error) {
        signal.throwIfAborted();
        // The search ends here for this database and goes on in the others.
        missed.add(days, error);
        return NO_ROWS;
      }
    };
    return { newest, next };
  });

  /** Opens reads and returns those that match. The days of one that cannot be opened are not completely searched. */
  async function open(rows: Found[]): Promise<ArchivedRead[]> {
    const reads = await Promise.all(
      rows.map(({ cipher, capturedAt, sealed, days }) =>
        openRead(cipher, { captured_at: capturedAt, sealed }).catch((error) => missed.add(days, error)),
      ),
    );
    return reads.flatMap((read, i) => (read && matches(read) ? [archived(at(rows, i).readId, read)] : []));
  }

  const timeOf = ({ capturedAt }: Found) => capturedAt;
  const idOf = (found: Found) => found.readId;
  const pages = joinNewestFirst({ sources, pageSize, maxRows: search.maxReads, timeOf, idOf, open, signal });
  let isEmpty = true;
  for await (const { rows, truncated } of pages) {
    isEmpty = false;
    yield { reads: rows, truncated };
  }
  if (isEmpty && missed.count() > 0 && missed.count() === sources.length) throw missed.error();
  if (missed.days().length > 0) yield { reads: [], truncated: false, missedDays: missed.days() };
}

/** Groups the days of a range by database, newest first. Days of databases that are not bound are missed. */
function searchedDatabases(
  placed: PlacedPart[],
  missed: MissedDays,
): { place: ReadsDatabase; days: Set<number> }[] {
  const byName = new Map<string, { place: ReadsDatabase; days: Set<number> }>();
  for (const { day, name, place } of placed.toReversed()) {
    if (!place) {
      missed.addUnbound(day, name);
      continue;
    }
    const known = byName.get(name) ?? { place, days: new Set<number>() };
    byName.set(name, known);
    known.days.add(day);
  }
  return [...byName.values()];
}

type MissedDays = ReturnType<typeof createMissedDays>;

/** Collects the days that a search could not search. */
function createMissedDays() {
  const days = new Set<number>();
  /** The first error of each database, by the set of its days. */
  const errors = new Map<ReadonlySet<number>, unknown>();
  return {
    add(own: ReadonlySet<number>, error: unknown): void {
      if (errors.has(own)) return;
      logError("a database of reads did not answer a search completely", error);
      errors.set(own, error);
      for (const day of own) days.add(day);
    },
    addUnbound(day: number, name: string): void {
      if (!days.has(day)) logError(`${name} has reads of a searched day, but is not bound`);
      days.add(day);
    },
    addLost(own: number[]): void {
      if (own.length > 0)
        logError(`the keys of reads of ${own.length} searched days are not in the key rings`);
      for (const day of own) days.add(day);
    },
    days: () => [...days].sort((a, b) => a - b),
    /** The databases that did not answer, or not completely. */
    count: () => errors.size,
    error: () => errors.values().next().value,
  };
}

function archived(id: string, read: NewRead): ArchivedRead {
  return {
    id,
    plate: read.plate,
    capturedAt: read.capturedAt,
    agency: read.agencyId,
    plateState: read.plateState,
    make: read.make,
    color: read.color,
    bodyType: read.bodyType,
    confidence: read.confidence,
    latitude: read.latitude,
    longitude: read.longitude,
    cameraId: read.cameraId,
    cameraName: read.cameraName,
    vehicleImageKey: read.vehicleImageKey,
    plateImageKey: read.plateImageKey,
    timeIsArrival: read.timeIsArrival === true,
  };
}
