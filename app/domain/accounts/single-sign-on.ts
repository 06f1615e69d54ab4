// Signing in with an agency's identity provider. A sealed value in a cookie binds a sign-in to its browser, so that
// starting one writes nothing to the database. A refusal is audited only after the provider has named a person.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { type Caller, type SessionActor, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { namesGroups } from "#app/entities/accounts/group-rights.ts";
import type { SignOnSecrets } from "#app/entities/accounts/identity-provider.ts";
import type { SignOnButton } from "#app/entities/accounts/sign-on-settings.ts";
import {
  domainOfEmail,
  isRecentSignOn,
  isSignOnFailure,
  replacesSecondFactor,
  SIGN_ON_MS,
  SIGN_ON_REFUSALS,
  type SignOnClaims,
  SignOnFailure,
  type SignOnRefusal,
} from "#app/entities/accounts/single-sign-on.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { addressBlock } from "#app/lib/address-range.ts";
import { randomToken, type SealedFor, seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { countEvents, type Rate, returnEvent } from "#app/lib/rate-limit.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import {
  findAgencyOfDomain,
  findIdentity,
  findSignOnProvider,
  hasSignOnDomain,
  listSignOnButtons,
  noteSignOnFailure,
  type SignOnProviderRow,
  takeOnce,
} from "#app/store/accounts/single-sign-on.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import { steppedUp } from "./second-factor.ts";
import { actorOfSession, type SignedIn } from "./sign-in.ts";
import { membershipOf, openSignOnSession } from "./sign-on-session.ts";

/** Maximum number of buttons on the sign-in page. Other agencies are found by email domain. */
const MAX_BUTTONS = 6;

/**
 * Limit of calls from one network that make Odin call a provider. A sign-in takes two; a whole shift behind one address
 * stays below it.
 */
const SIGN_ON_RATE: Rate = { policy: "sign-on", burst: 200, perSecond: 1 };
/** Limit of rejected logout tokens. */
const LOGOUT_RATE: Rate = { policy: "sign-on-logout", burst: 100, perSecond: 1 };

/** Where the provider sends the browser back to. The agency's own path keeps providers apart (RFC 9700 section 4.4). */
export function redirectUriOf(origin: string, agencyId: string): string {
  return `${origin}/sso/${encodeURIComponent(agencyId)}/callback`;
}

/** A sign-in in progress, sealed in the browser's cookie. */
type Flow = SignOnSecrets & {
  issuer: string;
  startedAt: number;
  /** Maximum seconds between the person's last authentication at the provider and the start of this flow. */
  maxAge: number;
  /** The version of the use notification that the page showed. */
  notice: string;
  /** The session that proves its user again; empty for a sign-in. */
  session: string;
};

const sealedFor = (agencyId: string): SealedFor => ({
  table: "sign_on_flows",
  id: agencyId,
  field: "flow",
});
/** Returns the owner that the sealed client secret of an agency's provider is bound to. */
export const secretOf = (agencyId: string): SealedFor => ({
  table: "sign_on_providers",
  id: agencyId,
  field: "secret",
});

/** Returns the buttons of the sign-in page, and whether it asks for an email address. */
export async function signOnChoices(app: AppContext): Promise<{ buttons: SignOnButton[]; byEmail: boolean }> {
  const [buttons, byEmail] = await Promise.all([
    listSignOnButtons(app.db, MAX_BUTTONS),
    hasSignOnDomain(app.db),
  ]);
  return { buttons, byEmail };
}

/** Returns the agency that signs in the people of an email address's domain, or undefined. */
export async function agencyOfEmail(app: AppContext, email: string): Promise<string | undefined> {
  const domain = domainOfEmail(email);
  return domain === "" ? undefined : findAgencyOfDomain(app.db, domain);
}

/** Returns an agency that has single sign-on, or null. */
export async function signOnAgency(
  app: AppContext,
  id: string,
): Promise<{ id: string; name: string } | null> {
  const [provider, agency] = await Promise.all([findSignOnProvider(app.db, id), findAgency(app.db, id)]);
  return provider?.enabled && agency ? { id, name: agency.name } : null;
}

