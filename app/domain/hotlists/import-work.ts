// Runs an import in steps of one batch each: reads the file block by block into a staged version, marks what Replace
// All removes, waits for approval, and then updates expiries. After a crash, a job continues after the last complete
// step.

import type { AppContext } from "#app/context.ts";
import { type ImportState, isImportBusy } from "#app/entities/hotlists/import.ts";
import { type AuditAction, auditWho } from "#app/entities/oversight/audit.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  endMissingEntries,
  findImport,
  lastEntryId,
  listStalledImports,
  noteRemovedEntries,
  removeImportFile,
  renewKeptEntries,
  type StoredImport,
  unstageEntries,
  updateImport,
} from "#app/store/hotlists/imports.ts";
import { recountEntries } from "#app/store/hotlists/plates.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { sendJob } from "#app/store/queue.ts";
import { readStep } from "./import-step.ts";

/** Ids that one step covers: few enough that other queries wait well under a second. */
const WINDOW = 20_000;
/** How long one queue message works before it hands over to the next. */
const BUDGET_MS = 20 * SECOND;
/** A dry run that is neither applied nor cancelled is cancelled after this time. */
const READY_LIFETIME_MS = DAY;
const STALLED_MS = 2 * MINUTE;
/** Pause between two steps. The database runs one query at a time, and user requests should get a turn. */
const BREATH_MS = 5;

/** States of an open import. */
export const OPEN: ImportState[] = ["reading", "mapping", "comparing", "ready"];

/** Returns the current row of an import that exists. Imports are deleted only long after they end. */
export async function reloadImport(app: AppContext, id: string): Promise<StoredImport> {
  const row = await findImport(app.db, id);
  if (!row) throw new Error("The import no longer exists.");
  return row;
}

/** Ends an open import because it failed or was canceled. Its rows are unstaged next. */
export async function endWith(
  app: AppContext,
  row: StoredImport,
  end: { message: string; action: AuditAction; who: ReturnType<typeof auditWho> },
): Promise<void> {
  const at = app.clock();
  await inOneStep(app.db, [
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: OPEN,
      at,
      set: { state: "cancelling", message: end.message, walkedTo: 0 },
    }),
    insertAudit(app.db, {
      ...end.who,
      at,
      action: end.action,
      outcome: end.message ? "failed" : "ok",
      object: row.groupId,
      detail: { import: row.id, file: row.fileName, ...(end.message && { reason: end.message }) },
    }),
  ]);
}

function starterOf(row: StoredImport) {
  return { ...auditWho(null), agencyId: row.agencyId, userId: row.userId, username: row.username };
}

/**
 * Continues an import until it waits for a user or ends, or the time is used up; then hands over to another message.
 * Safe to run concurrently and again after any crash.
 */
export async function continueImport(app: AppContext, id: string, budgetMs = BUDGET_MS): Promise<void> {
  const started = app.clock();
  for (;;) {
    const row = await findImport(app.db, id);
    if (!row || !isImportBusy(row.state)) return;
    if (app.clock() - started > budgetMs) return sendJob(app.jobs, { v: 1, type: "hotlist-import", id });
    try {
      await oneStep(app, row);
      await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
    } catch (error) {
      // Another delivery of the same job, or a cancel, did this step first.
      if (brokenConstraint(error) === "hotlist_imports.step") {
        const now = await findImport(app.db, id);
        if (now && (isStillAt(now, row) || (now.state === "cancelling" && row.state !== "cancelling")))
          continue;
        return;
      }
      throw error;
    }
  }
}

/**
 * Returns whether no one did the step: the list was changed by hand, so the step has to be repeated with current data.
 */
function isStillAt(now: StoredImport, before: StoredImport): boolean {
  return now.state === before.state && now.offset === before.offset && now.walkedTo === before.walkedTo;
}

async function oneStep(app: AppContext, row: StoredImport): Promise<void> {
  switch (row.state) {
    case "reading": {
      const problem = await readStep(app, row);
      if (problem !== undefined)
        await endWith(app, row, { message: problem, action: "hotlist-import.failed", who: starterOf(row) });
      return;
    }
    case "comparing":
      return walk(app, row, {
        last: row.firstEntryId - 1,
        statements: (window) => [endMissingEntries(app.db, window)],
        countRemoved: true,
        next: "ready",
      });
    case "renewing":
      return walk(app, row, {
        last: row.unchanged + row.conflicting + row.removed > 0 ? row.firstEntryId - 1 : 0,
        statements: (window) => [
          renewKeptEntries(app.db, window),
          noteRemovedEntries(app.db, { ...window, at: row.appliedAt ?? app.clock(), by: row.userId }),
        ],
        atEnd: [recountEntries(app.db, row.groupId)],
        next: "applied",
      });
    case "cancelling":
      return walk(app, row, {
        last: await lastEntryId(app.db),
        statements: (window) => unstageEntries(app.db, window),
        next: row.message ? "failed" : "cancelled",
      });
    default:
      return;
  }
}

/** Processes one window of ids. The last window also moves the import to its next state. */
async function walk(
  app: AppContext,
  row: StoredImport,
  input: {
    last: number;
    statements: (window: { groupId: string; version: number; from: number; to: number }) => Statement[];
    countRemoved?: boolean;
    atEnd?: Statement[];
    next: ImportState;
  },
): Promise<void> {
  const to = Math.min(row.walkedTo + WINDOW, input.last);
  const isLast = to >= input.last;
  const over = isLast && input.next !== "ready";
  if (over) await removeImportFile(app.imports, row.id);
  const statements = [
    ...(to > row.walkedTo
      ? input.statements({ groupId: row.groupId, version: row.version, from: row.walkedTo + 1, to })
      : []),
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: [row.state],
      at: app.clock(),
      set: { walkedTo: to, ...(isLast && { state: input.next }) },
      removedByChanges: input.countRemoved === true && to > row.walkedTo,
    }),
    ...(isLast ? (input.atEnd ?? []) : []),
  ];
  await inOneStep(app.db, nonEmpty(statements));
}

/** Restarts stalled imports, and cancels dry runs that no user decided on. */
export async function sweepImports(app: AppContext): Promise<void> {
  const now = app.clock();
  const stalled = await listStalledImports(app.db, {
    states: ["reading", "comparing", "renewing", "cancelling"],
    before: now - STALLED_MS,
  });
  for (const { id } of stalled) await sendJob(app.jobs, { v: 1, type: "hotlist-import", id });
  for (const row of await listStalledImports(app.db, {
    states: ["ready", "mapping"],
    before: now - READY_LIFETIME_MS,
  })) {
    await endWith(app, row, {
      message: "Canceled: neither applied nor canceled within a day.",
      action: "hotlist-import.cancel",
      who: starterOf(row),
    });
    await sendJob(app.jobs, { v: 1, type: "hotlist-import", id: row.id });
  }
}
