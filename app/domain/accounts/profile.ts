// A user's own account: profile data, and the sessions that the user can end.

import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { ProfileData, SessionActor, SessionSummary, SessionTime } from "#app/entities/accounts/actor.ts";
import { describeClient } from "#app/entities/accounts/client-name.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { forgetDevices } from "#app/store/accounts/devices.ts";
import { findFactorStatus } from "#app/store/accounts/second-factor.ts";
import { listSessions, revokeSession, revokeSessions } from "#app/store/accounts/sessions.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import { inOneStep } from "#app/store/database.ts";

/** GET /profile-data. */
export async function profileOf(app: AppContext, actor: SessionActor): Promise<ProfileData> {
  const [user, second_factor, sessions] = await Promise.all([
    findUserById(app.db, actor.userId),
    findFactorStatus(app.db, actor.userId),
    sessionsOf(app, { userId: actor.userId, currentId: actor.sessionId }),
  ]);
  if (!user) throw new AppError("unauthenticated", "Please sign in.");
  const changedAt = user.passwordChangedAt ?? user.createdAt;
  return {
    username: actor.username,
    email: actor.email,
    role: actor.role,
    name: actor.name,
    department: actor.agencyName,
    password_changed_at: changedAt,
    password_expires_at: user.passwordMaxAgeDays > 0 ? changedAt + user.passwordMaxAgeDays * DAY : null,
    second_factor,
    sessions,
  };
}

/** Returns the active sessions of a user, used last first, with a readable client name: all, or the first ones. */
export async function sessionsOf(
  app: AppContext,
  { userId, currentId, limit }: { userId: string; currentId: string; limit?: number | undefined },
): Promise<SessionSummary[]> {
  const rows = await listSessions(app.db, { userId, now: app.clock(), limit });
  return rows.map(({ id, kind, createdAt, lastSeenAt, ip, userAgent }) => ({
    id,
    kind,
    current: id === currentId,
    created_at: createdAt,
    last_seen_at: lastSeenAt,
    ip,
    client: kind === "bearer" ? "API client" : describeClient(userAgent),
  }));
}

/** GET /session-time: how long this session lasts. Background requests do not count as use. */
export function sessionTime(app: AppContext, actor: SessionActor): SessionTime {
  const now = app.clock();
  return {
    username: actor.username,
    state: actor.sessionState,
    unused_left_ms: actor.unusedUntil - now,
    left_ms: actor.endsAt - now,
  };
}

/** Ends one of the actor's own sessions. Throws AppError not_found for any other. */
export async function endOwnSession(app: AppContext, actor: SessionActor, id: string): Promise<void> {
  const now = app.clock();
  const own = await listSessions(app.db, { userId: actor.userId, now });
  if (!own.some((session) => session.id === id))
    throw new AppError("not_found", "This session does not exist.");
  await inOneStep(app.db, [
    revokeSession(app.db, id, now),
    auditAct(app, actor, { at: now, action: "session.end", object: id }),
  ]);
}

/** POST /user/sign-out-everywhere: ends every session of the actor, including this one. */
export async function signOutEverywhere(app: AppContext, actor: SessionActor): Promise<{ msg: string }> {
  const now = app.clock();
  const detail = { sessions: "all" };
  await inOneStep(app.db, [
    revokeSessions(app.db, { userId: actor.userId, now }),
    forgetDevices(app.db, actor.userId),
    auditAct(app, actor, { at: now, action: "session.end", object: actor.userId, detail }),
  ]);
  return { msg: "Signed out everywhere" };
}
