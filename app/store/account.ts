// Users and sessions. Tokens arrive here as hashes; a session that is over is simply not found.

import { and, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { Actor, Caller } from "#app/entities/account.ts";
import type { ControlDb, Statement } from "./database.ts";
import { agencies, sessions, users } from "./schema.ts";

export type StoredUser = typeof users.$inferSelect;

/** A user by name, however it is typed; disabled ones too. */
export async function findUserByName(db: ControlDb, username: string): Promise<StoredUser | undefined> {
  return db.query.users.findFirst({ where: eq(users.username, username.toLowerCase()) });
}

export type NewSession = {
  id: string;
  tokenHash: string;
  userId: string;
  kind: "cookie" | "bearer";
  at: number;
  caller: Caller;
  noticeVersion: string;
};

export function insertSession(db: ControlDb, session: NewSession): Statement {
  return db.insert(sessions).values({
    id: session.id,
    tokenHash: session.tokenHash,
    userId: session.userId,
    kind: session.kind,
    createdAt: session.at,
    lastSeenAt: session.at,
    ip: session.caller.ip,
    userAgent: session.caller.userAgent.slice(0, 300),
    noticeVersion: session.noticeVersion,
  });
}

export type LiveSession = Omit<Actor, "isOwner" | "ip" | "userAgent"> & {
  kind: "cookie" | "bearer";
  lastSeenAt: number;
};

/** The live session of a token: not revoked, neither idle nor too old, its user not disabled. */
export async function findSession(
  db: ControlDb,
  input: { tokenHash: string; now: number; idleMs: number; absoluteMs: number },
): Promise<LiveSession | undefined> {
  const [row] = await db
    .select({
      sessionId: sessions.id,
      kind: sessions.kind,
      lastSeenAt: sessions.lastSeenAt,
      userId: users.id,
      username: users.username,
      name: users.name,
      email: users.email,
      role: users.role,
      hotlistAdmin: users.hotlistAdmin,
      hotlistViewer: users.hotlistViewer,
      agencyId: users.agencyId,
      agencyName: agencies.name,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(agencies, eq(agencies.id, users.agencyId))
    .where(
      and(
        eq(sessions.tokenHash, input.tokenHash),
        isNull(sessions.revokedAt),
        isNull(users.disabledAt),
        gt(sessions.lastSeenAt, input.now - input.idleMs),
        gt(sessions.createdAt, input.now - input.absoluteMs),
      ),
    );
  return row;
}

/** Notes that a session was used; writes at most once in `everyMs`, so that reading pages stays cheap. */
export async function touchSession(
  db: ControlDb,
  input: { id: string; now: number; everyMs: number },
): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: input.now })
    .where(and(eq(sessions.id, input.id), lt(sessions.lastSeenAt, input.now - input.everyMs)));
}

export function revokeSession(db: ControlDb, id: string, now: number): Statement {
  return db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, id), isNull(sessions.revokedAt)));
}

export function noteSignIn(db: ControlDb, userId: string, now: number): Statement {
  return db.update(users).set({ lastSignInAt: now }).where(eq(users.id, userId));
}

/** Forgets sessions that ended before `before`; the audit log keeps what they did. */
export async function removeOldSessions(db: ControlDb, before: number): Promise<void> {
  await db
    .delete(sessions)
    .where(
      or(
        lt(sessions.lastSeenAt, before),
        and(sql`${sessions.revokedAt} is not null`, lt(sessions.revokedAt, before)),
      ),
    );
}

export function updatePasswordHash(db: ControlDb, userId: string, passwordHash: string): Statement {
  return db.update(users).set({ passwordHash }).where(eq(users.id, userId));
}
