// Changes that an agency's identity provider makes to users by SCIM. It creates users, takes over those whose address
// is in an approved domain of the agency, and enables only users whom it disabled itself. The owner and the break-glass
// account cannot be changed.

import type { AppContext } from "#app/context.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { domainOfEmail } from "#app/entities/accounts/single-sign-on.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import { Username } from "#app/entities/users/directory.ts";
import { documentOf, scimProblem, USER_TYPE } from "#app/entities/users/scim/attributes.ts";
import type { ScimCall, ScimChange } from "#app/entities/users/scim/call.ts";
import { applyScimPatch, parseScimPatch } from "#app/entities/users/scim/patch.ts";
import { personDocument, type ScimPerson, scimPersonOf } from "#app/entities/users/scim/person.ts";
import type { ScimResource } from "#app/entities/users/scim/resources.ts";
import { UNMATCHABLE_HASH } from "#app/lib/crypto/passwords.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { lowerAscii } from "#app/lib/text.ts";
import {
  findSignOnProvider,
  hasIdentity,
  isBreakGlass,
  listDomains,
} from "#app/store/accounts/single-sign-on.ts";
import { insertUsers, listTakenUsernames } from "#app/store/users/directory.ts";
import { hasPasskey, listClaims, type ScimUserRow, saveScimUser } from "#app/store/users/scim/people.ts";
import { requireVersion, type ScimPlan, scimChange, scimEntry, scimRefusal } from "./client.ts";
import { getUserByScim, personOf, requireUser } from "./people.ts";
import {
  type Change,
  changeStatements,
  disabling,
  plain,
  removal,
  storedFieldsOf,
} from "./person-statements.ts";

type Plan = ScimPlan<ScimResource>;

/**
 * POST /scim/v2/Users. Takes over a user of the agency who has the address and whom the provider has not managed yet, or
 * has deleted. Throws AppError bad_request, forbidden, or conflict with uniqueness.
 */
export async function createUserByScim(
  app: AppContext,
  admitted: ScimClient,
  call: ScimCall,
): Promise<ScimResource> {
  return scimChange(app, admitted, call, async (client, body) => {
    const person = scimPersonOf(documentOf(USER_TYPE, body));
    const { agencyId } = client;
    const domains = await requireDomain(app, client, person, { action: "user.add" });
    const [found, another] = await listClaims(app.db, { agencyId, ...person });
    if (another) throw scimProblem("uniqueness", "Several users have this userName or email address.");
    if (!found) return newUser(app, client, { person, domains });
    if (!mayTakeOver(found, person))
      throw scimProblem("uniqueness", "A user with this userName or email address exists.");
    return planOf(app, client, { row: found, person, isTaken: true });
  });
}

/**
 * Returns whether a new user of the provider is this stored user: it has the same address, or the provider deleted it
 * before.
 */
function mayTakeOver({ user, link }: ScimUserRow, person: ScimPerson): boolean {
  const hasAddress = lowerAscii(user.email) === person.email;
  if (link === null) return hasAddress && user.username !== person.userName.toLowerCase();
  // Providers may give a userName to another person later, but never an externalId.
  const isSame = link.externalId === null ? hasAddress : link.externalId === person.externalId;
  return link.removedAt !== null && isSame;
}

const usernameFrom = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9._@-]/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);

async function newUser(
  app: AppContext,
  client: ScimClient,
  { person, domains }: { person: ScimPerson; domains: readonly string[] },
): Promise<Plan> {
  const { agencyId } = client;
  const now = app.clock();
  const wanted = usernameFrom(person.userName);
  // An address of another domain is left to the agency that has the domain.
  const isForeign = wanted.includes("@") && !domains.includes(domainOfEmail(wanted));
  const named = Username.safeParse(isForeign ? usernameFrom(person.email) : wanted);
  if (!named.success) throw scimProblem("invalidValue", "userName must contain letters or digits.");
  const username = named.data;
  const taken = await listTakenUsernames(app.db, { usernames: [username], now });
  if (taken.size > 0 || username === app.config.ownerUsername) {
    const error = scimProblem("uniqueness", "This userName is taken or was recently in use.");
    throw await scimRefusal(app, client, { action: "user.add", object: username, error });
  }
  const id = randomToken();
  const row = {
    id,
    agencyId,
    username,
    name: person.name,
    email: person.email,
    role: "user" as const,
    passwordHash: UNMATCHABLE_HASH,
    temporaryUntil: null,
    createdAt: now,
  };
  return {
    statements: [
      ...insertUsers(app.db, [row], scimEntry(app, client, { action: "user.add", object: "" })),
      ...saveScimUser(app.db, { ...storedFieldsOf(person), userId: id, agencyId, now, removedAt: null }),
      ...(person.active ? [] : disabling(app, client, { id, username })),
    ],
    answer: () => getUserByScim(app, client, id),
  };
}

/** PUT /scim/v2/Users/{id}. Fields that the body omits are cleared, except `active`. Throws as the other calls do. */
export async function replaceUserByScim(
  app: AppContext,
  admitted: ScimClient,
  call: ScimChange,
): Promise<ScimResource> {
  return scimChange(app, admitted, call, async (client, body) => {
    const row = await requireUser(app, client, call.id);
    const document = documentOf(USER_TYPE, body);
    const person = scimPersonOf({ active: personOf(row).active, ...document });
    return changePlan(app, client, { call, row, person });
  });
}

