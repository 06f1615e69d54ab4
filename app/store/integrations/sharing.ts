// Which agencies may search whose reads, and on what terms. An Axon integration is open to every agency that its owner
// has not blacklisted. Axis reads, and those of Rekor's webhooks, are closed to every agency that their owner has not
// named. Searches and live matches join these tables every time, so terms end on time without a job.

import { and, asc, eq, lte, ne, sql } from "drizzle-orm";
import type { NamedAgency, NamingProgram, SharedAgency } from "#app/entities/integrations/settings.ts";
import { compareNames } from "#app/lib/text.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { axisShares, axonBlacklist, rekorShares } from "#app/store/schema/integrations.ts";

/** The terms of a sharing. `valid_until` is the instant at which it ends, in milliseconds; null means never. */
export type Terms = Pick<SharedAgency, "declaration" | "valid_until">;
type Named = NamedAgency & { terms: Terms | null };
/** One owner's sharing of a program's reads with one other agency. */
type SharePair = { program: NamingProgram; ownerAgencyId: string; viewerAgencyId: string };

const SHARES = { Axis: axisShares, Rekor: rekorShares } satisfies Record<NamingProgram, typeof axisShares>;

/** Returns all other agencies by name: blacklisted, or with their terms, if any. */
export async function listForBlacklist(
  db: ControlDb,
  { integrationId, agencyId }: { integrationId: string; agencyId: string },
): Promise<(Named & { blacklisted: boolean })[]> {
  const rows = await db
    .select({ id: agencies.id, name: agencies.name, row: axonBlacklist })
    .from(agencies)
    .leftJoin(
      axonBlacklist,
      and(eq(axonBlacklist.agencyId, agencies.id), eq(axonBlacklist.integrationId, integrationId)),
    )
    .where(ne(agencies.id, agencyId))
    .orderBy(asc(agencies.id));
  rows.sort((a, b) => compareNames(a.name, b.name));
  return rows.map(({ id, name, row }) => {
    const { keptOutFrom = null, declaration = "" } = row ?? {};
    if (keptOutFrom === 0) return { id, name, blacklisted: true, terms: null };
    const hasTerms = keptOutFrom !== null || declaration !== "";
    return {
      id,
      name,
      blacklisted: false,
      terms: hasTerms ? { declaration, valid_until: keptOutFrom } : null,
    };
  });
}

/**
 * Returns all other agencies by name, with the terms on which an agency's reads are shared with them; null if they are
 * not shared.
 */
export async function listForShares(
  db: ControlDb,
  { program, agencyId }: { program: NamingProgram; agencyId: string },
): Promise<Named[]> {
  const shares = SHARES[program];
  const rows = await db
    .select({ id: agencies.id, name: agencies.name, share: shares })
    .from(agencies)
    .leftJoin(shares, and(eq(shares.viewerAgencyId, agencies.id), eq(shares.ownerAgencyId, agencyId)))
    .where(ne(agencies.id, agencyId))
    .orderBy(asc(agencies.id));
  rows.sort((a, b) => compareNames(a.name, b.name));
  return rows.map(({ id, name, share }) => ({
    id,
    name,
    terms: share && { declaration: share.declaration, valid_until: share.validUntil },
  }));
}

/**
 * Blacklists an agency. Changes one row or none; run `insertAuditIfChanged` right after it. The same applies to the
 * functions below.
 */
export function insertBlacklisted(
  db: ControlDb,
  row: { integrationId: string; agencyId: string; createdAt: number },
): Statement {
  return putAxonRow(db, { ...row, keptOutFrom: 0, declaration: "" });
}

/** Lets an agency search on these terms from now on, or changes the terms. */
export function insertAxonTerms(
  db: ControlDb,
  { terms, ...row }: { integrationId: string; agencyId: string; createdAt: number; terms: Terms },
): Statement {
  return putAxonRow(db, { ...row, keptOutFrom: terms.valid_until, declaration: terms.declaration });
}

function putAxonRow(db: ControlDb, row: typeof axonBlacklist.$inferSelect): Statement {
  const { keptOutFrom, declaration } = row;
  return db
    .insert(axonBlacklist)
    .values(row)
    .onConflictDoUpdate({
      target: [axonBlacklist.integrationId, axonBlacklist.agencyId],
      set: { keptOutFrom, declaration },
      setWhere: sql`${axonBlacklist.declaration} <> ${declaration} OR ${axonBlacklist.keptOutFrom} IS NOT ${keptOutFrom}`,
    });
}

/**
 * Lets a blacklisted agency, or one whose terms have ended, search without terms. An agency that may search keeps its
 * terms.
 */
export function removeBlacklisted(
  db: ControlDb,
  { integrationId, agencyId, now }: { integrationId: string; agencyId: string; now: number },
): Statement {
  return db
    .delete(axonBlacklist)
    .where(
      and(
        eq(axonBlacklist.integrationId, integrationId),
        eq(axonBlacklist.agencyId, agencyId),
        lte(axonBlacklist.keptOutFrom, now),
      ),
    );
}

/** Returns the terms on which an agency shares with another; undefined if it does not. */
export async function findShare(
  db: ControlDb,
  pair: SharePair,
): Promise<{ declaration: string; validUntil: number | null } | undefined> {
  const shares = SHARES[pair.program];
  const [row] = await db
    .select({ declaration: shares.declaration, validUntil: shares.validUntil })
    .from(shares)
    .where(isPair(pair));
  return row;
}

/** Shares reads, or changes the terms. */
export function insertShare(
  db: ControlDb,
  { program, ...row }: SharePair & { createdAt: number; declaration: string; validUntil: number | null },
): Statement {
  const shares = SHARES[program];
  const { declaration, validUntil } = row;
  return db
    .insert(shares)
    .values(row)
    .onConflictDoUpdate({
      target: [shares.ownerAgencyId, shares.viewerAgencyId],
      set: { declaration, validUntil },
      setWhere: sql`${shares.declaration} <> ${declaration} OR ${shares.validUntil} IS NOT ${validUntil}`,
    });
}

/** Ends a sharing. */
export function removeShare(db: ControlDb, pair: SharePair): Statement {
  return db.delete(SHARES[pair.program]).where(isPair(pair));
}

function isPair({ program, ownerAgencyId, viewerAgencyId }: SharePair) {
  const shares = SHARES[program];
  return and(eq(shares.ownerAgencyId, ownerAgencyId), eq(shares.viewerAgencyId, viewerAgencyId));
}

/** Returns an agency unless it is the actor's own. */
export async function findOtherAgency(
  db: ControlDb,
  { id, agencyId }: { id: string; agencyId: string },
): Promise<NamedAgency | undefined> {
  const [row] = await db
    .select({ id: agencies.id, name: agencies.name })
    .from(agencies)
    .where(sql`${agencies.id} = ${id} AND ${agencies.id} <> ${agencyId}`);
  return row;
}
