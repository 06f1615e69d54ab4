// Passkeys as second factors (WebAuthn). The challenge is stored in the session and can be used once. A passkey's owner
// is determined by the session, never by what the browser sends.

import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { AppContext } from "#app/context.ts";
import { refuse } from "#app/domain/oversight/audit-act.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import type { NewPasskey, UsedPasskey } from "#app/entities/accounts/calls.ts";
import { MAX_PASSKEYS, type RelyingParty } from "#app/entities/accounts/second-factor.ts";
import { base64url, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { removeAttempt } from "#app/store/accounts/attempts.ts";
import {
  insertPasskey,
  isPasskeyKnown,
  listPasskeys,
  notePasskeyUse,
} from "#app/store/accounts/second-factor.ts";
import { setChallenge, takeChallenge } from "#app/store/accounts/sessions.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { beginProof, failedAttempt } from "./attempts.ts";
import {
  type Enrolled,
  enroll,
  factorEntry,
  passFactor,
  steppedUp,
  tooManyPasskeys,
} from "./second-factor.ts";
import type { SignedIn } from "./sign-in.ts";

const CHALLENGE_MS = 5 * 60 * 1000;

const unknownPasskey = () => new AppError("bad_request", "This passkey could not be verified.");

/**
 * Starts the registration of a passkey. Returns the options of navigator.credentials.create(). Throws AppError
 * conflict.
 */
export async function beginPasskey(app: AppContext, actor: SessionActor, party: RelyingParty) {
  const known = await listPasskeys(app.db, actor.userId);
  if (known.length >= MAX_PASSKEYS) throw tooManyPasskeys();
  const options = await generateRegistrationOptions({
    rpName: "Odin",
    rpID: party.id,
    userName: actor.username,
    userDisplayName: actor.name,
    userID: new TextEncoder().encode(actor.userId),
    attestationType: "none",
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
  });
  await keepChallenge(app, actor, options.challenge);
  return options;
}

/**
 * Stores a new passkey. Throws AppError bad_request if the response does not verify, and conflict if it is already
 * registered or the user has ten.
 */
export async function addPasskey(
  app: AppContext,
  actor: SessionActor,
  input: { passkey: NewPasskey; party: RelyingParty },
): Promise<Enrolled> {
  const { passkey, party } = input;
  const refused = (error: AppError) =>
    refuse(app, actor, {
      action: "second-factor.add",
      object: actor.userId,
      detail: { kind: "passkey" },
      error,
    });
  const expectedChallenge = await takeChallenge(app.db, { sessionId: actor.sessionId, now: app.clock() });
  if (!expectedChallenge) throw await refused(unknownPasskey());
  const verified = await verifyRegistrationResponse({
    response: passkey.response as Parameters<typeof verifyRegistrationResponse>[0]["response"],
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
  }).catch(() => undefined);
  if (!verified?.verified || !verified.registrationInfo) throw await refused(unknownPasskey());
  const { credential } = verified.registrationInfo;
  if (await isPasskeyKnown(app.db, credential.id))
    throw await refused(new AppError("conflict", "This device is already registered as a passkey."));
  const statement = insertPasskey(app.db, {
    id: credential.id,
    userId: actor.userId,
    name: passkey.name,
    publicKey: base64url(credential.publicKey),
    counter: credential.counter,
    transports: passkey.response.response.transports ?? [],
    createdAt: app.clock(),
  });
  return enroll(app, actor, { statement, kind: "passkey" });
}

/** Starts a sign-in with a passkey. Returns the options of navigator.credentials.get(). Throws AppError not_found. */
export async function challengePasskey(app: AppContext, actor: SessionActor, party: RelyingParty) {
  const known = await listPasskeys(app.db, actor.userId);
  if (known.length === 0) throw new AppError("not_found", "You have no passkey.");
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: known.map(({ id, transports }) => ({ id, transports })),
    userVerification: "preferred",
  });
  await keepChallenge(app, actor, options.challenge);
  return options;
}

/** POST /second-factor/verify-passkey: completes the sign-in. Throws AppError bad_request or too_many, audited. */
export async function completeByPasskey(
  app: AppContext,
  actor: SessionActor,
  input: { passkey: UsedPasskey; party: RelyingParty },
): Promise<SignedIn> {
  await proveByPasskey(app, actor, { ...input, action: "sign-in.second-factor" });
  return passFactor(app, actor, "passkey");
}

/** POST /step-up/passkey. Throws AppError bad_request or too_many, audited. */
export async function stepUpByPasskey(
  app: AppContext,
  actor: SessionActor,
  input: { passkey: UsedPasskey; party: RelyingParty },
): Promise<SignedIn> {
  await proveByPasskey(app, actor, { ...input, action: "step-up" });
  return steppedUp(app, actor, "passkey");
}

async function keepChallenge(app: AppContext, actor: SessionActor, challenge: string): Promise<void> {
  await setChallenge(app.db, { sessionId: actor.sessionId, challenge, until: app.clock() + CHALLENGE_MS });
}

async function proveByPasskey(
  app: AppContext,
  actor: SessionActor,
  input: { passkey: UsedPasskey; party: RelyingParty; action: "sign-in.second-factor" | "step-up" },
): Promise<void> {
  const { passkey, party, action } = input;
  const entry = factorEntry(app, actor, action);
  const expectedChallenge = await takeChallenge(app.db, { sessionId: actor.sessionId, now: app.clock() });
  if (!expectedChallenge) {
    // Not counted as a guess: without a challenge, no response is correct.
    const detail = { reason: "no passkey was asked for, or too long ago" };
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail })]);
    throw audited(unknownPasskey());
  }
  const { key, attempt } = await beginProof(app, actor, entry);
  const known = (await listPasskeys(app.db, actor.userId)).find(({ id }) => id === passkey.response.id);
  const verified = known
    ? await verifyAuthenticationResponse({
        response: passkey.response as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
        expectedChallenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        credential: { id: known.id, publicKey: fromBase64(known.publicKey), counter: known.counter },
        requireUserVerification: false,
      }).catch(() => undefined)
    : undefined;
  if (!known || !verified?.verified) {
    const detail = { reason: "passkey not verified" };
    await failedAttempt(app, { id: attempt, key, entry: { ...entry, detail } });
    throw audited(unknownPasskey());
  }
  const { newCounter } = verified.authenticationInfo;
  await inOneStep(app.db, [
    removeAttempt(app.db, attempt),
    notePasskeyUse(app.db, { id: known.id, counter: newCounter, now: app.clock() }),
  ]);
}
