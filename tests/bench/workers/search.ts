// Runs in workerd: fills the archive and its peer with the same reads, and measures both.
// In workerd, the clock only advances with I/O, so only whole searches are timed.

import { type PlatePattern, parsePlatePattern } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { NewRead, ReadStore } from "#app/store/archive/reads.ts";
import { benchArchive, type SealedArchive } from "../support/archive.ts";
import { countingDatabase, countOpened, type D1Counts, noCounts } from "../support/counting-database.ts";
import {
  agency,
  agencyIds,
  cameraIds,
  camerasOf,
  everyone,
  FROM,
  plateOf,
  readOf,
  TO,
  time,
} from "./search-world.ts";

type Env = SealedArchive & { FLAT: D1Database };

/** A search that the archive and the peer both run; `all` agencies, or ten of them. */
type Case = { plates: string[]; make?: string; color?: string; depth?: number; limit: number; all?: true };

const CASES: Record<string, Case> = {
  "whole plate": { plates: ["0", "1", "2", "3", "4"], limit: 1000 },
  "4-character fragment": { plates: ["B123", "7K90", "1D04", "GH55", "0457"], limit: 1000 },
  "3-character fragment": { plates: ["B12", "K90", "D04", "H55", "457"], limit: 1000 },
  "wildcard with a run": { plates: ["*B1?345*", "A*4567", "?C123*", "*D?3412", "*E4?217*"], limit: 1000 },
  "wildcard without a run": { plates: ["*B?1?3*", "*1?3?5?7", "?K?9?1*", "*D4?2*7", "*G?8?0*"], limit: 1000 },
  "attributes only": { plates: [""], make: "Honda", color: "Blue", limit: 1000 },
  "3 characters of 100 agencies": { plates: ["B12", "K90", "D04", "H55", "457"], limit: 1000, all: true },
  "100 agencies": { plates: ["B123", "7K90", "1D04", "GH55", "0457"], limit: 1000, all: true },
  "deep page": { plates: [""], depth: 100_000, limit: 100 },
};

const CREATE_FLAT = [
  "CREATE TABLE IF NOT EXISTS reads_flat (id INTEGER PRIMARY KEY, plate TEXT, state TEXT, make TEXT, color TEXT, body TEXT, agency TEXT, camera TEXT, captured_at INTEGER)",
  "CREATE INDEX IF NOT EXISTS reads_flat_time ON reads_flat (captured_at)",
];

/** Idempotent: filling a second time keeps the existing reads. */
async function fillFlat(database: D1Database, reads: NewRead[]): Promise<void> {
  const rows = reads.map((r) => [
    Number(r.carId),
    r.plate,
    r.plateState,
    r.make,
    r.color,
    r.bodyType,
    r.agencyId,
    r.cameraId,
    r.capturedAt,
  ]);
  const values = Array.from({ length: 9 }, (_, i) => `value ->> ${i}`).join(", ");
  for (let at = 0; at < rows.length; at += 1000) {
    await database
      .prepare(`INSERT OR IGNORE INTO reads_flat SELECT ${values} FROM json_each(?)`)
      .bind(JSON.stringify(rows.slice(at, at + 1000)))
      .run();
  }
}

type Row = { plate: string; capturedAt: number };

function queryOf(plate: string, testCase: Case, to: number): SightingQuery {
  return {
    plate: parsePlatePattern(plate) as PlatePattern,
    plateState: "",
    make: (testCase.make ?? "") as SightingQuery["make"],
    color: (testCase.color ?? "") as SightingQuery["color"],
    bodyType: "",
    marks: [],
    from: FROM,
    to,
  };
}

/** Returns the newest page of the archive up to `to`; for a deep page, `to` is the key of the previous page. */
async function own(store: ReadStore, plate: string, testCase: Case, to: number): Promise<Row[]> {
  const search = store.searchReads({
    agencyIds: testCase.all ? everyone.map(agency) : agencyIds,
    cameraIds: testCase.all ? camerasOf(everyone) : cameraIds,
    query: queryOf(plate, testCase, to),
    maxReads: testCase.limit,
    pageSize: testCase.limit,
    signal: new AbortController().signal,
  });
  const page = await search.next();
  await search.return(undefined);
  return page.value?.reads ?? [];
}

