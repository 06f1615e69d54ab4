// Finds the Odin user of a person whom an agency's provider has authenticated. The identity is the issuer and the
// subject; an email address finds a user only once, if the provider has verified it and the agency has the domain.
// Everything happens within the agency.

import type { AppContext } from "#app/context.ts";
import type { SessionState } from "#app/entities/accounts/access.ts";
import type { Caller } from "#app/entities/accounts/actor.ts";
import { groupsAtSignIn, rightsOfGroups } from "#app/entities/accounts/group-rights.ts";
import {
  emailRefusal,
  isSharedIssuer,
  replacesSecondFactor,
  type SignOnClaims,
  SignOnFailure,
  type SignOnRefusal,
} from "#app/entities/accounts/single-sign-on.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { Username } from "#app/entities/users/directory.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { UNMATCHABLE_HASH } from "#app/lib/crypto/passwords.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { insertSession } from "#app/store/accounts/sessions.ts";
import {
  findUserById,
  noteSignIn,
  requireUserUnchanged,
  type StoredUser,
} from "#app/store/accounts/sign-in.ts";
import { requireNotEnded } from "#app/store/accounts/sign-on-sessions.ts";
import {
  findIdentity,
  findSignOnProvider,
  hasIdentity,
  listDomains,
  listUsersByEmail,
  requireIdentityUnchanged,
  type SignOnProviderRow,
  saveIdentity,
} from "#app/store/accounts/single-sign-on.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import { insertUsers, listTakenUsernames } from "#app/store/users/directory.ts";
import { findGroupsAtSignIn, type ScimGroupsAtSignIn } from "#app/store/users/scim/groups.ts";
import { requireScimGroupsUnchanged } from "#app/store/users/scim/token.ts";
import { idsOfSignOn } from "./ended-sign-ons.ts";
import { rightStatements } from "./group-rights.ts";
import type { SignedIn } from "./sign-in.ts";

type Input = {
  provider: SignOnProviderRow;
  claims: SignOnClaims;
  caller: Caller;
  notice: string;
  /** When Odin began to ask the provider for the claims. */
  since: number;
};

/** The user's id and name are missing if the person is not a user of Odin. */
type NotOpened = { refused: SignOnRefusal; userId?: string; username?: string };

/** The user who signs in, and the statements that must precede the session. */
type Person = {
  user: Pick<StoredUser, "id" | "username" | "role" | "hotlistAdmin" | "hotlistViewer" | "hasSecondFactor">;
  secondFactorRequired: boolean;
  statements: Statement[];
  detail: Record<string, unknown>;
  /** As they were read; missing for a new user. */
  was?: StoredUser;
};

/** The person with their groups, and those that the provider manages by SCIM. */
type Grouped = Person & { groups: string[]; managed: ScimGroupsAtSignIn | undefined };

/** Maximum number of authentication methods in an audit row. */
const MAX_METHODS = 20;

/** Maximum attempts at a sign-in while the user, the rules or the agency's groups change. */
const MAX_TRIES = 5;

/**
 * Opens a session for a person whom the provider has named, or returns why not. Throws SignOnFailure if the agency has
 * changed or removed its connection since then, or if the data keeps changing between the attempts.
 */
export async function openSignOnSession(
  app: AppContext,
  input: Input,
  tries = 1,
): Promise<SignedIn | NotOpened> {
  const { provider } = input;
  const person = await personOf(app, input);
  if ("refused" in person) return person;
  const { id, username } = person.user;
  const membership = await membershipOf(app, { ...input, userId: id });
  if (!membership.isMember) return { refused: "not a member", ...(person.was && { userId: id, username }) };
  try {
    return await open(app, input, { ...person, ...membership });
  } catch (error) {
    const broken = brokenConstraint(error);
    // The groups, the user, the settings or the policy have changed since they were read.
    if (broken !== undefined && CHANGED.includes(broken)) {
      if (tries >= MAX_TRIES) throw new SignOnFailure("changing");
      const current = await sameConnection(app, provider);
      return openSignOnSession(app, { ...input, provider: current }, tries + 1);
    }
    // The provider's logout arrived meanwhile.
    if (broken === "used_sign_ons.id")
      return { refused: "ended", ...(person.was && { userId: id, username }) };
    // A concurrent sign-in was faster.
    if (broken === "sign_on_identities.user_id") return { refused: "linked" };
    if (broken !== "users.username") throw error;
    return { refused: "username taken" };
  }
}

