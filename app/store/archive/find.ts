// Finds sealed reads in one database, a page at a time by key, never by OFFSET: what its tags let through is opened and
// looked at here, and more is asked for until a page is full. The SQL is written by hand, since each way names the index
// to walk (INDEXED BY), which drizzle cannot say; every clause is one of the texts below, all values are bound.

import { plateMatches } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { ReadCipher } from "./cipher.ts";
import { type NewRead, openRead } from "./rows.ts";
import { type Asked, type TagKind, tagQuestion } from "./tags.ts";
import type { PlatePlan } from "./words.ts";

/** Where a page begins: only reads that are older, or as old with a smaller id. */
export type ReadKey = { capturedAt: number; id: number };

export type FoundRead = { id: number; read: NewRead };

/** A key that may have fitting reads, and the oldest instant of its reads that may be shown. */
export type SearchedKey = { cipher: ReadCipher; from: number };

export type Looking = {
  database: D1Database;
  keys: SearchedKey[];
  plan: Exclude<PlatePlan, { kind: "impossible" }>;
  query: SightingQuery;
  /** Cameras whose reads may be shown. */
  cameras: ReadonlySet<string>;
};

type Row = { id: number; key_id: number; captured_at: number; sealed: string };

/** With more cameras, whether a read is of one of them is seen when it is opened: tags for all keys would cost more. */
const FEW_CAMERAS = 4;

const FILTERS = [
  ["make", "make", "make_tag"],
  ["color", "color", "color_tag"],
  ["bodyType", "body", "body_tag"],
  ["plateState", "state", "state_tag"],
] as const;

/**
 * Gives a page: as many reads as `limit`, fewer only where they end. Null where `check`, which is asked in the same call,
 * gives a row.
 */
export type AskPage = (
  after: ReadKey,
  limit: number,
  check?: D1PreparedStatement,
) => Promise<FoundRead[] | null>;

/** Prepares to ask a database. */
export async function lookFor(looking: Looking): Promise<AskPage> {
  const { database, keys, query, cameras } = looking;
  const { sql, json } = await statementOf(looking);
  const ciphers = new Map(keys.map(({ cipher }) => [cipher.id, cipher]));
  const statement = database.prepare(sql);
  return async (after, limit, check) => {
    const found: FoundRead[] = [];
    let { capturedAt, id } = after;
    let first = check;
    // What the tags let through by chance is rare where they say much, and little is asked for where they say nothing.
    for (let asked = limit; ; ) {
      const page = statement.bind(json, capturedAt, id, asked);
      const answers = await database.batch<Row>(first ? [page, first] : [page]);
      if (answers[1]?.results.length) return null;
      first = undefined;
      const rows = answers[0]?.results ?? [];
      const reads = await Promise.all(
        rows.map((row) => openRead(ciphers.get(row.key_id) as ReadCipher, row)),
      );
      for (const [at, read] of reads.entries()) {
        if (found.length === limit) break;
        if (fits(read, query, cameras)) found.push({ id: (rows[at] as Row).id, read });
      }
      const last = rows.at(-1);
      if (found.length === limit || !last || rows.length < asked) return found;
      [id, capturedAt] = [last.id, last.captured_at];
      asked = Math.min(asked * 2, MOST_ROWS);
    }
  };
}

/** Rows of one answer: some megabyte. */
const MOST_ROWS = 4000;

function fits(read: NewRead, query: SightingQuery, cameras: ReadonlySet<string>): boolean {
  return (
    cameras.has(read.cameraId) &&
    FILTERS.every(([field]) => query[field] === "" || query[field] === read[field]) &&
    plateMatches(query.plate, read.plate)
  );
}

/** The statement of a search and, as one bound value, for each key what its reads have to have. */
async function statementOf(looking: Looking): Promise<{ sql: string; json: string }> {
  const { keys, plan, query, cameras } = looking;
  const names = ["id", "since"];
  const conditions = ["s.captured_at BETWEEN k.since AND ?2 AND (s.captured_at < ?2 OR s.id < ?3)"];
  const asked: Asked = { runs: [], features: [], texts: [] };
  if (plan.kind === "runs") {
    asked.runs = plan.runs;
    names.push("run", "other");
    if (plan.runs.length > 1)
      conditions.unshift(
        "EXISTS (SELECT 1 FROM plate_runs AS o WHERE o.key_id = k.id AND o.run = k.other AND o.plate_tag = p.plate_tag)",
      );
  } else {
    asked.features = plan.features;
    names.push("low", "high");
    if (plan.features.length > 0) conditions.push("s.low & k.low = k.low AND s.high & k.high = k.high");
    for (const [field, kind, column] of FILTERS) {
      if (query[field] === "") continue;
      conditions.push(`s.${column} = k.${kind}`);
      names.push(kind);
      asked.texts.push([kind, query[field]]);
    }
    if (cameras.size <= FEW_CAMERAS) {
      conditions.push("s.camera_tag IN (SELECT value FROM json_each(k.cameras))");
      names.push("cameras");
      asked.texts.push(...[...cameras].map((id): [TagKind, string] => ["camera", id]));
    }
  }
  const tags = await tagQuestion(
    keys.map(({ cipher }) => cipher),
    asked,
  );
  const rows = keys.map(({ cipher, from }, i) => {
    const { runs, bits, texts } = tags[i] as (typeof tags)[number];
    if (plan.kind === "runs") return [cipher.id, from, runs[0], runs[1] ?? null];
    const words = texts.filter((_, n) => asked.texts[n]?.[0] !== "camera");
    const of = texts.filter((_, n) => asked.texts[n]?.[0] === "camera");
    return [cipher.id, from, ...bits, ...words, ...(cameras.size <= FEW_CAMERAS ? [JSON.stringify(of)] : [])];
  });
  const walk =
    plan.kind === "runs"
      ? `plate_runs AS p ON p.key_id = k.id AND p.run = k.run
        CROSS JOIN sealed_reads AS s INDEXED BY sealed_reads_plate ON s.key_id = k.id AND s.plate_tag = p.plate_tag`
      : "sealed_reads AS s INDEXED BY sealed_reads_time ON s.key_id = k.id";
  const sql = `WITH k AS MATERIALIZED (SELECT ${names.map((name, i) => `value ->> ${i} AS ${name}`).join(", ")} FROM json_each(?1))
    SELECT r.id, r.key_id, r.captured_at, r.sealed FROM (
      SELECT s.id FROM k CROSS JOIN ${walk} WHERE ${conditions.join(" AND ")}
      ORDER BY s.captured_at DESC, s.id DESC LIMIT ?4
    ) AS f CROSS JOIN sealed_reads AS r ON r.id = f.id ORDER BY r.captured_at DESC, r.id DESC`;
  return { sql, json: JSON.stringify(rows) };
}
