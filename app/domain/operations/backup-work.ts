// What the steps of a backup share: the run that this worker holds, and storing progress. A part's file is written
// before its row, so that no row names a missing file.

import type { AppContext } from "#app/context.ts";
import type { BackupPlan } from "#app/entities/operations/backup.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { putPart } from "#app/store/operations/backup-files.ts";
import {
  type BackupRun,
  insertParts,
  listLastParts,
  requireLease,
  type StoredPart,
  updateRun,
} from "#app/store/operations/backup-runs.ts";
import { type Budget, filesOf } from "./backup-parts.ts";

/** How long this worker holds a run. */
export const LEASE_MS = 5 * MINUTE;

export type Work = { app: AppContext; run: BackupRun; budget: Budget };

type Change = Partial<Pick<BackupRun, "phase" | "plan" | "rows" | "bytes" | "objects" | "message">>;

/** Stores progress and extends the lease. Throws if this worker lost the lease of the run. */
export async function save({ app, run }: Work, change: Change, parts: StoredPart[] = []): Promise<void> {
  const leased = { ...change, attempts: 0, leasedUntil: app.clock() + LEASE_MS };
  const [updated] = await inOneStep(app.db, [
    updateRun(app.db, run, leased),
    ...(parts.length > 0 ? [insertParts(app.db, parts, run.lease)] : []),
  ]);
  requireLease(updated);
  Object.assign(run, leased);
}

type PartInput = {
  section: string;
  name: string;
  n: number;
  lines: string[];
  after: string;
  isLast: boolean;
};

/** Encrypts and stores a part of a backup. Returns its row, which the caller has to insert. */
export async function writePart(
  { app, run }: Work,
  { after, isLast, ...input }: PartInput,
): Promise<StoredPart> {
  const part = await putPart(filesOf(app, run.id), input);
  const { section, name, n } = input;
  return { runId: run.id, section, name, n, ...part, after, isLast };
}

/** Returns the sum of numbers; 0 without any. */
export const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
/** Returns the rows and bytes of a run with these new parts added. */
export const withParts = (run: BackupRun, parts: StoredPart[]) => ({
  rows: run.rows + sum(parts.map(({ rows }) => rows)),
  bytes: run.bytes + sum(parts.map(({ bytes }) => bytes)),
});

/** Returns what a backup found at its start. Throws for a run that is not a backup or has ended. */
export function planOf({ plan }: BackupRun): BackupPlan {
  if (!plan || !("databases" in plan)) throw new Error("the run has no plan of a backup");
  return plan;
}

/** Returns the last part of each table and bucket, keyed by `section/name`. */
export async function lastParts({ app, run }: Work): Promise<Map<string, StoredPart>> {
  const parts = await listLastParts(app.db, run.id);
  return new Map(parts.map((part) => [`${part.section}/${part.name}`, part]));
}
