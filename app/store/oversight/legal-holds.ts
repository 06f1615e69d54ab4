// Legal holds. A hold keeps records only after its approval.

import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { comparedCase, type HoldState } from "#app/entities/oversight/legal-hold.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { legalHolds } from "#app/store/schema/oversight.ts";
import { HOLDS } from "./purge-steps.ts";

export type HoldRecord = typeof legalHolds.$inferSelect;

const OPEN: HoldState[] = ["requested", "active"];

/** Returns a part of an agency's holds: those that wait or are in force, then the others, each newest first. */
export async function listHolds(
  db: ControlDb,
  { agencyId, limit, offset }: { agencyId: string; limit: number; offset: number },
): Promise<HoldRecord[]> {
  return db.query.legalHolds.findMany({
    where: eq(legalHolds.agencyId, agencyId),
    orderBy: [desc(inArray(legalHolds.state, OPEN)), desc(legalHolds.requestedAt), legalHolds.id],
    limit,
    offset,
  });
}

/** Returns how many holds an agency has, in any state. */
export async function countHolds(db: ControlDb, agencyId: string): Promise<number> {
  return db.$count(legalHolds, eq(legalHolds.agencyId, agencyId));
}

/** Returns a hold of this agency in any state; undefined if it is another agency's. */
export async function findHold(
  db: ControlDb,
  input: { id: string; agencyId: string },
): Promise<HoldRecord | undefined> {
  return db.query.legalHolds.findFirst({
    where: and(eq(legalHolds.id, input.id), eq(legalHolds.agencyId, input.agencyId)),
  });
}

/** Inserts a request for a hold, which keeps nothing before another user approves it. */
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

type Decider = { id: string; agencyId: string; by: string; byName: string; at: number };

const isRequested = ({ id, agencyId }: Pick<Decider, "id" | "agencyId">) =>
  and(eq(legalHolds.id, id), eq(legalHolds.agencyId, agencyId), eq(legalHolds.state, "requested"));

/**
 * Notes who is approving a requested hold: purge steps that begin from now on keep its reads. Changes nothing if the
 * approver requested it or it is already decided.
 */
export function beginApproval(db: ControlDb, decider: Decider): Statement {
  const { by, byName, at } = decider;
  return db
    .update(legalHolds)
    .set({ decidedBy: by, decidedByName: byName, decidedAt: at })
    .where(and(isRequested(decider), ne(legalHolds.requestedBy, by)));
}

/** Ends an approval that failed, unless another one has begun since. */
export function endApproval(db: ControlDb, decider: Decider): Statement {
  const { by, at } = decider;
  return db
    .update(legalHolds)
    .set({ decidedBy: null, decidedByName: null, decidedAt: null })
    .where(and(isRequested(decider), eq(legalHolds.decidedBy, by), eq(legalHolds.decidedAt, at)));
}

/**
 * Refuses a requested hold, or approves the one whose approval the decider began last. Changes nothing if the decider
 * requested it or it is already decided.
 */
export function decideHold(db: ControlDb, input: Decider & { state: "active" | "refused" }): Statement {
  return db
    .update(legalHolds)
    .set({ state: input.state, decidedBy: input.by, decidedByName: input.byName, decidedAt: input.at })
    .where(
      and(
        isRequested(input),
        ne(legalHolds.requestedBy, input.by),
        input.state === "active" ? eq(legalHolds.decidedBy, input.by) : undefined,
      ),
    );
}

const ifActive = (column: SQLiteColumn) => sql`iif(state = 'active', ${column}, NULL)`;

/** Releases a hold, approved or not. */
export function releaseHold(
  db: ControlDb,
  input: { id: string; agencyId: string; by: string; byName: string; at: number },
): Statement {
  return db
    .update(legalHolds)
    .set({
      state: "released",
      releasedBy: input.by,
      releasedByName: input.byName,
      releasedAt: input.at,
      // An approval that did not end does not count.
      decidedBy: ifActive(legalHolds.decidedBy),
      decidedByName: ifActive(legalHolds.decidedByName),
      decidedAt: ifActive(legalHolds.decidedAt),
    })
    .where(
      and(
        eq(legalHolds.id, input.id),
        eq(legalHolds.agencyId, input.agencyId),
        inArray(legalHolds.state, OPEN),
      ),
    );
}

/**
 * Returns the case numbers that an agency's holds keep, in the form of `comparedCase`. An agency holds only its own
 * records. Read it before each step of a purge: a hold may be approved while it runs.
 */
export async function findHeldCases(db: ControlDb, agencyId: string): Promise<Set<string>> {
  const holds = await db.query.legalHolds.findMany({
    columns: { caseNumber: true },
    where: and(eq(legalHolds.agencyId, agencyId), HOLDS),
  });
  return new Set(holds.map(({ caseNumber }) => comparedCase(caseNumber)));
}
