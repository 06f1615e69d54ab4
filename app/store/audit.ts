// The audit log. Rows are only ever inserted, in the same transaction as the act that they record.

import { sql } from "drizzle-orm";
import type { AuditEntry } from "#app/entities/audit.ts";
import type { ControlDb, Statement } from "./database.ts";
import { auditLog } from "./schema-audit.ts";

/** The statement that writes one audit row; run it in the batch of the act itself. */
export function insertAudit(db: ControlDb, entry: AuditEntry): Statement {
  return db.insert(auditLog).values({
    ...entry,
    object: entry.object ?? "",
    plate: entry.plate ?? "",
    caseNumber: entry.caseNumber ?? "",
    programsQueried: entry.programsQueried ?? "",
    detail: entry.detail ?? {},
  });
}

/**
 * The same, but written only where the statement just before it in the batch changed a row: an act whose condition
 * did not hold leaves no trace of having happened.
 */
export function insertAuditIfChanged(db: ControlDb, entry: AuditEntry): Statement {
  const text = (value: string | undefined) => value ?? "";
  return db.run(sql`insert into ${auditLog}
    (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number,
     programs_queried, detail)
    select ${entry.at}, ${entry.agencyId}, ${entry.userId}, ${entry.username}, ${entry.sessionId}, ${entry.ip},
      ${entry.userAgent}, ${entry.action}, ${entry.outcome}, ${text(entry.object)}, ${text(entry.plate)},
      ${text(entry.caseNumber)}, ${text(entry.programsQueried)}, ${JSON.stringify(entry.detail ?? {})}
    where changes() > 0`);
}
