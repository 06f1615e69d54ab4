// Counts for the status screen, over all agencies: waiting and failed work, vendors, the audit log, push devices, and the
// migrations that a database has. Every query uses an index or reads a bounded number of rows.

import type { AppliedMigrations } from "#app/entities/operations/build.ts";
import type { QueueState } from "#app/entities/operations/status.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import type { ControlDb } from "#app/store/database.ts";

/** The newest rows of the audit log in which verifications are looked for: an index over actions would cost more. */
const LOOKED_AT = 20_000;

type Failed = { jobs: number; oldestJob: number | null; sends: number; webhooks: number };
type Vendor = {
  program: SourceProgram;
  connections: number;
  paused: number;
  okAt: number | null;
  failedAt: number | null;
};
type Audit = {
  sealedSeq: number;
  sealedAt: number | null;
  waiting: number;
  verifiedAt: number | null;
  checked: number;
  intact: number;
  checkedSince: number | null;
  backupVerifiedAt: number | null;
  backupOutcome: string | null;
};
type Push = { channel: "apns" | "webpush"; devices: number; okAt: number | null; waiting: number };

export type StatusCounts = {
  waiting: QueueState[];
  failed: Failed | undefined;
  vendors: Vendor[];
  audit: Audit | undefined;
  push: Push[];
};

/** One query each: D1 takes at most five terms in a compound SELECT. */
const WAITING: { queue: string; what: string; from: string }[] = [
  {
    queue: "odin-alerts",
    what: "Hits to deliver",
    from: "min(created_at) AS oldest FROM alerts WHERE fanned_out_at IS NULL",
  },
  {
    queue: "odin-alerts",
    what: "Pushes to send",
    from: "min(created_at) AS oldest FROM deliveries WHERE state = 'pending'",
  },
  {
    queue: "odin-webhooks",
    what: "Messages to outgoing webhooks",
    from: "min(created_at) AS oldest FROM outgoing_deliveries WHERE state = 'pending'",
  },
  {
    queue: "odin-exports",
    what: "Exports",
    from: "min(created_at) AS oldest FROM exports WHERE state IN ('queued', 'running')",
  },
  {
    queue: "odin-jobs",
    what: "Hotlist imports",
    from: "min(created_at) AS oldest FROM hotlist_imports WHERE state IN ('reading', 'comparing', 'renewing', 'cancelling')",
  },
  {
    queue: "odin-jobs",
    what: "Backups",
    from: "min(started_at) AS oldest FROM backup_runs WHERE state = 'running'",
  },
];

async function countWaiting(client: D1Database): Promise<QueueState[]> {
  const statements = WAITING.map(({ from }) => client.prepare(`SELECT count(*) AS waiting, ${from}`));
  const answers = await client.batch<Pick<QueueState, "waiting" | "oldest">>(statements);
  return WAITING.map(({ queue, what }, index) => {
    const { waiting = 0, oldest = null } = answers[index]?.results[0] ?? {};
    return { queue, what, waiting, oldest };
  });
}

const FAILED_SQL = `
  SELECT
    (SELECT count(*) FROM dead_jobs WHERE state = 'dead') AS jobs,
    (SELECT min(at) FROM dead_jobs WHERE state = 'dead') AS oldestJob,
    (SELECT count(*) FROM deliveries WHERE state = 'dead') AS sends,
    (SELECT count(*) FROM outgoing_deliveries WHERE state = 'failed') AS webhooks`;

/** Query plan: all keys, integrations and Axis cameras; the health of each by primary key. */
const VENDORS_SQL = `
  SELECT 'Rekor' AS program, count(*) AS connections, coalesce(sum(h.open_until > ?1), 0) AS paused,
    max(h.last_ok_at) AS okAt, max(h.last_failure_at) AS failedAt
  FROM rekor_keys k
  LEFT JOIN integration_health h ON h.integration_id = k.id
  UNION ALL
  SELECT 'Axon', count(*), coalesce(sum(h.open_until > ?1), 0), max(h.last_ok_at), max(h.last_failure_at)
  FROM axon_integrations i
  LEFT JOIN integration_health h ON h.integration_id = i.id
  UNION ALL
  SELECT 'Axis', count(*), 0, max(last_read_at), max(last_refused_at)
  FROM axis_cameras
  WHERE revoked_at IS NULL`;

