// Findings of the review: what its queue shows, and how they are counted. Pages begin where another ended, each from an
// index that holds its order.

import { sql } from "drizzle-orm";
import type { ControlDb } from "./database.ts";

/** Findings made in [from, to), in ms: how many, how many of them were decided, how many as a violation. */
export async function countReviews(
  db: ControlDb,
  agencyId: string,
  from: number,
  to: number,
): Promise<{ findings: number; reviewed: number; violations: number }> {
  const [counts] = await db.all<{ findings: number; reviewed: number; violations: number }>(
    sql`select count(*) as findings, coalesce(sum(decisions > 0), 0) as reviewed,
      coalesce(sum(verdict = 'violation'), 0) as violations
      from review_findings indexed by review_findings_made
      where agency_id = ${agencyId} and created_at >= ${from} and created_at < ${to}`,
  );
  return counts ?? { findings: 0, reviewed: 0, violations: 0 };
}
