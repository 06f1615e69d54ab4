// Step-up with the agency's identity provider: the person proves who they are there again, just now.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import {
  isRecentSignOn,
  replacesSecondFactor,
  type SignOnClaims,
  SignOnFailure,
} from "#app/entities/accounts/single-sign-on.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import { findIdentity, type SignOnProviderRow } from "#app/store/accounts/single-sign-on.ts";
import { steppedUp } from "./second-factor.ts";
import type { SignedIn } from "./sign-in.ts";

/**
 * Renews the session of the same person if the provider has just asked them again. Where the user has a second factor
 * in Odin, or the policy requires one, the provider must have proved one too. Throws SignOnFailure; a refusal is audited.
 */
export async function stepUpBySignOn(
  app: AppContext,
  actor: SessionActor,
  input: { provider: SignOnProviderRow; claims: SignOnClaims; since: number },
): Promise<SignedIn> {
  const reason = await problemOf(app, actor, input);
  if (reason === undefined) return steppedUp(app, actor, "single sign-on");
  await auditNow(app, actor, {
    action: "step-up",
    outcome: "refused",
    object: actor.userId,
    detail: { kind: "single sign-on", reason },
  });
  throw new SignOnFailure("denied");
}

async function problemOf(
  app: AppContext,
  actor: SessionActor,
  input: { provider: SignOnProviderRow; claims: SignOnClaims; since: number },
): Promise<string | undefined> {
  const { provider, claims, since } = input;
  const { agencyId } = provider;
  const { issuer, subject, authTime } = claims;
  if (actor.sessionState !== "full") return "the session is not fully signed in";
  const known = await findIdentity(app.db, { agencyId, issuer, subject });
  if (actor.agencyId !== agencyId || known !== actor.userId)
    return "another person signed in at the provider";
  if (!isRecentSignOn({ authTime, startedAt: since, maxAge: 0, noAuthTime: false }))
    return "the provider did not ask the person again";
  const user = await findUserById(app.db, actor.userId);
  const isRequired = user?.secondFactorRequired ?? true;
  const needsTwo = isRequired || user?.hasSecondFactor;
  return needsTwo && !replacesSecondFactor(provider, claims, isRequired)
    ? "no second factor at the provider that counts"
    : undefined;
}
