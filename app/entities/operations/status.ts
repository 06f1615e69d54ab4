import type { PushChannel } from "#app/entities/alerts/push.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import type { MigrationState } from "./build.ts";
import type { Misconfigured, WatchedJob } from "./health.ts";

/** The state of an installation, for its owner: counts and times, without plates, people or agencies. */
export type StatusReport = {
  at: number;
  build: { version: string; commit: string };
  /** What needs attention, as sentences, the most serious first. */
  problems: string[];
  misconfigured: readonly Misconfigured[];
  databases: DatabaseState[];
  queues: QueueState[];
  failed: FailedCounts;
  crons: CronState[];
  vendors: VendorState[];
  storage: { bytes: number; limit_bytes: number; fill: number; databases: number; alarms: string[] };
  audit: AuditState;
  backup: BackupState;
  push: PushState[];
};

/** A database by its binding; `migrations` is null if it did not answer. */
export type DatabaseState = { name: string; migrations: MigrationState | null };

/** Work that waits for a queue. */
export type QueueState = { queue: string; what: string; waiting: number; oldest: number | null };

/** Work that was given up: failed jobs, failed sends of pushes, failed messages to outgoing webhooks. */
type FailedCounts = { jobs: number; oldest_job: number | null; sends: number; webhooks: number };

export type CronState = {
  job: WatchedJob;
  label: string;
  last_ok_at: number | null;
  last_failure_at: number | null;
  next_at: number;
  late: boolean;
};

/** A program over all agencies. `connections` are keys, integrations or cameras; `paused` ones failed too often. */
export type VendorState = {
  program: SourceProgram;
  connections: number;
  paused: number;
  last_ok_at: number | null;
  last_failure_at: number | null;
};

export type AuditState = {
  /** The last row that has a link in a hash chain, and when it got it. */
  sealed_seq: number;
  sealed_at: number | null;
  /** Rows without a link. */
  waiting: number;
  /** When the heads of the chains were last stored in the bucket. */
  anchored_at: number | null;
  /** When someone last verified a log by hand, within the newest rows. */
  verified_at: number | null;
  /**
   * Agencies whose log is verified every day and was verified to its end, those of them whose log is intact, and the
   * oldest verification.
   */
  checked: number;
  intact: number;
  checked_since: number | null;
};

export type BackupState = {
  /** When the newest good backup began. */
  newest: number | null;
  late: boolean;
  /** When someone last verified a backup: every part and object was opened. */
  verified_at: number | null;
  verified_ok: boolean;
  /** When this installation was restored from a backup. */
  restored_at: number | null;
};

export type PushState = {
  channel: PushChannel;
  configured: boolean;
  devices: number;
  last_ok_at: number | null;
  waiting: number;
};
