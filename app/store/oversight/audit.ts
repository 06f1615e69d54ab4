// Writes the audit log. Rows are only inserted, in the same transaction as the act that they record.

import { type SQL, sql } from "drizzle-orm";
import type { ServiceRef } from "#app/entities/accounts/actor.ts";
import { type AuditAction, type AuditEntry, auditDetails } from "#app/entities/oversight/audit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { auditLog } from "#app/store/schema/audit.ts";

/** Limits of refused sign-ins that are logged within `REFUSALS_MS`, per address, agency, and person of a provider. */
export const REFUSALS_MS = 15 * MINUTE;
export const MAX_REFUSALS_OF_ADDRESS = 100;
export const MAX_REFUSALS_OF_AGENCY = 2000;
const MAX_REFUSALS_OF_PERSON = 10;

/**
 * A service account's refused calls: within this time, each reason is logged once, and at most MAX_REFUSALS_OF_SERVICE
 * in total.
 */
const SERVICE_REFUSALS_MS = 10 * MINUTE;
const MAX_REFUSALS_OF_SERVICE = 100;

const COLUMNS = sql.raw(
  `at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number,
    programs_queried, detail`,
);
/** The place of the object in the columns. */
const OBJECT = sql.raw("9");

/**
 * Returns the statement that writes one audit row; run it in the batch of the act. Refused sign-ins need no session, so
 * their number is limited to keep anyone from flooding the log. The limit covers every compared password, and the last
 * row says that more were left out.
 */
export function insertAudit(db: ControlDb, entry: AuditEntry): Statement {
  if (entry.action === "sign-in" && entry.outcome === "refused") return insertRefusal(db, entry);
  const { service: _, ...columns } = entry;
  return db.insert(auditLog).values({
    ...columns,
    object: entry.object ?? "",
    plate: entry.plate ?? "",
    caseNumber: entry.caseNumber ?? "",
    programsQueried: entry.programsQueried ?? "",
    detail: auditDetails(entry),
  });
}

function insertRefusal(db: ControlDb, entry: AuditEntry): Statement {
  const since = entry.at - REFUSALS_MS;
  const { issuer, subject } = entry.detail ?? {};
  const isPerson =
    typeof subject === "string"
      ? sql`coalesce(detail ->> '$.subject' = ${subject} AND detail ->> '$.issuer' = ${issuer}, 0)`
      : sql`0`;
  // Query plan: audit_log_kind, newest first; LIMIT bounds the rows read.
  const earlier = sql`
    SELECT count(*) AS of_agency,
      coalesce(sum(ip = ${entry.ip}), 0) AS of_address,
      coalesce(sum(${isPerson}), 0) AS of_person
    FROM (
      SELECT ip, detail
      FROM ${auditLog}
      WHERE agency_id = ${entry.agencyId}
        AND kind = 'sign-in'
        AND at > ${since}
        AND at <= ${entry.at}
        AND outcome = 'refused'
      ORDER BY at DESC
      LIMIT ${MAX_REFUSALS_OF_AGENCY}
    )`;
  const isLast = sql`of_agency = ${MAX_REFUSALS_OF_AGENCY - 1} OR of_address = ${MAX_REFUSALS_OF_ADDRESS - 1}
    OR of_person = ${MAX_REFUSALS_OF_PERSON - 1}`;
  const detail = JSON.stringify(auditDetails(entry));
  return insertWhere(
    db,
    entry,
    sql`CASE
      WHEN ${isLast} THEN json_set(${detail}, '$.more', 'Further refusals of the next minutes are left out.')
      ELSE ${detail}
    END
    FROM (${earlier})
    WHERE of_agency < ${MAX_REFUSALS_OF_AGENCY}
      AND of_address < ${MAX_REFUSALS_OF_ADDRESS}
      AND of_person < ${MAX_REFUSALS_OF_PERSON}`,
  );
}

/**
 * Returns the statement that writes that a call of a service account was refused, unless the same user of the account
 * was refused the same action for the same reason within ten minutes: a program that repeats a call does not fill the
 * log. Reasons can contain text of the call, so their number is limited too.
 */
export function insertServiceRefusal(db: ControlDb, entry: AuditEntry & { service: ServiceRef }): Statement {
  const detail = JSON.stringify(auditDetails(entry));
  // Query plan: audit_log_refused, newest first; LIMIT bounds the matching rows.
  const earlier = sql`
    SELECT count(*) AS of_service,
      coalesce(sum(
        user_id = ${entry.userId}
        AND action = ${entry.action}
        AND detail ->> '$.reason' IS ${detail} ->> '$.reason'
      ), 0) AS alike
    FROM (
      SELECT user_id, action, detail
      FROM ${auditLog} INDEXED BY audit_log_refused
      WHERE agency_id = ${entry.agencyId}
        AND at > ${entry.at - SERVICE_REFUSALS_MS}
        AND at <= ${entry.at}
        AND outcome = 'refused'
        AND detail ->> '$.service_account.id' = ${entry.service.id}
      ORDER BY at DESC
      LIMIT ${MAX_REFUSALS_OF_SERVICE}
    )`;
  return insertWhere(
    db,
    entry,
    sql`${detail}
    FROM (${earlier})
    WHERE of_service < ${MAX_REFUSALS_OF_SERVICE}
      AND alike = 0`,
  );
}

/**
 * Returns the statements that write many audit rows in order; run them in the batch of the act. With `objects`, only those
 * whose object is among the ids of this query.
 */
