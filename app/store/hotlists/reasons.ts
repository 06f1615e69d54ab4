// The reasons that an agency gives for its entries.

import { sql } from "drizzle-orm";
import type { ControlDb } from "#app/store/database.ts";

/** Number of entries that are read per group: an imported list may have two million. */
const SAMPLE = 200;
const LONGEST = 80;

/**
 * Returns the most frequent reasons of the agency's own groups, in a sample of each. Query plan: alert_groups_agency,
 * then the first entries of each group in hotlist_entries_plate.
 */
const COMMON_REASONS = (agencyId: string, limit: number) => sql`
  SELECT e.reason AS reason
  FROM alert_groups AS g
  CROSS JOIN hotlist_entries AS e ON e.id IN (
    SELECT i.id FROM hotlist_entries AS i INDEXED BY hotlist_entries_plate WHERE i.group_id = g.id LIMIT ${SAMPLE}
  )
  WHERE g.agency_id = ${agencyId} AND g.archived_at IS NULL AND e.reason <> '' AND length(e.reason) <= ${LONGEST}
  GROUP BY e.reason
  ORDER BY count(*) DESC, e.reason
  LIMIT ${limit}
`;

/** Returns at most `limit` of the agency's most frequent reasons. */
export async function listCommonReasons(
  db: ControlDb,
  input: { agencyId: string; limit: number },
): Promise<string[]> {
  const rows = await db.all<{ reason: string }>(COMMON_REASONS(input.agencyId, input.limit));
  return rows.map(({ reason }) => reason);
}
