// The audit log. Rows are only ever inserted, in the same transaction as the act that they record.

import type { AuditEntry } from "#app/entities/audit.ts";
import type { ControlDb, Statement } from "./database.ts";
import { auditLog } from "./schema.ts";

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
