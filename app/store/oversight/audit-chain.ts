// The hash chain over the audit log, and its heads in R2, out of reach of anyone who can only write to the database.
// Links are added in the order of sequence numbers, which SQLite assigns inside the transaction, so that no row appears
// behind the last link.

import type { ChainedRow, ChainLink, LinkedRow } from "#app/entities/oversight/audit-chain.ts";
import { at } from "#app/lib/at.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import type { ControlDb } from "#app/store/database.ts";

const COLUMNS = [
  "seq",
  "at",
  "agency_id",
  "user_id",
  "username",
  "session_id",
  "ip",
  "user_agent",
  "action",
  "outcome",
  "object",
  "plate",
  "case_number",
  "programs_queried",
  "detail",
] as const;

const LOG_COLUMNS = COLUMNS.map((name) => `log.${name}`).join(", ");

/** Returns rows without a link, in order. */
export async function listUnsealed(db: ControlDb, limit: number): Promise<ChainedRow[]> {
  const { results } = await db.$client
    .prepare(`
      SELECT ${LOG_COLUMNS}
      FROM audit_log log
      WHERE log.seq > coalesce((SELECT max(seq) FROM audit_chain), 0)
      ORDER BY log.seq
      LIMIT ?`)
    .bind(limit)
    .all<ChainedRow>();
  return results;
}

/** Query plan: one lookup in audit_chain_position for each row of `wanted`, then audit_chain by its primary key. */
const HEADS_SQL = `
  SELECT seq, agency_id AS agencyId, position, hash
  FROM audit_chain
  WHERE seq IN (
    SELECT (
      SELECT seq
      FROM audit_chain
      WHERE agency_id = wanted.value
      ORDER BY position DESC
      LIMIT 1
    )
    FROM wanted
  )`;

/**
 * Query plan: one lookup in audit_chain_position for each chain, which finds the next agency's. DISTINCT reads every link,
 * and the table of agencies has no chains of deleted ones.
 */
const ALL_HEADS_SQL = `
  WITH RECURSIVE wanted (value) AS (
    SELECT min(agency_id)
    FROM audit_chain
    UNION ALL
    SELECT (SELECT min(agency_id) FROM audit_chain WHERE agency_id > wanted.value)
    FROM wanted
    WHERE wanted.value IS NOT NULL
  )
  ${HEADS_SQL}`;

/** Returns the last link of each agency. */
export async function listHeads(db: ControlDb, agencyIds: string[]): Promise<ChainLink[]> {
  const { results } = await db.$client
    .prepare(`WITH wanted AS (SELECT value FROM json_each(?)) ${HEADS_SQL}`)
    .bind(JSON.stringify(agencyIds))
    .all<ChainLink>();
  return results;
}

/** Returns the last link of every agency that has a chain. */
export async function listAllHeads(db: ControlDb): Promise<ChainLink[]> {
  return (await db.$client.prepare(ALL_HEADS_SQL).all<ChainLink>()).results;
}

/** Adds links. Returns false, and adds none, if a concurrent call added one of them. */
export async function addLinks(db: ControlDb, links: ChainLink[], at: number): Promise<boolean> {
  try {
    await db.$client
      .prepare(`
        INSERT INTO audit_chain (seq, agency_id, position, hash, at)
        SELECT value ->> '$.seq', value ->> '$.agencyId', value ->> '$.position', value ->> '$.hash', ?
        FROM json_each(?)`)
      .bind(at, JSON.stringify(links))
      .run();
    return true;
  } catch (error) {
    if (/UNIQUE constraint failed: audit_chain/.test(String(error))) return false;
    throw error;
  }
}

/** Returns a batch of an agency's chain with the rows that it covers; a row is null if it is missing. */
export async function listLinks(
  db: ControlDb,
  input: { agencyId: string; after: number; limit: number },
): Promise<LinkedRow[]> {
  const { results } = await db.$client
    .prepare(`
      SELECT chain.seq AS link_seq, chain.position, chain.hash, ${LOG_COLUMNS}
      FROM audit_chain chain
      LEFT JOIN audit_log log ON log.seq = chain.seq AND log.agency_id = chain.agency_id
      WHERE chain.agency_id = ? AND chain.position > ?
      ORDER BY chain.position
      LIMIT ?`)
    .bind(input.agencyId, input.after, input.limit)
    .all<ChainedRow & { link_seq: number; position: number; hash: string }>();
  return results.map(({ link_seq, position, hash, ...row }) => ({
    link: { seq: link_seq, agencyId: input.agencyId, position, hash },
    row: row.seq === null ? null : row,
  }));
}

/** Returns the link at a position of the chain, or undefined. */
export async function findLink(
  db: ControlDb,
  agencyId: string,
  position: number,
): Promise<ChainLink | undefined> {
  const row = await db.$client
    .prepare(
      "SELECT seq, agency_id AS agencyId, position, hash FROM audit_chain WHERE agency_id = ? AND position = ?",
    )
    .bind(agencyId, position)
    .first<ChainLink>();
  return row ?? undefined;
}

