// Rekor keys and the Axon integration, for the administrators of their agency. Every query is limited to one tenant.

import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { AxonIntegrationRow, Health, RekorKeyRow } from "#app/entities/integrations/settings.ts";
import { maskedKey } from "#app/entities/integrations/settings.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { chunksOf } from "#app/lib/at.ts";
import { compareNames } from "#app/lib/text.ts";
import { contains, isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import {
  axonBlacklist,
  axonIntegrations,
  axonTokens,
  integrationHealth,
  rekorKeys,
} from "#app/store/schema/integrations.ts";
import { rekorSourceOf } from "./sources.ts";

function healthOf(row: typeof integrationHealth.$inferSelect | null, now: number): Health {
  if (!row) return { state: "unknown", last_ok_at: null, last_failure_at: null, last_failure: null };
  const state =
    row.openUntil > now ? "paused" : row.failures > 0 ? "failing" : row.lastOkAt ? "ok" : "unknown";
  return {
    state,
    last_ok_at: row.lastOkAt,
    last_failure_at: row.lastFailureAt,
    last_failure: row.lastFailure,
  };
}

/** Returns a tenant's keys by agency, with the health of each. */
export async function listRekorKeys(
  db: ControlDb,
  { tenantId, now, among }: { tenantId: string; now: number; among?: readonly string[] },
): Promise<RekorKeyRow[]> {
  const rows = await db
    .select({ key: rekorKeys, health: integrationHealth })
    .from(rekorKeys)
    .leftJoin(integrationHealth, eq(integrationHealth.integrationId, rekorKeys.id))
    .where(and(eq(rekorKeys.tenantId, tenantId), among && isOneOf(rekorKeys.id, among)))
    .orderBy(asc(rekorKeys.id));
  rows.sort((a, b) => compareNames(a.key.agency, b.key.agency));
  return rows.map(({ key, health }) => ({
    id: key.id,
    agency: key.agency,
    api_key: maskedKey(key.keyLast4),
    source_program: "Rekor",
    base_url: key.baseUrl,
    created_at: key.createdAt,
    health: healthOf(health, now),
  }));
}

/**
 * Returns the ids of a tenant's keys by agency: all, or those whose agency, host or last four characters contain a
 * text. They are sorted here, because SQLite puts "Troop 10" before "Troop 2".
 */
export async function listRekorKeyIdsOf(
  db: ControlDb,
  { tenantId, find }: { tenantId: string; find: string },
): Promise<string[]> {
  const { id, agency, baseUrl, keyLast4 } = rekorKeys;
  const rows = await db
    .select({ id, agency })
    .from(rekorKeys)
    .where(and(eq(rekorKeys.tenantId, tenantId), contains([agency, baseUrl, keyLast4], find)))
    .orderBy(asc(id));
  return rows.sort((a, b) => compareNames(a.agency, b.agency)).map((row) => row.id);
}

export type RekorKeyInsert = typeof rekorKeys.$inferInsert;

/** Rows per statement. D1 binds at most 100 values. */
const ROWS_AT_ONCE = 12;

/** Returns the statements that insert any number of keys, 12 in each; empty without keys. */
export function insertRekorKeys(db: ControlDb, rows: readonly RekorKeyInsert[]): Statement[] {
  return chunksOf(rows, ROWS_AT_ONCE).map((part) => db.insert(rekorKeys).values(part));
}

/** Returns one key of a tenant as a search source. */
export async function findRekorKey(
  db: ControlDb,
  { id, tenantId }: { id: string; tenantId: string },
): Promise<(SearchSource & { keyLast4: string }) | undefined> {
  const row = await db.query.rekorKeys.findFirst({
    where: and(eq(rekorKeys.id, id), eq(rekorKeys.tenantId, tenantId)),
  });
  return row && { ...rekorSourceOf(row), keyLast4: row.keyLast4 };
}

/** Returns the ids of the keys of all tenants, in a fixed order. */
export async function listRekorKeyIds(db: ControlDb): Promise<string[]> {
  const rows = await db.select({ id: rekorKeys.id }).from(rekorKeys).orderBy(rekorKeys.id);
  return rows.map(({ id }) => id);
}

/** Returns these keys, of any tenant, as search sources. */
export async function listRekorKeysAmong(db: ControlDb, ids: readonly string[]): Promise<SearchSource[]> {
  return (await db.select().from(rekorKeys).where(isOneOf(rekorKeys.id, ids))).map(rekorSourceOf);
}

/**
 * Returns the agencies that own the cameras of these keys, by key: the tenant, if the key has the tenant's own name. A
 * key with another name reads another agency's cameras, and nothing proves that the name is right.
 */
export async function listKeyOwners(db: ControlDb, keyIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: rekorKeys.id, name: rekorKeys.agency, tenantId: agencies.id, tenant: agencies.name })
    .from(rekorKeys)
    .innerJoin(agencies, eq(agencies.id, rekorKeys.tenantId))
    .where(isOneOf(rekorKeys.id, keyIds));
  // SQLite's lower() changes only A-Z.
  const own = rows.filter(({ name, tenant }) => name.toLowerCase() === tenant.toLowerCase());
  return new Map(own.map(({ id, tenantId }) => [id, tenantId]));
}

