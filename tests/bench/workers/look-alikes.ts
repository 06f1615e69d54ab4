// Runs in workerd: fills the archive with the reads of the bench `search`, and measures exact searches, searches with
// look-alikes, and an edit distance computed over all plates of a plain table.

import { lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { type PlatePattern, parsePlatePattern } from "#app/entities/search/plate.ts";
import type { ReadStore } from "#app/store/archive/reads.ts";
import { benchArchive, type SealedArchive } from "../support/archive.ts";
import { agencyIds, cameraIds, FROM, plateOf, readOf, TO, time } from "./search-world.ts";

type Env = SealedArchive & { FLAT: D1Database };

const LIMIT = 1000;

/** The patterns of each case; a number stands for the whole plate of that vehicle. */
const CASES: Record<string, string[]> = {
  "whole plate": ["0", "1", "2", "3", "4"],
  "6-character fragment": ["B12345", "7K9042", "AC1234", "GH5590", "D04571"],
  "5-character fragment": ["B1234", "K9042", "AC123", "H5590", "04571"],
  "4-character fragment": ["B123", "K904", "C123", "H559", "0457"],
  "3-character fragment": ["B12", "K90", "C12", "H55", "457"],
  "wildcard with a run": ["*B1?345*", "A*45671", "?C1234*", "*D?34125", "*E4?2178*"],
};

function patternOf(text: string): PlatePattern {
  const pattern = parsePlatePattern(text);
  if (!pattern) throw new Error(`${text} is no pattern`);
  return pattern;
}

async function find(store: ReadStore, plate: string, lookAlikes: boolean): Promise<string[]> {
  const vehicle = { plateState: "", make: "", color: "", bodyType: "" } as const;
  const search = store.searchReads({
    agencyIds,
    cameraIds,
    query: { ...vehicle, marks: [], plate: patternOf(plate), lookAlikes, from: FROM, to: TO },
    maxReads: LIMIT,
    pageSize: LIMIT,
    signal: new AbortController().signal,
  });
  for await (const page of search) return page.reads.map((read) => `${read.capturedAt} ${read.plate}`);
  return [];
}

const SCAN_PAGE = 50_000;

/** Returns the newest matches of the plain table, found by aligning the pattern with every plate. */
async function scan(env: Env, plate: string): Promise<string[]> {
  const matches = lookAlikeMatcher(patternOf(plate));
  const found: string[] = [];
  const statement = env.FLAT.prepare(
    `SELECT rowid AS id, plate, captured_at AS at
    FROM reads_flat
    WHERE rowid < ? AND agency IN (SELECT value FROM json_each(?)) AND captured_at BETWEEN ? AND ?
    ORDER BY rowid DESC
    LIMIT ${SCAN_PAGE}`,
  );
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { results } = await statement
      .bind(before, JSON.stringify(agencyIds), FROM, TO)
      .all<{ id: number; plate: string; at: number }>();
    for (const row of results) if (matches(row.plate)) found.push(`${row.at} ${row.plate}`);
    const last = results.at(-1);
    if (!last) return found.slice(0, LIMIT);
    before = last.id;
  }
}

async function fill(env: Env, store: ReadStore, input: { from: number; count: number; total: number }) {
  const reads = Array.from({ length: input.count }, (_, i) => readOf(input.from + i, input.total));
  const start = Date.now();
  await store.insertReads(reads);
  const milliseconds = Date.now() - start;
  const rows = reads.map(({ plate, agencyId, capturedAt }) => [plate, agencyId, capturedAt]);
  await env.FLAT.prepare(
    "INSERT INTO reads_flat SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
  )
    .bind(JSON.stringify(rows))
    .run();
  return { milliseconds };
}

/** Returns the bytes of the archive's databases. */
async function sizeOf(env: Env): Promise<number> {
  const databases = [env.READS_0, env.READS_1, env.READS_2, env.READS_3];
  const answers = await Promise.all(databases.map((database) => database.prepare("SELECT 1").run()));
  return answers.reduce((sum, { meta }) => sum + meta.size_after, 0);
}

/** `scan` also measures the scan and compares its results; `exact` measures exact searches alone. */
async function measure(env: Env, store: ReadStore, name: string, options: { scan: boolean; exact: boolean }) {
  const texts = CASES[name] ?? [];
  const plates = name === "whole plate" ? texts.map((n) => plateOf(Number(n) * 30)) : texts;
  const plate = (round: number) => plates[round % plates.length] ?? "";
  let found = 0;
  const exact = await time((round) => find(store, plate(round), false));
  if (options.exact) return { exact, alike: 0, scanned: 0, found };
  for (const text of plates) found += (await find(store, text, true)).length;
  let scanned = 0;
  if (options.scan) {
    const start = Date.now();
    const theirs = await scan(env, plate(0));
    scanned = Date.now() - start;
    const ours = await find(store, plate(0), true);
    if (ours.toSorted().join() !== theirs.toSorted().join())
      throw new Error(
        `"${plate(0)}": the archive found ${ours.length} reads, the scan ${theirs.length}, or they differ`,
      );
  }
  return {
    exact,
    alike: await time((round) => find(store, plate(round), true)),
    scanned,
    found,
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const store = benchArchive(env, () => TO);
    const number = (key: string) => Number(searchParams.get(key));
    if (pathname === "/cases") return Response.json(Object.keys(CASES));
    if (pathname === "/size") return Response.json(await sizeOf(env));
    if (pathname === "/measure") {
      const options = { scan: searchParams.has("scan"), exact: searchParams.has("exact") };
      return Response.json(await measure(env, store, searchParams.get("case") ?? "", options));
    }
    return Response.json(
      await fill(env, store, { from: number("from"), count: number("count"), total: number("total") }),
    );
  },
} satisfies ExportedHandler<Env>;
