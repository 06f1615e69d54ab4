import { expect, it } from "vitest";
import { forgetOldAttempts } from "#app/domain/accounts/attempts.ts";
import { forgetOldSessions } from "#app/domain/accounts/sign-in.ts";
import { sweepBackups } from "#app/domain/operations/backups.ts";
import { forgetSaved } from "#app/domain/operations/idempotency.ts";
import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { purgeOldRecords } from "#app/domain/operations/retention-records.ts";
import { sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { WATCHED_JOBS, type WatchedJob } from "#app/entities/operations/health.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { runCron } from "../../../workers/scheduled.ts";
import { anAlert, bindings, newAgency, newUser, newWorld, testApp, unique } from "../../factories.ts";
import { beforeCall } from "../../support/operations/buckets.ts";
import { plansOf, queriesOf } from "../../support/workerd/queries.ts";

/** Of the 1,000 queries that D1 allows one invocation, the rest is for jobs that have little to do in a test. */
const MAX_QUERIES = 800;

/** Runs a cron. Returns the queries of the control database. */
async function queriesOfCron(cron: string): Promise<number> {
  const { database, count } = queriesOf(bindings.DB);
  const event = { cron, scheduledTime: Date.now(), noRetry: () => {} };
  return count(() => runCron(event, { ...bindings, DB: database }, { waitUntil: () => {} }));
}

/** Runs each cron of these jobs once. Returns the most queries of one of them. */
async function mostQueries(...jobs: WatchedJob[]): Promise<number> {
  const crons = new Set(jobs.flatMap((job) => WATCHED_JOBS[job].crons));
  const made: number[] = [];
  for (const cron of crons) made.push(await queriesOfCron(cron));
  return Math.max(...made);
}

it("the jobs of a minute stay within D1's limit with hundreds of expired exports and of hits without pictures", async () => {
  const { users, ours } = await newWorld();
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO exports (id, user_id, agency_id, kind, state, name, justification, case_number, time_zone, records,
      requester, heartbeat_at, created_at, expires_at)
    SELECT ? || i, ?, ?, 'zip', 'ready', 'x.zip', 'x', '', 'UTC', 1,
      '{"username":"x","sessionId":"x","ip":"x","userAgent":"x"}', 0, 0, 1 FROM n`,
  )
    .bind(unique("expired"), users.officer.id, ours.id)
    .run();
  for (let i = 0; i < 240; i++) {
    const group = { id: unique("group"), agencyId: unique("agency") };
    const vendorImages = { program: "Rekor", source: `Agency ${i % 4}`, vehicle: "x", plate: null } as const;
    await anAlert(group, { program: "Rekor", createdAt: Date.now() - MINUTE, vendorImages });
  }
  expect(await mostQueries("export-sweep", "alert-pictures")).toBeLessThan(MAX_QUERIES);
});

it("the purge of the audit logs of many agencies stays within D1's limit, and each gets its turn", async () => {
  const agencies = [];
  for (let i = 0; i < 40; i++) agencies.push(await newAgency());
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
    INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate)
    SELECT ? + n.i, value, 'u', 'someone', 's', '192.0.2.1', '', 'search', 'ok', ''
    FROM json_each(?) CROSS JOIN n`,
  )
    .bind(Date.now() - 3000 * DAY, JSON.stringify(agencies.map(({ id }) => id)))
    .run();
  await sealAuditLog(testApp(), 200);
  const left = () =>
    bindings.DB.prepare("SELECT count(*) AS n FROM audit_log WHERE at < ?")
      .bind(Date.now() - 2000 * DAY)
      .first<number>("n");
  expect(await mostQueries("audit-retention")).toBeLessThan(MAX_QUERIES);
  for (let now = Date.now(), runs = 0; (await left()) !== agencies.length; now += 10 * MINUTE, runs++) {
    expect(runs).toBeLessThan(20);
    const { database, count } = queriesOf(bindings.DB);
    const app = testApp(() => now, { DB: database });
    expect(await count(() => purgeOldAudit(app))).toBeLessThan(MAX_QUERIES);
  }
});

