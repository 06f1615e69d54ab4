// The sources that each tenant may search (Rekor keys, Axon integrations, Axis agencies), with the tenant in every
// query, and the state of integrations between searches (Axon's token, the circuit breaker).

import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { SourceProgram } from "#app/entities/search/query.ts";
import type { SearchSource, TokenStore } from "#app/entities/search/source.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { logWarning } from "#app/lib/log.ts";
import { compareNames } from "#app/lib/text.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";
import {
  axonIntegrations,
  axonTokens,
  integrationHealth,
  rekorKeys,
} from "#app/store/schema/integrations.ts";
import { maySearchAxis, maySearchAxon } from "#app/store/search/permission.ts";

/** The agency that searches, and the time at which its permissions are checked. */
type Tenant = { tenantId: string; now: number };

/** Returns the sources of all programs that the tenant may search: Rekor's, then Axon's, then those of Axis. */
export async function listAllSources(db: ControlDb, tenant: Tenant): Promise<SearchSource[]> {
  const [rekor, axon, axis] = await db.batch([
    rekorRows(db, tenant.tenantId),
    axonRows(db, tenant),
    axisRows(db, tenant),
  ]);
  return [...rekorSourcesOf(rekor), ...axonSourcesOf(axon), ...axisSourcesOf(axis, tenant)];
}

/** Returns a tenant's Rekor keys as search sources, by agency. */
export async function listRekorSources(db: ControlDb, tenantId: string): Promise<SearchSource[]> {
  return rekorSourcesOf(await rekorRows(db, tenantId));
}

/** Returns sources of one program by agency. SQLite would put "Troop 10" before "Troop 2". */
function byAgency(sources: SearchSource[]): SearchSource[] {
  return sources.sort((a, b) => compareNames(a.agency, b.agency));
}

function rekorRows(db: ControlDb, tenantId: string) {
  return db.select().from(rekorKeys).where(eq(rekorKeys.tenantId, tenantId)).orderBy(asc(rekorKeys.id));
}

function rekorSourcesOf(rows: Awaited<ReturnType<typeof rekorRows>>): SearchSource[] {
  return byAgency(rows.map(rekorSourceOf));
}

/** Returns a stored Rekor key as a search source. */
export function rekorSourceOf(row: typeof rekorKeys.$inferSelect): SearchSource {
  return {
    id: row.id,
    program: "Rekor",
    agency: row.agency,
    integrationId: row.id,
    baseUrl: row.baseUrl,
    sealedSecret: row.sealedKey,
    keyLast4: row.keyLast4,
    clientId: "",
    partnerId: "",
    cameraIds: [],
  };
}

/** Returns the Axon integrations of agencies that the tenant may currently search, by agency. */
export async function listAxonSources(db: ControlDb, tenant: Tenant): Promise<SearchSource[]> {
  return axonSourcesOf(await axonRows(db, tenant));
}

function axonRows(db: ControlDb, { tenantId, now, id }: Tenant & { id?: string }) {
  return db
    .select({ integration: axonIntegrations, agency: agencies.name })
    .from(axonIntegrations)
    .innerJoin(agencies, eq(agencies.id, axonIntegrations.agencyId))
    .where(
      and(
        id === undefined ? undefined : eq(axonIntegrations.id, id),
        maySearchAxon(axonIntegrations.id, tenantId, now),
      ),
    )
    .orderBy(asc(agencies.id));
}

function axonSourcesOf(rows: Awaited<ReturnType<typeof axonRows>>): SearchSource[] {
  const sources = rows.map(
    ({ integration, agency }): SearchSource => ({
      id: integration.id,
      program: "Axon",
      agency,
      integrationId: integration.id,
      baseUrl: integration.baseUrl,
      sealedSecret: integration.sealedSecret,
      clientId: integration.clientId,
      partnerId: integration.partnerId,
      cameraIds: [],
    }),
  );
  return byAgency(sources);
}

/**
 * Returns the Axis agencies that currently share with the tenant, and the tenant itself, each with all its cameras, by
 * name.
 */
export async function listAxisSources(db: ControlDb, tenant: Tenant): Promise<SearchSource[]> {
  return axisSourcesOf(await axisRows(db, tenant), tenant);
}

/**
 * Returns the sources of all programs as listAllSources does, but those of Axis without their cameras: one lookup per
 * agency.
 */