export function insertAudits(db: ControlDb, entries: readonly AuditEntry[], objects?: SQL): Statement[] {
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
    JSON.stringify(auditDetails(entry)),
  ]);
  const values = sql.raw(Array.from({ length: 14 }, (_, i) => `j.value ->> ${i}`).join(", "));
  return jsonChunks(rows).map(({ json }) =>
    db.run(sql`
      INSERT INTO ${auditLog} (${COLUMNS})
      SELECT ${values}
      FROM json_each(${json}) AS j
      WHERE ${objects ? sql`j.value ->> ${OBJECT} IN (${objects})` : sql`TRUE`}
      ORDER BY j.key`),
  );
}

/**
 * Returns the statement that writes one audit row only if the previous statement of the batch changed a row: an act
 * whose condition failed leaves no audit row.
 */
export function insertAuditIfChanged(db: ControlDb, entry: AuditEntry): Statement {
  return insertWhere(db, entry, sql`${JSON.stringify(auditDetails(entry))} WHERE changes() > 0`);
}

/** Returns the statement that writes one audit row whose details are the JSON that SQL computes within the batch. */
export function insertAuditOf(db: ControlDb, entry: AuditEntry, detail: SQL): Statement {
  return insertWhere(db, entry, sql`json_patch(${JSON.stringify(auditDetails(entry))}, ${detail})`);
}

/**
 * Returns the statement that writes the certificate of a purge, with a number of records of one kind; none for 0. By
 * default, it is the number of rows that the previous statement of the batch removed.
 */
export function insertCertificate(
  db: ControlDb,
  entry: AuditEntry,
  { kind, count = sql`changes()` }: { kind: string; count?: SQL | number },
): Statement {
  const detail = JSON.stringify(auditDetails(entry));
  return insertWhere(db, entry, sql`json_set(${detail}, ${`$.${kind}`}, ${count}) WHERE ${count} > 0`);
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
    sql`${JSON.stringify(auditDetails(entry))} WHERE (${earlier}) < ${limit.most}`,
  );
}

/**
 * Returns the statement that writes the row of a refusal unless the same one, for the same reason, was written since an
 * instant: a client that keeps asking does not fill the log.
 */
export function insertRefusalOnce(db: ControlDb, entry: AuditEntry, since: number): Statement {
  const detail = JSON.stringify(entry.detail ?? {});
  // Query plan: the name's rows since the instant in audit_log_name.
  const once = sql`${detail}
    WHERE NOT EXISTS (
      SELECT 1
      FROM ${auditLog} INDEXED BY audit_log_name
      WHERE agency_id = ${entry.agencyId}
        AND username = ${entry.username}
        AND at > ${since}
        AND user_id = ${entry.userId}
        AND outcome = 'refused'
        AND action = ${entry.action}
        AND object = ${entry.object ?? ""}
        AND detail ->> '$.reason' = ${detail} ->> '$.reason'
    )`;
  return insertWhere(db, { ...entry, outcome: "refused" }, once);
}

/**
 * Returns the statement that writes the row of a lookup of a plate unless the same lookup in the user's session was
 * written since an instant: a screen that repeats it does not fill the log. A service account counts as another session.
 */
export function insertLookUpOnce(db: ControlDb, entry: AuditEntry, since: number): Statement {
  // Query plan: the plate's rows since the instant in audit_log_plate_at.
  const once = sql`${JSON.stringify(auditDetails(entry))}
    WHERE NOT EXISTS (
      SELECT 1
      FROM ${auditLog} INDEXED BY audit_log_plate_at
      WHERE agency_id = ${entry.agencyId}
        AND plate = ${entry.plate ?? ""}
        AND plate <> ''
        AND at > ${since}
        AND user_id = ${entry.userId}
        AND session_id = ${entry.sessionId}
        AND outcome = ${entry.outcome}
        AND action = ${entry.action}
        AND object = ${entry.object ?? ""}
    )`;
  return insertWhere(db, entry, once);
}

/** Returns how many successful rows of these actions a user has since an instant. */
export async function countActions(
  db: ControlDb,
  input: Pick<AuditEntry, "agencyId" | "userId"> & { actions: readonly AuditAction[]; since: number },
): Promise<number> {
  const [row] = await db.all<{ n: number }>(sql`SELECT (${countOf(input, input)}) AS n`);
  return row?.n ?? 0;
}

/** Returns when the oldest of the user's newest `most` rows of these actions was written; undefined if fewer exist. */
export async function findOldestOfNewest(
  db: ControlDb,
  input: Pick<AuditEntry, "agencyId" | "userId"> & {
    actions: readonly AuditAction[];
    since: number;
    most: number;
  },
): Promise<number | undefined> {
  if (input.most < 1) return undefined;
  const [row] = await db.all<{ at: number }>(sql`
    SELECT at
    ${searchesOf(input, input)}
    ORDER BY at DESC
    LIMIT 1 OFFSET ${input.most - 1}`);
  return row?.at;
}

function countOf(who: Parameters<typeof searchesOf>[0], which: Parameters<typeof searchesOf>[1]): SQL {
  return sql`
    SELECT count(*)
    ${searchesOf(who, which)}`;
}

/** Scans the user's agency's searches of the time, by the index of kinds. */
function searchesOf(
  who: Pick<AuditEntry, "agencyId" | "userId">,
  { actions, since }: { actions: readonly AuditAction[]; since: number },
): SQL {
  return sql`
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
