// The audit log. Rows are only ever inserted, in the same transaction as the act that they record.

import { type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { auditLog } from "#app/store/schema/audit.ts";

/** Refused sign-ins that are written down within `REFUSALS_MS`: of one address, and of one agency. */
export const REFUSALS_MS = 15 * MINUTE;
export const MOST_REFUSALS_OF_ADDRESS = 100;
export const MOST_REFUSALS_OF_AGENCY = 2000;

/**
 * Returns the statement that writes one audit row; run it in the batch of the act itself. Of refused sign-ins, which need
 * no session, so many are written that every compared password has a row and nobody can fill the log; the last one says
 * that others are left out.
 */
export function insertAudit(db: ControlDb, entry: AuditEntry): Statement {
  if (entry.action === "sign-in" && entry.outcome === "refused") return insertRefusal(db, entry);
  return db.insert(auditLog).values({
    ...entry,
    object: entry.object ?? "",
    plate: entry.plate ?? "",
    caseNumber: entry.caseNumber ?? "",
    programsQueried: entry.programsQueried ?? "",
    detail: entry.detail ?? {},
  });
}

function insertRefusal(db: ControlDb, entry: AuditEntry): Statement {
  const since = entry.at - REFUSALS_MS;
  const earlier = sql`select count(*) as of_agency, coalesce(sum(ip = ${entry.ip}), 0) as of_address
    from (select ip from ${auditLog} where agency_id = ${entry.agencyId} and kind = 'sign-in' and at > ${since}
      and at <= ${entry.at} and outcome = 'refused' order by at desc limit ${MOST_REFUSALS_OF_AGENCY})`;
  const isLast = sql`of_agency = ${MOST_REFUSALS_OF_AGENCY - 1} or of_address = ${MOST_REFUSALS_OF_ADDRESS - 1}`;
  const detail = JSON.stringify(entry.detail ?? {});
  return insertWhere(
    db,
    entry,
    sql`case when ${isLast} then json_set(${detail}, '$.more', 'Further refusals of the next minutes are left out.')
      else ${detail} end
    from (${earlier})
    where of_agency < ${MOST_REFUSALS_OF_AGENCY} and of_address < ${MOST_REFUSALS_OF_ADDRESS}`,
  );
}

/** Writes audit rows in their order, with few statements however many rows; run them in the batch of the act itself. */
export function insertAudits(db: ControlDb, entries: readonly AuditEntry[]): Statement[] {
  const rows = entries.map((entry) => [
    entry.at,
    entry.agencyId,
    entry.userId,
    entry.username,
    entry.sessionId,
    entry.ip,
    entry.userAgent,
    entry.action,
    entry.outcome,
    entry.object ?? "",
    entry.plate ?? "",
    entry.caseNumber ?? "",
    entry.programsQueried ?? "",
    JSON.stringify(entry.detail ?? {}),
  ]);
  const values = sql.raw(Array.from({ length: 14 }, (_, i) => `j.value ->> ${i}`).join(", "));
  return jsonChunks(rows).map(({ json }) =>
    db.run(sql`insert into ${auditLog}
      (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number,
       programs_queried, detail)
      select ${values} from json_each(${json}) as j order by j.key`),
  );
}

/**
 * Writes one audit row only where the statement just before it in the batch changed a row: an act whose condition
 * did not hold leaves no trace of having happened.
 */
export function insertAuditIfChanged(db: ControlDb, entry: AuditEntry): Statement {
  return insertWhere(db, entry, sql`${JSON.stringify(entry.detail ?? {})} where changes() > 0`);
}

/** `rest` is the detail, and what follows the list of values. */
function insertWhere(db: ControlDb, entry: AuditEntry, rest: SQL): Statement {
  const text = (value: string | undefined) => value ?? "";
  return db.run(sql`insert into ${auditLog}
    (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number,
     programs_queried, detail)
    select ${entry.at}, ${entry.agencyId}, ${entry.userId}, ${entry.username}, ${entry.sessionId}, ${entry.ip},
      ${entry.userAgent}, ${entry.action}, ${entry.outcome}, ${text(entry.object)}, ${text(entry.plate)},
      ${text(entry.caseNumber)}, ${text(entry.programsQueried)}, ${rest}`);
}
