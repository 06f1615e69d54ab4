// The SCIM token of an administrator's own agency: created, replaced and revoked. It is shown once and stored as a hash.

import type { AppContext } from "#app/context.ts";
import { SCIM_TOKEN_START } from "#app/domain/accounts/scim-token.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AuditAction, type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import type { ScimTokenState } from "#app/entities/users/scim/call.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { findUserByName } from "#app/store/accounts/sign-in.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import {
  findScimTokenOf,
  removeScimToken,
  type ScimTokenRow,
  saveScimToken,
} from "#app/store/users/scim/token.ts";

/** Returns when and by whom the agency's token was created, and when it was last used; or null. */
export async function scimTokenState(app: AppContext, actor: Actor): Promise<ScimTokenState | null> {
  const row = await findScimTokenOf(app.db, actor.agencyId);
  if (!row) return null;
  const creator = await findUserByName(app.db, row.createdBy);
  const isAdmin =
    creator !== undefined &&
    isCreator(creator, row) &&
    creator.role === "admin" &&
    creator.disabledAt === null;
  return {
    created_at: row.createdAt,
    created_by: row.createdBy,
    creator_left: !isAdmin,
    last_used_at: row.lastUsedAt,
  };
}

type Person = { agencyId: string; username: string; createdAt: number };

/** Returns whether a user created a token. A username can be reused a year after its user was deleted. */
function isCreator(user: Person, token: ScimTokenRow): boolean {
  return (
    user.agencyId === token.agencyId && user.username === token.createdBy && user.createdAt <= token.createdAt
  );
}

/**
 * Returns a notice for the administrator who revokes a user's role or deletes the user, if that user created the
 * agency's SCIM token. The token keeps working, so that the provider can still disable users.
 */
export async function scimTokenNotice(app: AppContext, user: Person): Promise<{ notice?: string }> {
  const token = await findScimTokenOf(app.db, user.agencyId);
  if (!token || !isCreator(user, token)) return {};
  return {
    notice: `${user.username} created the agency's SCIM token and may still have it. Replace it on the page Single Sign-On.`,
  };
}

/** Creates the agency's token. A former one stops working at once. */
export async function createScimToken(
  app: AppContext,
  actor: Actor,
): Promise<{ msg: string; token: string }> {
  const { agencyId, username } = actor;
  const before = await findScimTokenOf(app.db, agencyId);
  const token = `${SCIM_TOKEN_START}${randomToken(32)}`;
  const id = randomToken();
  await inOneStep(app.db, [
    saveScimToken(app.db, {
      agencyId,
      id,
      tokenHash: await sha256(token),
      createdAt: app.clock(),
      createdBy: username,
    }),
    insertAudit(
      app.db,
      entryOf(app, actor, before ? "scim.token-rotate" : "scim.token-create", {
        token: id,
        ...(before && { former: before.id }),
      }),
    ),
  ]);
  return { msg: before ? "Token replaced" : "Token created", token };
}

/** Revokes the agency's token. Users and groups stay as they are. Throws AppError not_found. */
export async function revokeScimToken(app: AppContext, actor: Actor): Promise<{ msg: string }> {
  const { agencyId } = actor;
  const before = await findScimTokenOf(app.db, agencyId);
  if (!before) throw new AppError("not_found", "Your agency has no SCIM token.");
  await inOneStep(app.db, [
    removeScimToken(app.db, agencyId),
    insertAuditIfChanged(app.db, entryOf(app, actor, "scim.token-revoke", { token: before.id })),
  ]);
  return { msg: "Token revoked" };
}

function entryOf(
  app: AppContext,
  actor: Actor,
  action: AuditAction,
  detail: Record<string, unknown>,
): AuditEntry {
  return { ...auditWho(actor), at: app.clock(), outcome: "ok", action, object: actor.agencyId, detail };
}
