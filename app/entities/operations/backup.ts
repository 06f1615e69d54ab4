// What a backup holds and how far one has come. The manifest is the backup: without one there is none.

import * as z from "zod/mini";

/** Buckets that a backup holds, and which of their objects, in order: what lives for hours only is left out. */
export const BACKED_UP: Record<string, readonly string[]> = {
  IMAGES: ["alerts/", "axis/"],
  ATTACHMENTS: [""],
  AUDITS: [""],
  RESULTS: ["exports/"],
};

export type BackupPhase = "plan" | "rows" | "keys" | "objects" | "manifest" | "finished";

/** How a column's values stand in a part: as JSON has them, or marked, since JSON has no bytes and rounds reals. */
export const ColumnPlan = z.object({ name: z.string(), as: z.enum(["plain", "real", "blob"]) });
export type ColumnPlan = z.infer<typeof ColumnPlan>;

export type TablePlan = {
  name: string;
  columns: ColumnPlan[];
  /** What its rows are ordered by: `rowid`, or the primary key of a table without one. */
  key: string[];
  /** Rows beyond this number came after the start and are left out; null where order says nothing. */
  bound: number | null;
  /** It was small and is in the backup whole, as it was at the start. */
  whole: boolean;
};

/** What a backup found at its start: per database its tables, parents first, and the last ids that were given. */
export type BackupPlan = {
  databases: { name: string; tables: TablePlan[]; sequences: Record<string, number> }[];
};

const Part = z.object({ key: z.string(), rows: z.int(), bytes: z.int(), sha256: z.string() });
export type BackupPart = z.infer<typeof Part>;

export const BackupManifest = z.object({
  format: z.literal(1),
  id: z.string(),
  startedAt: z.int(),
  finishedAt: z.int(),
  startedBy: z.string(),
  keyVersion: z.int(),
  rows: z.int(),
  /** Of the parts, as they lie in R2. */
  bytes: z.int(),
  objects: z.int(),
  databases: z.array(
    z.object({
      name: z.string(),
      sequences: z.record(z.string(), z.int()),
      tables: z.array(
        z.object({ name: z.string(), columns: z.array(ColumnPlan), rows: z.int(), parts: z.array(Part) }),
      ),
    }),
  ),
  /** Lists of the objects that there were, by bucket: a line each, `[key, size, etag]`. */
  buckets: z.array(z.object({ name: z.string(), objects: z.int(), parts: z.array(Part) })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** A line of a bucket's list. */
export type ObjectLine = [key: string, size: number, etag: string];

export type RestorePhase = "check" | "clear" | "rows" | "indexes" | "keys" | "objects" | "count" | "finished";

/** What a restore works through; `at` is its place in the parts of a phase. */
export type RestorePlan = {
  backupId: string;
  phase: RestorePhase;
  at: number;
  /** The definitions of triggers that are put back at the end. */
  triggers: string[];
  /** The definitions of indexes that are made anew once all rows are there. */
  indexes: { database: string; name: string; definition: string }[];
  /** Objects that the list names and the pool has no more: purged since. */
  missing: number;
  /** Rows that did not fit, by database and table. */
  skipped: Record<string, number>;
  /** It was given up: what it has written is being cleared. */
  undo: boolean;
};

/** A run as the screen and the command show it. */
export type BackupSummary = {
  id: string;
  state: "running" | "finished" | "failed" | "cancelled";
  phase: string;
  started_at: number;
  started_by: string;
  finished_at: number | null;
  rows: number;
  bytes: number;
  objects: number;
  key_version: number;
  message: string;
  /** Its files are gone: it was too old, or was never finished. */
  removed: boolean;
};

export type BackupList = {
  runs: BackupSummary[];
  /** Newest finished backup that still has its files. */
  newest: number | null;
  /** Whether that one is older than it may get (BACKUP_LATE_MS). */
  late: boolean;
  kept_days: number;
};

/** Older than a night and a little: somebody has to look. */
export const BACKUP_LATE_MS = 26 * 60 * 60 * 1000;

export const BackupVerifyRequest = z.object({ after: z._default(z.int().check(z.gte(0)), 0) });

/** How far a verification has come. `next` null: it has seen everything there is. */
export type BackupCheck = {
  checked: number;
  total: number;
  next: number | null;
  rows: number;
  objects: number;
  /** Objects that were purged since: the list names them, the pool rightly has them no more. */
  missing: number;
  problem: string | null;
};

/** How far a restore has come. */
export type RestoreReport = {
  state: "running" | "finished" | "failed" | "cancelled";
  phase: RestorePhase;
  done: number;
  total: number;
  rows: number;
  objects: number;
  missing: number;
  skipped: Record<string, number>;
  message: string;
};

export type RestorableBackup = Pick<
  BackupManifest,
  "id" | "startedAt" | "finishedAt" | "rows" | "bytes" | "objects" | "keyVersion"
>;
