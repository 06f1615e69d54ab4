// Every comparison of a secret goes through here: an attempt is reserved before it, in the database, so that five
// failures in 15 minutes lock the account exactly, however many come at once (CJIS AC-7).

import type { AppContext } from "#app/context.ts";
import { FAILED_SIGN_INS_MS, MOST_FAILED_FROM_ADDRESS, MOST_FAILED_SIGN_INS } from "#app/entities/account.ts";
import type { AuditEntry } from "#app/entities/audit.ts";
import { randomToken, sha256 } from "#app/lib/crypto.ts";
import { SECOND } from "#app/lib/dates.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import {
  countAddressAttempts,
  failAttempt,
  lockIfTooMany,
  removeOldAttempts,
  reserveAttempt,
} from "#app/store/account-attempts.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";

/** What an attempt is counted by: the user's id, or a name that nobody has. */
export async function accountKey(user: { id: string } | undefined, username: string): Promise<string> {
  return user?.id ?? `name:${await sha256(username.toLowerCase())}`;
}

/**
 * Reserves an attempt and gives its id; undefined where the account is locked or its attempts are used up.
 * Throws AppError too_many where the address has failed too often; that is audited.
 */
export async function beginAttempt(
  app: AppContext,
  input: { account: string; address: string; entry: AuditEntry },
): Promise<string | undefined> {
  const { account, address, entry } = input;
  const at = app.clock();
  const since = at - FAILED_SIGN_INS_MS;
  const id = randomToken();
  const limits = { since, perAccount: MOST_FAILED_SIGN_INS, perAddress: MOST_FAILED_FROM_ADDRESS };
  if (await reserveAttempt(app.db, { id, account, address, at, limits })) return id;
  if ((await countAddressAttempts(app.db, { address, since })) < MOST_FAILED_FROM_ADDRESS) return undefined;
  const detail = { reason: "too many failures from this address" };
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, outcome: "refused", detail })]);
  const words = "Too many failed sign-ins from your address. Try again in 15 minutes.";
  throw audited(new AppError("too_many", words, { retryAfter: FAILED_SIGN_INS_MS / SECOND }));
}

/** Counts an attempt as failed, with its audit row, and locks the account where it was one too many. */
export async function failedAttempt(
  app: AppContext,
  input: { id: string; userId: string; entry: AuditEntry },
): Promise<void> {
  const { id, userId, entry } = input;
  const now = app.clock();
  await inOneStep(app.db, [
    failAttempt(app.db, id),
    insertAudit(app.db, { ...entry, outcome: "refused" }),
    lockIfTooMany(app.db, {
      userId,
      now,
      since: now - FAILED_SIGN_INS_MS,
      most: MOST_FAILED_SIGN_INS,
    }),
    insertAuditIfChanged(app.db, {
      ...entry,
      action: "user.lock",
      outcome: "ok",
      object: userId,
      detail: { reason: `${MOST_FAILED_SIGN_INS} failed attempts` },
    }),
  ]);
}

/** Forgets attempts that count no more. */
export async function forgetOldAttempts(app: AppContext): Promise<void> {
  await removeOldAttempts(app.db, app.clock() - 2 * FAILED_SIGN_INS_MS);
}