it("the purge of the records of many agencies stays within D1's limit, and each gets its turn", async () => {
  const agencies = [];
  for (let i = 0; i < 40; i++) agencies.push(await newAgency());
  const { id: userId } = await newUser(agencies[0]?.id ?? "");
  const ids = JSON.stringify(agencies.map(({ id }) => id));
  const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1600)";
  await bindings.DB.prepare(
    `${many} INSERT INTO saved_searches (user_id, agency_id, search_id, searched_at)
    SELECT ?1, value, value || i, 1 FROM json_each(?2) CROSS JOIN n`,
  )
    .bind(userId, ids)
    .run();
  await bindings.DB.prepare(
    `${many} INSERT INTO hotlist_imports (id, group_id, agency_id, user_id, username, user_name, agency_name, file_name,
      size, preset, mode, on_conflict, state, version, first_entry_id, created_at, updated_at)
    SELECT value || i, 'none', value, 'u', 'u', 'u', 'a', 'f', 1, 'p', 'replace', 'keep', 'applied', 1, 1, 1, 1
    FROM json_each(?) CROSS JOIN n`,
  )
    .bind(ids)
    .run();
  const left = () =>
    bindings.DB.prepare(
      `SELECT (SELECT count(*) FROM hotlist_imports WHERE updated_at = 1)
        + (SELECT count(*) FROM saved_searches WHERE searched_at = 1) AS n`,
    ).first<number>("n");
  expect(await mostQueries("record-retention")).toBeLessThan(MAX_QUERIES);
  for (let now = Date.now(), runs = 0; ((await left()) ?? 0) > 0; now += 5 * MINUTE, runs++) {
    expect(runs).toBeLessThan(60);
    const { database, count } = queriesOf(bindings.DB);
    const app = testApp(() => now, { DB: database });
    expect(await count(() => purgeOldRecords(app))).toBeLessThan(MAX_QUERIES);
  }
});

it("the purge of an agency's records and sessions reads no other agency's, and nothing that it keeps", async () => {
  const { database, plans } = plansOf(bindings.DB);
  await newAgency();
  const app = testApp(Date.now, { DB: database });
  await purgeOldRecords(app);
  await forgetOldSessions(app);
  await forgetOldAttempts(app);
  await forgetSaved(app);
  const planOf = async (named: string) => (await plans(named)).map(({ plan }) => plan).join("\n");
  expect(await planOf("g.image_id IS NOT a.id")).toMatch(
    /SEARCH a USING INDEX attachments_group \(group_id=\?/,
  );
  expect(await planOf("FROM hotlist_imports INDEXED BY")).toMatch(
    /hotlist_imports_ended \(agency_id=\? AND updated_at</,
  );
  expect(await planOf('delete from "sessions"')).toMatch(
    /SEARCH sessions USING (COVERING )?INDEX sessions_seen/,
  );
  expect(await planOf("DELETE FROM former_entries")).toMatch(
    /SEARCH f USING PRIMARY KEY \(group_id=\? AND ended_at<\?\)/,
  );
  for (const moving of ["INSERT INTO former_entries", "DELETE FROM hotlist_entries AS entry"])
    expect(await planOf(moving)).toMatch(
      /SEARCH e USING INDEX hotlist_entries_former \(group_id=\? AND <expr><\?\)/,
    );
  expect(await planOf("DELETE FROM push_devices")).toMatch(/push_devices_dropped \(dropped_at<\?\)/);
  for (const [table, index] of [
    ["sign_in_attempts", "sign_in_attempts_at"],
    ["known_devices", "known_devices_used"],
    ["used_sign_ons", "used_sign_ons_until"],
    ["saved_once", "saved_once_at"],
  ] as const)
    expect(await planOf(`delete from "${table}"`)).toMatch(
      new RegExp(`SEARCH ${table} USING (COVERING )?INDEX ${index}`),
    );
});

/** Adds unfinished backups that no row names, old enough to be removed. */
async function oldBackups(many: number): Promise<void> {
  for (let n = 0; n < many; n++) {
    const id = new Date(Date.now() - 400 * DAY + n).toISOString().replaceAll(/[-:.]/g, "");
    await bindings.BACKUPS.put(`backups/${id}-${unique("unknown")}/DB/part`, "x");
  }
}
const backupObjects = async () => (await bindings.BACKUPS.list({ prefix: "backups/" })).objects.length;

it("many backups that a restored database does not know stay within D1's limit, and each gets its turn", async () => {
  await newAgency();
  await oldBackups(400);
  for (let runs = 0; (await backupObjects()) > 0; runs++) {
    expect(runs).toBeLessThan(20);
    const { database, count } = queriesOf(bindings.DB);
    const app = testApp(() => Date.now() + runs * 5 * MINUTE, { DB: database });
    // One of ten jobs of its cron: others may make 300.
    expect(await count(() => sweepBackups(app))).toBeLessThan(200);
  }
});

it("a backup that cannot be removed does not keep the others", async () => {
  await newAgency();
  await oldBackups(3);
  const BACKUPS = beforeCall(bindings.BACKUPS, "delete", () => Promise.reject(new Error("R2 is down")));
  await expect(sweepBackups(testApp(Date.now, { BACKUPS }))).rejects.toThrow("not every old backup");
  expect(await backupObjects()).toBe(1);
  await sweepBackups(testApp());
  expect(await backupObjects()).toBe(0);
});