/** Returns a person's groups, those of them that the provider manages by SCIM, and whether one of them may sign in. */
export async function membershipOf(
  app: AppContext,
  input: { provider: SignOnProviderRow; claims: SignOnClaims; userId: string },
): Promise<Pick<Grouped, "groups" | "managed"> & { isMember: boolean }> {
  const { agencyId, memberGroups } = input.provider;
  const managed = await findGroupsAtSignIn(app.db, { agencyId, userId: input.userId });
  const groups = groupsAtSignIn(input.claims.groups, managed?.groups ?? []);
  const isMember = memberGroups.length === 0 || memberGroups.some((name) => groups.includes(name));
  return { groups, managed, isMember };
}

const CHANGED = ["scim_tokens.version", "users.password_hash", "users.email"];

/** Returns the current settings of the connection that named the person. Throws SignOnFailure. */
async function sameConnection(app: AppContext, former: SignOnProviderRow): Promise<SignOnProviderRow> {
  const current = await findSignOnProvider(app.db, former.agencyId);
  if (!current?.enabled || current.issuer !== former.issuer || current.clientId !== former.clientId)
    throw new SignOnFailure("expired");
  return current;
}

async function open(app: AppContext, input: Input, person: Grouped): Promise<SignedIn> {
  const { provider, claims, caller, notice } = input;
  const { user, secondFactorRequired, groups, managed } = person;
  const now = app.clock();
  const hasProvedTwo = replacesSecondFactor(provider, claims, secondFactorRequired);
  const state = stateAfterSignOn({ ...user, hasProvedTwo, secondFactorRequired });
  const [token, sessionId] = [randomToken(), randomToken()];
  const { issuer, subject, session } = claims;
  const entry: AuditEntry = {
    ...auditWho(null, caller),
    at: now,
    agencyId: provider.agencyId,
    userId: user.id,
    username: user.username,
    sessionId,
    action: "sign-in",
    outcome: "ok",
  };
  const statements = [
    ...(person.was ? [requireUserUnchanged(app.db, person.was)] : []),
    ...person.statements,
    requireNotEnded(app.db, await idsOfSignOn(provider, { subject, session, since: input.since })),
    requireIdentityUnchanged(app.db, { provider, subject, userId: user.id, secondFactorRequired }),
    ...(managed
      ? [requireScimGroupsUnchanged(app.db, { agencyId: provider.agencyId, version: managed.version })]
      : []),
    ...rightStatements(app, {
      entry,
      people: [{ user, rights: rightsOfGroups(provider, groups) }],
      by: "groups of single sign-on",
    }),
    insertSession(app.db, {
      id: sessionId,
      tokenHash: await sha256(token),
      userId: user.id,
      kind: "cookie",
      state,
      passwordDue: false,
      at: now,
      caller,
      noticeVersion: notice,
      // The provider may have authenticated the person hours ago.
      provedAt: Math.min(now, claims.authTime ?? 0),
      signOn: { issuer, subject, session },
    }),
    noteSignIn(app.db, user.id, now),
    insertAudit(app.db, {
      ...entry,
      detail: {
        kind: "cookie",
        with: "single sign-on",
        issuer,
        subject,
        amr: claims.amr.slice(0, MAX_METHODS),
        acr: claims.acr,
        notice: notice || "not shown before the sign-in",
        state,
        ...(hasProvedTwo && { second_factor: "proved at the provider" }),
        ...person.detail,
      },
    }),
  ];
  await inOneStep(app.db, nonEmpty(statements));
  return { token, userId: user.id, state };
}

/** Returns the state of a session that the provider opened: Odin's second factor follows unless the provider proved one. */
function stateAfterSignOn(input: {
  hasProvedTwo: boolean;
  hasSecondFactor: boolean;
  secondFactorRequired: boolean;
}): SessionState {
  if (input.hasProvedTwo) return "full";
  if (input.hasSecondFactor) return "awaiting-second-factor";
  return input.secondFactorRequired ? "must-enrol-second-factor" : "full";
}

