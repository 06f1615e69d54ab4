// Finds sealed reads in one database whose tags match, paged by key and never by OFFSET; the caller opens and compares
// them. The SQL is handwritten because each plan names its index (INDEXED BY), which drizzle does not support; every
// clause is one of the texts below, and all values are bound.

import { lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "./cipher.ts";
import { type Fetch, fetchInOrder, MAX_ROWS, newestRows, type Parts } from "./merge.ts";
import {
  type Column,
  createNumberRows,
  cutColumns,
  jsonLists,
  NO_BITS,
  NO_RUN,
  OLDEST,
  widthOf,
} from "./number-rows.ts";
import {
  type DaySteps,
  daySteps,
  isOfRunsAsRead,
  type PlatePlan,
  planFolded,
  planFormerTags,
  type Way,
} from "./plan.ts";
import { ANY_FORMER, FORMER_KEYS, type FormerKey } from "./retag.ts";
import type { NewRead } from "./rows.ts";
import { type Bits, type QueryWords, type RunTags, SPELLING, type TagKind, tagKeys } from "./tags.ts";

/** Where a page starts: only reads that are older, or of the same time with a smaller id. */
type ReadKey = { capturedAt: number; id: number };

/** A read whose tags match. Whether it matches is known once it is opened. */
export type Candidate = { id: number; cipher: ReadCipher; capturedAt: number; sealed: string };

/** A key that may have matching reads, and the oldest time of its reads that may be shown. */
export type SearchedKey = { cipher: ReadCipher; from: number };

type SearchInput = {
  database: D1Database;
  keys: SearchedKey[];
  plan: PlatePlan;
  query: SightingQuery;
  /** Cameras whose reads may be shown. */
  cameras: ReadonlySet<string>;
  /** Days that this database has. It may also have copies of other days' held reads, whose keys have no day. */
  days: ReadonlySet<number>;
};

type Row = { id: number; key_id: number; captured_at: number; sealed: string };

/** With more cameras, a read's camera is compared after the read is opened: tags under all keys would cost more. */
const FEW_CAMERAS = 4;

const FILTERS = [
  ["make", "make", "make_tag"],
  ["color", "color", "color_tag"],
  ["bodyType", "body", "body_tag"],
  ["plateState", "state", "state_tag"],
] as const;

/** Returns candidates, or null if `check`, a query run in the same call, has a row. */
export type FetchCandidates = Fetch<Candidate, D1PreparedStatement>;

/**
 * Prepares the search of one database. A search that many reads match begins with the newest days: a page is often full
 * after them, and the statement looks at every key that it is given.
 */
export async function prepareSearch(input: SearchInput): Promise<FetchCandidates> {
  const steps = daySteps(input.plan);
  return steps ? fetchInOrder(partsOfDays(input, steps)) : prepareKeys(input);
}

/** Returns the searches of consecutive parts of the days that may have reads, newest first; at least one. */
function partsOfDays(input: SearchInput, steps: DaySteps): Parts<Candidate, D1PreparedStatement> {
  const { keys, query, days } = input;
  const ownDays = keys.map(({ cipher }) => cipher.day);
  const rest = [...new Set(ownDays.includes(null) ? days : ownDays.filter((day) => day !== null))];
  rest.sort((a, b) => b - a);
  const endOf = (day: number) => Math.min(query.to, (day + 1) * DAY - 1);
  let searched: number | undefined;
  return {
    share: steps.share,
    newest() {
      const [day] = rest;
      if (day !== undefined) return endOf(day);
      return searched === undefined ? query.to : undefined;
    },
    prepare(progress) {
      const own = rest.splice(0, searched === undefined ? steps.first : steps.next(searched, progress));
      searched = (searched ?? 0) + own.length;
      if (own.length === 0) return prepareKeys(input);
      const [newest, oldest] = [at(own, 0), own.at(-1) ?? 0];
      const isOwn = ({ cipher: { day } }: SearchedKey) => day === null || (day <= newest && day >= oldest);
      return prepareKeys({
        ...input,
        keys: keys.filter(isOwn).map(({ cipher, from }) => ({ cipher, from: Math.max(from, oldest * DAY) })),
        query: { ...query, to: endOf(newest) },
      });
    },
  };
}

async function prepareKeys(input: SearchInput): Promise<FetchCandidates> {
  const { database, keys, plan, query, days } = input;
  const statements = await statementsOf(input, plan);
  const ciphers = new Map(keys.map(({ cipher }) => [cipher.id, cipher]));
  let former: D1PreparedStatement | undefined = database.prepare(ANY_FORMER);
  /** Returns the statements that find reads with former tags, of the keys that have some. */
  async function formerStatements(): Promise<Statement[]> {
    const ids = JSON.stringify(keys.map(({ cipher }) => cipher.id));
    const { results } = await database.prepare(FORMER_KEYS).bind(ids).all<FormerKey>();
    const isUnfolded = new Map(results.map(({ id, unfolded }) => [id, unfolded === 1]));
    const folded = keys.filter(({ cipher }) => isUnfolded.has(cipher.id));
    const unfolded = keys.filter(({ cipher }) => isUnfolded.get(cipher.id));
    const lookAlikes = query.lookAlikes === true;
    const [first, second] = await Promise.all([
      // Any other plan already finds reads with tags of folded runs.
      isOfRunsAsRead(plan)
        ? statementsOf({ ...input, keys: folded }, planFolded(query.plate, lookAlikes))
        : [],
      statementsOf({ ...input, keys: unfolded }, planFormerTags(query.plate, lookAlikes)),
    ]);
    return [...first, ...second];
  }
  let next: ReadKey = { capturedAt: query.to, id: Number.MAX_SAFE_INTEGER };

  return async (limit, check) => {
    const rowLimit = Math.min(Math.ceil(spareOf(plan) * limit), MAX_ROWS);
    let first = check;
    for (;;) {
      const pages = statements.map(({ statement, json }) =>
        statement.bind(json, next.capturedAt, next.id, rowLimit),
      );
      const others = [former, first].filter((one) => one !== undefined);
      const answers = await database.batch<Row>([...pages, ...others]);
      if (first && answers.at(-1)?.results.length) return null;
      first = undefined;
      const hasFormer = former && at(answers, pages.length).results.length > 0;
      former = undefined;
      if (hasFormer) {
        // All queries run again, with those for reads with former tags: some may have got their new tags meanwhile.
        statements.push(...(await formerStatements()));
        continue;
      }
      const found = answers.slice(0, pages.length).map(({ results }) => results);
      const rows = found.length === 1 ? at(found, 0) : newestRows(found, rowLimit);
      const last = rows.at(-1);
      if (last) next = { capturedAt: last.captured_at, id: last.id };
      return {
        rows: rows.filter((row) => days.has(utcDay(row.captured_at))).map(candidateOf),
        ended: rows.length < rowLimit,
      };
    }
  };

  function candidateOf({ id, key_id, captured_at, sealed }: Row): Candidate {
    const cipher = ciphers.get(key_id);
    if (!cipher) throw new Error("a query returned a row of a key that it was not given");
    return { id, cipher, capturedAt: captured_at, sealed };
  }
}

/**
 * Returns the rows to fetch per result: gap searches have many false positives, look-alike searches some, exact ones few
 * (two spellings can share a tag). Fetching too few means searching all candidates again.
 */
function spareOf(plan: PlatePlan): number {
  if (plan.kind === "gap") return 4;
  if (plan.kind !== "runs") return 1;
  return plan.ways.length > 1 ? 1.2 : 1.1;
}

/** Returns whether an opened read matches. */
export function matcherOf(query: SightingQuery, cameras: ReadonlySet<string>): (read: NewRead) => boolean {
  const resembles = lookAlikeMatcher(query.plate);
  const plateFits = query.lookAlikes
    ? (plate: string) => resembles(plate) !== undefined
    : (plate: string) => plateMatches(query.plate, plate);
  return (read) =>
    cameras.has(read.cameraId) &&
    FILTERS.every(([field]) => query[field] === "" || query[field] === read[field]) &&
    plateFits(read.plate);
}

type Statement = { statement: D1PreparedStatement; json: string };

/** Returns the statements of a plan; each has one JSON value with a row per key, or per key and way. */
async function statementsOf(input: SearchInput, plan: PlatePlan): Promise<Statement[]> {
  if (plan.kind === "impossible" || input.keys.length === 0) return [];
  const { sql, values } = await selectionOf(input, plan);
  const statement = input.database.prepare(sql);
  return values.map((json) => ({ statement, json }));
}

async function selectionOf(
  input: SearchInput,
  plan: Exclude<PlatePlan, { kind: "impossible" }>,
): Promise<Selection> {
  switch (plan.kind) {
    case "runs":
      return byRuns(input, plan);
    case "gap":
      return byGap(input, plan);
    case "time":
      return byTime(input, plan.features);
  }
}

/** The rows of `k` as JSON lists, one for each statement. */
type Selection = { sql: string; values: string[] };

/** Returns a search by runs, which uses the primary key of `plate_runs` and then `sealed_reads_plate`. */
async function byRuns(
  { keys }: Pick<SearchInput, "keys">,
  { ways, tags: runTags }: { ways: Way[]; tags: RunTags },
): Promise<Selection> {
  const most = (list: "others" | "features") => Math.max(...ways.map((way) => way[list].length));
  const otherNames = Array.from({ length: most("others") }, (_, n) => `other${n}`);
  const sets = most("features");
  const columns: Column[] = [
    ["id", "id"],
    ["since", "since"],
    ["run", "run"],
    ...otherNames.map((name): Column => [name, "run"]),
  ];
  for (let n = 0; n < sets; n++) columns.push([`low${n}`, "bits"], [`high${n}`, "bits"]);
  const firstSets = ways.map((_, n) =>
    ways.slice(0, n).reduce((sum, { features }) => sum + features.length, 0),
  );
  const runs = [...new Set(ways.flatMap(({ run, others }) => [run, ...others]))];
  const placeOf = new Map(runs.map((run, place) => [run, place]));
  /** Where the tags of each way's runs are among those of all runs; undefined for a missing one. */
  const placesOfRuns = ways.map(({ run, others }) =>
    [run, ...otherNames.map((_, n) => others[n] ?? NO_RUN)].map((one) => placeOf.get(one)),
  );
  const features = ways.flatMap((way) => way.features);
  const rows = createNumberRows();
  await tagKeys(keys, { runs, runTags, features, texts: [] }, (key, own) => {
    for (const [n, { features }] of ways.entries()) {
      beginRow(rows, key);
      for (const place of at(placesOfRuns, n))
        rows.number(place === undefined ? NO_RUN : at(own.runs, place), "run");
      for (let set = 0; set < features.length; set++) putBits(rows, at(own.bits, at(firstSets, n) + set));
      rows.end();
    }
  });
  const from = `plate_runs AS p ON p.key_id = k.id AND ${isRun("p.run", "k.run", runTags)}
    CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_plate ON s.key_id = k.id AND s.plate_tag = p.plate_tag`;
  const conditions = [IN_PAGE];
  if (otherNames.length > 0)
    conditions.push(
      `(k.other0 = ${NO_RUN} OR ${otherNames.map((name) => hasRun(name, runTags)).join(" OR ")})`,
    );
  if (sets > 0) {
    const either = Array.from({ length: sets }, (_, n) => hasFeatures(n));
    conditions.push(`(k.low0 = ${NO_BITS} OR ${either.join(" OR ")})`);
  }
  const sql = pageOf({
    columns: ["key AS n", ...cutColumns(columns)],
    from,
    conditions,
    // A plate may have a folded run in two spellings.
    distinct: ways.length > 1 || runTags === "folded",
  });
  return { sql, values: rows.values() };
}

/**
 * Returns a search by runs with a gap. Finds plates that have one of the runs by the primary key of `plate_runs`, then
 * compares the features of their reads.
 */
async function byGap(
  { keys }: Pick<SearchInput, "keys">,
  { tags: runTags, runs, features }: { tags: RunTags; runs: number[]; features: number[] },
): Promise<Selection> {
  const columns: Column[] = [
    ["id", "id"],
    ["since", "since"],
    ["low", "bits"],
    ["high", "bits"],
  ];
  const rows = createNumberRows();
  await tagKeys(keys, { runs, runTags, features: [features], texts: [] }, (key, own) => {
    beginRow(rows, key);
    putBits(rows, at(own.bits, 0));
    rows.text(JSON.stringify(own.runs));
    rows.end();
  });
  const from = `json_each(k.runs) AS w
    CROSS JOIN plate_runs AS p ON p.key_id = k.id AND ${isRun("p.run", "w.value", runTags)}
    CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_plate ON s.key_id = k.id AND s.plate_tag = p.plate_tag`;
  const sql = pageOf({
    columns: [...cutColumns(columns), `substr(value, ${1 + widthOf(columns)}) AS runs`],
    from,
    conditions: [IN_PAGE, hasFeatures("")],
    // A plate may have several of the runs.
    distinct: true,
  });
  return { sql, values: rows.values() };
}

/** Returns a search by features and vehicle, which uses `sealed_reads_time` in the order of the pages. */
async function byTime({ keys, query, cameras }: SearchInput, features: number[]): Promise<Selection> {
  const names = ["id", "since", "low", "high"];
  const conditions = features.length > 0 ? [IN_PAGE, hasFeatures("")] : [IN_PAGE];
  const wanted: QueryWords = { runs: [], features: [features], texts: [] };
  for (const [field, kind, column] of FILTERS) {
    if (query[field] === "") continue;
    conditions.push(`s.${column} = k.${kind}`);
    names.push(kind);
    wanted.texts.push([kind, query[field]]);
  }
  const words = wanted.texts.length;
  const isFew = cameras.size <= FEW_CAMERAS;
  if (isFew) {
    conditions.push("s.camera_tag IN (SELECT value FROM json_each(k.cameras))");
    names.push("cameras");
    wanted.texts.push(...[...cameras].map((id): [TagKind, string] => ["camera", id]));
  }
  const rows: string[] = [];
  await tagKeys(keys, wanted, ({ cipher, from }, { bits, texts }) => {
    const own = isFew ? [JSON.stringify(texts.slice(words))] : [];
    rows.push(JSON.stringify([cipher.id, from, ...at(bits, 0), ...texts.slice(0, words), ...own]));
  });
  const from = "sealed_reads AS s INDEXED BY sealed_reads_time ON s.key_id = k.id";
  const columns = names.map((name, i) => `value ->> ${i} AS ${name}`);
  return { sql: pageOf({ columns, from, conditions, distinct: false }), values: jsonLists(rows) };
}

type NumberRows = ReturnType<typeof createNumberRows>;

function beginRow(rows: NumberRows, { cipher, from }: SearchedKey): void {
  rows.begin();
  rows.number(cipher.id, "id");
  rows.number(Math.max(Math.ceil(from), OLDEST), "since");
}

function putBits(rows: NumberRows, [low, high]: Bits): void {
  rows.number(low, "bits");
  rows.number(high, "bits");
}

const IN_PAGE = "s.captured_at BETWEEN k.since AND ?2 AND (s.captured_at < ?2 OR s.id < ?3)";

function hasFeatures(set: number | ""): string {
  return `(s.low & k.low${set} = k.low${set} AND s.high & k.high${set} = k.high${set})`;
}

function isRun(column: string, tag: string, tags: RunTags): string {
  return tags === "folded" ? `${column} BETWEEN ${tag} AND ${tag} + ${SPELLING}` : `${column} = ${tag}`;
}

/** Returns the condition that a plate has a run. */
function hasRun(name: string, tags: RunTags): string {
  // One lookup per plate, or a list of the plates of all rows: for a lookup of a range of tags, all its plates are
  // compared.
  return tags === "folded"
    ? `(k.n, p.plate_tag) IN (
    SELECT k.n, o.plate_tag
    FROM k
    CROSS JOIN plate_runs AS o ON o.key_id = k.id AND ${isRun("o.run", `k.${name}`, tags)}
    WHERE k.${name} > ${NO_RUN})`
    : `(k.${name} > ${NO_RUN} AND EXISTS (
    SELECT 1
    FROM plate_runs AS o
    WHERE o.key_id = k.id AND o.run = k.${name} AND o.plate_tag = p.plate_tag))`;
}

/**
 * Returns the statement of a page: the newest rows that meet the conditions. `distinct` says that a row may be found
 * twice. Query plan: for each key, the runs in plate_runs and their rows by sealed_reads_plate, or the rows of the time
 * by sealed_reads_time; then the rows of the page by primary key.
 */
function pageOf(input: { columns: string[]; from: string; conditions: string[]; distinct: boolean }): string {
  const { columns, from, conditions, distinct } = input;
  return `WITH k AS MATERIALIZED (SELECT ${columns.join(", ")} FROM json_each(?1))
    SELECT r.id, r.key_id, r.captured_at, r.sealed
    FROM (
      SELECT ${distinct ? "DISTINCT s.id, s.captured_at" : "s.id"}
      FROM k
      CROSS JOIN ${from}
      WHERE ${conditions.join(" AND ")}
      ORDER BY s.captured_at DESC, s.id DESC
      LIMIT ?4
    ) AS f
    CROSS JOIN sealed_reads AS r ON r.id = f.id
    ORDER BY r.captured_at DESC, r.id DESC`;
}