async function peer(database: D1Database, plate: string, testCase: Case): Promise<Row[]> {
  const agencies = testCase.all ? everyone.map(agency) : agencyIds;
  const like = /[*?]/.test(plate) ? plate.replaceAll("*", "%").replaceAll("?", "_") : `%${plate}%`;
  const conditions = ["agency IN (SELECT value FROM json_each(?))", "captured_at BETWEEN ? AND ?"];
  const values: (string | number)[] = [JSON.stringify(agencies), FROM, TO];
  const add = (condition: string, value: string | undefined) => {
    if (!value) return;
    conditions.push(condition);
    values.push(value);
  };
  add("plate LIKE ?", plate === "" ? "" : like);
  add("make = ?", testCase.make);
  add("color = ?", testCase.color);
  const { results } = await database
    .prepare(
      `SELECT plate, state, make, color, body, agency, camera, captured_at AS capturedAt FROM reads_flat
        WHERE ${conditions.join(" AND ")} ORDER BY captured_at DESC LIMIT ? OFFSET ?`,
    )
    .bind(...values, testCase.limit, testCase.depth ?? 0)
    .all<Row>();
  return results;
}

async function measure(env: Env, name: string) {
  const testCase = CASES[name];
  if (!testCase) throw new Error(`there is no case ${name}`);
  const counts = { own: noCounts(), peer: noCounts() };
  const flat = countingDatabase(env.FLAT, () => counts.peer);
  const counted = benchArchive(
    countedEnv(env, () => counts.own),
    () => TO,
  );
  const plates =
    name === "whole plate" ? testCase.plates.map((n) => plateOf(Number(n) * 30)) : testCase.plates;
  // The archive continues at a key; the peer must count all rows before the page each time.
  const [last] = testCase.depth
    ? await peer(env.FLAT, "", { ...testCase, limit: 1, depth: testCase.depth - 1 })
    : [];
  const to = last ? last.capturedAt - 1 : TO;
  let rows = 0;
  const opened = countOpened();
  const start = Date.now();
  for (const plate of plates) {
    const listed = (found: Row[]) => found.map((row) => `${row.capturedAt} ${row.plate}`).join("\n");
    const [ours, theirs] = [await own(counted, plate, testCase, to), await peer(flat, plate, testCase)];
    if (listed(ours) !== listed(theirs))
      throw new Error(
        `"${plate}": the archive returned ${ours.length} rows, the peer ${theirs.length}, or they differ`,
      );
    rows += ours.length;
  }
  if (rows === 0) throw new Error(`${name} finds nothing`);
  const firstRun = (Date.now() - start) / plates.length;
  const openedReads = opened() / plates.length;
  const store = benchArchive(env, () => TO);
  const plate = (round: number) => plates[round % plates.length] as string;
  const ownMs = await time((round) => own(store, plate(round), testCase, to));
  return {
    own: ownMs,
    // If the peer takes seconds, the single run of the comparison is accurate enough.
    peer: firstRun > 1000 ? firstRun - ownMs : await time((round) => peer(env.FLAT, plate(round), testCase)),
    rows,
    opened: openedReads,
    rowsRead: { own: counts.own.rowsRead / plates.length, peer: counts.peer.rowsRead / plates.length },
  };
}

const READS_NAMES = ["READS_0", "READS_1", "READS_2", "READS_3"] as const;

function countedEnv(env: Env, counts: () => D1Counts): Env {
  const own = { ...env };
  for (const name of READS_NAMES) own[name] = countingDatabase(env[name], counts);
  return own;
}

/** Returns the rows written and the bytes of both since the worker started, for the reads filled since then. */
async function sizes(env: Env) {
  const bytesOf = async (database: D1Database) => (await database.prepare("SELECT 1").run()).meta.size_after;
  const own = await Promise.all(READS_NAMES.map((name) => bytesOf(env[name])));
  return {
    bytes: { own: own.reduce((sum, bytes) => sum + bytes, 0), peer: await bytesOf(env.FLAT) },
    rowsWritten: { own: filled.own.rowsWritten, peer: filled.peer.rowsWritten },
    reads: filled.reads,
  };
}

const filled = { own: noCounts(), peer: noCounts(), reads: 0 };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/measure")
      return Response.json(await measure(env, url.searchParams.get("case") ?? ""));
    if (url.pathname === "/sizes") return Response.json(await sizes(env));
    if (url.pathname === "/start") {
      await env.FLAT.batch(CREATE_FLAT.map((sql) => env.FLAT.prepare(sql)));
      return Response.json({});
    }
    const [from, count, total] = ["from", "count", "total"].map((key) => Number(url.searchParams.get(key)));
    const reads = Array.from({ length: count as number }, (_, i) =>
      readOf((from as number) + i, total as number),
    );
    const store = benchArchive(
      countedEnv(env, () => filled.own),
      () => TO,
    );
    const flat = countingDatabase(env.FLAT, () => filled.peer);
    await Promise.all([store.insertReads(reads), fillFlat(flat, reads)]);
    filled.reads += reads.length;
    return Response.json({ reads: reads.length });
  },
} satisfies ExportedHandler<Env>;