/** Throws AppError too_many if a network makes Odin call providers too often. */
function limitSignOns(app: AppContext, caller: Caller): void {
  countEvents(app, { source: `sign-on:${addressBlock(caller.ip)}`, rate: SIGN_ON_RATE });
}

/** Runs a check of a logout token, and counts it only if the token is rejected. Throws AppError too_many. */
export async function limitLogouts<T>(app: AppContext, caller: Caller, check: () => Promise<T>): Promise<T> {
  const event = { source: `sign-on-logout:${addressBlock(caller.ip)}`, rate: LOGOUT_RATE };
  countEvents(app, event);
  const accepted = await check();
  returnEvent(app, event);
  return accepted;
}

async function providerOf(app: AppContext, agencyId: string): Promise<SignOnProviderRow> {
  const provider = await findSignOnProvider(app.db, agencyId);
  if (!provider?.enabled) throw new SignOnFailure("not-set-up");
  return provider;
}

const deadline = (app: AppContext) => AbortSignal.timeout(app.config.sourceDeadlineMs);

/**
 * Returns the provider's address for the browser, and the cookie's value that continues there. With a session it is a
 * step-up. For that, and `again` (after a sign-out or a lock), the provider must ask its person again. Throws
 * SignOnFailure, or AppError too_many.
 */
export async function beginSignOn(
  app: AppContext,
  input: {
    agencyId: string;
    origin: string;
    notice: string;
    session?: string;
    again?: boolean;
    caller: Caller;
  },
): Promise<{ url: string; flow: string }> {
  const { agencyId, origin, notice, session = "", again = false, caller } = input;
  limitSignOns(app, caller);
  const provider = await providerOf(app, agencyId);
  const secrets = { state: randomToken(24), nonce: randomToken(24), verifier: randomToken(32) };
  const maxAge = again || session !== "" ? 0 : await idleSeconds(app, agencyId);
  const flow: Flow = { ...secrets, issuer: provider.issuer, startedAt: app.clock(), maxAge, notice, session };
  const url = await recordingFailure(app, agencyId, async () =>
    app.identity.authorizationUrl({
      client: provider,
      redirectUri: redirectUriOf(origin, agencyId),
      secrets,
      maxAge,
      acrValues: provider.acrValues,
      usesGroups: namesGroups(provider),
      signal: deadline(app),
    }),
  );
  return { url, flow: await seal(app.config.sealingKeys, sealedFor(agencyId), JSON.stringify(flow)) };
}

/** Seconds after which an idle session locks. An older proof at the provider must not unlock it. */
async function idleSeconds(app: AppContext, agencyId: string): Promise<number> {
  const minutes = (await findAgency(app.db, agencyId))?.policy.idle_minutes ?? 0;
  return (minutes * MINUTE) / SECOND;
}

/** Runs a call of the provider and records why it failed, for the administrator's screen. */
async function recordingFailure<T>(app: AppContext, agencyId: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isSignOnFailure(error))
      await noteSignOnFailure(app.db, { agencyId, at: app.clock(), failure: error.message });
    throw error;
  }
}

export type SignedOn = SignedIn & { steppedUp: boolean };

/** A person whom the provider named, but who may not sign in. The audit log says why. */
export type Refused = { refused: SignOnRefusal };

/**
 * Completes a sign-in or a step-up with the provider's answer. Throws SignOnFailure if the answer does not belong to
 * this browser's sign-in, and AppError too_many.
 */
