/**
 * For test files that share a workerd, in which the product has cached rows of earlier files: each day has the same
 * database in every file, and the epoch of the wildcard entries is a new one.
 */
import { env } from "cloudflare:workers";
import { DAY, utcDay } from "#app/lib/time/dates.ts";

const { DB } = env as unknown as { DB: D1Database };

const FIRST_DAY = utcDay(Date.UTC(2015, 0, 1));
const LAST_DAY = utcDay(Date.now() + 10 * 365 * DAY);

await DB.batch([
  DB.prepare("UPDATE wildcard_versions SET epoch = ?").bind(Date.now()),
  DB.prepare(
    `INSERT INTO read_databases (name, state, state_at)
    VALUES ('READS_0', 'open', 0), ('READS_1', 'open', 0), ('READS_2', 'open', 0), ('READS_3', 'open', 0)`,
  ),
  // READS_3 gets no day, for tests that drain or remove it.
  // Numbers in the text, because D1 binds each as a float.
  DB.prepare(
    `WITH RECURSIVE days (day) AS (SELECT ${FIRST_DAY} UNION ALL SELECT day + 1 FROM days WHERE day < ${LAST_DAY})
    INSERT INTO read_places (day, part, database, placed_at) SELECT day, 0, 'READS_' || (day % 3), 0 FROM days`,
  ),
]);
