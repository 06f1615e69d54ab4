// Single sign-on: an agency's provider, its email domains, the users of the people it names, and messages already used.

import { and, asc, eq, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import type {
  RequestedDomain,
  RequestedFactor,
  SignOnButton,
} from "#app/entities/accounts/sign-on-settings.ts";
import { UNMATCHABLE_HASH } from "#app/lib/crypto/passwords.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { unlessFull } from "#app/store/constraints.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import {
  signOnDomains,
  signOnIdentities,
  signOnProviders,
  usedSignOns,
} from "#app/store/schema/single-sign-on.ts";

export type SignOnProviderRow = typeof signOnProviders.$inferSelect;

/** Returns the settings of an agency's provider, enabled or not, with its sealed secret; undefined if it has none. */
export async function findSignOnProvider(
  db: ControlDb,
  agencyId: string,
): Promise<SignOnProviderRow | undefined> {
  return db.query.signOnProviders.findFirst({ where: eq(signOnProviders.agencyId, agencyId) });
}

/**
 * Stores the settings of an agency's provider. Its test and its last failure belong to the former settings, and so does
 * the owner's approval unless issuer, client and `acr_values` stay.
 */
export function saveSignOnProvider(
  db: ControlDb,
  row: Omit<SignOnProviderRow, "testedAt" | "lastFailureAt" | "lastFailure" | "secondFactorApprovedAt">,
): Statement {
  const { agencyId, ...settings } = row;
  const cleared = { testedAt: null, lastFailureAt: null, lastFailure: null };
  const secondFactorApprovedAt = sql`CASE
    WHEN issuer = excluded.issuer AND client_id = excluded.client_id AND acr_values = excluded.acr_values
      THEN second_factor_approved_at
  END`;
  return db
    .insert(signOnProviders)
    .values({ ...row, ...cleared, secondFactorApprovedAt: null })
    .onConflictDoUpdate({
      target: signOnProviders.agencyId,
      set: { ...settings, ...cleared, secondFactorApprovedAt },
    });
}

/** Returns the providers whose second factor their agencies want to count, those that await approval first. */
export async function listFactors(db: ControlDb): Promise<RequestedFactor[]> {
  return db
    .select({
      agency_id: signOnProviders.agencyId,
      agency: agencies.name,
      issuer: signOnProviders.issuer,
      client_id: signOnProviders.clientId,
      acr_values: signOnProviders.acrValues,
      changed_at: signOnProviders.changedAt,
      approved_at: signOnProviders.secondFactorApprovedAt,
    })
    .from(signOnProviders)
    .innerJoin(agencies, eq(agencies.id, signOnProviders.agencyId))
    .where(eq(signOnProviders.trustSecondFactor, true))
    .orderBy(asc(isNotNull(signOnProviders.secondFactorApprovedAt)), asc(agencies.name))
    .limit(1000);
}

/** Approves a provider's second factor, or withdraws it (`at` null), unless the settings were changed in the meantime. */
export function approveFactor(
  db: ControlDb,
  input: { agencyId: string; changedAt: number; at: number | null },
): Statement {
  const { agencyId, changedAt, at } = input;
  const approvedAt = signOnProviders.secondFactorApprovedAt;
  return db
    .update(signOnProviders)
    .set({ secondFactorApprovedAt: at })
    .where(
      and(
        eq(signOnProviders.agencyId, agencyId),
        eq(signOnProviders.changedAt, changedAt),
        eq(signOnProviders.trustSecondFactor, true),
        at === null ? isNotNull(approvedAt) : isNull(approvedAt),
      ),
    );
}

/** Deletes an agency's provider. Its email domains and the links between its persons and users stay. */
export function removeSignOnProvider(db: ControlDb, agencyId: string): Statement {
  return db.delete(signOnProviders).where(eq(signOnProviders.agencyId, agencyId));
}

/** Records the result of a test, unless the settings were changed in the meantime. */
export function noteSignOnTest(
  db: ControlDb,
  input: { agencyId: string; changedAt: number; testedAt: number | null },
): Statement {
  return db
    .update(signOnProviders)
    .set({ testedAt: input.testedAt })
    .where(and(eq(signOnProviders.agencyId, input.agencyId), eq(signOnProviders.changedAt, input.changedAt)));
}

/** Records why a sign-in failed, at most once a minute, because anyone can make one fail. */
export async function noteSignOnFailure(
  db: ControlDb,
  input: { agencyId: string; at: number; failure: string },
): Promise<void> {
  await db
    .update(signOnProviders)
    .set({ lastFailureAt: input.at, lastFailure: input.failure })
    .where(
      and(
        eq(signOnProviders.agencyId, input.agencyId),
        or(isNull(signOnProviders.lastFailureAt), lt(signOnProviders.lastFailureAt, input.at - MINUTE)),
      ),
    );
}

