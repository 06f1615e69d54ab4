import { TEMPORARY_PASSWORD_MS } from "#app/entities/accounts/actor.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import { Username } from "#app/entities/users/directory.ts";

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/**
 * Returns SQL that unlocks an account and enables it if it was disabled because of disuse, one statement per line. A
 * `passwordHash` becomes its password, valid for a day, which ends its sessions. The audit row comes first and says what the
 * account was. Without such a user it has no agency, so that the SQL fails: wrangler shows no rows of a file. Run again,
 * it adds one more audit row and changes nothing else. Throws for a username that the product would refuse.
 */
export function breakGlassSql(
  account: { username: string; passwordHash?: string },
  { now }: { now: number },
): string[] {
  const username = quoted(Username.parse(account.username));
  const user = `SELECT id FROM users WHERE username = ${username} AND deleted_at IS NULL`;
  // The same as removeAllAttempts of store/accounts/attempts.ts: the user's own, and their subsets after a colon.
  const attempts = `EXISTS (${user} AND (account = users.id OR substr(account, 1, length(users.id) + 1) = users.id || ':'))`;
  const audit = (action: AuditAction, detail: string) =>
    `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, detail) SELECT ${now}, agency_id, '', 'break-glass', '', '', 'wrangler', '${action}', 'ok', id, json_object('username', username, 'reason', 'break-glass command'${detail}) FROM (SELECT 1) LEFT JOIN users ON username = ${username} AND deleted_at IS NULL;`;
  const wasBefore =
    ", 'was_locked', locked_at IS NOT NULL, 'was_disabled_for_disuse', coalesce(disabled_by = 'disuse', 0)";
  return [
    audit("user.unlock", wasBefore),
    `UPDATE users SET locked_at = NULL, locked_for = NULL, lock_addresses = NULL WHERE id IN (${user});`,
    `DELETE FROM sign_in_attempts WHERE ${attempts};`,
    // The 90 days of disuse start again. Not in enabled_at, as in enableUser of store/users/access.ts: the command may be newer
    // than the deployment, whose database then lacks it. The user signs in next anyway.
    `UPDATE users SET disabled_at = NULL, disabled_by = NULL, last_sign_in_at = ${now} WHERE id IN (${user}) AND disabled_by = 'disuse';`,
    ...(account.passwordHash === undefined
      ? []
      : [audit("password.reset", ""), ...passwordSql(user, account.passwordHash, now)]),
  ];
}

/** The same as resetPassword of domain/users/access.ts. */
function passwordSql(user: string, hash: string, now: number): string[] {
  return [
    `UPDATE users SET password_hash = ${quoted(hash)}, temporary_until = ${now + TEMPORARY_PASSWORD_MS}, password_changed_at = ${now}, password_list_version = NULL WHERE id IN (${user});`,
    `UPDATE sessions SET revoked_at = ${now} WHERE user_id IN (${user}) AND revoked_at IS NULL;`,
    `DELETE FROM known_devices WHERE user_id IN (${user});`,
  ];
}
