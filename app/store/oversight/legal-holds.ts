// Legal holds. A hold keeps records only after its approval.

import { and, desc, eq, inArray, ne } from "drizzle-orm";
import { comparedCase, type HeldPlate, type HoldState } from "#app/entities/oversight/legal-hold.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { legalHolds } from "#app/store/schema/oversight.ts";

export type HoldRecord = typeof legalHolds.$inferSelect;

/** Returns an agency's holds, newest first. */
export async function listHolds(db: ControlDb, agencyId: string): Promise<HoldRecord[]> {
  return db.query.legalHolds.findMany({
    where: eq(legalHolds.agencyId, agencyId),
    orderBy: desc(legalHolds.requestedAt),
    limit: 500,
  });
}

export async function findHold(
  db: ControlDb,
  input: { id: string; agencyId: string },
): Promise<HoldRecord | undefined> {
  return db.query.legalHolds.findFirst({
    where: and(eq(legalHolds.id, input.id), eq(legalHolds.agencyId, input.agencyId)),
  });
}

export function insertHold(
  db: ControlDb,
  hold: Pick<
    HoldRecord,
    | "id"
    | "agencyId"
    | "caseNumber"
    | "reason"
    | "plates"
    | "from"
    | "until"
    | "requestedBy"
    | "requestedByName"
    | "requestedAt"
  >,
): Statement {
  return db.insert(legalHolds).values({ ...hold, state: "requested" });
}

/** Approves or refuses a requested hold. Changes nothing if the decider requested it or it is already decided. */
export function decideHold(
  db: ControlDb,
  input: {
    id: string;
    agencyId: string;
    state: "active" | "refused";
    by: string;
    byName: string;
    at: number;
  },
): Statement {
  return db
    .update(legalHolds)
    .set({ state: input.state, decidedBy: input.by, decidedByName: input.byName, decidedAt: input.at })
    .where(
      and(
        eq(legalHolds.id, input.id),
        eq(legalHolds.agencyId, input.agencyId),
        eq(legalHolds.state, "requested"),
        ne(legalHolds.requestedBy, input.by),
      ),
    );
}

/** Releases a hold, approved or not. */
export function releaseHold(
  db: ControlDb,
  input: { id: string; agencyId: string; by: string; byName: string; at: number },
): Statement {
  const open: HoldState[] = ["requested", "active"];
  return db
    .update(legalHolds)
    .set({ state: "released", releasedBy: input.by, releasedByName: input.byName, releasedAt: input.at })
    .where(
      and(
        eq(legalHolds.id, input.id),
        eq(legalHolds.agencyId, input.agencyId),
        inArray(legalHolds.state, open),
      ),
    );
}

/** Returns the plates under active holds, by agency. An agency holds only its own reads. */
export async function listHeldPlates(db: ControlDb): Promise<Map<string, HeldPlate[]>> {
  const rows = await db.query.legalHolds.findMany({ where: eq(legalHolds.state, "active") });
  const held = new Map<string, HeldPlate[]>();
  for (const { agencyId, plates, from, until } of rows) {
    const own = held.get(agencyId) ?? [];
    own.push(...plates.map((plate) => ({ plate, from, until })));
    held.set(agencyId, own);
  }
  return held;
}

/** Returns the case numbers under active holds in the form of `comparedCase`, by agency. */
export async function listHeldCases(db: ControlDb): Promise<Map<string, Set<string>>> {
  const rows = await db.query.legalHolds.findMany({
    where: eq(legalHolds.state, "active"),
    columns: { agencyId: true, caseNumber: true },
  });
  const held = new Map<string, Set<string>>();
  for (const { agencyId, caseNumber } of rows)
    held.set(agencyId, (held.get(agencyId) ?? new Set()).add(comparedCase(caseNumber)));
  return held;
}
