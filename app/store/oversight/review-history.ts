// The parts of archived searches that the review compares: the history of a user's hours and plates. Written when the
// rows leave the database, deleted when no review needs them.

import { sql } from "drizzle-orm";
import { HOURS_HISTORY_MS } from "#app/entities/oversight/review.ts";
import { DAY, SECOND } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";

/** Returns the statement that keeps what the review needs of these rows since an instant, before they are deleted. */
export function keepForReview(
  db: ControlDb,
  input: { agencyId: string; seqs: readonly number[]; from: number },
): Statement {
  // OR IGNORE: an older backup of the database may have rows that were archived before.
  return db.run(sql`
    INSERT OR IGNORE INTO review_searches (agency_id, user_id, at, seq, plate, case_number)
    SELECT agency_id, user_id, at, seq, plate, case_number
    FROM audit_log
    WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(input.seqs)}))
      AND agency_id = ${input.agencyId}
      AND action = 'search'
      AND outcome = 'ok'
      AND at >= ${input.from}`);
}

/** Deletes what no agency's review needs any longer. */
export async function forgetReviewed(db: ControlDb): Promise<void> {
  await db.run(sql`
    DELETE FROM review_searches
    WHERE at < (
      SELECT min(runs.day)
      FROM review_runs runs
      JOIN agencies ON agencies.id = runs.agency_id
    ) * ${DAY} - ${HOURS_HISTORY_MS}
      AND at < unixepoch() * ${SECOND} - ${HOURS_HISTORY_MS}`);
}
