// Runs an import in steps of one batch each: reads the file block by block into a staged version, marks what Replace
// All removes, waits for approval, and then updates expiries. After a crash, a job continues after the last complete
// step.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import {
  type ImportState,
  isImportBusy,
  READY_LIFETIME_MS,
  UPLOAD_INTERRUPTED,
} from "#app/entities/hotlists/import.ts";
import { type AuditAction, auditWho } from "#app/entities/oversight/audit.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { logWarning } from "#app/lib/log.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  endMissingEntries,
  listEntryRanges,
  noteRemovedEntries,
  type Range,
  renewKeptEntries,
  unstageEntries,
  type Window,
} from "#app/store/hotlists/import-windows.ts";
import {
  findImport,
  listStalledImports,
  noteImportsTried,
  removeImportFile,
  type StoredImport,
  updateImport,
} from "#app/store/hotlists/imports.ts";
import { recountEntries } from "#app/store/hotlists/plates.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { sendJob } from "#app/store/queue.ts";
import { BLOCK, readStep } from "./import-step.ts";

/** Entries of the group that one step covers: few enough that other queries wait well under a second. */
const WINDOW = 20_000;
/** What one call may do before it ends: milliseconds, and its share of D1's 1,000 queries per invocation; bytes per step. */
type ImportLimits = { ms: number; queries: number; block: number };
/** The limits of one queue message. A step takes at most about 50 queries more. */
const LIMITS: ImportLimits = { ms: 20 * SECOND, queries: 700, block: BLOCK };
const STALLED_MS = 2 * MINUTE;
/** Pause between two steps: the database runs one query at a time, and user requests come in between. */
const BREATH_MS = 5;

/** States of an open import. */
export const OPEN: ImportState[] = ["reading", "mapping", "comparing", "ready"];

/** Returns the current row of an import that exists. Imports are deleted only long after they end. */
export async function reloadImport(app: AppContext, id: string): Promise<StoredImport> {
  const row = await findImport(app.db, id);
  if (!row) throw new Error("The import no longer exists.");
  return row;
}

type End = { message: string; action: AuditAction; who: ReturnType<typeof auditWho> };

/** Ends an open import because it failed or was canceled. Its rows are unstaged next. */
export async function endWith(app: AppContext, row: StoredImport, end: End): Promise<void> {
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

/** One call's work on an import: the queries it has made, the windows of the group per state, and bytes per step. */
type Work = { queries: number; ranges: Map<ImportState, Range[]>; block: number };

/**
 * Continues an import until it waits for a user or ends. If the limits are reached first, queues another message. Safe
 * to run concurrently and again after any crash.
 */
export async function continueImport(
  app: AppContext,
  id: string,
  limits: Partial<ImportLimits> = {},
): Promise<void> {
  if (!(await advanceImport(app, id, limits))) await sendJob(app.jobs, { v: 1, type: "hotlist-import", id });
}

/** Queues an import whose state is stored. Never throws: if the message is lost, the sweep queues it again. */
export async function queueImport(app: AppContext, id: string): Promise<void> {
  try {
    await sendJob(app.jobs, { v: 1, type: "hotlist-import", id });
  } catch (error) {
    logWarning(`the queue did not accept import ${id}, which the sweep queues again`, error);
  }
}

/** Continues an import as `continueImport` does, but only returns false if the limits were reached first. */
export async function advanceImport(
  app: AppContext,
  id: string,
  limits: Partial<ImportLimits>,
): Promise<boolean> {
  const { ms, queries, block } = { ...LIMITS, ...limits };
  const started = app.clock();
  const work: Work = { queries: 0, ranges: new Map(), block };
  for (;;) {
    work.queries += 1;
    const row = await findImport(app.db, id);
    if (!row || !isImportBusy(row.state)) return true;
    if (app.clock() - started > ms || work.queries > queries) return false;
    try {
      await oneStep(app, row, work);
      await sleep(BREATH_MS);
    } catch (error) {
      // Another delivery of the same job, or a cancel, did this step first.
      if (brokenConstraint(error) === "hotlist_imports.step") {
        work.queries += 1;
        const now = await findImport(app.db, id);
        if (now && (isStillAt(now, row) || (now.state === "cancelling" && row.state !== "cancelling")))
          continue;
        return true;
      }
      throw error;
    }
  }
}

/**
 * Returns whether the step is still to be done: then a user changed the list, and the step is repeated with current
 * data.
 */
function isStillAt(now: StoredImport, before: StoredImport): boolean {
  return now.state === before.state && now.offset === before.offset && now.walkedTo === before.walkedTo;
}

async function oneStep(app: AppContext, row: StoredImport, work: Work): Promise<void> {
  switch (row.state) {
    case "reading": {
      const spend = (queries: number) => {
        work.queries += queries;
      };
      const problem = await readStep(app, row, { block: work.block, spend });
      if (problem === undefined) return;
      work.queries += 2;
      return endWith(app, row, { message: problem, action: "hotlist-import.failed", who: starterOf(row) });
    }
    case "comparing":
      return walk(app, row, work, {
        last: row.firstEntryId - 1,
        statements: (window) => [endMissingEntries(app.db, window)],
        countRemoved: true,
        next: "ready",
      });
    case "renewing": {
      const at = row.appliedAt ?? app.clock();
      return walk(app, row, work, {
        last: row.unchanged + row.conflicting + row.removed > 0 ? row.firstEntryId - 1 : 0,
        statements: (window) => [
          renewKeptEntries(app.db, { ...window, at }),
          noteRemovedEntries(app.db, { ...window, at, by: row.userId }),
        ],
        atEnd: [recountEntries(app.db, row.groupId)],
        next: "applied",
      });
    }
    case "cancelling":
      return walk(app, row, work, {
        last: Number.MAX_SAFE_INTEGER,
        statements: (window) => unstageEntries(app.db, window),
        next: row.message ? "failed" : "cancelled",
      });
    default:
      return;
  }
}

/** Processes one window of the group's entries. The last window also moves the import to its next state. */
async function walk(
  app: AppContext,
  row: StoredImport,
  work: Work,
  input: {
    last: number;
    statements: (window: Window) => Statement[];
    countRemoved?: boolean;
    atEnd?: Statement[];
    next: ImportState;
  },
): Promise<void> {
  const { window, isLast } = await nextWindow(app, row, work, input.last);
  const over = isLast && input.next !== "ready";
  if (over) await removeImportFile(app.imports, row.id);
  const statements = [
    ...(window ? input.statements(window) : []),
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: [row.state],
      at: app.clock(),
      set: { walkedTo: window?.to ?? row.walkedTo, ...(isLast && { state: input.next }) },
      removedByChanges: input.countRemoved === true && window !== undefined,
    }),
    ...(isLast ? (input.atEnd ?? []) : []),
  ];
  work.queries += statements.length;
  await inOneStep(app.db, nonEmpty(statements));
}

