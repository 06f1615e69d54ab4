// Writes the audit log. Rows are only inserted, in the same transaction as the act that they record.

import { type SQL, sql } from "drizzle-orm";
import type { AuditAction, AuditEntry } from "#app/entities/oversight/audit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { auditLog } from "#app/store/schema/audit.ts";

/** Limits of refused sign-ins that are logged within `REFUSALS_MS`, per address and per agency. */
export const REFUSALS_MS = 15 * MINUTE;
export const MOST_REFUSALS_OF_ADDRESS = 100;
export const MOST_REFUSALS_OF_AGENCY = 2000;

const COLUMNS = sql.raw(
  `at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number,
    programs_queried, detail`,
);

/**
 * Returns the statement that writes one audit row; run it in the batch of the act. Refused sign-ins need no session, so
 * their number is limited to keep anyone from flooding the log. The limit covers every compared password, and the last
 * row says that more were left out.
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
  // Query plan: audit_log_kind, newest first; LIMIT bounds the rows read.
  const earlier = sql`
    SELECT count(*) AS of_agency, coalesce(sum(ip = ${entry.ip}), 0) AS of_address
    FROM (
      SELECT ip
      FROM ${auditLog}
      WHERE agency_id = ${entry.agencyId}
        AND kind = 'sign-in'
        AND at > ${since}
        AND at <= ${entry.at}
        AND outcome = 'refused'
      ORDER BY at DESC
      LIMIT ${MOST_REFUSALS_OF_AGENCY}
    )`;
  const isLast = sql`of_agency = ${MOST_REFUSALS_OF_AGENCY - 1} OR of_address = ${MOST_REFUSALS_OF_ADDRESS - 1}`;
  const detail = JSON.stringify(entry.detail ?? {});
  return insertWhere(
    db,
    entry,
    sql`CASE
      WHEN ${isLast} THEN json_set(${detail}, '$.more', 'Further refusals of the next minutes are left out.')
      ELSE ${detail}
    END
    FROM (${earlier})
    WHERE of_agency < ${MOST_REFUSALS_OF_AGENCY} AND of_address < ${MOST_REFUSALS_OF_ADDRESS}`,
  );
}

/** Returns the statements that write many audit rows in order; run them in the batch of the act. */
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
    db.run(sql`
      INSERT INTO ${auditLog} (${COLUMNS})
      SELECT ${values}
      FROM json_each(${json}) AS j
      ORDER BY j.key`),
  );
}

/**
 * Returns the statement that writes one audit row only if the previous statement of the batch changed a row: an act
 * whose condition failed leaves no audit row.
 */
export function insertAuditIfChanged(db: ControlDb, entry: AuditEntry): Statement {
  return insertWhere(db, entry, sql`${JSON.stringify(entry.detail ?? {})} WHERE changes() > 0`);
}

/**
 * Returns the statement that writes one audit row only if the user has fewer than `most` successful rows of these
 * actions since an instant: a limit that parallel requests cannot exceed.
 */
export function insertAuditBelow(
  db: ControlDb,
  entry: AuditEntry,
  limit: { actions: readonly AuditAction[]; since: number; most: number },
): Statement {
  const earlier = countOf(entry, limit);
  return insertWhere(
    db,
    entry,
    sql`${JSON.stringify(entry.detail ?? {})} WHERE (${earlier}) < ${limit.most}`,
  );
}

/** Returns how many successful rows of these actions a user has since an instant. */
export async function countActions(
  db: ControlDb,
  input: Pick<AuditEntry, "agencyId" | "userId"> & { actions: readonly AuditAction[]; since: number },
): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`SELECT (${countOf(input, input)}) AS n`);
  return row?.n ?? 0;
}

/** Scans the user's agency's searches of the time, by the index of kinds. */
function countOf(
  who: Pick<AuditEntry, "agencyId" | "userId">,
  { actions, since }: { actions: readonly AuditAction[]; since: number },
): SQL {
  return sql`
    SELECT count(*)
    FROM ${auditLog} INDEXED BY audit_log_kind
    WHERE agency_id = ${who.agencyId}
      AND kind = 'search'
      AND at > ${since}
      AND user_id = ${who.userId}
      AND outcome = 'ok'
      AND action IN (SELECT value FROM json_each(${JSON.stringify(actions)}))`;
}

/** `rest` is the value of the detail column, and the clauses after the list of values. */
function insertWhere(db: ControlDb, entry: AuditEntry, rest: SQL): Statement {
  const text = (value: string | undefined) => value ?? "";
  return db.run(sql`
    INSERT INTO ${auditLog} (${COLUMNS})
    SELECT ${entry.at}, ${entry.agencyId}, ${entry.userId}, ${entry.username}, ${entry.sessionId}, ${entry.ip},
      ${entry.userAgent}, ${entry.action}, ${entry.outcome}, ${text(entry.object)}, ${text(entry.plate)},
      ${text(entry.caseNumber)}, ${text(entry.programsQueried)}, ${rest}`);
}
