import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { archiveAgency } from "#app/domain/oversight/audit-archiving.ts";
import { checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import type { ChainReport } from "#app/entities/oversight/audit-chain.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { bindings, newAgency, testApp } from "../../factories.ts";

/** Columns of a row that a test chooses; `age` in days, or `at`. */
export type TestRow = Partial<{
  age: number;
  at: number;
  user_id: string;
  username: string;
  action: string;
  outcome: string;
  object: string;
  plate: string;
  case_number: string;
  detail: string;
}>;

/** Writes rows of an agency in this order, each with its link in the chain. */
export async function writeRows(agencyId: string, rows: readonly TestRow[]): Promise<void> {
  const now = Date.now();
  const values = rows.map(({ age = 0, ...row }, i) => ({ at: now - age * DAY + i, ...row }));
  for (let from = 0; from < values.length; from += 2_000)
    await bindings.DB.prepare(
      `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object,
        plate, case_number, detail)
      SELECT value ->> 'at', ?1, coalesce(value ->> 'user_id', 'u'), coalesce(value ->> 'username', 'someone'), 's',
        '192.0.2.1', 'test', coalesce(value ->> 'action', 'search'), coalesce(value ->> 'outcome', 'ok'),
        coalesce(value ->> 'object', ''), coalesce(value ->> 'plate', ''), coalesce(value ->> 'case_number', ''),
        coalesce(value ->> 'detail', '{}')
      FROM json_each(?2)
      ORDER BY key`,
    )
      .bind(agencyId, JSON.stringify(values.slice(from, from + 2_000)))
      .run();
  while ((await sealAuditLog(testApp())) > 0);
}

/** Returns a new agency with these rows. Archives those that are old enough, in segments of `segmentRows` rows. */
export async function archivedAgency(rows: readonly TestRow[], segmentRows: number) {
  const agency = await newAgency();
  await writeRows(agency.id, rows);
  const archived = await archive(agency, segmentRows);
  return { ...agency, archived };
}

/** Archives the rows that are old enough, in segments of `rows` rows. */
export function archive(agency: { id: string }, rows: number) {
  return archiveAgency(testApp(), agency.id, { segments: 1_000, ms: 100_000, rows });
}

/** Purges the oldest rows until each agency has had its turn: a run every ten minutes takes forty agencies. */
export async function purgeInTurns(): Promise<void> {
  const agencies = await bindings.DB.prepare("SELECT count(*) AS n FROM agencies").first<number>("n");
  for (let run = 0; run <= (agencies ?? 0) / 40 + 1; run++)
    await purgeOldAudit(testApp(() => Date.now() + run * 10 * MINUTE));
}

/** Verifies a whole log. Returns the last report. */
export async function verifyAll(agency: { id: string }): Promise<ChainReport> {
  for (let after = 0; ; ) {
    const report = await checkChain(testApp(), agency.id, after);
    if (report.next === null) return report;
    after = report.next;
  }
}

/** Returns the numbers of an agency's rows that are in the database. */
export async function onlineSeqs({ id }: { id: string }): Promise<number[]> {
  const { results } = await bindings.DB.prepare("SELECT seq FROM audit_log WHERE agency_id = ? ORDER BY seq")
    .bind(id)
    .all<{ seq: number }>();
  return results.map(({ seq }) => seq);
}
