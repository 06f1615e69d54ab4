/**
 * `npm run break-glass`: unlocks an account when no administrator can sign in to do so. Prints SQL for `wrangler d1
 * execute` to standard output, including an audit row, and to standard error how to see that it found the account.
 */
import { breakGlassSql } from "./break-glass-sql.ts";
import { optionsOf } from "./options.ts";

const USAGE = "Usage: npm run -s break-glass -- --username owner > break-glass.sql";
const { username = "" } = optionsOf(USAGE, { options: { username: { type: "string" } } }).values;
if (username === "") {
  console.error(USAGE);
  process.exit(1);
}

try {
  for (const statement of breakGlassSql({ username }, { now: Date.now() })) console.log(statement);
  console.error(
    `If there is no user ${username}, the SQL fails with "NOT NULL constraint failed: audit_log.agency_id" and changes nothing.`,
  );
} catch (error) {
  const issues = error instanceof Error && "issues" in error ? error.issues : undefined;
  if (!Array.isArray(issues)) throw error;
  console.error(issues.map(({ message }) => message).join("\n"));
  process.exit(1);
}
