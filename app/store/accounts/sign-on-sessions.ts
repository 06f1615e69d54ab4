// Sessions that a provider of single sign-on opened, and those of passwords where they are turned off.

import { and, eq, inArray, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { LOGOUT_KEPT_MS } from "#app/entities/accounts/single-sign-on.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, sessions, users } from "#app/store/schema/accounts.ts";
import { signOnProviders, usedSignOns } from "#app/store/schema/single-sign-on.ts";
import { revokeSessionsWhere } from "./sessions.ts";

export type EndedSession = { id: string; userId: string; username: string };

/** Remembers what a logout token has ended, unless the token (`tokenId`) was used before. */
export async function noteLogout(
  db: ControlDb,
  input: { tokenId: string; endedIds: readonly string[]; at: number },
): Promise<void> {
  await db.run(sql`
    INSERT INTO ${usedSignOns} (id, until)
    SELECT value, ${input.at + LOGOUT_KEPT_MS}
    FROM json_each(${JSON.stringify(input.endedIds)})
    WHERE NOT EXISTS (SELECT 1 FROM ${usedSignOns} WHERE id = ${input.tokenId})
    ON CONFLICT (id) DO UPDATE SET until = excluded.until`);
}

/** An id that a logout may have ended, and the time from which a logout counts, in epoch milliseconds. */
export type MayHaveEnded = { id: string; since: number };

/**
 * Fails a batch, by the constraint on `used_sign_ons.id`, if a logout token has ended one of these. Changes nothing.
 */
export function requireNotEnded(db: ControlDb, ids: readonly MayHaveEnded[]): Statement {
  return db.run(sql`
    INSERT INTO ${usedSignOns} (id, until)
    SELECT NULL, 0
    WHERE EXISTS (
      SELECT 1
      FROM json_each(${JSON.stringify(ids)}) AS named
      CROSS JOIN ${usedSignOns} AS noted ON noted.id = named.value ->> 'id'
      WHERE noted.until - ${LOGOUT_KEPT_MS} >= named.value ->> 'since')`);
}

/** Returns the sessions of an agency that its provider opened and may end: by its own session, or by the person. */
export async function listSignOnSessions(
  db: ControlDb,
  input: { agencyId: string; issuer: string; subject: string | null; session: string | null },
): Promise<EndedSession[]> {
  const { agencyId, issuer, subject, session } = input;
  return db
    .select({ id: sessions.id, userId: sessions.userId, username: users.username })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(users.agencyId, agencyId),
        eq(sessions.signOnIssuer, issuer),
        isNull(sessions.revokedAt),
        subject === null ? undefined : eq(sessions.signOnSubject, subject),
        session === null
          ? undefined
          : or(
              eq(sessions.signOnSession, session),
              // The provider did not name its session at the sign-in, but names the person now.
              subject === null ? undefined : isNull(sessions.signOnSession),
            ),
      ),
    );
}

/** Ends these sessions, of any number and any users; those that have already ended keep their time. */
export function revokeTheseSessions(db: ControlDb, input: { ids: string[]; now: number }): Statement {
  return revokeSessionsWhere(
    db,
    input.now,
    inArray(sessions.id, sql`(SELECT value FROM json_each(${JSON.stringify(input.ids)}))`),
  );
}

/** Ends the sessions of an agency that a password opened, except one session and those of these users. */
export function revokePasswordSessions(
  db: ControlDb,
  input: {
    agencyId: string;
    exceptSession: string;
    exceptUsername: string;
    exceptUserId: string;
    now: number;
  },
): Statement {
  const others: SQL = sql`${sessions.userId} IN (
    SELECT id
    FROM ${users}
    WHERE agency_id = ${input.agencyId} AND id <> ${input.exceptUserId} AND username <> ${input.exceptUsername}
  )`;
  return revokeSessionsWhere(
    db,
    input.now,
    isNull(sessions.signOnIssuer),
    sql`${sessions.id} <> ${input.exceptSession}`,
    others,
  );
}

/** Ends the sessions of an agency, or of one of its users, that single sign-on opened, except one session. */
export function revokeSignOnSessions(
  db: ControlDb,
  input: { agencyId: string; userId?: string; exceptSession: string; now: number },
): Statement {
  const { agencyId, userId, exceptSession, now } = input;
  return revokeSessionsWhere(
    db,
    now,
    isNotNull(sessions.signOnIssuer),
    ne(sessions.id, exceptSession),
    userId === undefined ? undefined : eq(sessions.userId, userId),
    sql`${sessions.userId} IN (SELECT id FROM ${users} WHERE agency_id = ${agencyId})`,
  );
}

/** Returns which of these users of the agency have a session that single sign-on opened. */
export async function listSignedOnUsers(
  db: ControlDb,
  input: { agencyId: string; userIds: readonly string[] },
): Promise<{ id: string; username: string }[]> {
  return db
    .selectDistinct({ id: users.id, username: users.username })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(users.agencyId, input.agencyId), isSignedOn(input.userIds)));
}

const isSignedOn = (userIds: readonly string[]) =>
  and(
    isNull(sessions.revokedAt),
    isNotNull(sessions.signOnIssuer),
    inArray(sessions.userId, sql`(SELECT value FROM json_each(${JSON.stringify(userIds)}))`),
  );

/** Ends the sessions of these users of the agency that single sign-on opened. */
export function revokeSignOnSessionsOf(
  db: ControlDb,
  input: { agencyId: string; userIds: readonly string[]; now: number },
): Statement {
  return revokeSessionsWhere(
    db,
    input.now,
    sql`${sessions.userId} IN (SELECT id FROM ${users} WHERE agency_id = ${input.agencyId})`,
    isSignedOn(input.userIds),
  );
}

/**
 * Ends the full sessions of an agency that single sign-on opened, if its policy requires a second factor and these
 * sessions may rest on the provider's: it is approved or, with `approved: false`, it is trusted without an approval,
 * which a policy without that requirement allows. With `changedAt`, only if the settings have not changed since.
 */
export function revokeProviderFactorSessions(
  db: ControlDb,
  input: { agencyId: string; approved?: boolean; changedAt?: number; now: number },
): Statement {
  const { agencyId, approved = true, changedAt, now } = input;
  const { secondFactorApprovedAt } = signOnProviders;
  const counted = db
    .select({ agencyId: signOnProviders.agencyId })
    .from(signOnProviders)
    .innerJoin(agencies, eq(agencies.id, signOnProviders.agencyId))
    .where(
      and(
        eq(signOnProviders.agencyId, agencyId),
        eq(signOnProviders.trustSecondFactor, true),
        approved ? isNotNull(secondFactorApprovedAt) : isNull(secondFactorApprovedAt),
        changedAt === undefined ? undefined : eq(signOnProviders.changedAt, changedAt),
        eq(agencies.secondFactorRequired, true),
      ),
    );
  const ofAgency = db.select({ id: users.id }).from(users).where(inArray(users.agencyId, counted));
  return revokeSessionsWhere(
    db,
    now,
    isNotNull(sessions.signOnIssuer),
    eq(sessions.state, "full"),
    inArray(sessions.userId, ofAgency),
  );
}
