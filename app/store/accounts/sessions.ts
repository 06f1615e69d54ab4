// Sessions. Tokens are stored as hashes; a session that has ended is not found. Its maximum duration is the policy of
// the user's agency, read with each request.

import { and, count, desc, eq, gt, isNull, lt, ne, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SessionState } from "#app/entities/accounts/access.ts";
import type { Actor, Caller } from "#app/entities/accounts/actor.ts";
import type { Investigators } from "#app/entities/users/policy.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { type ControlDb, preparedOnce, type Statement } from "#app/store/database.ts";
import { agencies, sessions, users } from "#app/store/schema/accounts.ts";

export type NewSession = {
  id: string;
  tokenHash: string;
  userId: string;
  kind: "cookie" | "bearer";
  state: SessionState;
  passwordDue: boolean;
  at: number;
  caller: Caller;
  noticeVersion: string;
  /** When the user proved who they are, if not now. */
  provedAt?: number;
  /** Who the user is at the agency's identity provider, if it opened the session. */
  signOn?: { issuer: string; subject: string; session: string | null };
};

/** Inserts a session, with at most 300 characters of the user agent. The batch fails if its token hash is in use. */
export function insertSession(db: ControlDb, session: NewSession): Statement {
  return db.insert(sessions).values({
    id: session.id,
    tokenHash: session.tokenHash,
    userId: session.userId,
    kind: session.kind,
    state: session.state,
    passwordDue: session.passwordDue,
    provedAt: session.provedAt ?? session.at,
    createdAt: session.at,
    lastSeenAt: session.at,
    ip: session.caller.ip,
    userAgent: session.caller.userAgent.slice(0, 300),
    noticeVersion: session.noticeVersion,
    signOnIssuer: session.signOn?.issuer ?? null,
    signOnSubject: session.signOn?.subject ?? null,
    signOnSession: session.signOn?.session ?? null,
  });
}

export type LiveSession = Omit<Actor, "isOwner" | "investigator" | "ip" | "userAgent"> & {
  kind: "cookie" | "bearer";
  lastSeenAt: number;
  sessionState: SessionState;
  provedAt: number;
  sessionCreatedAt: number;
  noticeVersion: string;
  signOnIssuer: string | null;
  /** From the agency's policy. */
  idleMinutes: number;
  absoluteMinutes: number;
  investigators: Investigators;
};

/** The columns that describe an actor, from the user and the agency. */
export const ACTOR_COLUMNS = {
  userId: users.id,
  username: users.username,
  name: users.name,
  email: users.email,
  role: users.role,
  hotlistAdmin: users.hotlistAdmin,
  hotlistViewer: users.hotlistViewer,
  agencyId: users.agencyId,
  agencyName: agencies.name,
  investigators: agencies.investigators,
};

function selectSession(db: ControlDb, is: SQL) {
  return db
    .select({
      sessionId: sessions.id,
      kind: sessions.kind,
      lastSeenAt: sessions.lastSeenAt,
      sessionState: sessions.state,
      provedAt: sessions.provedAt,
      sessionCreatedAt: sessions.createdAt,
      noticeVersion: sessions.noticeVersion,
      signOnIssuer: sessions.signOnIssuer,
      idleMinutes: agencies.idleMinutes,
      absoluteMinutes: agencies.absoluteMinutes,
      ...ACTOR_COLUMNS,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(is, isNull(users.disabledAt), isLive(sql.placeholder("now"))))
    .prepare();
}

const sessionOfToken = preparedOnce((db) =>
  selectSession(db, eq(sessions.tokenHash, sql.placeholder("tokenHash"))),
);
const sessionOfId = preparedOnce((db) => selectSession(db, eq(sessions.id, sql.placeholder("id"))));

/**
 * Returns the active session of a token, or with an id: not revoked, not expired, and its user not disabled.
 */
export async function findSession(
  db: ControlDb,
  input: ({ tokenHash: string } | { id: string }) & { now: number },
): Promise<LiveSession | undefined> {
  return "id" in input ? sessionOfId(db).get(input) : sessionOfToken(db).get(input);
}

/** Returns whether there is a session of this token, active or not. */
export async function hasSession(db: ControlDb, tokenHash: string): Promise<boolean> {
  const [row] = await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.tokenHash, tokenHash));
  return row !== undefined;
}

/**
 * The condition for an active session: not revoked, and neither unused for too long nor too old by the agency's policy.
 */
function isLive(now: number | Placeholder) {
  return and(
    isNull(sessions.revokedAt),
    gt(sessions.lastSeenAt, sql`${now} - ${agencies.idleMinutes} * ${MINUTE}`),
    gt(sessions.createdAt, sql`${now} - ${agencies.absoluteMinutes} * ${MINUTE}`),
  );
}

