// Who may search whose reads. An Axon integration is open to every agency that its owner has not blacklisted; Axis
// reads are closed to every agency that their owner has not named. Searches join these tables anew each time.

import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { NamedAgency, SharedAgency } from "#app/entities/integration.ts";
import type { ControlDb, Statement } from "./database.ts";
import { agencies } from "./schema-accounts.ts";
import { axisShares, axonBlacklist } from "./schema-integrations.ts";

/** Every other agency by name, and whether an Axon integration keeps it out. */
export async function listForBlacklist(
  db: ControlDb,
  { integrationId, agencyId }: { integrationId: string; agencyId: string },
): Promise<(NamedAgency & { listed: boolean })[]> {
  const rows = await db
    .select({ id: agencies.id, name: agencies.name, since: axonBlacklist.createdAt })
    .from(agencies)
    .leftJoin(
      axonBlacklist,
      and(eq(axonBlacklist.agencyId, agencies.id), eq(axonBlacklist.integrationId, integrationId)),
    )
    .where(ne(agencies.id, agencyId))
    .orderBy(asc(agencies.name));
  return rows.map(({ id, name, since }) => ({ id, name, listed: since !== null }));
}

/** Every other agency by name, and on what terms it may search an agency's Axis reads; null where it was not named. */
export async function listForShares(
  db: ControlDb,
  agencyId: string,
): Promise<(NamedAgency & { terms: Pick<SharedAgency, "declaration" | "valid_until"> | null })[]> {
  const rows = await db
    .select({ id: agencies.id, name: agencies.name, share: axisShares })
    .from(agencies)
    .leftJoin(
      axisShares,
      and(eq(axisShares.viewerAgencyId, agencies.id), eq(axisShares.ownerAgencyId, agencyId)),
    )
    .where(ne(agencies.id, agencyId))
    .orderBy(asc(agencies.name));
  return rows.map(({ id, name, share }) => ({
    id,
    name,
    terms: share && { declaration: share.declaration, valid_until: share.validUntil },
  }));
}

/** The four changes; each changes a row or none, which `insertAuditIfChanged` right after it tells. */
export function insertBlacklisted(
  db: ControlDb,
  row: { integrationId: string; agencyId: string; createdAt: number },
): Statement {
  return db.insert(axonBlacklist).values(row).onConflictDoNothing();
}

export function removeBlacklisted(
  db: ControlDb,
  { integrationId, agencyId }: { integrationId: string; agencyId: string },
): Statement {
  return db
    .delete(axonBlacklist)
    .where(and(eq(axonBlacklist.integrationId, integrationId), eq(axonBlacklist.agencyId, agencyId)));
}

/** On what terms an agency shares with another; undefined where it does not. */
export async function findShare(
  db: ControlDb,
  { ownerAgencyId, viewerAgencyId }: { ownerAgencyId: string; viewerAgencyId: string },
): Promise<{ declaration: string; validUntil: number | null } | undefined> {
  const [row] = await db
    .select({ declaration: axisShares.declaration, validUntil: axisShares.validUntil })
    .from(axisShares)
    .where(and(eq(axisShares.ownerAgencyId, ownerAgencyId), eq(axisShares.viewerAgencyId, viewerAgencyId)));
  return row;
}

/** Shares, or shares on from now on on other terms. */
export function insertShare(
  db: ControlDb,
  row: {
    ownerAgencyId: string;
    viewerAgencyId: string;
    createdAt: number;
    declaration: string;
    validUntil: number | null;
  },
): Statement {
  const { declaration, validUntil } = row;
  return db
    .insert(axisShares)
    .values(row)
    .onConflictDoUpdate({
      target: [axisShares.ownerAgencyId, axisShares.viewerAgencyId],
      set: { declaration, validUntil },
      setWhere: sql`${axisShares.declaration} <> ${declaration} or ${axisShares.validUntil} is not ${validUntil}`,
    });
}

export function removeShare(
  db: ControlDb,
  { ownerAgencyId, viewerAgencyId }: { ownerAgencyId: string; viewerAgencyId: string },
): Statement {
  return db
    .delete(axisShares)
    .where(and(eq(axisShares.ownerAgencyId, ownerAgencyId), eq(axisShares.viewerAgencyId, viewerAgencyId)));
}

/** The name of an agency that is not the asker's own. */
export async function findOtherAgency(
  db: ControlDb,
  { id, agencyId }: { id: string; agencyId: string },
): Promise<NamedAgency | undefined> {
  const [row] = await db
    .select({ id: agencies.id, name: agencies.name })
    .from(agencies)
    .where(sql`${agencies.id} = ${id} and ${agencies.id} <> ${agencyId}`);
  return row;
}
