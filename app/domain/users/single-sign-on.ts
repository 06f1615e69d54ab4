// Settings of an agency's identity provider, for its administrators, and its email domains, which the owner approves. A
// domain decides which users a provider may name, so no agency gets one only by requesting it first.

import type { AppContext } from "#app/context.ts";
import { openSecret, redirectUriOf, secretOf } from "#app/domain/accounts/single-sign-on.ts";
import { auditAct, auditIfChanged, auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import { scimTokenState } from "#app/domain/users/scim/token.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { namesGroups } from "#app/entities/accounts/group-rights.ts";
import type {
  SignOnCheck,
  SignOnProvider,
  SignOnSettings,
  Unlink,
} from "#app/entities/accounts/sign-on-settings.ts";
import { scimBaseOf } from "#app/entities/users/scim/call.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { seal } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { findUserByName } from "#app/store/accounts/sign-in.ts";
import {
  revokePasswordSessions,
  revokeProviderFactorSessions,
  revokeSignOnSessions,
} from "#app/store/accounts/sign-on-sessions.ts";
import {
  findSignOnProvider,
  listBreakGlassUsers,
  listDomains,
  noteSignOnTest,
  removeIdentities,
  removeSignOnProvider,
  type SignOnProviderRow,
  saveSignOnProvider,
} from "#app/store/accounts/single-sign-on.ts";
import { changesOf, inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";

/** Returns what the screen shows: settings without the secret, domains, and what to register at the provider. */
export async function signOnSettings(app: AppContext, actor: Actor, origin: string) {
  const { agencyId } = actor;
  const provider = await findSignOnProvider(app.db, agencyId);
  const redirectUri = redirectUriOf(origin, agencyId);
  return {
    provider: provider ? shown(provider) : null,
    domains: await listDomains(app.db, agencyId),
    breakGlassUsers: await listBreakGlassUsers(app.db, agencyId),
    redirectUri,
    logoutUri: redirectUri.replace(/callback$/, "logout"),
    scim: { base: scimBaseOf(origin), token: await scimTokenState(app, actor) },
  };
}

function shown(row: SignOnProviderRow): SignOnProvider {
  return {
    issuer: row.issuer,
    client_id: row.clientId,
    button_name: row.buttonName,
    enabled: row.enabled,
    show_button: row.showButton,
    create_users: row.createUsers,
    trust_email: row.trustEmail,
    trust_second_factor: row.trustSecondFactor,
    second_factor_approved_at: row.secondFactorApprovedAt,
    no_auth_time: row.noAuthTime,
    acr_values: row.acrValues,
    groups_claim: row.groupsClaim,
    member_groups: row.memberGroups,
    admin_groups: row.adminGroups,
    hotlist_admin_groups: row.hotlistAdminGroups,
    hotlist_viewer_groups: row.hotlistViewerGroups,
    break_glass_user: row.breakGlassUserId ?? "",
    tested_at: row.testedAt,
    last_failure_at: row.lastFailureAt,
    last_failure: row.lastFailure,
  };
}

/**
 * Stores the settings. A changed issuer or client needs its secret again, because the stored one could be sent
 * elsewhere. Turning passwords off ends the sessions that a password opened, except the actor's. A changed or removed
 * connection ends the sessions that single sign-on opened. Where the policy requires a second factor, no longer
 * trusting the provider's ends them too, including the actor's. Throws AppError bad_request or conflict, audited.
 */
export async function saveSignOn(
  app: AppContext,
  actor: Actor,
  settings: SignOnSettings,
): Promise<{ msg: string }> {
  const { agencyId } = actor;
  const before = await findSignOnProvider(app.db, agencyId);
  const problem = await problemOf(app, actor, { settings, before });
  if (problem) throw await refuse(app, actor, { action: "sign-on.change", object: agencyId, error: problem });
  const now = app.clock();
  const row = await rowOf(app, { settings, before, agencyId });
  const isOnly = row.enabled && row.breakGlassUserId !== null;
  const unset = { testedAt: null, lastFailureAt: null, lastFailure: null, secondFactorApprovedAt: null };
  const after = { ...shown({ ...row, ...unset }) };
  const isSame = before !== undefined && isSameConnection(before, row);
  const endsSignOn = before !== undefined && (!isSame || (before.enabled && !row.enabled));
  const statements: Statement[] = [
    // Placed before the settings change, because it selects the sessions by the former settings.
    ...(keepsFactor(before, row) ? [] : [revokeProviderFactorSessions(app.db, { agencyId, now })]),
    saveSignOnProvider(app.db, row),
    // The test and the last failure stay valid if only other settings changed.
    ...(isSame && settings.client_secret === ""
      ? [noteSignOnTest(app.db, { agencyId, changedAt: now, testedAt: before.testedAt })]
      : []),
    ...(endsSignOn ? [endSignedOn(app, actor)] : []),
    ...(isOnly
      ? [
          revokePasswordSessions(app.db, {
            agencyId,
            exceptSession: actor.sessionId,
            exceptUsername: app.config.ownerUsername,
            exceptUserId: row.breakGlassUserId ?? "",
            now,
          }),
        ]
      : []),
    auditAct(app, actor, {
      action: "sign-on.change",
      object: agencyId,
      detail: {
        before: before ? auditable(shown(before)) : null,
        after: auditable(after),
        ...(settings.client_secret !== "" && { secret: "changed" }),
      },
    }),
  ];
  await inOneStep(app.db, nonEmpty(statements));
  return { msg: "Single sign-on saved" };
}

/**
 * Ends the sessions that the agency's provider opened, because the provider can no longer end them. The actor's stays.
 */
function endSignedOn(app: AppContext, { agencyId, sessionId }: Actor): Statement {
  return revokeSignOnSessions(app.db, { agencyId, exceptSession: sessionId, now: app.clock() });
}

function auditable(provider: SignOnProvider) {
  const {
    tested_at: _t,
    last_failure_at: _a,
    last_failure: _f,
    second_factor_approved_at: _s,
    ...settings
  } = provider;
  return settings;
}

function isSameConnection(
  a: Pick<SignOnProviderRow, "issuer" | "clientId">,
  b: Pick<SignOnProviderRow, "issuer" | "clientId">,
): boolean {
  return a.issuer === b.issuer && a.clientId === b.clientId;
}

/** Returns whether what counted as the provider's second factor still counts with the new settings. */
function keepsFactor(
  before: SignOnProviderRow | undefined,
  after: Pick<SignOnProviderRow, "trustSecondFactor" | "acrValues">,
): boolean {
  if (!before) return true;
  return after.trustSecondFactor && JSON.stringify(before.acrValues) === JSON.stringify(after.acrValues);
}

async function problemOf(
  app: AppContext,
  actor: Actor,
  { settings, before }: { settings: SignOnSettings; before: SignOnProviderRow | undefined },
): Promise<AppError | undefined> {
  const address = app.identity.addressProblem(settings.issuer);
  if (address || settings.issuer.includes("?"))
    return new AppError("bad_request", address ?? "The issuer has no query.", { field: "issuer" });
  const isSame =
    before && isSameConnection(before, { issuer: settings.issuer, clientId: settings.client_id });
  if (!isSame && settings.client_secret === "")
    return new AppError("bad_request", "Enter the client secret.", { field: "client_secret" });
  const field = "break_glass_user";
  const isOther = !isSame || settings.client_secret !== "";
  if (isOther && before?.breakGlassUserId) {
    // A mistake would lock out everyone but the break-glass account.
    const message =
      "While passwords are off, the connection cannot change. Let everyone sign in with a password, save and test the new connection, then turn passwords off again.";
    if (settings.break_glass_user !== "") return new AppError("conflict", message, { field });
  }
  if (settings.break_glass_user === "" || settings.break_glass_user === before?.breakGlassUserId)
    return undefined;
  const known = await listBreakGlassUsers(app.db, actor.agencyId);
  if (!known.some(({ id }) => id === settings.break_glass_user))
    return new AppError("bad_request", "Choose an active administrator who has a password.", { field });
  if (isOther || !before?.testedAt) {
    const message = "Save the connection and test it without a problem before you turn passwords off.";
    return new AppError("conflict", message, { field });
  }
  return undefined;
}

async function rowOf(
  app: AppContext,
  input: { settings: SignOnSettings; before: SignOnProviderRow | undefined; agencyId: string },
) {
  const { settings, before, agencyId } = input;
  const { client_secret: secret } = settings;
  const sealedSecret =
    secret === "" && before
      ? before.sealedSecret
      : await seal(app.config.sealingKeys, secretOf(agencyId), secret);
  return {
    agencyId,
    issuer: settings.issuer,
    clientId: settings.client_id,
    sealedSecret,
    buttonName: settings.button_name,
    enabled: settings.enabled,
    showButton: settings.show_button,
    createUsers: settings.create_users,
    trustEmail: settings.trust_email,
    trustSecondFactor: settings.trust_second_factor,
    noAuthTime: settings.no_auth_time,
    acrValues: settings.acr_values,
    groupsClaim: settings.groups_claim,
    memberGroups: settings.member_groups,
    adminGroups: settings.admin_groups,
    hotlistAdminGroups: settings.hotlist_admin_groups,
    hotlistViewerGroups: settings.hotlist_viewer_groups,
    breakGlassUserId: settings.break_glass_user || null,
    changedAt: app.clock(),
  };
}

/**
 * Deletes the settings and the secret. Passwords work again, and sessions of single sign-on end. Throws AppError
 * not_found.
 */
export async function removeSignOn(app: AppContext, actor: Actor): Promise<{ msg: string }> {
  const { agencyId } = actor;
  const before = await findSignOnProvider(app.db, agencyId);
  if (!before) throw new AppError("not_found", "Your agency has no single sign-on.");
  await inOneStep(app.db, [
    removeSignOnProvider(app.db, agencyId),
    auditIfChanged(app, actor, {
      action: "sign-on.remove",
      object: agencyId,
      detail: { before: auditable(shown(before)) },
    }),
    endSignedOn(app, actor),
  ]);
  return { msg: "Single sign-on removed" };
}

/**
 * Disconnects a user of the agency from their person at the provider, so that another one can be connected by email.
 * Ends the user's sessions of single sign-on. Throws AppError not_found, audited.
 */
export async function unlinkSignOn(
  app: AppContext,
  actor: Actor,
  { username }: Unlink,
): Promise<{ msg: string }> {
  const { agencyId } = actor;
  const action = "sign-on.unlink";
  const field = "username";
  const user = await findUserByName(app.db, username);
  if (user?.agencyId !== agencyId) {
    const error = new AppError("not_found", "Your agency has no user with this username.", { field });
    throw await refuse(app, actor, { action, object: username, error });
  }
  const [removal] = await inOneStep(app.db, [
    removeIdentities(app.db, { agencyId, userId: user.id }),
    auditIfChanged(app, actor, { action, object: user.id, detail: { username } }),
    revokeSignOnSessions(app.db, {
      agencyId,
      userId: user.id,
      exceptSession: actor.sessionId,
      now: app.clock(),
    }),
  ]);
  if (changesOf(removal) === 0) {
    const error = new AppError("not_found", "This user is not connected with a person of the provider.", {
      field,
    });
    throw await refuse(app, actor, { action, object: user.id, error });
  }
  return { msg: `${username} is disconnected` };
}

export type SignOnTest = { msg: string; passed: boolean; checks: SignOnCheck[] };

/** Tests the saved settings with the provider, and says what is wrong. Throws AppError not_found. */
export async function testSignOn(app: AppContext, actor: Actor, origin: string): Promise<SignOnTest> {
  const { agencyId } = actor;
  const provider = await findSignOnProvider(app.db, agencyId);
  if (!provider) throw new AppError("not_found", "Save the settings first.");
  const checks = await app.identity.check({
    client: { ...provider, clientSecret: await openSecret(app, provider) },
    redirectUri: redirectUriOf(origin, agencyId),
    usesGroups: namesGroups(provider),
    signal: AbortSignal.timeout(app.config.sourceDeadlineMs),
  });
  const wrong = checks.filter(({ result }) => result === "problem");
  const passed = wrong.length === 0;
  const now = app.clock();
  await inOneStep(app.db, [
    noteSignOnTest(app.db, {
      agencyId,
      changedAt: provider.changedAt,
      testedAt: passed ? now : null,
    }),
    insertAudit(app.db, {
      ...auditRow(app, actor, {
        action: "sign-on.test",
        object: agencyId,
        detail: { answer: wrong.map(({ message }) => message).join(" ") },
      }),
      outcome: passed ? "ok" : "failed",
    }),
  ]);
  return { msg: passed ? "The test found no problem." : "The test found a problem.", passed, checks };
}
