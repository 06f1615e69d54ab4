/**
 * `npm run break-glass`: unlocks an account when no administrator can sign in to do so, enables it if disuse disabled
 * it, and with `--new-password` gives it a temporary password, which it prints to standard error. Prints SQL for
 * `wrangler d1 execute` to standard output, including the audit rows, and to standard error how to see that it found the
 * account.
 */
import { hashRandomPassword, randomPassword } from "#app/lib/crypto/passwords.ts";
import { breakGlassSql } from "./break-glass-sql.ts";
import { optionsOf } from "./options.ts";
import { pepperProblem } from "./pepper.ts";

const USAGE = `Usage: npm run -s break-glass -- --username owner > break-glass.sql
       PASSWORD_PEPPER=… npm run -s break-glass -- --username owner --new-password > break-glass.sql`;
const { values } = optionsOf(USAGE, {
  options: { username: { type: "string" }, "new-password": { type: "boolean" } },
});
const { username = "", "new-password": isReset = false } = values;
const { PASSWORD_PEPPER: pepper = "" } = process.env;

function end(problem: string): never {
  console.error(problem);
  process.exit(1);
}

if (username === "" || (isReset && pepper === "")) end(USAGE);
const problem = isReset ? pepperProblem(pepper) : undefined;
if (problem !== undefined) end(problem);

try {
  const password = isReset ? randomPassword() : undefined;
  const passwordHash = password === undefined ? undefined : await hashRandomPassword(password, pepper);
  const account = { username, ...(passwordHash !== undefined && { passwordHash }) };
  for (const statement of breakGlassSql(account, { now: Date.now() })) console.log(statement);
  if (password !== undefined)
    console.error(`Temporary password of ${username}, valid for 24 hours once the SQL has run: ${password}`);
  console.error(
    `If there is no user ${username}, the SQL fails with "NOT NULL constraint failed: audit_log.agency_id" and changes nothing.`,
  );
} catch (error) {
  const issues = error instanceof Error && "issues" in error ? error.issues : undefined;
  if (!Array.isArray(issues)) throw error;
  end(issues.map(({ message }) => message).join("\n"));
}