export async function listSourcesWithoutCameras(db: ControlDb, tenant: Tenant): Promise<SearchSource[]> {
  const { tenantId, now } = tenant;
  const [rekor, axon, axis] = await db.batch([
    rekorRows(db, tenantId),
    axonRows(db, tenant),
    db
      .select({ agencyId: agencies.id, agency: agencies.name })
      .from(agencies)
      .where(
        and(
          maySearchAxis(agencies.id, tenantId, now),
          sql`EXISTS (SELECT 1 FROM ${axisCameras} c WHERE c.agency_id = ${agencies.id})`,
        ),
      )
      .orderBy(asc(agencies.id)),
  ]);
  return [
    ...rekorSourcesOf(rekor),
    ...axonSourcesOf(axon),
    ...byAgency(axis.map((row) => axisSourceOf(row, [], tenant))),
  ];
}

/** Query plan: each agency is read once, then its cameras by axis_cameras_agency. */
function axisRows(db: ControlDb, { tenantId, now }: Tenant) {
  return db
    .select({ cameraId: axisCameras.id, agencyId: axisCameras.agencyId, agency: agencies.name })
    .from(agencies)
    .crossJoin(axisCameras)
    .where(and(eq(axisCameras.agencyId, agencies.id), maySearchAxis(agencies.id, tenantId, now)))
    .orderBy(asc(agencies.id), asc(axisCameras.id));
}

function axisSourcesOf(rows: Awaited<ReturnType<typeof axisRows>>, tenant: Tenant): SearchSource[] {
  const sources = new Map<string, SearchSource>();
  for (const row of rows) {
    const source = sources.get(row.agencyId);
    if (source) source.cameraIds.push(row.cameraId);
    else sources.set(row.agencyId, axisSourceOf(row, [row.cameraId], tenant));
  }
  return byAgency([...sources.values()]);
}

function axisSourceOf(
  { agencyId, agency }: { agencyId: string; agency: string },
  cameraIds: string[],
  { tenantId }: Pick<Tenant, "tenantId">,
): SearchSource {
  return {
    id: agencyId,
    program: "Axis",
    agency,
    // All Axis sources of a search are asked together. Each tenant has a circuit breaker of its own: wide searches of one
    // that take too long must not stop those of others.
    integrationId: `axis ${tenantId}`,
    baseUrl: "",
    sealedSecret: "",
    clientId: "",
    partnerId: "",
    cameraIds,
  };
}

/**
 * Returns the source of a program with this id, without its cameras, or undefined if the tenant may not search it: one
 * lookup by primary key or index, since pictures ask for it one by one. As in a search, an agency without cameras is
 * no source of Axis.
 */
export async function findSource(
  db: ControlDb,
  { program, id, tenantId, now }: Tenant & { program: SourceProgram; id: string },
): Promise<SearchSource | undefined> {
  switch (program) {
    case "Rekor": {
      const isOwn = and(eq(rekorKeys.id, id), eq(rekorKeys.tenantId, tenantId));
      return (await db.select().from(rekorKeys).where(isOwn).limit(1)).map(rekorSourceOf)[0];
    }
    case "Axon":
      return axonSourcesOf(await axonRows(db, { tenantId, now, id }))[0];
    case "Axis": {
      const [row] = await db
        .select({ agency: agencies.name })
        .from(axisCameras)
        .innerJoin(agencies, eq(agencies.id, axisCameras.agencyId))
        .where(and(eq(axisCameras.agencyId, id), maySearchAxis(axisCameras.agencyId, tenantId, now)))
        .limit(1);
      return row && axisSourceOf({ agencyId: id, agency: row.agency }, [], { tenantId });
    }
  }
}

/** Returns the record that a source's sealed secret is bound to. */
export function secretOwner(source: Pick<SearchSource, "program" | "id">): SealedFor {
  return source.program === "Rekor"
    ? { table: "rekor_keys", id: source.id, field: "key" }
    : { table: "axon_integrations", id: source.id, field: "secret" };
}

const tokenOwner = (id: string): SealedFor => ({ table: "axon_tokens", id, field: "token" });

/**
 * Returns the store of Axon's tokens, sealed at rest. `lease` is one conditional write, so only one of several callers
 * wins.
 */