export async function finishSignOn(
  app: AppContext,
  input: { agencyId: string; origin: string; flow: string; params: URLSearchParams; caller: Caller },
): Promise<SignedOn | Refused> {
  const { agencyId, origin, params, caller } = input;
  // A call without Odin's sealed cookie fails here. It costs little and is not counted.
  const flow = await openFlow(app, input);
  limitSignOns(app, caller);
  const provider = await providerOf(app, agencyId);
  if (provider.issuer !== flow.issuer) throw new SignOnFailure("expired");
  const since = app.clock();
  const claims = await recordingFailure(app, agencyId, async () => {
    const named = await app.identity.complete({
      client: { ...provider, clientSecret: await openSecret(app, provider) },
      redirectUri: redirectUriOf(origin, agencyId),
      secrets: flow,
      groupsClaim: provider.groupsClaim,
      params,
      signal: deadline(app),
    });
    // A step-up checks the time itself, and audits a refusal.
    if (flow.session === "" && !isRecentSignOn({ ...flow, ...provider, authTime: named.authTime }))
      throw new SignOnFailure("stale");
    return named;
  });
  const until = flow.startedAt + SIGN_ON_MS + MINUTE;
  if (!(await takeOnce(app.db, { id: `state:${await sha256(flow.state)}`, until })))
    throw new SignOnFailure("expired");
  if (flow.session !== "") return stepUp(app, { provider, claims, flow, caller });
  const notice = flow.notice === USE_NOTIFICATION.version ? flow.notice : "";
  const opened = await openSignOnSession(app, { provider, claims, caller, notice, since });
  if ("refused" in opened) {
    const refused: AuditEntry = {
      ...auditWho(null, caller),
      at: app.clock(),
      agencyId,
      userId: opened.userId ?? "",
      username: opened.username ?? "",
      action: "sign-in",
      outcome: "refused",
      detail: {
        reason: SIGN_ON_REFUSALS[opened.refused],
        ...signOnDetail(claims),
        ...(opened.username === undefined && { address: claims.email }),
      },
    };
    await inOneStep(app.db, [insertAudit(app.db, refused)]);
    // The person may sign in: the page must not say otherwise.
    if (opened.refused === "ended") throw new SignOnFailure("ended");
    return { refused: opened.refused };
  }
  return { ...opened, steppedUp: false };
}

function signOnDetail({ issuer, subject, amr, acr }: SignOnClaims) {
  return { with: "single sign-on", issuer, subject, amr, acr };
}

/** Returns the client secret of an agency's identity provider in plain text. Throws if no sealing key opens it. */
export async function openSecret(app: AppContext, provider: SignOnProviderRow): Promise<string> {
  return unseal(app.config.sealingKeys, secretOf(provider.agencyId), provider.sealedSecret);
}

async function stepUp(
  app: AppContext,
  input: { provider: SignOnProviderRow; claims: SignOnClaims; flow: Flow; caller: Caller },
): Promise<SignedOn> {
  const { provider, claims, flow, caller } = input;
  const actor = await actorOfSession(app, { sessionId: flow.session, caller });
  if (!actor) throw new SignOnFailure("expired");
  const renewed = await stepUpBySignOn(app, actor, { provider, claims, since: flow.startedAt });
  return { ...renewed, steppedUp: true };
}

async function openFlow(
  app: AppContext,
  { agencyId, flow }: { agencyId: string; flow: string },
): Promise<Flow> {
  const text = await unseal(app.config.sealingKeys, sealedFor(agencyId), flow).catch(() => "");
  // Only Odin can seal it, so its shape is known.
  const opened = parseJson(text) as Flow | undefined;
  if (!opened || opened.startedAt <= app.clock() - SIGN_ON_MS) throw new SignOnFailure("expired");
  return opened;
}

/**
 * Renews the session of the same person if the provider has just asked them again and they may still sign in. Where the
 * user has a second factor in Odin, or the policy requires one, the provider must have proved one too. Throws
 * SignOnFailure; a refusal is audited.
 */
async function stepUpBySignOn(
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
  if (!(await membershipOf(app, { provider, claims, userId: actor.userId })).isMember)
    return SIGN_ON_REFUSALS["not a member"];
  const user = await findUserById(app.db, actor.userId);
  const isRequired = user?.secondFactorRequired ?? true;
  const needsTwo = isRequired || user?.hasSecondFactor;
  return needsTwo && !replacesSecondFactor(provider, claims, isRequired)
    ? "no second factor at the provider that counts"
    : undefined;
}