/** Returns the buttons for the sign-in page, by name. */
export async function listSignOnButtons(db: ControlDb, limit: number): Promise<SignOnButton[]> {
  return db
    .select({
      agency_id: signOnProviders.agencyId,
      name: signOnProviders.buttonName,
      agency: agencies.name,
    })
    .from(signOnProviders)
    .innerJoin(agencies, eq(agencies.id, signOnProviders.agencyId))
    .where(and(eq(signOnProviders.enabled, true), eq(signOnProviders.showButton, true)))
    .orderBy(asc(sql`lower(${signOnProviders.buttonName})`), asc(signOnProviders.agencyId))
    .limit(limit);
}

/** Returns whether any email domain leads to an agency with single sign-on. */
export async function hasSignOnDomain(db: ControlDb): Promise<boolean> {
  const [row] = await db
    .select({ domain: signOnDomains.domain })
    .from(signOnDomains)
    .innerJoin(signOnProviders, eq(signOnProviders.agencyId, signOnDomains.agencyId))
    .where(and(isNotNull(signOnDomains.approvedAt), eq(signOnProviders.enabled, true)))
    .limit(1);
  return row !== undefined;
}

/** Returns the agency with single sign-on that has the owner's approval for an email domain. */
export async function findAgencyOfDomain(db: ControlDb, domain: string): Promise<string | undefined> {
  const [row] = await db
    .select({ agencyId: signOnDomains.agencyId })
    .from(signOnDomains)
    .innerJoin(signOnProviders, eq(signOnProviders.agencyId, signOnDomains.agencyId))
    .where(
      and(
        eq(signOnDomains.domain, domain),
        isNotNull(signOnDomains.approvedAt),
        eq(signOnProviders.enabled, true),
      ),
    );
  return row?.agencyId;
}

/** Returns the email domains of an agency, or of all agencies (`null`), those that await approval first. */
export async function listDomains(db: ControlDb, agencyId: string | null): Promise<RequestedDomain[]> {
  return db
    .select({
      domain: signOnDomains.domain,
      agency_id: signOnDomains.agencyId,
      agency: agencies.name,
      requested_at: signOnDomains.requestedAt,
      approved_at: signOnDomains.approvedAt,
    })
    .from(signOnDomains)
    .innerJoin(agencies, eq(agencies.id, signOnDomains.agencyId))
    .where(agencyId === null ? undefined : eq(signOnDomains.agencyId, agencyId))
    .orderBy(asc(isNotNull(signOnDomains.approvedAt)), asc(signOnDomains.domain), asc(agencies.name))
    .limit(1000);
}

/**
 * Adds a request for a domain unless the agency has one. Breaks the constraint on `sign_on_domains.requested_at` if it
 * already has `most` domains.
 */
export function insertDomain(
  db: ControlDb,
  row: { domain: string; agencyId: string; requestedAt: number; requestedBy: string },
  most: number,
): Statement {
  const among = sql`agency_id = ${row.agencyId}`;
  const requestedAt = unlessFull(signOnDomains, { among, most, value: row.requestedAt });
  return db
    .insert(signOnDomains)
    .values({ ...row, requestedAt })
    .onConflictDoNothing();
}

type DomainKey = { domain: string; agencyId: string };
const isDomain = ({ domain, agencyId }: DomainKey) =>
  and(eq(signOnDomains.domain, domain), eq(signOnDomains.agencyId, agencyId));

/** Approves a request. Breaks the constraint on `sign_on_domains.domain` if another agency has the domain. */
export function approveDomain(db: ControlDb, input: DomainKey & { at: number }): Statement {
  return db
    .update(signOnDomains)
    .set({ approvedAt: input.at })
    .where(and(isDomain(input), isNull(signOnDomains.approvedAt)));
}

/** Deletes an agency's domain or request for it. Requests of other agencies for the same domain stay. */
export function removeDomain(db: ControlDb, input: DomainKey): Statement {
  return db.delete(signOnDomains).where(isDomain(input));
}

/** Returns the user of a person at the agency's provider; undefined if the person has never signed in. */
export async function findIdentity(
  db: ControlDb,
  input: { agencyId: string; issuer: string; subject: string },
): Promise<string | undefined> {
  const row = await db.query.signOnIdentities.findFirst({
    where: and(
      eq(signOnIdentities.agencyId, input.agencyId),
      eq(signOnIdentities.issuer, input.issuer),
      eq(signOnIdentities.subject, input.subject),
    ),
  });
  return row?.userId;
}

/** Returns whether a user is already a person of the provider. */
export async function hasIdentity(
  db: ControlDb,
  input: { agencyId: string; issuer: string; userId: string },
): Promise<boolean> {
  const row = await db.query.signOnIdentities.findFirst({
    where: and(
      eq(signOnIdentities.agencyId, input.agencyId),
      eq(signOnIdentities.issuer, input.issuer),
      eq(signOnIdentities.userId, input.userId),
    ),
  });
  return row !== undefined;
}

