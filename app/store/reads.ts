// The archive of Axis reads, spread over D1 databases by UTC day modulo their number: a day's reads are all in one
// database, so days are searched in parallel and purged together. More databases may be added only while it is empty.

import type { SightingQuery } from "#app/entities/search.ts";
import type { ArchivedRead, ReadArchive } from "#app/entities/source.ts";
import { DAY, utcDay } from "#app/lib/dates.ts";
import { chunksOf, insertChunk, takeEvents } from "./reads-batch.ts";
import { type NewRead, type TakenEvent, takeEvent } from "./reads-events.ts";
import { atMost, joinNewestFirst } from "./reads-merge.ts";
import { planPlate } from "./reads-plan.ts";
import {
  findPlates,
  findReadsByTime,
  findReadsOfPlates,
  type ReadFilter,
  type ReadRow,
} from "./reads-search.ts";
import { degrees } from "./reads-units.ts";

export type { NewRead, TakenEvent } from "./reads-events.ts";

export type ReadSearch = {
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
  /** Removes the reads of one UTC day (`utcDay`) and plates that nobody else has; gives how many reads. */
  purgeDay(day: number): Promise<number>;
};

/** Queries that run at once over all searches of a store: D1 answers six connections of a caller at a time. */
const CONNECTIONS = 6;
const PAGE = 1000;
const PURGE_ROWS = 5000;

/** The archive in these databases, whose order and number must stay what they were when it was filled. */
export function createReadStore(databases: D1Database[]): ReadStore {
  if (databases.length === 0) throw new Error("no READS_n database is configured");
  const connect = atMost(CONNECTIONS);
  const databaseOf = (day: number) => {
    const index = ((day % databases.length) + databases.length) % databases.length;
    return { database: databases[index] as D1Database, index };
  };
  return {
    async insertReads(reads) {
      const byDatabase = databases.map((): NewRead[] => []);
      for (const read of reads) byDatabase[databaseOf(utcDay(read.capturedAt)).index]?.push(read);
      await Promise.all(
        databases.map(async (database, index) => {
          for (const json of chunksOf(byDatabase[index] ?? []))
            await connect(() => insertChunk(database, json));
        }),
      );
    },
    takeEvent: (read) => takeEvent(databaseOf, read),
    takeEvents: (reads) => takeEvents(databaseOf, reads),
    searchReads: (search) => searchReads({ databases, databaseOf, connect, search }),
    async countReads() {
      const counts = await Promise.all(
        databases.map((database) =>
          connect(() => database.prepare("SELECT count(*) AS count FROM reads").first<number>("count")),
        ),
      );
      return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    },
    purgeDay: (day) => purgeDay(databaseOf(day).database, day),
  };
}

/** The archive as the Axis adapter asks it: reads from the databases, images from the bucket. */
export function createReadArchive(input: { reads: ReadStore; images: R2Bucket }): ReadArchive {
  return {
    search: (search) => input.reads.searchReads(search),
    async image(key) {
      const object = await input.images.get(key);
      return object ? new Uint8Array(await object.arrayBuffer()) : null;
    },
  };
}

type Searching = {
  databases: D1Database[];
  databaseOf: (day: number) => { index: number };
  connect: <T>(work: () => Promise<T>) => Promise<T>;
  search: ReadSearch;
};

async function* searchReads({ databases, databaseOf, connect, search }: Searching) {
  const { query, signal } = search;
  const pageSize = Math.min(search.pageSize ?? PAGE, PAGE);
  signal.throwIfAborted();
  const plan = planPlate(query.plate, query.to - query.from);
  if (plan.kind === "impossible" || query.to < query.from) return;
  const filter: ReadFilter = {
    ...query,
    agencyIds: JSON.stringify(search.agencyIds),
    cameraIds: JSON.stringify(search.cameraIds),
  };
  // Where nothing is filtered, the newest day alone fills a page: the databases take turns instead of all being asked.
  const dense = plan.kind === "any" && !(query.make || query.color || query.bodyType || query.plateState);
  const sources = daysOf(query, databases.length).map((day) => {
    const { index } = databaseOf(day);
    const newest = dense ? Math.min(query.to, (day + 1) * DAY - 1) : Number.POSITIVE_INFINITY;
    const database = databases[index] as D1Database;
    let plates: Promise<string | null> | undefined;
    const next = async (last: Found | undefined, limit: number): Promise<Found[]> => {
      const after = last
        ? { capturedAt: last.row[2], id: last.row[0] }
        : { capturedAt: query.to, id: Number.MAX_SAFE_INTEGER };
      const rows = await connect(async () => {
        signal.throwIfAborted();
        const byTime = (glob: string | null) => findReadsByTime({ database, glob, filter, after, limit });
        if (plan.kind === "any") return byTime(null);
        if (plan.kind === "slice") return byTime(plan.glob);
        plates ??= findPlates(database, plan);
        const plateIds = await plates;
        if (plateIds === null) return byTime(plan.glob);
        if (plateIds === "[]") return [];
        return findReadsOfPlates({ database, plateIds, filter, after, limit });
      });
      return rows.map((row) => ({ index, row }));
    };
    return { newest, next };
  });
  const pages = joinNewestFirst({ sources, pageSize, maxRows: search.maxReads, timeOf, signal });
  for await (const page of pages) {
    yield { reads: page.rows.map(archived), truncated: page.truncated };
  }
}

type Found = { index: number; row: ReadRow };

function timeOf(found: Found): number {
  return found.row[2];
}

/** The newest days of a range, one for each database that holds days of it. */
function daysOf(query: SightingQuery, databases: number): number[] {
  const last = utcDay(query.to);
  return Array.from({ length: Math.min(last - utcDay(query.from) + 1, databases) }, (_, i) => last - i);
}

function archived({ index, row }: Found): ArchivedRead {
  return {
    id: `${index}.${row[0]}`,
    plate: row[1],
    capturedAt: row[2],
    agency: row[3],
    plateState: row[4],
    make: row[5],
    color: row[6],
    bodyType: row[7],
    confidence: row[8],
    latitude: degrees(row[9]),
    longitude: degrees(row[10]),
    cameraName: row[11],
    vehicleImageKey: row[12],
    plateImageKey: row[13],
  };
}

async function purgeDay(database: D1Database, day: number): Promise<number> {
  let purged = 0;
  for (;;) {
    const rows = await database
      .prepare("SELECT id, plate_id FROM reads WHERE day = ? ORDER BY id LIMIT ?")
      .bind(day, PURGE_ROWS)
      .raw<[number, number]>();
    const last = rows.at(-1);
    if (!last) break;
    const plateIds = JSON.stringify([...new Set(rows.map(([, plateId]) => plateId))]);
    await database.batch([
      database.prepare("DELETE FROM reads WHERE day = ? AND id <= ?").bind(day, last[0]),
      database
        .prepare(
          `DELETE FROM plates WHERE id IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM reads WHERE plate_id = plates.id)`,
        )
        .bind(plateIds),
    ]);
    purged += rows.length;
  }
  await database.prepare("DELETE FROM midnight_passes WHERE day = ?").bind(day).run();
  return purged;
}