export function createTokenStore(db: ControlDb, keys: SealingKeys, clock: () => number): TokenStore {
  return {
    async find(integrationId) {
      const row = await db.query.axonTokens.findFirst({ where: eq(axonTokens.integrationId, integrationId) });
      if (!row?.sealedToken || row.expiresAt <= clock()) return null;
      const token = await openToken(keys, integrationId, row.sealedToken);
      return token === null ? null : { token, expiresAt: row.expiresAt };
    },
    async findAll(integrationIds) {
      const { integrationId: id, sealedToken, expiresAt } = axonTokens;
      const among = sql`${id} IN (SELECT value FROM json_each(${JSON.stringify(integrationIds)}))`;
      const rows = await db
        .select({ id, sealedToken, expiresAt })
        .from(axonTokens)
        .where(and(among, gt(expiresAt, clock())));
      const found = new Map<string, { token: string; expiresAt: number }>();
      for (const row of rows) {
        const token = row.sealedToken && (await openToken(keys, row.id, row.sealedToken));
        if (token) found.set(row.id, { token, expiresAt: row.expiresAt });
      }
      return found;
    },
    async lease(integrationId, until) {
      const won = await db
        .insert(axonTokens)
        .values({ integrationId, leasedUntil: until })
        .onConflictDoUpdate({
          target: axonTokens.integrationId,
          set: { leasedUntil: until },
          setWhere: lt(axonTokens.leasedUntil, clock()),
        })
        .returning({ id: axonTokens.integrationId });
      return won.length > 0;
    },
    async save(integrationId, token, expiresAt) {
      const sealedToken = await seal(keys, tokenOwner(integrationId), token);
      await db
        .insert(axonTokens)
        .values({ integrationId, sealedToken, expiresAt, leasedUntil: 0 })
        .onConflictDoUpdate({
          target: axonTokens.integrationId,
          set: { sealedToken, expiresAt, leasedUntil: 0 },
        });
    },
    async forget(integrationId) {
      await db
        .update(axonTokens)
        .set({ sealedToken: null, expiresAt: 0, leasedUntil: 0 })
        .where(eq(axonTokens.integrationId, integrationId));
    },
  };
}

/** Returns null for a token that cannot be opened, so that a new one is fetched: its key may be gone. */
async function openToken(keys: SealingKeys, integrationId: string, sealed: string): Promise<string | null> {
  try {
    return await unseal(keys, tokenOwner(integrationId), sealed);
  } catch (error) {
    logWarning(`the stored Axon token of ${integrationId} cannot be opened`, error);
    return null;
  }
}

/** Returns integrations whose circuit breaker is open, with the time until which they are not called. */
export async function listOpenBreakers(
  db: ControlDb,
  ids: string[],
  now: number,
): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: integrationHealth.integrationId, openUntil: integrationHealth.openUntil })
    .from(integrationHealth)
    .where(and(isOneOf(integrationHealth.integrationId, ids), sql`${integrationHealth.openUntil} > ${now}`));
  return new Map(rows.map((row) => [row.id, row.openUntil]));
}

/** Consecutive failures that open an integration's circuit breaker, and how long it stays open. */
export const BREAKER_FAILURES = 5;
const BREAKER_PAUSE_MS = 30_000;

/** How an integration answered: null is a successful answer. */
type Outcome = { integrationId: string; failure: string | null };

/** Query plan: one pass over the outcomes sent, known integrations by primary key. */
const upsertOutcomes = (outcomes: string, now: number) => sql`
  INSERT INTO ${integrationHealth}
    (integration_id, failures, open_until, last_ok_at, last_failure_at, last_failure)
  SELECT value ->> 'integrationId', value ->> 'failure' IS NOT NULL, 0,
    CASE WHEN value ->> 'failure' IS NULL THEN ${now} END,
    CASE WHEN value ->> 'failure' IS NOT NULL THEN ${now} END,
    value ->> 'failure'
  FROM json_each(${outcomes})
  WHERE true
  ON CONFLICT (integration_id) DO UPDATE SET
    failures = CASE excluded.failures WHEN 0 THEN 0 ELSE integration_health.failures + 1 END,
    open_until = CASE
      WHEN excluded.failures > 0 AND integration_health.failures + 1 >= ${BREAKER_FAILURES}
      THEN ${now + BREAKER_PAUSE_MS}
      ELSE 0 END,
    last_ok_at = coalesce(excluded.last_ok_at, integration_health.last_ok_at),
    last_failure_at = coalesce(excluded.last_failure_at, integration_health.last_failure_at),
    last_failure = coalesce(excluded.last_failure, integration_health.last_failure)`;

/**
 * Returns the statements that record integrations' answers for their circuit breakers, one for some thousand of them. A
 * successful answer closes the breaker.
 */
export function noteIntegrations(db: ControlDb, outcomes: readonly Outcome[], now: number): Statement[] {
  return jsonChunks(outcomes).map(({ json }) => db.run(upsertOutcomes(json, now)));
}
