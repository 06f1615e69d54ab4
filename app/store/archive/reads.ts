// The archive of Axis reads, spread over D1 databases by UTC day modulo their number: a day's reads are all in one
// database, so days are searched in parallel and purged together. More databases may be added only while it is empty.
// Nothing in it can be read without the keys of its days, and nothing past its agency's retention is shown.

import { PASS_MOST, PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { ArchivedRead, ReadArchive } from "#app/entities/search/source.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import { insertReads, type TakenEvent, takeEvents } from "./events.ts";
import { type AskPage, type FoundRead, lookFor, type ReadKey, type SearchedKey } from "./find.ts";
import { readImageTime } from "./images.ts";
import type { AgencyKeys, ReadKeys } from "./keys.ts";
import { atMost, joinNewestFirst } from "./merge.ts";
import { type NewRead, openRead } from "./rows.ts";
import { planPlate } from "./words.ts";

export type { TakenEvent } from "./events.ts";
export type { NewRead } from "./rows.ts";

type ReadSearch = {
  /** Agencies and cameras whose reads are searched, both; none means no reads. */
  agencyIds: string[];
  cameraIds: string[];
  query: SightingQuery;
  maxReads: number;
  /** Reads a page, at most and by default 1,000. */
  pageSize?: number;
  signal: AbortSignal;
};

export type ReadStore = {
  /** Keeps reads, each new to the archive; one of the same camera, car and instant is passed over. */
  insertReads(reads: NewRead[]): Promise<void>;
  /** Takes one camera event in; events of one pass become one read. */
  takeEvent(read: NewRead): Promise<TakenEvent>;
  /** The same for many at once, in their order; what opens a pass of its own is written together. */
  takeEvents(reads: NewRead[]): Promise<TakenEvent[]>;
  /** Pages of reads, newest first; `truncated` on the last where more exist. Throws the signal's reason. */
  searchReads(search: ReadSearch): AsyncGenerator<{ reads: ArchivedRead[]; truncated: boolean }>;
  /** How many reads there are. */
  countReads(): Promise<number>;
};

export type ReadStoreParts = {
  /** Their order and number must stay what they were when they were filled. */
  databases: D1Database[];
  keys: ReadKeys;
  /** For how many days each of these agencies keeps its reads; one that is not named has none to show. */
  retentionDays: (agencyIds: string[]) => Promise<Map<string, number>>;
  clock: () => number;
};

/** Queries that run at once over all searches of a store: D1 answers six connections of a caller at a time. */
const CONNECTIONS = 6;
const PAGE = 1000;

/** The archive in these databases. */
export function createReadStore(parts: ReadStoreParts): ReadStore {
  const { databases, keys } = parts;
  if (databases.length === 0) throw new Error("no READS_n database is configured");
  const connect = atMost(CONNECTIONS);
  const databaseOf = (day: number) => {
    const index = ((day % databases.length) + databases.length) % databases.length;
    return { database: databases[index] as D1Database, index };
  };
  const archive = { databaseOf, keys };
  return {
    insertReads: (reads) => insertReads(archive, reads),
    takeEvent: async (read) => (await takeEvents(archive, [read]))[0] as TakenEvent,
    takeEvents: (reads) => takeEvents(archive, reads),
    searchReads: (search) => searchReads({ parts, databaseOf, connect, search }),
    async countReads() {
      const counts = await Promise.all(
        databases.map((database) =>
          connect(() => database.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n")),
        ),
      );
      return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    },
  };
}

/** The archive as the Axis adapter asks it: reads from the databases, images from the bucket. */
export function createReadArchive(
  parts: ReadStoreParts & { reads: ReadStore; images: R2Bucket },
): ReadArchive {
  return {
    search: (search) => parts.reads.searchReads(search),
    async image({ key, agencyId }) {
      if (!(await mayShowImage(parts, { key, agencyId }))) return null;
      const object = await parts.images.get(key);
      return object ? new Uint8Array(await object.arrayBuffer()) : null;
    },
  };
}

/** Whether an image's read is within its agency's retention, or kept by a legal hold. */
async function mayShowImage(
  { databases, keys, retentionDays, clock }: ReadStoreParts,
  { key, agencyId }: { key: string; agencyId: string },
): Promise<boolean> {
  const { from, to } = readImageTime(key);
  const kept = (await retentionDays([agencyId])).get(agencyId);
  if (kept !== undefined && to >= clock() - kept * DAY) return true;
  const held = await (await keys.of(agencyId)).held();
  for (const cipher of held) {
    for (const database of databases) {
      const { results } = await database
        .prepare(
          "SELECT captured_at, sealed FROM sealed_reads WHERE key_id = ? AND captured_at BETWEEN ? AND ?",
        )
        .bind(cipher.id, from - PASS_MOST, to + PASS_WINDOW)
        .all<{ captured_at: number; sealed: string }>();
      for (const row of results) {
        // A row that does not open shows nothing, and keeps no other from being looked at.
        const read = await openRead(cipher, row).catch(() => null);
        if (read && (key === read.vehicleImageKey || key === read.plateImageKey)) return true;
      }
    }
  }
  return false;
}

type Searching = {
  parts: ReadStoreParts;
  databaseOf: (day: number) => { index: number };
  connect: <T>(work: () => Promise<T>) => Promise<T>;
  search: ReadSearch;
};

type Found = FoundRead & { index: number };

async function* searchReads({ parts, databaseOf, connect, search }: Searching) {
  const { databases } = parts;
  const { query, signal } = search;
  const pageSize = Math.min(search.pageSize ?? PAGE, PAGE);
  signal.throwIfAborted();
  const plan = planPlate(query.plate);
  if (plan.kind === "impossible" || query.to < query.from) return;
  const cameras = new Set(search.cameraIds);
  const rings = openRings(parts, search);
  // Where nothing is filtered, the newest day alone fills a page: the databases take turns instead of all being asked.
  const filtered = query.make || query.color || query.bodyType || query.plateState;
  const dense = query.plate.kind === "any" && !filtered;
  const sources = daysOf(query, databases.length).map((day) => {
    const { index } = databaseOf(day);
    const database = databases[index] as D1Database;
    const newest = dense ? Math.min(query.to, (day + 1) * DAY - 1) : Number.POSITIVE_INFINITY;
    const isOwn = (other: number) => databaseOf(other).index === index;
    let asking: Promise<AskPage> | undefined;
    const next = async (last: Found | undefined, limit: number): Promise<Found[]> => {
      const after: ReadKey = last
        ? { capturedAt: last.read.capturedAt, id: last.id }
        : { capturedAt: query.to, id: Number.MAX_SAFE_INTEGER };
      const found = await connect(async () => {
        signal.throwIfAborted();
        const lookWith = (keys: SearchedKey[]) => lookFor({ database, keys, plan, query, cameras });
        if (asking) return (await (await asking)(after, limit)) as FoundRead[];
        // The first page tells in the same call whether this isolate knows all keys.
        const keys = await rings.known(isOwn);
        const ask = await lookWith(keys);
        const first = await ask(after, limit, await rings.unknownTo(database, keys));
        asking = first ? Promise.resolve(ask) : rings.fresh(isOwn).then(lookWith);
        return first ?? ((await (await asking)(after, limit)) as FoundRead[]);
      });
      return found.map((one) => ({ ...one, index }));
    };
    return { newest, next };
  });
  const pages = joinNewestFirst({ sources, pageSize, maxRows: search.maxReads, timeOf, signal });
  for await (const page of pages) {
    yield { reads: page.rows.map(archived), truncated: page.truncated };
  }
}

/** Says which keys may have reads that this search may show, the newest day's first. */
function openRings({ keys, retentionDays, clock }: ReadStoreParts, search: ReadSearch) {
  const { query } = search;
  const agencyIds = [...new Set(search.agencyIds)];
  const now = clock();
  const open = (fresh: boolean) => Promise.all(agencyIds.map((id) => keys.of(id, { fresh })));
  const limits = retentionDays(agencyIds).then((days) => (agencyId: string) => {
    const kept = days.get(agencyId);
    return kept === undefined ? Number.POSITIVE_INFINITY : Math.max(query.from, now - kept * DAY);
  });
  let rings = open(false);
  let refreshed: Promise<AgencyKeys[]> | undefined;
  // Whoever awaits them hears of a failure; nobody may, where the search ends first.
  for (const work of [limits, rings]) work.catch(() => {});

  async function searched(of: AgencyKeys[], isOwn: (day: number) => boolean): Promise<SearchedKey[]> {
    const since = await limits;
    const wanted = of.map(async (ring): Promise<SearchedKey[]> => {
      const from = since(ring.agencyId);
      if (from === Number.POSITIVE_INFINITY) return [];
      const days = ring.days
        .filter((day) => isOwn(day) && day >= utcDay(from) && day <= utcDay(query.to))
        .map(async (day) => ({ cipher: await ring.ofDay(day), from }));
      const held = (await ring.held()).map((cipher) => ({ cipher, from: query.from }));
      return [...(await Promise.all(days)), ...held] as SearchedKey[];
    });
    const all = (await Promise.all(wanted)).flat();
    return all.sort((a, b) => (b.cipher.day ?? 0) - (a.cipher.day ?? 0));
  }

  return {
    /** The keys as this isolate knows them. */
    known: async (isOwn: (day: number) => boolean) => searched(await rings, isOwn),
    /** The keys as they are now. */
    async fresh(isOwn: (day: number) => boolean): Promise<SearchedKey[]> {
      refreshed ??= open(true);
      rings = refreshed;
      return searched(await refreshed, isOwn);
    },
    /** Asks for a key that another isolate made within the minute: nobody may say that it has no reads. */
    async unknownTo(database: D1Database, keys: SearchedKey[]): Promise<D1PreparedStatement> {
      const since = await limits;
      const shown = agencyIds
        .map((id) => [id, utcDay(since(id))] as const)
        .filter(([, day]) => Number.isFinite(day));
      return database
        .prepare(
          `SELECT k.id FROM json_each(?) AS a CROSS JOIN read_keys AS k ON k.agency_id = a.value ->> 0
            WHERE (k.day IS NULL OR k.day BETWEEN a.value ->> 1 AND ?)
              AND k.id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
        )
        .bind(JSON.stringify(shown), utcDay(query.to), JSON.stringify(keys.map(({ cipher }) => cipher.id)));
    },
  };
}

function timeOf(found: Found): number {
  return found.read.capturedAt;
}

/** The newest days of a range, one for each database that holds days of it. */
function daysOf(query: SightingQuery, databases: number): number[] {
  const last = utcDay(query.to);
  return Array.from({ length: Math.min(last - utcDay(query.from) + 1, databases) }, (_, i) => last - i);
}

function archived({ index, id, read }: Found): ArchivedRead {
  return {
    id: `${index}.${id}`,
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
    cameraName: read.cameraName,
    vehicleImageKey: read.vehicleImageKey,
    plateImageKey: read.plateImageKey,
    timeIsArrival: read.timeIsArrival === true,
  };
}