/** PATCH /scim/v2/Users/{id}. Throws AppError bad_request, forbidden, not_found, conflict or precondition_failed. */
export async function patchUserByScim(
  app: AppContext,
  admitted: ScimClient,
  call: ScimChange,
): Promise<ScimResource> {
  return scimChange(app, admitted, call, async (client, body) => {
    const row = await requireUser(app, client, call.id);
    const before = personOf(row);
    const document = applyScimPatch(USER_TYPE, personDocument(before), parseScimPatch(body));
    // An operation that removes `active` does not enable the user.
    return changePlan(app, client, {
      call,
      row,
      person: scimPersonOf({ active: before.active, ...document }),
    });
  });
}

async function changePlan(
  app: AppContext,
  client: ScimClient,
  { call, row, person }: { call: ScimCall; row: ScimUserRow; person: ScimPerson },
): Promise<Plan> {
  const { user } = row;
  if (call.ifMatch !== null) requireVersion(call, await getUserByScim(app, client, user.id));
  await requireDomain(app, client, person, { action: "user.change", id: user.id });
  const before = personOf(row);
  const isRenamed =
    before.userName.toLowerCase() !== person.userName.toLowerCase() || before.email !== person.email;
  // Users who shared an address or a name before must not block each other's deactivation.
  const claims = isRenamed ? await listClaims(app.db, { agencyId: client.agencyId, ...person }) : [];
  if (claims.some((other) => other.user.id !== user.id))
    throw scimProblem("uniqueness", "Another user has this userName or email address.");
  return planOf(app, client, { row, person, isTaken: row.link === null });
}

/**
 * Returns the agency's approved domains. Throws AppError forbidden, audited, for an address outside them. The audit row
 * has only the address's domain, since the person may be a stranger.
 */
async function requireDomain(
  app: AppContext,
  client: ScimClient,
  person: ScimPerson,
  { action, id }: { action: AuditAction; id?: string },
): Promise<string[]> {
  const domain = domainOfEmail(person.email);
  const approved = (await listDomains(app.db, client.agencyId)).filter((one) => one.approved_at !== null);
  const domains = approved.map((one) => one.domain);
  if (domains.includes(domain)) return domains;
  const error = new AppError(
    "forbidden",
    "The email address is not in an email domain that is approved for the agency.",
  );
  throw await scimRefusal(app, client, { action, object: id ?? domain, detail: { domain }, error });
}

/** Throws AppError forbidden, audited, for the owner and the break-glass account. */
async function requireChangeable(
  app: AppContext,
  client: ScimClient,
  { user }: ScimUserRow,
  action: AuditAction,
): Promise<void> {
  const isOwner = user.username === app.config.ownerUsername;
  if (!isOwner && !(await isBreakGlass(app.db, user.id))) return;
  const error = new AppError(
    "forbidden",
    isOwner
      ? "The owner's account cannot be changed by SCIM."
      : "The break-glass account of single sign-on cannot be changed by SCIM.",
  );
  const detail = { username: user.username };
  throw await scimRefusal(app, client, { action, object: user.id, detail, error });
}

/**
 * Throws AppError forbidden, audited, for a new address of a user who has a sign-in or rights in Odin and would be
 * connected by this address at the next sign-in: another person must not get those rights.
 */
async function requireAddress(
  app: AppContext,
  client: ScimClient,
  { user }: ScimUserRow,
  person: ScimPerson,
): Promise<void> {
  if (lowerAscii(user.email) === person.email) return;
  const { agencyId } = client;
  const { id: userId, username } = user;
  const issuer = (await findSignOnProvider(app.db, agencyId))?.issuer;
  if (issuer !== undefined && (await hasIdentity(app.db, { agencyId, issuer, userId }))) return;
  const hasRights = user.role !== "user" || user.hotlistAdmin || user.hotlistViewer;
  const hasPassword = user.passwordHash !== UNMATCHABLE_HASH;
  if (!hasRights && !hasPassword && !(await hasPasskey(app.db, userId))) return;
  const error = new AppError(
    "forbidden",
    "The email address of a user with a password or rights in Odin cannot be changed by SCIM before the user's first single sign-on.",
  );
  const detail = { username };
  throw await scimRefusal(app, client, { action: "user.change", object: userId, detail, error });
}

/** Returns the statements that change a user to what the provider describes. Throws AppError forbidden, audited. */
async function planOf(app: AppContext, client: ScimClient, change: Change): Promise<Plan> {
  const { row, person, isTaken } = change;
  const { user } = row;
  const before = personOf(row);
  const isSame = JSON.stringify(plain(before)) === JSON.stringify(plain(person));
  const answer = () => getUserByScim(app, client, user.id);
  if (isSame && !isTaken) return { statements: [], answer };
  await requireChangeable(app, client, row, "user.change");
  await requireAddress(app, client, row, person);
  if (person.active && !before.active && user.disabledBy !== "identity provider") {
    const error = new AppError(
      "forbidden",
      "The user was disabled in Odin. Only an administrator can enable the user there.",
    );
    throw await scimRefusal(app, client, { action: "user.enable", object: user.id, error });
  }
  return { statements: changeStatements(app, client, change), answer };
}

/**
 * DELETE /scim/v2/Users/{id}: disables the user and takes the rights that came with groups. The records of the user stay,
 * and an administrator still sees the user; the provider does not. Throws AppError forbidden, not_found or conflict.
 */
export async function removeUserByScim(
  app: AppContext,
  admitted: ScimClient,
  { id, ifMatch }: Omit<ScimChange, "body">,
): Promise<void> {
  return scimChange(app, admitted, {}, async (client) => {
    const row = await requireUser(app, client, id);
    if (ifMatch !== null) requireVersion({ ifMatch }, await getUserByScim(app, client, id));
    await requireChangeable(app, client, row, "scim.user-remove");
    return { statements: await removal(app, client, row), answer: async () => undefined };
  });
}