/** Returns the time of the row at a position of an agency's chain in the database, or undefined. */
export async function findLinkedTime(
  db: ControlDb,
  agencyId: string,
  position: number,
): Promise<number | undefined> {
  const row = await db.$client
    .prepare(`
      SELECT log.at
      FROM audit_chain AS chain
      JOIN audit_log AS log ON log.seq = chain.seq
      WHERE chain.agency_id = ? AND chain.position = ?`)
    .bind(agencyId, position)
    .first<{ at: number }>();
  return row?.at;
}

/** Returns the length of an agency's chain, and the number and age of its rows without a link. */
export async function countChain(
  db: ControlDb,
  agencyId: string,
): Promise<{ total: number; waiting: number; oldestWaiting: number | null }> {
  const row = await db.$client
    .prepare(`
      SELECT
        (SELECT coalesce(max(position), 0) FROM audit_chain WHERE agency_id = ?1) AS total,
        count(*) AS waiting,
        min(at) AS oldestWaiting
      FROM audit_log NOT INDEXED
      WHERE agency_id = ?1 AND seq > coalesce((SELECT max(seq) FROM audit_chain), 0)`)
    .bind(agencyId)
    .first<{ total: number; waiting: number; oldestWaiting: number | null }>();
  return row ?? { total: 0, waiting: 0, oldestWaiting: null };
}

export type Head = { agency: string; position: number; seq: number; hash: string };
/** `lost`: heads of earlier hours that the log no longer matched when later ones were stored. */
export type Heads = { at: number; heads: Head[]; lost?: Head[] };

const PREFIX = "audit-heads/";

/** Stores the heads of an hour. The first write of an hour is never overwritten; returns false if there was one. */
export async function putHeads(bucket: R2Bucket, hour: string, heads: Heads): Promise<boolean> {
  const put = await bucket.put(`${PREFIX}${hour}.json`, JSON.stringify(heads), {
    onlyIf: { etagDoesNotMatch: "*" },
    httpMetadata: { contentType: "application/json" },
  });
  return put !== null;
}

/** Returns those of these heads that no link in the database matches. Query plan: audit_chain by its primary key. */
export async function listUnmatched(db: ControlDb, heads: readonly Head[]): Promise<Head[]> {
  const wanted = heads.map(({ seq, agency, position, hash }) => [seq, agency, position, hash]);
  const { results } = await db.$client
    .prepare(`
      SELECT wanted.key AS place
      FROM json_each(?) wanted
      LEFT JOIN audit_chain link ON link.seq = wanted.value ->> 0
      WHERE (link.agency_id, link.position, link.hash)
        IS NOT (wanted.value ->> 1, wanted.value ->> 2, wanted.value ->> 3)`)
    .bind(JSON.stringify(wanted))
    .all<{ place: number }>();
  return results.map(({ place }) => at(heads, place));
}

/** How far back the newest heads before an hour are searched for first. */
const RECENT_MS = 31 * DAY;

/** Returns the newest heads that are stored before an hour, or null. */
export async function findHeadsBefore(bucket: R2Bucket, hour: string): Promise<Heads | null> {
  const recent = isoTime(Date.parse(`${hour}:00Z`) - RECENT_MS).slice(0, 13);
  for (const from of [recent, ""]) {
    let key: string | undefined;
    for await (const { objects } of listPages(bucket, { prefix: PREFIX, startAfter: `${PREFIX}${from}` }))
      key = objects.findLast((object) => object.key < `${PREFIX}${hour}`)?.key ?? key;
    const object = key === undefined ? null : await bucket.get(key);
    if (object) return object.json<Heads>();
  }
  return null;
}

/** Returns whether the heads of an hour are stored. */
export async function hasHeads(bucket: R2Bucket, hour: string): Promise<boolean> {
  return (await bucket.head(`${PREFIX}${hour}.json`)) !== null;
}

/** Returns the first stored hour (`2026-11-03T14`) at or after one, or undefined. */
export async function findHeadHour(bucket: R2Bucket, from: string): Promise<string | undefined> {
  const { objects } = await bucket.list({ prefix: PREFIX, startAfter: `${PREFIX}${from}`, limit: 1 });
  return objects[0]?.key.slice(PREFIX.length, -".json".length);
}

/** Returns the heads of an hour, or null if none are stored. */
export async function findHeads(bucket: R2Bucket, hour: string): Promise<Heads | null> {
  const object = await bucket.get(`${PREFIX}${hour}.json`);
  return object ? object.json<Heads>() : null;
}

/** Returns whether a key is that of heads stored after an instant. */
export async function isHeadsAfter(bucket: R2Bucket, key: string, at: number): Promise<boolean> {
  if (!key.startsWith(PREFIX)) return false;
  const hour = key.slice(PREFIX.length, -".json".length);
  if (hour < isoTime(at).slice(0, 13)) return false;
  const heads = await findHeads(bucket, hour);
  if (!heads) throw new Error(`the heads of ${hour} are gone`);
  return heads.at > at;
}
