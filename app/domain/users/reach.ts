// Which users an administrator can manage, and how actions on a user are performed and audited. The tenant comes from
// the session alone: users of other agencies are reported as not found. No one can act on themselves, only the owner
// can act on the owner, and an agency keeps its last administrator.

import type { AppContext } from "#app/context.ts";
import { auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import { AppError } from "#app/lib/errors.ts";
import { isBreakGlass } from "#app/store/accounts/single-sign-on.ts";
import { changesOf, inOneStep, type Statement } from "#app/store/database.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { findManagedUser } from "#app/store/users/directory.ts";

/** Which users the actor manages: those of the actor's own agency, or all (the owner). */
export type Reach = "agency" | "all";

/** Returns the agency that a reach is limited to; null if it is not limited. */
export function agencyIn(actor: Actor, reach: Reach): string | null {
  return reach === "all" && actor.isOwner ? null : actor.agencyId;
}

export type Target = { id: string; reach: Reach };

/** Returns the user that an action is about. Throws AppError not_found or forbidden; a refusal is audited. */
export async function targetOf(
  app: AppContext,
  actor: Actor,
  input: Target & { action: AuditAction; mayBeOwner?: boolean; mayBeSelf?: boolean },
) {
  const { id, reach, action } = input;
  const refused = (error: AppError) => refuse(app, actor, { action, object: id.slice(0, 100), error });
  const user = await findManagedUser(app.db, { id, agencyId: agencyIn(actor, reach) });
  if (!user) throw await refused(new AppError("not_found", "This user does not exist."));
  if (user.id === actor.userId && !input.mayBeSelf)
    throw await refused(new AppError("forbidden", "You cannot do this to yourself."));
  if (user.username === app.config.ownerUsername && !input.mayBeOwner)
    throw await refused(new AppError("forbidden", "Only the owner can manage the owner's account."));
  return user;
}

/** Returns the error for an action that would take an agency's last administrator or its break-glass account. */
export async function keptAdminError(app: AppContext, userId: string): Promise<AppError> {
  if (await isBreakGlass(app.db, userId))
    return new AppError(
      "conflict",
      "This is the break-glass account of single sign-on. Choose another one there first.",
    );
  return new AppError("conflict", "An agency must keep at least one administrator.");
}

/** Runs an action whose first statement has a condition. Throws `otherwise`, audited, if the condition did not hold. */
export async function actIf(
  app: AppContext,
  actor: Actor,
  input: {
    action: AuditAction;
    user: { id: string; username: string };
    detail?: Record<string, unknown>;
    act: Statement;
    followedBy: Statement[];
    otherwise: AppError;
  },
): Promise<void> {
  const { action, user, act, followedBy, otherwise } = input;
  const detail = { username: user.username, ...input.detail };
  const entry = auditRow(app, actor, { action, object: user.id, detail });
  const [done] = await inOneStep(app.db, [act, insertAuditIfChanged(app.db, entry), ...followedBy]);
  if (changesOf(done) === 0) throw await refuse(app, actor, { action, object: user.id, error: otherwise });
}
