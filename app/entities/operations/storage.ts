/** The databases of reads, as the owner sees and changes them. */

import * as z from "zod/mini";

export type StorageState = "open" | "read-only" | "draining" | "removed";

/** What the owner may set. `removed` is a separate call, which requires that the database is empty. */
export const StorageStateRequest = z.object({ state: z.enum(["open", "read-only", "draining"]) });
export type StorageStateRequest = z.infer<typeof StorageStateRequest>;

/** The fields of the screen's forms. */
export const StorageNameFields = z.object({ name: z.string().check(z.maxLength(40)) });
export const StorageStateFields = z.extend(StorageNameFields, StorageStateRequest.shape);

export type StoredDatabase = {
  /** The binding, for example `READS_3`. */
  name: string;
  state: StorageState;
  /** Whether the binding exists in this deployment. */
  bound: boolean;
  /** The last measurement; null before the first one. */
  bytes: number | null;
  measured_at: number | null;
  /** Reads are counted once a day. */
  reads: number | null;
  reads_counted_at: number | null;
  /** Days of which it has a part. */
  days: number;
  /** Parts of days that moved away and whose former rows are not deleted yet, and parts that are being copied here. */
  leaving: number;
  arriving: number;
  /** Reads moved away since the drain began. */
  moved_reads: number;
  /** What a drain waits for; empty if nothing. */
  note: string;
  /** When a drain ends at its speed so far; null if there is none or nothing is known yet. */
  drained_at: number | null;
  /** 0 to 1, or null before the first measurement. */
  fill: number | null;
  /** How much it grew per day of the last week; null until it was measured on two days. */
  bytes_per_day: number | null;
  /** When it is full at this rate; null if it is not. */
  full_at: number | null;
  /** It takes no days and has no reads: it can be removed. */
  removable: boolean;
};

export type StorageReport = {
  databases: StoredDatabase[];
  limit_bytes: number;
  /** The totals of the databases that take new days. */
  total: {
    bytes: number;
    limit_bytes: number;
    fill: number;
    bytes_per_day: number | null;
    full_at: number | null;
  };
  /** Share of the space from which the alarm is raised. */
  alarm_at: number;
  /** What needs attention, as sentences; empty if nothing. */
  alarms: string[];
};
