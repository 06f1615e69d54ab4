// What an agency's identity provider must not change about users by SCIM.

import type { AppContext } from "#app/context.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import type { ScimPerson } from "#app/entities/users/scim/person.ts";
import { UNMATCHABLE_HASH } from "#app/lib/crypto/passwords.ts";
import { AppError } from "#app/lib/errors.ts";
import { findSignOnProvider, hasIdentity, isBreakGlass } from "#app/store/accounts/single-sign-on.ts";
import { hasPasskey, type ScimUserRow } from "#app/store/users/scim/people.ts";
import { type ScimClient, scimRefusal } from "./client.ts";

/** Throws AppError forbidden, audited, for the owner and the break-glass account. */
export async function requireChangeable(
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
 * Throws AppError forbidden, audited, for a new address of a user whom the next sign-in would connect by the address, and
 * who has a sign-in or rights in Odin that another person must not get.
 */
export async function requireAddress(
  app: AppContext,
  client: ScimClient,
  { user }: ScimUserRow,
  person: ScimPerson,
): Promise<void> {
  if (user.email.toLowerCase() === person.email) return;
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