/** Returns the active sessions of a user, most recently used first. */
export async function listSessions(
  db: ControlDb,
  input: { userId: string; now: number; limit?: number | undefined },
) {
  return db
    .select({
      id: sessions.id,
      kind: sessions.kind,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      ip: sessions.ip,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(eq(sessions.userId, input.userId), isLive(input.now)))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
    .limit(input.limit ?? -1);
}

/** Returns how many active sessions a user has. */
export async function countSessions(db: ControlDb, input: { userId: string; now: number }): Promise<number> {
  const [row] = await db
    .select({ active: count() })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(and(eq(sessions.userId, input.userId), isLive(input.now)));
  return row?.active ?? 0;
}

/**
 * Gives a session a new token and, if given, another state, and discards its passkey challenge. Breaks the constraint on
 * `sessions.token_hash` if the session was ended.
 */
export function updateSession(
  db: ControlDb,
  session: { id: string; state?: SessionState; tokenHash: string; provedAt: number },
): Statement {
  const { id, tokenHash, ...rest } = session;
  return db
    .update(sessions)
    .set({ ...rest, tokenHash: unlessRevoked(tokenHash), challenge: null, challengeUntil: null })
    .where(eq(sessions.id, id));
}

const unlessRevoked = (tokenHash: unknown) =>
  sql<string>`CASE WHEN ${sessions.revokedAt} IS NULL THEN ${tokenHash} END`;

/** Fails a batch, by the constraint on `sessions.token_hash`, if a session was ended. Changes nothing. */
export function requireSessionLive(db: ControlDb, id: string): Statement {
  return db
    .update(sessions)
    .set({ tokenHash: unlessRevoked(sessions.tokenHash) })
    .where(eq(sessions.id, id));
}

/** Records the version of the use notification that was acknowledged. Changes nothing if it is already recorded. */
export function acknowledgeNotice(db: ControlDb, session: { id: string; version: string }): Statement {
  return db
    .update(sessions)
    .set({ noticeVersion: session.version })
    .where(and(eq(sessions.id, session.id), ne(sessions.noticeVersion, session.version)));
}

/** Returns whether the password must be changed once this session has passed the second factor. */
export async function isPasswordDue(db: ControlDb, id: string): Promise<boolean> {
  const row = await db.query.sessions.findFirst({
    where: eq(sessions.id, id),
    columns: { passwordDue: true },
  });
  return row?.passwordDue ?? false;
}

/** Stores the challenge that a passkey has to answer within this session. */
export async function setChallenge(
  db: ControlDb,
  input: { sessionId: string; challenge: string; until: number },
): Promise<void> {
  await db
    .update(sessions)
    .set({ challenge: input.challenge, challengeUntil: input.until })
    .where(eq(sessions.id, input.sessionId));
}

/** Returns the challenge of a session and removes it, so that it can be used once; undefined if it has expired. */
export async function takeChallenge(
  db: ControlDb,
  input: { sessionId: string; now: number },
): Promise<string | undefined> {
  const before = await db.query.sessions.findFirst({
    where: eq(sessions.id, input.sessionId),
    columns: { challenge: true, challengeUntil: true },
  });
  if (!before?.challenge || (before.challengeUntil ?? 0) <= input.now) return undefined;
  const taken = await db
    .update(sessions)
    .set({ challenge: null, challengeUntil: null })
    .where(and(eq(sessions.id, input.sessionId), eq(sessions.challenge, before.challenge)))
    .returning({ id: sessions.id });
  return taken.length === 1 ? before.challenge : undefined;
}

/** Records that a session was used. Writes at most once in `everyMs`, so that reading pages stays cheap. */
export async function touchSession(
  db: ControlDb,
  input: { id: string; now: number; everyMs: number },
): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: input.now })
    .where(and(eq(sessions.id, input.id), lt(sessions.lastSeenAt, input.now - input.everyMs)));
}

/** Ends a session; one that has already ended keeps its time. */
export function revokeSession(db: ControlDb, id: string, now: number): Statement {
  return revokeSessionsWhere(db, now, eq(sessions.id, id));
}

/** Ends every session for which all these conditions hold. At least one is required, or it would end all sessions. */
export function revokeSessionsWhere(
  db: ControlDb,
  now: number,
  ...conditions: [SQL, ...(SQL | undefined)[]]
): Statement {
  return db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(isNull(sessions.revokedAt), ...conditions));
}

/** Ends every session of a user, optionally all but one, and optionally only under a condition. */
export function revokeSessions(
  db: ControlDb,
  input: { userId: string; now: number; except?: string; onlyIf?: SQL },
): Statement {
  return revokeSessionsWhere(
    db,
    input.now,
    eq(sessions.userId, input.userId),
    input.except === undefined ? undefined : ne(sessions.id, input.except),
    input.onlyIf,
  );
}

/**
 * Deletes sessions last used before `before`, by sessions_seen. A session that was revoked was used before that. Their actions
 * stay in the audit log.
 */
export async function removeOldSessions(db: ControlDb, before: number): Promise<void> {
  await db.delete(sessions).where(lt(sessions.lastSeenAt, before));
}
