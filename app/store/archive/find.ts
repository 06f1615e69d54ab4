// Finds sealed reads in one database, paged by key and never by OFFSET. Rows whose tags match are opened and compared
// here, and more rows are fetched until a page is full. The SQL is handwritten because each plan names its index
// (INDEXED BY), which drizzle does not support; every clause is one of the texts below, and all values are bound.

import { lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import type { ReadCipher } from "./cipher.ts";
import { type PlatePlan, planFormerTags, type Way } from "./plan.ts";
import { FORMER_KEYS } from "./retag.ts";
import { type NewRead, openRead } from "./rows.ts";
import { type QueryWords, type TagKind, tagQuery } from "./tags.ts";

/** Where a page starts: only reads that are older, or of the same time with a smaller id. */
export type ReadKey = { capturedAt: number; id: number };

export type FoundRead = { id: number; read: NewRead };

/** A key that may have matching reads, and the oldest time of its reads that may be shown. */
export type SearchedKey = { cipher: ReadCipher; from: number };

type SearchInput = {
  database: D1Database;
  keys: SearchedKey[];
  plan: PlatePlan;
  query: SightingQuery;
  /** Cameras whose reads may be shown. */
  cameras: ReadonlySet<string>;
};

type Row = { id: number; key_id: number; captured_at: number; sealed: string };

/** With more cameras, a read's camera is compared after opening it: tags under all keys would cost more. */
const FEW_CAMERAS = 4;

const FILTERS = [
  ["make", "make", "make_tag"],
  ["color", "color", "color_tag"],
  ["bodyType", "body", "body_tag"],
  ["plateState", "state", "state_tag"],
] as const;

/**
 * Returns a page: `limit` reads, or fewer if there are no more. Returns null if `check`, a query run in the same call,
 * has a row.
 */
export type FetchPage = (
  after: ReadKey,
  limit: number,
  check?: D1PreparedStatement,
) => Promise<FoundRead[] | null>;

/** Prepares the search of one database. */
export async function prepareSearch(input: SearchInput): Promise<FetchPage> {
  const { database, keys, plan, query, cameras } = input;
  const statements = await statementsOf(input, plan);
  const ciphers = new Map(keys.map(({ cipher }) => [cipher.id, cipher]));
  const cipherOf = (keyId: number) => {
    const cipher = ciphers.get(keyId);
    if (!cipher) throw new Error("a query returned a row of a key that it was not given");
    return cipher;
  };
  const matches = matcherOf(query, cameras);
  let former: D1PreparedStatement | undefined = database
    .prepare(FORMER_KEYS)
    .bind(JSON.stringify(keys.map(({ cipher }) => cipher.id)));
  return async (after, limit, check) => {
    const found: FoundRead[] = [];
    let { capturedAt, id } = after;
    let first = check;
    // Selective tags rarely match by chance, so a first answer usually fills the page; otherwise answers grow.
    for (let rowLimit = limit; ; ) {
      const pages = statements.map(({ statement, json }) => statement.bind(json, capturedAt, id, rowLimit));
      const others = [former, first].filter((one) => one !== undefined);
      const answers = await database.batch<Row>([...pages, ...others]);
      if (first && answers.at(-1)?.results.length) return null;
      if (former) {
        // Reads that are still tagged by plates as read: all queries run again, together with those for such reads.
        const ids = new Set(answers[pages.length]?.results.map((row) => row.id));
        former = undefined;
        first = undefined;
        if (ids.size > 0) {
          const own = keys.filter(({ cipher }) => ids.has(cipher.id));
          statements.push(
            ...(await statementsOf(
              { ...input, keys: own },
              planFormerTags(query.plate, query.lookAlikes === true),
            )),
          );
          continue;
        }
      }
      const rows = newestOf(
        answers.slice(0, pages.length).map(({ results }) => results),
        rowLimit,
      );
      const reads = await Promise.all(rows.map((row) => openRead(cipherOf(row.key_id), row)));
      for (const [i, read] of reads.entries()) {
        if (found.length === limit) break;
        if (matches(read)) found.push({ id: at(rows, i).id, read });
      }
      const last = rows.at(-1);
      if (found.length === limit || !last || rows.length < rowLimit) return found;
      [id, capturedAt] = [last.id, last.captured_at];
      rowLimit = Math.min(rowLimit * 2, MOST_ROWS);
    }
  };
}

/** Rows of one answer: about a megabyte. */
const MOST_ROWS = 4000;

/** Returns the newest rows of several answers, each row once. */
function newestOf(answers: Row[][], limit: number): Row[] {
  if (answers.length === 1) return at(answers, 0);
  const byId = new Map(answers.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => b.captured_at - a.captured_at || b.id - a.id).slice(0, limit);
}

function matcherOf(query: SightingQuery, cameras: ReadonlySet<string>): (read: NewRead) => boolean {
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

/** Rows that one statement takes as a value; D1 binds texts of up to two million bytes. */
const MOST_VALUES = 15_000;

/** Returns the statements of a plan; each has one JSON value with a row per key, or per key and way. */
async function statementsOf(input: SearchInput, plan: PlatePlan): Promise<Statement[]> {
  if (plan.kind === "impossible" || input.keys.length === 0) return [];
  const { sql, rows } =
    plan.kind === "runs" ? await byRuns(input, plan.ways) : await byTime(input, plan.features);
  const statement = input.database.prepare(sql);
  return Array.from({ length: Math.ceil(rows.length / MOST_VALUES) }, (_, i) => ({
    statement,
    json: JSON.stringify(rows.slice(i * MOST_VALUES, (i + 1) * MOST_VALUES)),
  }));
}

/** The rows of `k`: arrays, or texts of fixed width. */
type Selection = { sql: string; rows: unknown[] };

/**
 * Added to the numbers of a search by runs, these give numbers of a fixed width. A plan for look-alikes has thousands of
 * rows, and SQLite cuts a text several times faster than it parses an array.
 */
const BASES = { id: 2e15, since: 2e15, run: 5e9, other: 5e9, low: 2e15, high: 2e15 } as const;
/** No read is older: keeps the width of times. */
const OLDEST = -1e15;

/** Returns a search by runs, which uses the primary key of `plate_runs` and then `sealed_reads_plate`. */
async function byRuns({ keys }: Pick<SearchInput, "keys">, ways: Way[]): Promise<Selection> {
  const names: (keyof typeof BASES)[] = ["id", "since", "run"];
  const conditions = [IN_PAGE];
  const hasOther = ways.some(({ runs }) => runs.length > 1);
  const hasFeatures = ways.some(({ features }) => features.length > 0);
  if (hasOther) {
    names.push("other");
    conditions.unshift(HAS_OTHER_RUN);
  }
  if (hasFeatures) {
    names.push("low", "high");
    conditions.push(HAS_FEATURES);
  }
  const tags = await tagQuery(
    keys.map(({ cipher }) => cipher),
    {
      runs: [...new Set(ways.flatMap(({ runs }) => runs.filter((run) => run !== undefined)))],
      features: hasFeatures ? ways.map(({ features }) => features) : [],
      texts: [],
    },
  );
  const rows = keys.flatMap(({ cipher, from }, i) => {
    const { runs: tagOf, bits } = at(tags, i);
    const key = `${BASES.id + cipher.id}${BASES.since + Math.max(Math.ceil(from), OLDEST)}`;
    return ways.map(({ runs: [run, other] }, n) => {
      const [low = 0, high = 0] = bits[n] ?? [];
      const first = BASES.run + (tagOf.get(run) ?? 0);
      // A way with one run asks for the same run twice.
      const second = hasOther ? BASES.other + (tagOf.get(other ?? run) ?? 0) : "";
      return `${key}${first}${second}${hasFeatures ? `${BASES.low + low}${BASES.high + high}` : ""}`;
    });
  });
  const from = `plate_runs AS p ON p.key_id = k.id AND p.run = k.run
    CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_plate ON s.key_id = k.id AND s.plate_tag = p.plate_tag`;
  return { sql: pageOf({ columns: cutColumns(names), from, conditions, distinct: ways.length > 1 }), rows };
}

/** Returns a search by features and vehicle, which uses `sealed_reads_time` in the order of the pages. */
async function byTime({ keys, query, cameras }: SearchInput, features: number[]): Promise<Selection> {
  const names = ["id", "since", "low", "high"];
  const conditions = features.length > 0 ? [IN_PAGE, HAS_FEATURES] : [IN_PAGE];
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
  const tags = await tagQuery(
    keys.map(({ cipher }) => cipher),
    wanted,
  );
  const rows = keys.map(({ cipher, from }, i) => {
    const { bits, texts } = at(tags, i);
    const own = isFew ? [JSON.stringify(texts.slice(words))] : [];
    return [cipher.id, from, ...at(bits, 0), ...texts.slice(0, words), ...own];
  });
  const from = "sealed_reads AS s INDEXED BY sealed_reads_time ON s.key_id = k.id";
  const columns = names.map((name, i) => `value ->> ${i} AS ${name}`);
  return { sql: pageOf({ columns, from, conditions, distinct: false }), rows };
}

function cutColumns(names: (keyof typeof BASES)[]): string[] {
  let place = 1;
  return names.map((name) => {
    const digits = String(BASES[name]).length;
    place += digits;
    return `CAST(substr(value, ${place - digits}, ${digits}) AS INTEGER) - ${BASES[name]} AS ${name}`;
  });
}

const IN_PAGE = "s.captured_at BETWEEN k.since AND ?2 AND (s.captured_at < ?2 OR s.id < ?3)";
const HAS_FEATURES = "s.low & k.low = k.low AND s.high & k.high = k.high";
const HAS_OTHER_RUN = `EXISTS (
    SELECT 1
    FROM plate_runs AS o
    WHERE o.key_id = k.id AND o.run = k.other AND o.plate_tag = p.plate_tag)`;

/** Returns the statement of a page: the newest rows that meet the conditions. `distinct`: a row may be found twice. */
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
