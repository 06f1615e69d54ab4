// The statements that store camera events (events.ts). Each takes all of its rows as one bound JSON text, `j`; passes are
// found by the index `sealed_reads_pass` (key, pass tag, time).

import { MAX_PASS, PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import { COLUMNS, ROWS } from "./rows.ts";

const ALL = COLUMNS.join(", ");
const PASS_COLUMNS = COLUMNS.slice(0, 3)
  .map((column, i) => `value ->> ${i} AS ${column}`)
  .join(", ");
const PASS = `j AS MATERIALIZED (SELECT key AS place, ${PASS_COLUMNS} FROM json_each(?))`;
const inPass = (t: string, back = PASS_WINDOW) => `${t}.key_id = j.key_id AND ${t}.pass_tag = j.pass_tag
  AND ${t}.captured_at BETWEEN j.captured_at - ${back} AND j.captured_at + ${PASS_WINDOW}`;

/** Inserts reads; a pass that exists with the same key, tag and time stays as it is. */
export const INSERT = `WITH ${ROWS}
  INSERT OR IGNORE INTO sealed_reads (${ALL})
  SELECT ${ALL} FROM j WHERE true`;
/** How a new pass looks for an existing one that began up to `back` milliseconds before it, by the index over passes. */
const lookBack = (back: number) => ({
  back,
  /** Inserts only new passes. */
  open: `WITH ${ROWS}
    INSERT OR IGNORE INTO sealed_reads (${ALL})
    SELECT ${ALL} FROM j
    WHERE NOT EXISTS (SELECT 1 FROM sealed_reads AS r INDEXED BY sealed_reads_pass WHERE ${inPass("r", back)})
    RETURNING id, key_id, pass_tag, captured_at`,
});
export type PassQueries = ReturnType<typeof lookBack>;
/** For a vehicle's first event: looks back by the pass window only. */
export const NEAR = lookBack(PASS_WINDOW);
/** An event that is not a vehicle's first may belong to a pass that began hours ago. */
export const FAR = lookBack(MAX_PASS);
/** Returns the passes that events may belong to, each once, in the order of time. */
export const FIND = `WITH ${PASS}
  SELECT id, key_id, pass_tag, revision, captured_at, sealed
  FROM sealed_reads
  WHERE id IN (
    SELECT r.id
    FROM j
    CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_pass ON ${inPass("r", MAX_PASS)})
  ORDER BY captured_at`;
const AMENDED = COLUMNS.slice(3);
/** Takes the id and revision of each read, the number of its amendments, and its new columns. */
export const AMEND = `UPDATE sealed_reads
  SET ${AMENDED.map((column, i) => `${column} = j.value ->> ${i + 3}`).join(", ")},
    revision = revision + (j.value ->> 2)
  FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0 AND sealed_reads.revision = j.value ->> 1
  RETURNING id`;
/** Claims passes for the day of their key, unless one within the pass window is already claimed. */
export const CLAIM = `WITH ${PASS}
  INSERT INTO sealed_midnights (key_id, pass_tag, captured_at)
  SELECT key_id, pass_tag, captured_at FROM j
  WHERE key_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sealed_midnights AS m WHERE ${inPass("m")})`;
/** Returns the claimed times within the pass window of events, with the places of the events in the list. */
export const CLAIMED = `WITH ${PASS}
  SELECT j.place, m.captured_at
  FROM j
  CROSS JOIN sealed_midnights AS m ON ${inPass("m")}`;

/** Returns the places of the rows that exist with exactly this key, pass and time. */
export const EXACT = `WITH ${PASS}
  SELECT j.place
  FROM j
  CROSS JOIN sealed_reads AS r INDEXED BY sealed_reads_pass
    ON r.key_id = j.key_id AND r.pass_tag = j.pass_tag AND r.captured_at = j.captured_at`;