/** Disconnects a user from their persons at the agency's providers. */
export function removeIdentities(db: ControlDb, input: { agencyId: string; userId: string }): Statement {
  return db
    .delete(signOnIdentities)
    .where(and(eq(signOnIdentities.agencyId, input.agencyId), eq(signOnIdentities.userId, input.userId)));
}

/** Records the user of a person at the provider. A person whose user was deleted may become another user. */
export function saveIdentity(db: ControlDb, row: typeof signOnIdentities.$inferInsert): Statement {
  return db
    .insert(signOnIdentities)
    .values(row)
    .onConflictDoUpdate({
      target: [signOnIdentities.agencyId, signOnIdentities.issuer, signOnIdentities.subject],
      set: { userId: row.userId, createdAt: row.createdAt },
    });
}

/**
 * Fails a batch, by the constraint on `users.email`, if the provider's settings, the policy about second factors or the
 * person's user have changed since they were read. Changes nothing.
 */
export function requireIdentityUnchanged(
  db: ControlDb,
  input: { provider: SignOnProviderRow; subject: string; userId: string; secondFactorRequired: boolean },
): Statement {
  const { provider, subject, userId, secondFactorRequired } = input;
  const { agencyId, issuer, clientId, changedAt, secondFactorApprovedAt } = provider;
  // Query plan: user, provider and agency by primary key, the person by sign_on_identities_user.
  const requirement = sql`
    UPDATE ${users}
    SET email = CASE
      WHEN EXISTS (
        SELECT 1
        FROM ${signOnProviders}
        WHERE agency_id = ${agencyId}
          AND issuer = ${issuer}
          AND client_id = ${clientId}
          AND enabled = 1
          AND changed_at = ${changedAt}
          AND second_factor_approved_at IS ${secondFactorApprovedAt}
      )
        AND EXISTS (
          SELECT 1
          FROM ${agencies}
          WHERE id = ${agencyId} AND second_factor_required = ${secondFactorRequired ? 1 : 0}
        )
        AND EXISTS (
          SELECT 1
          FROM ${signOnIdentities}
          WHERE agency_id = ${agencyId} AND issuer = ${issuer} AND subject = ${subject} AND user_id = ${userId}
        )
        THEN email
    END
    WHERE id = ${userId}
  `;
  return db.run(requirement);
}

/** Returns the users of an agency with an email address, ignoring case; at most two. */
export async function listUsersByEmail(
  db: ControlDb,
  input: { agencyId: string; email: string },
): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.agencyId, input.agencyId),
        isNull(users.deletedAt),
        eq(sql`lower(${users.email})`, input.email),
      ),
    )
    .limit(2);
  return rows.map(({ id }) => id);
}

/** Marks a message of a provider as used. Returns false if it was used before. */
export async function takeOnce(db: ControlDb, input: { id: string; until: number }): Promise<boolean> {
  const taken = await db
    .insert(usedSignOns)
    .values(input)
    .onConflictDoNothing()
    .returning({ id: usedSignOns.id });
  return taken.length === 1;
}

/** Marks a message of a provider as used. Breaks the constraint on `used_sign_ons.id` if it was used before. */
export function insertUsed(db: ControlDb, input: { id: string; until: number }): Statement {
  return db.insert(usedSignOns).values(input);
}

/** Deletes the ids of used messages that are remembered only until before `now` (epoch milliseconds). */
export async function removeUsedSignOns(db: ControlDb, now: number): Promise<void> {
  await db.delete(usedSignOns).where(lt(usedSignOns.until, now));
}

/** Returns whether a user is the break-glass account of its agency. */
export async function isBreakGlass(db: ControlDb, userId: string): Promise<boolean> {
  const row = await db.query.signOnProviders.findFirst({
    where: eq(signOnProviders.breakGlassUserId, userId),
  });
  return row !== undefined;
}

/** Returns the active administrators of an agency who have a password that they chose. */
export async function listBreakGlassUsers(
  db: ControlDb,
  agencyId: string,
): Promise<{ id: string; name: string; username: string }[]> {
  return db
    .select({ id: users.id, name: users.name, username: users.username })
    .from(users)
    .where(
      and(
        eq(users.agencyId, agencyId),
        eq(users.role, "admin"),
        isNull(users.disabledAt),
        isNull(users.deletedAt),
        isNull(users.temporaryUntil),
        // A user whom single sign-on created has no password.
        ne(users.passwordHash, UNMATCHABLE_HASH),
      ),
    )
    .orderBy(asc(sql`lower(${users.name})`))
    .limit(500);
}
