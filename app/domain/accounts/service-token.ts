// Calls by service accounts. The token identifies the account; its agency is the tenant. A lookup is made as the person
// that the call names, with that person's rights, history and limits, and the audit log has both. Calls with unknown
// tokens are not logged. Refusals of a known token (expired, disabled, no responsible user, unexpected address) are
// logged at most every ten minutes.

import type { AppContext } from "#app/context.ts";
import { type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";
import type { Caller, SessionActor } from "#app/entities/accounts/actor.ts";
import { missingPermission } from "#app/entities/accounts/missing-permission.ts";
import { type ServiceScope, standingOf } from "#app/entities/accounts/service-scopes.ts";
import { mayAnswerFor } from "#app/entities/integrations/service-accounts.ts";
import { auditWho, serviceUsername } from "#app/entities/oversight/audit.ts";
import { isInvestigator } from "#app/entities/users/policy.ts";
import { isAddressWithin } from "#app/lib/address-range.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { countEvents } from "#app/lib/rate-limit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  type AnsweredAccount,
  findServiceAccountByToken,
  listPeopleNamed,
  noteServiceRefusal,
  touchServiceAccount,
} from "#app/store/integrations/service-accounts.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";

const REFUSALS_EVERY_MS = 10 * MINUTE;
const TOKEN = /^odin_sa_[\w-]{43}$/;

/** A service account, authenticated by the token of its call. */
export type ServiceSession = {
  id: string;
  name: string;
  scopes: ServiceScope[];
  agencyId: string;
  agencyName: string;
  /** The user who created the token of this call: the only one to whom it was shown. */
  answeredBy: string;
  expiresAt: number;
  caller: Caller;
};

/**
 * Returns the account of a token and counts the call. Throws AppError unauthenticated, forbidden for an address that
 * the account may not call from, and too_many.
 */
export async function resumeService(
  app: AppContext,
  { token, caller }: { token: string; caller: Caller },
): Promise<ServiceSession> {
  const hash = await sha256(token);
  const found = TOKEN.test(token) ? await findServiceAccountByToken(app.db, hash) : undefined;
  if (!found) throw new AppError("unauthenticated", "This token is not valid.");
  const { id, name, agencyId, agencyName, scopes, expiresAt, tokenBy, formerBy } = found;
  const answeredBy = found.tokenHash === hash ? tokenBy : (formerBy ?? tokenBy);
  const now = app.clock();
  const session = { id, name, agencyId, agencyName, answeredBy, scopes, expiresAt, caller };
  const refusal = refusalOf(found, { hash, now, ip: caller.ip });
  if (refusal) {
    await noteRefusedToken(app, session, refusal.message);
    throw refusal;
  }
  const perSecond = found.perMinute / 60;
  const rate = { policy: "service-account", burst: found.perMinute, perSecond };
  countEvents(app, { source: `service-account ${id}`, rate });
  if (found.lastUsedAt === null || found.lastUsedAt <= now - MINUTE)
    await touchServiceAccount(app.db, { id, agencyId, now, ip: caller.ip, everyMs: MINUTE });
  return session;
}

const NOT_ANSWERED_FOR =
  "The user responsible for this token is no longer active or no longer has its permissions. An administrator must create a new token.";

function refusalOf(
  found: AnsweredAccount,
  { hash, now, ip }: { hash: string; now: number; ip: string },
): AppError | undefined {
  const isFormer = found.tokenHash !== hash;
  if (found.disabledAt !== null) return new AppError("unauthenticated", "This service account is disabled.");
  if (found.expiresAt <= now) return new AppError("unauthenticated", "This token has expired.");
  if (isFormer && (found.formerUntil ?? 0) <= now)
    return new AppError("unauthenticated", "This token was replaced by a newer one.");
  if (!mayAnswerFor(found.scopes, found.responsible, found.investigators))
    return new AppError("unauthenticated", NOT_ANSWERED_FOR);
  if (found.addresses.length > 0 && !isAddressWithin(ip, found.addresses))
    return new AppError("forbidden", "This service account may not call from this address.");
  return undefined;
}

async function noteRefusedToken(app: AppContext, session: ServiceSession, reason: string): Promise<void> {
  const now = app.clock();
  const { id, agencyId, name, caller } = session;
  const who = auditWho(serviceActor(session, "public"));
  await inOneStep(app.db, [
    noteServiceRefusal(app.db, { id, agencyId, now, ip: caller.ip, reason, everyMs: REFUSALS_EVERY_MS }),
    insertAuditIfChanged(app.db, {
      ...who,
      at: now,
      action: "service-account.refused",
      outcome: "refused",
      object: id,
      detail: { name, reason },
    }),
  ]);
}

/** Returns the account as the actor of a call that it makes for itself, with the rights of one level. */
export function serviceActor(session: ServiceSession, level: Access): SessionActor {
  const { id, name, agencyId, agencyName } = session;
  return actorWith(session, {
    ...standingOf(level),
    userId: id,
    username: serviceUsername(name),
    name,
    email: "",
    agencyId,
    agencyName,
  });
}

/**
 * Returns the person whom the account acts for, as the actor of the call: an active user of its agency, by username or
 * work email, who may use `access` themself. Throws AppError forbidden. The owner's rights are left out.
 */
export async function servedPerson(
  app: AppContext,
  session: ServiceSession,
  { name, access }: { name: string; access: Access },
): Promise<SessionActor> {
  const people = await listPeopleNamed(app.db, { agencyId: session.agencyId, name: name.trim() });
  const [person, another] = people;
  if (!person) throw refusedPerson(`names no active user of the service account's agency: ${name}`);
  if (another) throw refusedPerson(`names more than one user, so use the username: ${name}`);
  const { investigators, ...user } = person;
  const standing: Standing = {
    role: user.role,
    hotlistAdmin: user.hotlistAdmin,
    hotlistViewer: user.hotlistViewer,
    isOwner: false,
    investigator: isInvestigator(investigators, user.role),
  };
  if (!mayUse(access, standing))
    throw refusedPerson(
      `names a user without the permission for this call: ${name}`,
      missingPermission(access),
    );
  return actorWith(session, { ...user, ...standing });
}

function refusedPerson(problem: string, missing?: object): AppError {
  const details = { field: "on_behalf_of", ...missing };
  return new AppError("forbidden", `on_behalf_of ${problem}`, { field: "on_behalf_of", details });
}

type Person = Standing &
  Pick<SessionActor, "userId" | "username" | "name" | "email" | "agencyId" | "agencyName">;

/** A service account never has a recent proof of identity, so endpoints that require one refuse its calls. */
function actorWith(
  { id, name, answeredBy, expiresAt, caller }: ServiceSession,
  person: Person,
): SessionActor {
  const { ip, userAgent } = caller;
  return {
    ...person,
    sessionId: id,
    ip,
    userAgent,
    service: { id, name, answered_by: answeredBy },
    kind: "bearer",
    sessionState: "full",
    provedAt: 0,
    unusedUntil: expiresAt,
    endsAt: expiresAt,
  };
}