async function personOf(app: AppContext, { provider, claims, caller }: Input): Promise<Person | NotOpened> {
  const { agencyId } = provider;
  const { issuer, subject } = claims;
  const approved = (await listDomains(app.db, agencyId)).filter(({ approved_at }) => approved_at !== null);
  const domains = approved.map(({ domain }) => domain);
  if (isSharedIssuer(issuer) && !domains.includes(claims.hostedDomain))
    return { refused: "foreign organization" };
  const known = await findIdentity(app.db, { agencyId, issuer, subject });
  const user = known === undefined ? undefined : await findUserById(app.db, known);
  if (user) return existing(app, { user, agencyId, statements: [], detail: {} });
  const wrong = emailRefusal(claims, { trustEmail: provider.trustEmail, domains });
  if (wrong) return { refused: known === undefined ? wrong : "deleted" };
  const [found, another] = await listUsersByEmail(app.db, { agencyId, email: claims.email });
  if (another !== undefined) return { refused: "several users" };
  const at = app.clock();
  const link = (userId: string) => saveIdentity(app.db, { agencyId, issuer, subject, userId, createdAt: at });
  const same = found === undefined ? undefined : await findUserById(app.db, found);
  if (same && (await hasIdentity(app.db, { agencyId, issuer, userId: same.id })))
    return { refused: "linked", userId: same.id, username: same.username };
  if (same)
    return existing(app, {
      user: same,
      agencyId,
      statements: [link(same.id)],
      detail: { linked_by: "email" },
    });
  if (known !== undefined) return { refused: "deleted" };
  if (!provider.createUsers) return { refused: "no user" };
  return newPerson(app, { claims, agencyId, caller, link });
}

function existing(
  app: AppContext,
  input: { user: StoredUser; agencyId: string; statements: Statement[]; detail: Record<string, unknown> },
): Person | { refused: SignOnRefusal; userId: string; username: string } {
  const { user, agencyId, statements, detail } = input;
  const refused = userRefusal(app, user, agencyId);
  if (refused) return { refused, userId: user.id, username: user.username };
  return { user, secondFactorRequired: user.secondFactorRequired, statements, detail, was: user };
}

function userRefusal(app: AppContext, user: StoredUser, agencyId: string): SignOnRefusal | undefined {
  if (user.agencyId !== agencyId) return "other agency";
  // An agency's provider must not be able to sign in as the owner of all agencies.
  if (user.username === app.config.ownerUsername) return "owner";
  if (user.disabledAt !== null) return "disabled";
  // Strangers can cause a lock for unknown devices, but not sign in at the provider.
  return user.lockedAt !== null && user.lockedFor !== "unknown devices" ? "locked" : undefined;
}

async function newPerson(
  app: AppContext,
  input: { claims: SignOnClaims; agencyId: string; caller: Caller; link: (userId: string) => Statement },
): Promise<Person | { refused: SignOnRefusal }> {
  const { claims, agencyId, caller, link } = input;
  const now = app.clock();
  const named = Username.safeParse(claims.email.replace(/[^a-z0-9._@-]/g, "-").slice(0, 64));
  if (!named.success) return { refused: "no email" };
  const username = named.data;
  const taken = await listTakenUsernames(app.db, { usernames: [username], now });
  if (taken.size > 0 || username === app.config.ownerUsername) return { refused: "username taken" };
  const agency = await findAgency(app.db, agencyId);
  const id = randomToken();
  const user = { id, username, role: "user", hotlistAdmin: false, hotlistViewer: false } as const;
  const row = {
    id,
    agencyId,
    username,
    name: claims.name || claims.email,
    email: claims.email,
    role: user.role,
    passwordHash: UNMATCHABLE_HASH,
    temporaryUntil: null,
    createdAt: now,
  };
  const entry: AuditEntry = {
    ...auditWho(null, caller),
    at: now,
    agencyId,
    userId: id,
    username,
    action: "user.add",
    outcome: "ok",
  };
  return {
    user: { ...user, hasSecondFactor: false },
    secondFactorRequired: agency?.policy.second_factor_required ?? true,
    statements: [...insertUsers(app.db, [row], entry), link(id)],
    detail: { created: true },
  };
}
