// The contents of a backup, and the progress of one. Without a manifest there is no backup.

import * as z from "zod/mini";
import type * as answers from "./answers.ts";

/** Buckets in a backup, and the prefixes of their objects in order. Objects that live only for hours are left out. */
export const BACKED_UP: Record<string, readonly string[]> = {
  IMAGES: ["alerts/", "axis/"],
  ATTACHMENTS: [""],
  AUDITS: [""],
  RESULTS: ["exports/"],
};

export type BackupPhase = "plan" | "rows" | "keys" | "objects" | "manifest" | "finished";

/** How a part encodes a column: as plain JSON, or marked, because JSON has no bytes and rounds reals. */
export const ColumnPlan = z.object({ name: z.string(), as: z.enum(["plain", "real", "blob"]) });
export type ColumnPlan = z.infer<typeof ColumnPlan>;

export type TablePlan = {
  name: string;
  columns: ColumnPlan[];
  /** The order of its rows: `rowid`, or the primary key of a table without one. */
  key: string[];
  /** Rows with a higher rowid came after the start and are left out; null for tables without numbered rows. */
  bound: number | null;
  /** A small table, copied completely at the start. */
  whole: boolean;
};

/** What a backup found at its start: for each database its tables, parents first, and the last assigned ids. */
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
  /** The size of its parts in R2. */
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
  /** The parts that list each bucket's objects, one line each: `[key, size, etag]`. */
  buckets: z.array(z.object({ name: z.string(), objects: z.int(), parts: z.array(Part) })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** A line of a bucket's list. */
export type ObjectLine = [key: string, size: number, etag: string];

export type RestorePhase = "check" | "clear" | "rows" | "indexes" | "keys" | "objects" | "count" | "finished";

/** The progress of a restore; `at` is the position in the current phase. */
export type RestorePlan = {
  backupId: string;
  phase: RestorePhase;
  at: number;
  /** Number of objects restored already of the part at this position. */
  within: number;
  /** Tables, as `database.table`, that did not take every row of a part. */
  short: string[];
  /** Definitions of the triggers to create again at the end. */
  triggers: string[];
  /** Definitions of the indexes to create again after all rows. */
  indexes: { database: string; name: string; definition: string }[];
  /** Listed objects that the pool no longer has, because they were purged. */
  missing: number;
  /** Skipped rows, by database and table. */
  skipped: Record<string, number>;
  /** The restore was abandoned, and what it wrote is being deleted. */
  undo: boolean;
};

/**
 * The progress of a chain of steps that copies a restored backup's images back: each chain takes every `chains`-th list
 * of images in the manifest, starting from the last.
 */
export type ImagesPlan = {
  restoredFrom: string;
  chain: number;
  chains: number;
  /** The number of its finished lists, and of finished objects in the next list. */
  lists: number;
  within: number;
  /** Objects of all its lists. */
  total: number;
  /** The numbers of objects whose copy was gone, because they were purged, and of objects whose copy was changed. */
  missing: number;
  damaged: number;
};

/** A run as the screen and the command show it. */
export type BackupSummary = z.infer<typeof answers.BackupSummary>;

export type BackupList = z.infer<typeof answers.BackupList>;

/** The objects that a restore has copied back since Odin reopened. */
export type ImagesBack = {
  done: number;
  total: number;
  /** Whether the last attempts of a chain failed. */
  failing: boolean;
};

/** A little over a day: a nightly backup failed. */
export const BACKUP_LATE_MS = 26 * 60 * 60 * 1000;

export const BackupVerifyRequest = z.object({ after: z._default(z.int().check(z.gte(0)), 0) });

/** The progress of a verification. `next` is null at the end. */
export type BackupCheck = z.infer<typeof answers.BackupCheck>;

/** The progress of a restore. */
export type RestoreReport = z.infer<typeof answers.RestoreReport>;

export type RestorableBackup = Pick<
  BackupManifest,
  "id" | "startedAt" | "finishedAt" | "rows" | "bytes" | "objects" | "keyVersion"
>;
