// Second factors: enrollment, verification at sign-in, and step-up (proving the password or factor again before a
// privileged function). Each code can be used once; each wrong one counts as a failed sign-in of the account.

import type { AppContext } from "#app/context.ts";
import { refuse } from "#app/domain/oversight/audit-act.ts";
import type { SessionState } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import type { FactorCode, StepUp } from "#app/entities/accounts/calls.ts";
import {
  hasSecondFactor,
  MAX_PASSKEYS,
  RECOVERY_CODES,
  type SecondFactorStatus,
} from "#app/entities/accounts/second-factor.ts";
import { type AuditAction, type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { at } from "#app/lib/at.ts";
import { hex } from "#app/lib/crypto/encoding.ts";
import { allPeppers } from "#app/lib/crypto/peppers.ts";
import { hmac, randomToken, readableCode, seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { newTotpSecret, totpAddress, totpStep } from "#app/lib/crypto/totp.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { removeAttempt, removeAttemptsOn } from "#app/store/accounts/attempts.ts";
import {
  confirmTotp,
  findFactorStatus,
  findTotp,
  insertPendingTotp,
  removeFactors,
  removePasskey,
  removeTotp,
  replaceRecoveryCodes,
  requireFactorsUnchanged,
  takeRecoveryCode,
  takeTotpStep,
} from "#app/store/accounts/second-factor.ts";
import {
  isPasswordDue,
  requireSessionLive,
  revokeSessions,
  updateSession,
} from "#app/store/accounts/sessions.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { beginProof, failedAttempt, proofAttempt } from "./attempts.ts";
import { deviceFor } from "./devices.ts";
import { inLiveSession } from "./live-session.ts";
import { checkPassword } from "./passwords.ts";
import { type SignedIn, stateAfterFactors } from "./sign-in.ts";

const sealedFor = (userId: string) => ({ table: "totp_factors", id: userId, field: "secret" });

/** Returns the audit entry of a successful change of the actor's second factors. */
export function factorEntry(app: AppContext, actor: SessionActor, action: AuditAction): AuditEntry {
  return { ...auditWho(actor), at: app.clock(), action, outcome: "ok", object: actor.userId };
}

/** Returns the actor's second factors, and whether the agency's identity provider opened this session. */
export async function factorStatus(
  app: AppContext,
  actor: SessionActor,
): Promise<SecondFactorStatus & { single_sign_on: boolean }> {
  const status = await findFactorStatus(app.db, actor.userId);
  return { ...status, single_sign_on: Boolean(actor.signedOnBy) };
}

/**
 * Returns a new secret for an authenticator app, as text and as the URI in the QR code. It is active once confirmed.
 * Throws AppError conflict.
 */
export async function beginTotp(
  app: AppContext,
  actor: SessionActor,
): Promise<{ secret: string; address: string }> {
  const secret = newTotpSecret();
  const sealedSecret = await seal(app.config.sealingKeys, sealedFor(actor.userId), secret);
  if (!(await insertPendingTotp(app.db, { userId: actor.userId, sealedSecret, at: app.clock() })))
    throw new AppError("conflict", "You already have an authenticator app. Remove it first.");
  return { secret, address: totpAddress(secret, { issuer: "Odin", account: actor.username }) };
}

/** The result of enrollment: recovery codes with the first factor, and the session's new state. */
export type Enrolled = SignedIn & { recoveryCodes: string[] };

/** Confirms a new authenticator app with its first code. Throws AppError bad_request if the code is wrong. */
export async function confirmNewTotp(
  app: AppContext,
  actor: SessionActor,
  { code }: FactorCode,
): Promise<Enrolled> {
  const factor = await findTotp(app.db, actor.userId);
  const nothing = () => new AppError("conflict", "There is no authenticator app to confirm.");
  if (!factor || factor.confirmedAt !== null) throw nothing();
  if (!(await consumeTotp(app, { factor, code }))) {
    const error = new AppError("bad_request", "This code is wrong. Check the clock of your device.");
    throw await refuse(app, actor, {
      action: "second-factor.add",
      object: actor.userId,
      detail: { kind: "totp" },
      error,
    });
  }
  const { userId, sealedSecret } = factor;
  const statement = confirmTotp(app.db, { userId, sealedSecret, at: app.clock() });
  try {
    return await enroll(app, actor, { statement, kind: "totp" });
  } catch (error) {
    // Another tab began again, or an administrator removed the factors, since the code was verified.
    throw brokenConstraint(error) === "totp_factors.sealed_secret" ? nothing() : error;
  }
}

/** Returns the AppError conflict for a user who has MAX_PASSKEYS passkeys. */
export const tooManyPasskeys = () => new AppError("conflict", "You have ten passkeys. Remove one first.");

/**
 * Stores a new factor. The first one comes with recovery codes, makes a session that waited for enrollment full, and
 * ends the user's other sessions. Throws AppError conflict, and unauthenticated if the session has ended.
 */
export async function enroll(
  app: AppContext,
  actor: SessionActor,
  input: { statement: Statement; kind: "totp" | "passkey" },
  tries = 1,
): Promise<Enrolled> {
  const before = await findFactorStatus(app.db, actor.userId);
  if (input.kind === "passkey" && before.passkeys.length >= MAX_PASSKEYS) throw tooManyPasskeys();
  const fresh = hasSecondFactor(before) ? undefined : await newRecoveryCodes(app, actor.userId);
  const state: SessionState = actor.sessionState === "must-enrol-second-factor" ? "full" : actor.sessionState;
  const { token, statement } = await renewed(app, actor, state);
  const statements = [
    input.statement,
    ...(fresh ? replaceRecoveryCodes(app.db, { userId: actor.userId, hashes: fresh.hashes }) : []),
    // The other sessions were opened with the password alone. Someone else could use one to remove the factor or add
    // another.
    ...(fresh ? [endOtherSessions(app, actor)] : []),
    statement,
    insertAudit(app.db, {
      ...factorEntry(app, actor, "second-factor.add"),
      detail: { kind: input.kind },
    }),
  ];
  const done = await inOneStepIfSame(app, actor, { was: before, statements, tries });
  if (!done) return enroll(app, actor, input, tries + 1);
  return { token, userId: actor.userId, state, recoveryCodes: fresh?.codes ?? [] };
}

function endOtherSessions(app: AppContext, { userId, sessionId }: SessionActor): Statement {
  return revokeSessions(app.db, { userId, now: app.clock(), except: sessionId });
}

/**
 * Removes the authenticator app or one passkey. The last factor cannot be removed if the agency requires one. Throws
 * AppError not_found or conflict, and unauthenticated if the session has ended.
 */
export async function removeFactor(
  app: AppContext,
  actor: SessionActor,
  which: { passkey: string } | "totp",
  tries = 1,
): Promise<void> {
  const status = await findFactorStatus(app.db, actor.userId);
  const has = which === "totp" ? status.totp : status.passkeys.some(({ id }) => id === which.passkey);
  if (!has) throw new AppError("not_found", "This second factor does not exist.");
  const isLast = status.passkeys.length + (status.totp ? 1 : 0) === 1;
  const entry = {
    ...factorEntry(app, actor, "second-factor.remove"),
    detail: { kind: which === "totp" ? "totp" : "passkey" },
  };
  if (isLast && status.required) {
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused" })]);
    throw audited(new AppError("conflict", "Your agency requires a second factor. Add another one first."));
  }
  const removal =
    which === "totp"
      ? removeTotp(app.db, actor.userId)
      : removePasskey(app.db, { id: which.passkey, userId: actor.userId });
  const statements = [
    requireSessionLive(app.db, actor.sessionId),
    removal,
    ...(isLast ? removeFactors(app.db, actor.userId) : []),
    insertAudit(app.db, entry),
  ];
  const done = await inOneStepIfSame(app, actor, { was: status, statements, tries });
  if (!done) await removeFactor(app, actor, which, tries + 1);
}

/** Maximum attempts at a change while the factors or the policy change: more than the factors that a user can have. */
const MAX_TRIES = 2 * MAX_PASSKEYS;

/** Returns false, and does nothing, if the actor's factors or the policy have changed since they were read. */
async function inOneStepIfSame(
  app: AppContext,
  { userId }: SessionActor,
  { was, statements, tries }: { was: SecondFactorStatus; statements: Statement[]; tries: number },
): Promise<boolean> {
  try {
    await inLiveSession(app, [requireFactorsUnchanged(app.db, { userId, was }), ...statements]);
    return true;
  } catch (error) {
    if (brokenConstraint(error) !== "users.created_at" || tries >= MAX_TRIES) throw error;
    return false;
  }
}

/**
 * Replaces the recovery codes. Throws AppError conflict without a second factor, and unauthenticated if the session has
 * ended.
 */
export async function renewRecoveryCodes(
  app: AppContext,
  actor: SessionActor,
  tries = 1,
): Promise<{ recovery_codes: string[] }> {
  const status = await findFactorStatus(app.db, actor.userId);
  if (!hasSecondFactor(status)) throw new AppError("conflict", "Set up a second factor first.");
  const { codes, hashes } = await newRecoveryCodes(app, actor.userId);
  const statements = [
    requireSessionLive(app.db, actor.sessionId),
    ...replaceRecoveryCodes(app.db, { userId: actor.userId, hashes }),
    insertAudit(app.db, factorEntry(app, actor, "second-factor.codes")),
  ];
  const done = await inOneStepIfSame(app, actor, { was: status, statements, tries });
  return done ? { recovery_codes: codes } : renewRecoveryCodes(app, actor, tries + 1);
}

/**
 * POST /second-factor/verify: a code of the app, or a recovery code, completes the sign-in. Throws AppError bad_request
 * or too_many, audited.
 */
export async function completeByCode(
  app: AppContext,
  actor: SessionActor,
  { code }: FactorCode,
): Promise<SignedIn> {
  const kind = await proveByCode(app, actor, { code, action: "sign-in.second-factor" });
  return passFactor(app, actor, kind);
}

/**
 * POST /step-up: proves the password or a code again, which allows ten minutes of privileged functions. A password is
 * not accepted if a second factor is set up. Throws AppError forbidden, bad_request or too_many, audited.
 */
export async function stepUp(app: AppContext, actor: SessionActor, input: StepUp): Promise<SignedIn> {
  if (input.code) {
    const kind = await proveByCode(app, actor, { code: input.code, action: "step-up" });
    return steppedUp(app, actor, kind);
  }
  if (!input.password) throw new AppError("bad_request", "Enter your password or a code.");
  if (hasSecondFactor(await findFactorStatus(app.db, actor.userId))) {
    const entry = factorEntry(app, actor, "step-up");
    const detail = { reason: "password alone, with a second factor set up" };
    await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail })]);
    const message = "Confirm with your authenticator app, a passkey or a recovery code.";
    throw audited(new AppError("forbidden", message));
  }
  await checkPassword(app, actor, input.password);
  return steppedUp(app, actor, "password");
}

