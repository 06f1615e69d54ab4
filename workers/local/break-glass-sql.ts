import { Username } from "#app/entities/users/directory.ts";

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/**
 * Returns SQL that unlocks an account, one statement per line. The audit row comes first and says whether the account
 * was locked. Without such a user it has no agency, so that the SQL fails: wrangler shows no rows of a file. Run again,
 * it adds one more audit row and changes nothing else. Throws for a username that the product would refuse.
 */
export function breakGlassSql(account: { username: string }, made: { now: number }): string[] {
  const username = quoted(Username.parse(account.username));
  const user = `SELECT id FROM users WHERE username = ${username} AND deleted_at IS NULL`;
  // The same as removeAllAttempts of store/accounts/attempts.ts: the user's own, and their subsets after a colon.
  const attempts = `EXISTS (${user} AND (account = users.id OR substr(account, 1, length(users.id) + 1) = users.id || ':'))`;
  return [
    `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, detail) SELECT ${made.now}, agency_id, '', 'break-glass', '', '', 'wrangler', 'user.unlock', 'ok', id, json_object('username', username, 'reason', 'break-glass command', 'was_locked', locked_at IS NOT NULL) FROM (SELECT 1) LEFT JOIN users ON username = ${username} AND deleted_at IS NULL;`,
    `UPDATE users SET locked_at = NULL, locked_for = NULL, lock_addresses = NULL WHERE id IN (${user});`,
    `DELETE FROM sign_in_attempts WHERE ${attempts};`,
  ];
}
