// Calls that may take minutes check the caller's permission again: a guard checks only at the beginning.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { mayAnswerFor } from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import { findServiceAccount } from "#app/store/integrations/service-accounts.ts";

/**
 * Returns the actor with the rights that they have now. Throws AppError forbidden if the user, or the service account
 * that calls, was disabled or deleted, or no longer has `access`.
 */
export async function requireStill<A extends Actor>(
  app: AppContext,
  actor: A,
  access: "admin" | "hotlist-admin" | "hotlist-viewer" | "signed-in",
): Promise<A> {
  const { service, userId } = actor;
  if (service) await requireStillAnswered(app, actor, service);
  if (service?.id === userId) return actor;
  const user = await findUserById(app.db, userId);
  if (!user || user.disabledAt !== null) throw new AppError("forbidden", MESSAGES.accessDenied);
  const { role, hotlistAdmin, hotlistViewer } = user;
  const current = { ...actor, role, hotlistAdmin, hotlistViewer };
  if (!mayUse(access, current)) throw new AppError("forbidden", MESSAGES.accessDenied);
  return current;
}

async function requireStillAnswered(
  app: AppContext,
  { agencyId }: Actor,
  service: { id: string; answered_by: string },
): Promise<void> {
  const [account, user] = await Promise.all([
    findServiceAccount(app.db, { id: service.id, agencyId }),
    findUserById(app.db, service.answered_by),
  ]);
  const responsible = user?.agencyId === agencyId ? user : null;
  if (
    !account ||
    account.disabledAt !== null ||
    !mayAnswerFor(account.scopes, responsible, account.investigators)
  )
    throw new AppError("forbidden", MESSAGES.accessDenied);
}