/** Completes the second factor of a session that requires it. */
export async function passFactor(app: AppContext, actor: SessionActor, kind: string): Promise<SignedIn> {
  const state = stateAfterFactors({ due: await isPasswordDue(app.db, actor.sessionId), enroll: false });
  const { token, statement } = await renewed(app, actor, state);
  const { account } = await proofAttempt(app, actor);
  const known = await deviceFor(app, { userId: actor.userId, caller: actor, kind: actor.kind });
  await inLiveSession(app, [
    statement,
    removeAttemptsOn(app.db, account),
    ...(known?.statements ?? []),
    insertAudit(app.db, {
      ...factorEntry(app, actor, "sign-in.second-factor"),
      detail: { kind, state },
    }),
  ]);
  return { token, userId: actor.userId, state, ...(known && { device: known.device }) };
}

/** Records a step-up in a full session. The session continues under a new token. */
export async function steppedUp(app: AppContext, actor: SessionActor, kind: string): Promise<SignedIn> {
  // The state stays: the agency may require a second factor since the request began.
  const { token, statement } = await renewed(app, actor);
  const { account } = await proofAttempt(app, actor);
  const entry = { ...factorEntry(app, actor, "step-up"), detail: { kind } };
  await inLiveSession(app, [statement, removeAttemptsOn(app.db, account), insertAudit(app.db, entry)]);
  return { token, userId: actor.userId, state: actor.sessionState };
}