/**
 * Returns the next part of the group that has at most WINDOW entries, and whether it is the last one. Windows are computed
 * once per state, because a group's ids are sparse. None of these states gets further entries.
 */
async function nextWindow(
  app: AppContext,
  row: StoredImport,
  work: Work,
  last: number,
): Promise<{ window?: Window; isLast: boolean }> {
  const { groupId, version, walkedTo } = row;
  if (last <= walkedTo) return { isLast: true };
  let ranges = work.ranges.get(row.state);
  if (!ranges) {
    work.queries += 1;
    ranges = await listEntryRanges(app.db, { groupId, after: walkedTo, upTo: last, most: WINDOW });
    work.ranges.set(row.state, ranges);
  }
  const left = ranges.filter(({ to }) => to > walkedTo);
  const [first] = left;
  if (!first) return { isLast: true };
  const from = Math.max(first.from, walkedTo + 1);
  let [to, entries, taken] = [first.to, first.entries, 1];
  for (const range of left.slice(1)) {
    if (entries + range.entries > WINDOW) break;
    [to, entries, taken] = [range.to, entries + range.entries, taken + 1];
  }
  const isSparse = to - from > ranges.reduce((sum, range) => sum + range.entries, 0);
  return { window: { groupId, version, from, to, isSparse }, isLast: taken === left.length };
}

/** Ends a stalled import, unless another worker has just continued it. */
async function endStalled(app: AppContext, row: StoredImport, end: Omit<End, "who">): Promise<void> {
  try {
    await endWith(app, row, { ...end, who: starterOf(row) });
  } catch (error) {
    if (brokenConstraint(error) === "hotlist_imports.step") return;
    throw error;
  }
  await sendJob(app.jobs, { v: 1, type: "hotlist-import", id: row.id });
}

/**
 * Ends uploads whose request died, since they keep other imports from starting; restarts stalled imports; and cancels dry
 * runs that no user decided on. If one of them fails, the others are still swept and the error is thrown at the end.
 */
export async function sweepImports(app: AppContext): Promise<void> {
  const now = app.clock();
  const message = UPLOAD_INTERRUPTED;
  const [stalled, undecided] = [now - STALLED_MS, now - READY_LIFETIME_MS];
  const works = new Map<string, () => Promise<void>>();
  for (const row of await listStalledImports(app.db, { states: OPEN, before: stalled, message, now }))
    works.set(row.id, () => endStalled(app, row, { message, action: "hotlist-import.failed" }));
  const busy: ImportState[] = ["reading", "comparing", "renewing", "cancelling"];
  for (const { id } of await listStalledImports(app.db, { states: busy, before: stalled, now }))
    if (!works.has(id)) works.set(id, () => sendJob(app.jobs, { v: 1, type: "hotlist-import", id }));
  const waiting: ImportState[] = ["ready", "mapping"];
  for (const row of await listStalledImports(app.db, { states: waiting, before: undecided, now }))
    works.set(row.id, () =>
      endStalled(app, row, {
        message: "Canceled: neither applied nor canceled within a day.",
        action: "hotlist-import.cancel",
      }),
    );
  if (works.size === 0) return;
  // Before they are tried: those that fail each time come last in the next sweep.
  await noteImportsTried(app.db, [...works.keys()], now);
  await pMap(works.values(), (work) => work(), { concurrency: 1, stopOnError: false });
}
