// The steps of purges, and the approvals of holds that wait for them. Holds are in the control database, reads and their
// images elsewhere, so that no transaction covers both. A step therefore notes itself in the statement that reads what is
// held, and an approval notes itself before it lists the steps: one of the two sees the other.

import { and, eq, sql } from "drizzle-orm";
import { comparedCase, type Held } from "#app/entities/oversight/legal-hold.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { type ControlDb, inOneStep, type Statement } from "#app/store/database.ts";
import { purgeSteps } from "#app/store/schema/oversight.ts";

/** Longer than any step takes. An approval waits this long for a step whose worker was killed. */
const STEP_MS = 30 * SECOND;
/** A step stops deleting this long before an approval stops waiting: the clocks of two databases may differ. */
const CLOCKS_DIFFER_MS = 5 * SECOND;

const NOW = sql.raw("CAST(unixepoch('subsec') * 1000 AS INTEGER)");

/** The condition for a hold to keep its records: it is active, or being approved. */
export const HOLDS = sql.raw("(state = 'active' OR (state = 'requested' AND decided_by IS NOT NULL))");

type StoredHold = { plates: string[]; from: number; until: number; caseNumber: string };

/**
 * Begins a step of a purge of an agency's records, which ends the former step of the same `run`. Returns what the holds
 * keep, and until when the step may delete. An agency holds only its own records.
 */
export async function beginPurgeStep(
  db: ControlDb,
  { run, agencyId }: { run: string; agencyId: string },
): Promise<Held & { cases: Set<string> }> {
  const [row] = await db.all<{ until: number; holds: string }>(sql`
    INSERT INTO ${purgeSteps} (run, agency_id, step, until)
    VALUES (${run}, ${agencyId}, 1, ${NOW} + ${STEP_MS})
    ON CONFLICT (run) DO UPDATE SET step = step + 1, until = excluded.until
    RETURNING until, (
      SELECT json_group_array(json_object(
        'plates', json(plates), 'from', from_at, 'until', until_at, 'caseNumber', case_number))
      FROM legal_holds
      WHERE agency_id = ${agencyId} AND ${HOLDS}) AS holds`);
  if (!row) throw new Error("the step of a purge was not noted");
  const holds: StoredHold[] = JSON.parse(row.holds);
  return {
    plates: holds.flatMap(({ plates, from, until }) => plates.map((plate) => ({ plate, from, until }))),
    cases: new Set(holds.map(({ caseNumber }) => comparedCase(caseNumber))),
    until: row.until - CLOCKS_DIFFER_MS,
  };
}

/** Ends the last step of a run, and forgets those of workers that were killed. */
export async function endPurgeSteps(db: ControlDb, run: string): Promise<void> {
  await db.delete(purgeSteps).where(sql`${purgeSteps.run} = ${run} OR ${purgeSteps.until} < ${NOW}`);
}

export type PurgeStep = { run: string; step: number };

/** Runs a statement. Returns the agency's steps that began before it. */
export async function changeAmongSteps(
  db: ControlDb,
  change: Statement,
  agencyId: string,
): Promise<PurgeStep[]> {
  const [, steps] = await inOneStep(db, [
    change,
    db
      .select({ run: purgeSteps.run, step: purgeSteps.step })
      .from(purgeSteps)
      .where(and(eq(purgeSteps.agencyId, agencyId), sql`${purgeSteps.until} > ${NOW}`)),
  ]);
  return steps as PurgeStep[];
}

/** Returns whether one of these steps may still delete. */
export async function isPurging(db: ControlDb, steps: readonly PurgeStep[]): Promise<boolean> {
  const found = await db.all(sql`
    SELECT 1
    FROM json_each(${JSON.stringify(steps)}) AS s
    CROSS JOIN ${purgeSteps} AS p ON p.run = s.value ->> 'run' AND p.step = s.value ->> 'step'
    WHERE p.until > ${NOW}
    LIMIT 1`);
  return found.length > 0;
}