async function renewed(app: AppContext, actor: SessionActor, state?: SessionState) {
  const token = randomToken();
  const statement = updateSession(app.db, {
    id: actor.sessionId,
    ...(state && { state }),
    tokenHash: await sha256(token),
    provedAt: app.clock(),
  });
  return { token, statement };
}

/** Verifies a code as a counted attempt. Returns its kind. Throws AppError bad_request or too_many, audited. */
async function proveByCode(
  app: AppContext,
  actor: SessionActor,
  input: { code: string; action: AuditAction },
): Promise<"totp" | "recovery code"> {
  const entry = factorEntry(app, actor, input.action);
  const { key, attempt } = await beginProof(app, actor, entry);
  const code = input.code.replace(/[\s-]/g, "");
  const factor = await findTotp(app.db, actor.userId);
  if (factor && factor.confirmedAt !== null && (await consumeTotp(app, { factor, code }))) {
    await inOneStep(app.db, [removeAttempt(app.db, attempt)]);
    return "totp";
  }
  const codeHashes = await recoveryHashes(app, actor.userId, code.toUpperCase());
  if (await takeRecoveryCode(app.db, { userId: actor.userId, codeHashes })) {
    await inOneStep(app.db, [removeAttempt(app.db, attempt)]);
    return "recovery code";
  }
  const detail = { reason: "wrong code" };
  await failedAttempt(app, { id: attempt, key, entry: { ...entry, detail } });
  throw audited(new AppError("bad_request", "This code is wrong, or it was already used."));
}

/** Returns whether a code matches the app's secret, and marks its time step as used, so that each code works once. */
async function consumeTotp(
  app: AppContext,
  { factor, code }: { factor: { userId: string; sealedSecret: string }; code: string },
): Promise<boolean> {
  const { userId, sealedSecret } = factor;
  const secret = await unseal(app.config.sealingKeys, sealedFor(userId), sealedSecret);
  const step = totpStep(secret, code, app.clock());
  return step !== undefined && takeTotpStep(app.db, userId, step);
}

async function newRecoveryCodes(app: AppContext, userId: string) {
  const codes = Array.from({ length: RECOVERY_CODES }, readableCode);
  const hashes = await Promise.all(
    codes.map(async (code) => at(await recoveryHashes(app, userId, code.replaceAll("-", "")), 0)),
  );
  return { codes, hashes };
}

/** Returns a code's hash with each pepper, newest first. New codes are stored under the newest. */
async function recoveryHashes(app: AppContext, userId: string, code: string): Promise<string[]> {
  const macs = allPeppers(app.config.pepper).map((pepper) => hmac(pepper, `recovery:${userId}:${code}`));
  return (await Promise.all(macs)).map(hex);
}