/** Gives keys of a tenant the name of an agency. */
export function renameRekorKeys(
  db: ControlDb,
  { tenantId, ids, agency }: { tenantId: string; ids: readonly string[]; agency: string },
): Statement {
  return db
    .update(rekorKeys)
    .set({ agency })
    .where(and(eq(rekorKeys.tenantId, tenantId), isOneOf(rekorKeys.id, ids)));
}

/** Removes a key. `removeTraces` removes its health. */
export function removeRekorKey(db: ControlDb, { id, tenantId }: { id: string; tenantId: string }): Statement {
  return db.delete(rekorKeys).where(and(eq(rekorKeys.id, id), eq(rekorKeys.tenantId, tenantId)));
}

/** Returns statements that remove the health and token of an integration that was deleted or has other credentials. */
export function removeTraces(db: ControlDb, integrationId: string): Statement[] {
  return [
    db.delete(integrationHealth).where(eq(integrationHealth.integrationId, integrationId)),
    db.delete(axonTokens).where(eq(axonTokens.integrationId, integrationId)),
  ];
}

/** Returns an agency's own Axon integration: as its screen shows it, and as a search source. */
export async function findAxonIntegration(
  db: ControlDb,
  { agencyId, now }: { agencyId: string; now: number },
): Promise<{ shown: AxonIntegrationRow; source: SearchSource } | undefined> {
  const [row] = await db
    .select({ integration: axonIntegrations, agency: agencies.name, health: integrationHealth })
    .from(axonIntegrations)
    .innerJoin(agencies, eq(agencies.id, axonIntegrations.agencyId))
    .leftJoin(integrationHealth, eq(integrationHealth.integrationId, axonIntegrations.id))
    .where(eq(axonIntegrations.agencyId, agencyId));
  if (!row) return undefined;
  const { integration, agency, health } = row;
  const { id, baseUrl, clientId, partnerId, createdAt } = integration;
  return {
    shown: {
      agency_name: agency,
      base_url: baseUrl,
      client_id: clientId,
      partner_id: partnerId,
      created_at: createdAt,
      health: healthOf(health, now),
    },
    source: {
      id,
      program: "Axon",
      agency,
      integrationId: id,
      baseUrl,
      sealedSecret: integration.sealedSecret,
      clientId,
      partnerId,
      cameraIds: [],
    },
  };
}

/** Adds the integration unless the agency has one. Run `insertAuditIfChanged` right after it. */
export function insertAxonIntegration(db: ControlDb, row: typeof axonIntegrations.$inferInsert): Statement {
  return db.insert(axonIntegrations).values(row).onConflictDoNothing({ target: axonIntegrations.agencyId });
}

/** Replaces the credentials of an agency's integration. */
export function updateAxonCredentials(
  db: ControlDb,
  { id, agencyId }: { id: string; agencyId: string },
  credentials: Pick<typeof axonIntegrations.$inferInsert, "clientId" | "partnerId" | "sealedSecret">,
): Statement {
  return db
    .update(axonIntegrations)
    .set(credentials)
    .where(and(eq(axonIntegrations.id, id), eq(axonIntegrations.agencyId, agencyId)));
}

/** Deletes an agency's integration with its list of excluded agencies. */
export function removeAxonIntegration(
  db: ControlDb,
  { id, agencyId }: { id: string; agencyId: string },
): Statement {
  return db
    .delete(axonIntegrations)
    .where(and(eq(axonIntegrations.id, id), eq(axonIntegrations.agencyId, agencyId)));
}

/** Returns how many agencies an integration excludes, for the audit row of its deletion. */
export async function countBlacklisted(
  db: ControlDb,
  { integrationId, now }: { integrationId: string; now: number },
): Promise<number> {
  const [row] = await db
    .select({ many: sql<number>`count(*)` })
    .from(axonBlacklist)
    .where(and(eq(axonBlacklist.integrationId, integrationId), lte(axonBlacklist.keptOutFrom, now)));
  return row?.many ?? 0;
}
