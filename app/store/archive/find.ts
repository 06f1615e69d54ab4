// Finds sealed reads in one database, paged by key and never by OFFSET. Rows whose tags match are opened and compared
// here, and more rows are fetched until a page is full. The SQL is handwritten because each plan names its index
// (INDEXED BY), which drizzle does not support; every clause is one of the texts below, and all values are bound.

import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import type { ReadCipher } from "./cipher.ts";
import { type NewRead, openRead } from "./rows.ts";
import { type QueryWords, type TagKind, tagQuery } from "./tags.ts";
import type { PlatePlan } from "./words.ts";

/** Where a page starts: only reads that are older, or of the same time with a smaller id. */
export type ReadKey = { capturedAt: number; id: number };

export type FoundRead = { id: number; read: NewRead };

/** A key that may have matching reads, and the oldest time of its reads that may be shown. */
export type SearchedKey = { cipher: ReadCipher; from: number };

type SearchInput = {
  database: D1Database;
  keys: SearchedKey[];
  plan: Exclude<PlatePlan, { kind: "impossible" }>;
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
  const { database, keys, query, cameras } = input;
  const { sql, json } = await statementOf(input);
  const ciphers = new Map(keys.map(({ cipher }) => [cipher.id, cipher]));
  const cipherOf = (keyId: number) => {
    const cipher = ciphers.get(keyId);
    if (!cipher) throw new Error("a query returned a row of a key that it was not given");
    return cipher;
  };
  const statement = database.prepare(sql);
  return async (after, limit, check) => {
    const found: FoundRead[] = [];
    let { capturedAt, id } = after;
    let first = check;
    // Selective tags rarely match by chance, so a first answer usually fills the page; otherwise answers grow.
    for (let rowLimit = limit; ; ) {
      const page = statement.bind(json, capturedAt, id, rowLimit);
      const answers = await database.batch<Row>(first ? [page, first] : [page]);
      if (answers[1]?.results.length) return null;
      first = undefined;
      const rows = answers[0]?.results ?? [];
      const reads = await Promise.all(rows.map((row) => openRead(cipherOf(row.key_id), row)));
      for (const [i, read] of reads.entries()) {
        if (found.length === limit) break;
        if (matches(read, query, cameras)) found.push({ id: at(rows, i).id, read });
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

function matches(read: NewRead, query: SightingQuery, cameras: ReadonlySet<string>): boolean {
  return (
    cameras.has(read.cameraId) &&
    FILTERS.every(([field]) => query[field] === "" || query[field] === read[field]) &&
    plateMatches(query.plate, read.plate)
  );
}

/**
 * Returns the statement of a search and one JSON value with a row per key. By runs, it uses the primary key of
 * `plate_runs` and then `sealed_reads_plate`; by features, `sealed_reads_time` in the order of the pages.
 */
async function statementOf(input: SearchInput): Promise<{ sql: string; json: string }> {
  const { keys, plan, query, cameras } = input;
  const names = ["id", "since"];
  const conditions = ["s.captured_at BETWEEN k.since AND ?2 AND (s.captured_at < ?2 OR s.id < ?3)"];
  const wanted: QueryWords = { runs: [], features: [], texts: [] };
  if (plan.kind === "runs") {
    wanted.runs = plan.runs;
    names.push("run", "other");
    if (plan.runs.length > 1)
      conditions.unshift(
        `EXISTS (
          SELECT 1
          FROM plate_runs AS o
          WHERE o.key_id = k.id AND o.run = k.other AND o.plate_tag = p.plate_tag)`,
      );
  } else {
    wanted.features = plan.features;
    names.push("low", "high");
    if (plan.features.length > 0) conditions.push("s.low & k.low = k.low AND s.high & k.high = k.high");
    for (const [field, kind, column] of FILTERS) {
      if (query[field] === "") continue;
      conditions.push(`s.${column} = k.${kind}`);
      names.push(kind);
      wanted.texts.push([kind, query[field]]);
    }
    if (cameras.size <= FEW_CAMERAS) {
      conditions.push("s.camera_tag IN (SELECT value FROM json_each(k.cameras))");
      names.push("cameras");
      wanted.texts.push(...[...cameras].map((id): [TagKind, string] => ["camera", id]));
    }
  }
  const tags = await tagQuery(
    keys.map(({ cipher }) => cipher),
    wanted,
  );
  const rows = keys.map(({ cipher, from }, i) => {
    const { runs, bits, texts } = at(tags, i);
    if (plan.kind === "runs") return [cipher.id, from, runs[0], runs[1] ?? null];
    const words = texts.filter((_, n) => wanted.texts[n]?.[0] !== "camera");
    const of = texts.filter((_, n) => wanted.texts[n]?.[0] === "camera");
    return [cipher.id, from, ...bits, ...words, ...(cameras.size <= FEW_CAMERAS ? [JSON.stringify(of)] : [])];
  });
  const walk =
    plan.kind === "runs"
      ? `plate_runs AS p ON p.key_id = k.id AND p.run = k.run
        CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_plate ON s.key_id = k.id AND s.plate_tag = p.plate_tag`
      : "sealed_reads AS s INDEXED BY sealed_reads_time ON s.key_id = k.id";
  const columns = names.map((name, i) => `value ->> ${i} AS ${name}`).join(", ");
  const sql = `WITH k AS MATERIALIZED (SELECT ${columns} FROM json_each(?1))
    SELECT r.id, r.key_id, r.captured_at, r.sealed
    FROM (
      SELECT s.id
      FROM k
      CROSS JOIN ${walk}
      WHERE ${conditions.join(" AND ")}
      ORDER BY s.captured_at DESC, s.id DESC
      LIMIT ?4
    ) AS f
    CROSS JOIN sealed_reads AS r ON r.id = f.id
    ORDER BY r.captured_at DESC, r.id DESC`;
  return { sql, json: JSON.stringify(rows) };
}
