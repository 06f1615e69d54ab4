import type { AuditAction } from "#app/entities/oversight/audit.ts";
import { Email, FullName, Username } from "#app/entities/users/directory.ts";
import { FIRST_RETENTION_DAYS, NewAgency } from "#app/entities/users/policy.ts";
import { hashPassword } from "#app/lib/crypto/passwords.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { DAY } from "#app/lib/time/dates.ts";

export type FirstOwner = { agency: string; username: string; name: string; email: string };

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Returns an INSERT statement; numbers as they are, texts quoted. */
function insert(table: string, row: Record<string, string | number>): string {
  const values = Object.values(row).map((value) => (typeof value === "number" ? value : quoted(value)));
  return `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")});`;
}

/**
 * Returns the first agency and its owner with their audit rows as SQL, one statement per line, and the owner's temporary
 * password, which is stored nowhere else. Throws for a name or address that the product would refuse.
 */
export async function firstOwnerSql(
  owner: FirstOwner,
  made: { pepper: string; now: number },
): Promise<{ statements: string[]; password: string }> {
  const { pepper, now } = made;
  const agency = { id: randomToken(), name: NewAgency.parse({ name: owner.agency }).name };
  // The suffix adds the kinds of characters that the product requires, in case the random part lacks them.
  const password = `${randomToken(12)}-Aa1`;
  const user = {
    id: randomToken(),
    agency_id: agency.id,
    username: Username.parse(owner.username),
    name: FullName.parse(owner.name),
    email: Email.parse(owner.email),
    role: "admin",
    password_hash: await hashPassword(password, pepper),
    temporary_until: now + DAY,
    created_at: now,
  };
  // No one is signed in, so the audit row names the command as the actor.
  const acted = { username: "first-owner", user_id: "", session_id: "", ip: "", user_agent: "wrangler" };
  const audit = (action: AuditAction, object: string, detail: object) =>
    insert("audit_log", {
      at: now,
      agency_id: agency.id,
      ...acted,
      action,
      outcome: "ok",
      object,
      detail: JSON.stringify({ ...detail, reason: "first-owner command" }),
    });
  const { username, role } = user;
  return {
    statements: [
      insert("agencies", { ...agency, retention_days: FIRST_RETENTION_DAYS, created_at: now }),
      insert("users", user),
      audit("agency.add", agency.id, { name: agency.name }),
      audit("user.add", user.id, { username, role, agency: agency.id }),
    ],
    password,
  };
}
