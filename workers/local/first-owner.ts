/**
 * `npm run first-owner`: creates the first agency and its owner on a deployment, before anyone can sign in to add them.
 * The owner is OWNER_USERNAME of wrangler.toml.
 * Prints SQL for `wrangler d1 execute` to standard output, and the temporary password, valid for a day, to standard
 * error. Needs the deployment's PASSWORD_PEPPER in the environment.
 */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { ownerUsername } from "./deployment/owner.ts";
import { firstOwnerSql } from "./first-owner-sql.ts";
import { optionsOf } from "./options.ts";
import { pepperProblem } from "./pepper.ts";
import { ROOT } from "./settings.ts";

const USAGE =
  'Usage: PASSWORD_PEPPER=… npm run -s first-owner -- --agency "Some Police Department" --name "A Person" --email person@agency.example > first-owner.sql';
const { values } = optionsOf(USAGE, {
  options: {
    agency: { type: "string" },
    username: { type: "string" },
    name: { type: "string" },
    email: { type: "string" },
  },
});
const pepper = process.env.PASSWORD_PEPPER;
const { agency = "", name = "", email = "" } = values;
if (!pepper || !agency || !name || !email) {
  console.error(USAGE);
  process.exit(1);
}

/** Returns the owner's username. Ends the command if wrangler.toml names none, or another one than `--username`. */
function usernameOrExit(): string {
  try {
    return ownerUsername(readConfig({ config: join(ROOT, "wrangler.toml") }), values.username);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const problem = pepperProblem(pepper);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
const username = usernameOrExit();

try {
  const made = await firstOwnerSql({ agency, username, name, email }, { pepper, now: Date.now() });
  for (const statement of made.statements) console.log(statement);
  console.error(`Temporary password of ${username}, valid for 24 hours: ${made.password}`);
} catch (error) {
  const issues = error instanceof Error && "issues" in error ? error.issues : undefined;
  if (!Array.isArray(issues)) throw error;
  console.error(issues.map(({ message }) => message).join("\n"));
  process.exit(1);
}
