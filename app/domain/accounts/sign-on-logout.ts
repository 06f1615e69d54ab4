// Back-channel logout (OpenID Connect Back-Channel Logout 1.0): the agency's provider ends a person's sessions at once.

import type { AppContext } from "#app/context.ts";
import type { Caller } from "#app/entities/accounts/actor.ts";
import { SignOnFailure } from "#app/entities/accounts/single-sign-on.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { listSignOnSessions, noteLogout, revokeTheseSessions } from "#app/store/accounts/sign-on-sessions.ts";
import { findSignOnProvider, insertUsed } from "#app/store/accounts/single-sign-on.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudits } from "#app/store/oversight/audit.ts";
import { endedIds } from "./ended-sign-ons.ts";
import { limitLogouts } from "./single-sign-on.ts";

/**
 * Ends the sessions that a logout token names, with an audit row for each. Throws SignOnFailure for a token that the
 * provider has not signed, or that was used before, and AppError too_many; neither is logged. After a failed write, the
 * provider can deliver the same token again.
 */
export async function endBySignOn(
  app: AppContext,
  input: { agencyId: string; token: string; caller: Caller },
): Promise<void> {
  await limitLogouts(app, input.caller, () => end(app, input));
}

async function end(
  app: AppContext,
  { agencyId, token, caller }: { agencyId: string; token: string; caller: Caller },
): Promise<void> {
  const provider = await findSignOnProvider(app.db, agencyId);
  // A provider that is switched off may still end the sessions that it opened.
  if (!provider) throw new SignOnFailure("not-set-up");
  const named = await app.identity.logoutToken({
    client: provider,
    token,
    signal: AbortSignal.timeout(app.config.sourceDeadlineMs),
  });
  const id = `logout:${await sha256(`${agencyId}:${provider.issuer}:${named.id}`)}`;
  const now = app.clock();
  // Before the sessions are listed: a sign-in that is completed after that fails, one before it is in the list.
  await noteLogout(app.db, { tokenId: id, endedIds: await endedIds(provider, named), at: now });
  const ended = await listSignOnSessions(app.db, { agencyId, issuer: provider.issuer, ...named });
  await inOneStep(app.db, [
    insertUsed(app.db, { id, until: named.expiresAt }),
    revokeTheseSessions(app.db, { ids: ended.map((one) => one.id), now }),
    ...insertAudits(
      app.db,
      ended.map(({ id: sessionId, userId, username }) => ({
        ...auditWho(null, caller),
        at: now,
        agencyId,
        userId,
        username,
        sessionId,
        action: "session.end",
        outcome: "ok",
        object: userId,
        detail: { username, by: "the identity provider" },
      })),
    ),
  ]).catch((error) => {
    throw brokenConstraint(error) === "used_sign_ons.id" ? new SignOnFailure("expired") : error;
  });
}
