// Agencies and their policies.

import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import {
  type AgencyPolicy,
  type AgencyWithPolicy,
  FIRST_RETENTION_DAYS,
} from "#app/entities/users/policy.ts";
import { contains, isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";

/** Returns every agency with its policy and its number of users, by name. */
export async function listAgencies(db: ControlDb): Promise<AgencyWithPolicy[]> {
  return (await agencyRows(db, "")).map(withPolicy);
}

/** Returns the first `most` agencies, by name, whose name contains a text. */
export async function findAgencies(
  db: ControlDb,
  { find, most }: { find: string; most: number },
): Promise<AgencyWithPolicy[]> {
  return (await agencyRows(db, find).limit(most)).map(withPolicy);
}

/** Returns how many agencies have a name that contains a text. */
export async function countAgencies(db: ControlDb, find: string): Promise<number> {
  return db.$count(agencies, contains([agencies.name], find));
}

function agencyRows(db: ControlDb, find: string) {
  return db
    .select({ agency: agencies, users: count(users.id) })
    .from(agencies)
    .leftJoin(users, and(eq(users.agencyId, agencies.id), isNull(users.deletedAt)))
    .where(contains([agencies.name], find))
    .groupBy(agencies.id)
    .orderBy(asc(sql`${agencies.name} COLLATE NOCASE`), asc(agencies.id));
}

function withPolicy({ agency, users: members }: Awaited<ReturnType<typeof agencyRows>>[number]) {
  return { id: agency.id, name: agency.name, users: members, policy: policyOf(agency) };
}

function policyOf(agency: typeof agencies.$inferSelect): AgencyPolicy {
  return {
    second_factor_required: agency.secondFactorRequired,
    idle_minutes: agency.idleMinutes,
    absolute_minutes: agency.absoluteMinutes,
    password_max_age_days: agency.passwordMaxAgeDays,
    search_limit_days: agency.searchLimitDays,
    retention_days: agency.retentionDays,
    record_retention_days: agency.recordRetentionDays,
    audit_retention_days: agency.auditRetentionDays,
    hotlist_expiry_days: agency.hotlistExpiryDays,
    result_lifetime_minutes: agency.resultLifetimeMinutes,
    case_number_required: agency.caseNumberRequired,
    purpose_required: agency.purposeRequired,
    investigators: agency.investigators,
    investigations_per_day: agency.investigationsPerDay,
    time_zone: agency.timeZone,
  };
}

/** Returns any agency with its policy, or undefined. */
export async function findAgency(
  db: ControlDb,
  id: string,
): Promise<{ id: string; name: string; policy: AgencyPolicy } | undefined> {
  const agency = await db.query.agencies.findFirst({ where: eq(agencies.id, id) });
  return agency && { id: agency.id, name: agency.name, policy: policyOf(agency) };
}

/** Returns an agency's time zone as an IANA name, or undefined if the agency does not exist. */
export async function findTimeZone(db: ControlDb, agencyId: string): Promise<string | undefined> {
  const agency = await db.query.agencies.findFirst({
    columns: { timeZone: true },
    where: eq(agencies.id, agencyId),
  });
  return agency?.timeZone;
}

/** Returns how many days each of these agencies keeps its reads. */
export async function findRetentionDays(db: ControlDb, agencyIds: string[]): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: agencies.id, days: agencies.retentionDays })
    .from(agencies)
    .where(isOneOf(agencies.id, agencyIds));
  return new Map(rows.map(({ id, days }) => [id, days]));
}

/** Returns whether another agency has this name, ignoring case. */
export async function isAgencyNameTaken(
  db: ControlDb,
  input: { name: string; exceptId?: string },
): Promise<boolean> {
  const found = await db.query.agencies.findFirst({
    where: sql`lower(${agencies.name}) = lower(${input.name}) AND ${agencies.id} <> ${input.exceptId ?? ""}`,
    columns: { id: true },
  });
  return found !== undefined;
}

/**
 * Inserts an agency with the defaults of the policy. The batch fails on `agencies.name` if another has exactly this
 * name.
 */
export function insertAgency(
  db: ControlDb,
  agency: { id: string; name: string; createdAt: number },
): Statement {
  return db.insert(agencies).values({ ...agency, retentionDays: FIRST_RETENTION_DAYS });
}

/** Replaces an agency's name and whole policy. The batch fails on `agencies.name` if another has exactly this name. */
export function updateAgency(
  db: ControlDb,
  agency: { id: string; name: string; policy: AgencyPolicy },
): Statement {
  const { id, name, policy } = agency;
  return db
    .update(agencies)
    .set({
      name,
      secondFactorRequired: policy.second_factor_required,
      idleMinutes: policy.idle_minutes,
      absoluteMinutes: policy.absolute_minutes,
      passwordMaxAgeDays: policy.password_max_age_days,
      searchLimitDays: policy.search_limit_days,
      retentionDays: policy.retention_days,
      recordRetentionDays: policy.record_retention_days,
      auditRetentionDays: policy.audit_retention_days,
      hotlistExpiryDays: policy.hotlist_expiry_days,
      resultLifetimeMinutes: policy.result_lifetime_minutes,
      caseNumberRequired: policy.case_number_required,
      purposeRequired: policy.purpose_required,
      investigators: policy.investigators,
      investigationsPerDay: policy.investigations_per_day,
      timeZone: policy.time_zone,
    })
    .where(eq(agencies.id, id));
}
