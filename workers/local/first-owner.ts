/**
 * `npm run first-owner`: the first agency and its owner on a deployment, where nobody can sign in yet to add them.
 * Prints SQL for `wrangler d1 execute` to standard output, and the temporary password, valid for a day, to standard
 * error. Needs the deployment's PASSWORD_PEPPER in the environment.
 */
import { parseArgs } from "node:util";
import { randomToken } from "#app/lib/crypto.ts";
import { DAY } from "#app/lib/dates.ts";
import { hashPassword } from "#app/lib/passwords.ts";

const { values } = parseArgs({
  options: {
    agency: { type: "string" },
    username: { type: "string" },
    name: { type: "string" },
    email: { type: "string" },
  },
});
const pepper = process.env.PASSWORD_PEPPER;
const { agency = "", username = "owner", name = "", email = "" } = values;
if (!pepper || !agency || !name || !email.includes("@")) {
  console.error(
    'Usage: PASSWORD_PEPPER=… npm run -s first-owner -- --agency "Some Police Department" --name "A Person" --email person@agency.example [--username owner] > first-owner.sql',
  );
  process.exit(1);
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
const now = Date.now();
// The four kinds of characters that the product asks of a password, whatever the random part holds.
const password = `${randomToken(12)}-Aa1`;
const agencyId = randomToken();
const hash = await hashPassword(password, pepper);
console.log(
  `INSERT INTO agencies (id, name, created_at) VALUES (${text(agencyId)}, ${text(agency)}, ${now});`,
);
console.log(
  `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, temporary_until, created_at) VALUES (${[
    ...[randomToken(), agencyId, username.toLowerCase(), name, email, "admin", hash].map(text),
    String(now + DAY),
    String(now),
  ].join(", ")});`,
);
console.error(`Temporary password of ${username}, valid for 24 hours: ${password}`);