/** Query plan: the newest rows of audit_log and audit_chain by primary key, the verifications by figure_counts_audit. */
const AUDIT_SQL = `
  WITH recent AS MATERIALIZED (
    SELECT at, action, outcome, seq
    FROM audit_log NOT INDEXED
    WHERE seq > (SELECT coalesce(max(seq), 0) FROM audit_log) - ${LOOKED_AT}
      AND action IN ('audit.verify', 'backup.verify')
  ), sealed AS (
    SELECT coalesce(max(seq), 0) AS seq
    FROM audit_chain
  ), checks AS MATERIALIZED (
    SELECT count(*) AS checked, coalesce(sum(counts ->> 'intact' = 1), 0) AS intact, min(counted_at) AS since
    FROM figure_counts
    -- 0: the first verification of a long log has not ended.
    WHERE period = 'audit' AND counted_at > 0
  )
  SELECT sealed.seq AS sealedSeq,
    (SELECT at FROM audit_chain WHERE seq = sealed.seq) AS sealedAt,
    (SELECT count(*) FROM audit_log NOT INDEXED WHERE seq > sealed.seq) AS waiting,
    (SELECT max(at) FROM recent WHERE action = 'audit.verify') AS verifiedAt,
    checks.checked,
    checks.intact,
    checks.since AS checkedSince,
    (SELECT max(at) FROM recent WHERE action = 'backup.verify') AS backupVerifiedAt,
    (SELECT outcome FROM recent WHERE action = 'backup.verify' ORDER BY seq DESC LIMIT 1) AS backupOutcome
  FROM sealed, checks`;

/** Query plan: all push devices, and deliveries_due, which has only the pending deliveries. */
const PUSH_SQL = `
  WITH known AS MATERIALIZED (
    SELECT channel, sum(dropped_at IS NULL) AS devices, max(last_used_at) AS okAt
    FROM push_devices
    GROUP BY channel
  ), pending AS MATERIALIZED (
    SELECT channel, count(*) AS waiting
    FROM deliveries
    WHERE state = 'pending'
    GROUP BY channel
  )
  SELECT channels.value AS channel, coalesce(known.devices, 0) AS devices, known.okAt,
    coalesce(pending.waiting, 0) AS waiting
  FROM json_each('["apns", "webpush"]') channels
  LEFT JOIN known ON known.channel = channels.value
  LEFT JOIN pending ON pending.channel = channels.value`;

/** Returns all counts. */
export async function countStatus(db: ControlDb, now: number): Promise<StatusCounts> {
  const client = db.$client;
  const [waiting, failed, vendors, audit, push] = await Promise.all([
    countWaiting(client),
    client.prepare(FAILED_SQL).first<Failed>(),
    client.prepare(VENDORS_SQL).bind(now).all<Vendor>(),
    client.prepare(AUDIT_SQL).first<Audit>(),
    client.prepare(PUSH_SQL).all<Push>(),
  ]);
  return {
    waiting,
    failed: failed ?? undefined,
    vendors: vendors.results,
    audit: audit ?? undefined,
    push: push.results,
  };
}

/**
 * Returns the migrations that a database has: by name where wrangler applied them, by the time of the newest where
 * `npm start` did.
 */
export async function findMigrations(database: D1Database): Promise<AppliedMigrations> {
  const { results: tables } = await database
    .prepare("SELECT name FROM sqlite_master WHERE name IN ('d1_migrations', '__drizzle_migrations')")
    .all<{ name: string }>();
  if (tables.some(({ name }) => name === "d1_migrations")) {
    const { results } = await database
      .prepare("SELECT name FROM d1_migrations ORDER BY id")
      .all<{ name: string }>();
    return { names: results.map(({ name }) => name) };
  }
  if (tables.length === 0) return { names: [] };
  const upTo = await database
    .prepare("SELECT max(created_at) AS newest FROM __drizzle_migrations")
    .first<number>("newest");
  return { upTo: upTo ?? 0 };
}
