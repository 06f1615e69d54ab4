// Purges records other than reads: hits, removed hotlist plates, finished imports, unattached files and saved searches by
// the agency's policy, and operational records after a fixed time. Each run takes bounded steps, and each step that removes
// something writes a purge certificate to the agency's audit log, in the transaction that removes it.

import type { AppContext } from "#app/context.ts";
import { auditNow, certifyRemoved } from "#app/domain/oversight/audit-act.ts";
import { listedSince, searchesKeptDays } from "#app/entities/search/history/past-search.ts";
import { DAY, isDayOver, MINUTE } from "#app/lib/time/dates.ts";
import { nextInRotation, rotated } from "#app/lib/turns.ts";
import { ATTACHMENT_PREFIXES } from "#app/store/files.ts";
import { moveFormerEntries } from "#app/store/hotlists/former-entries.ts";
import { poolKey } from "#app/store/operations/backup-pool.ts";
import { listDays } from "#app/store/operations/retention.ts";
import {
  COMMON_RECORDS,
  type Expired,
  type PurgeStep,
  type RecordCutoff,
  removeCommonRecords,
  removeLooseAttachments,
  removeOldAlerts,
  removeOldEntries,
  removeOldImports,
  removeOldSavedSearches,
  removeStrayAlertImages,
  removeStrayAttachments,
  removeStrayImports,
} from "#app/store/operations/retention-records.ts";
import { findHeldCases } from "#app/store/oversight/legal-holds.ts";
import { findAgency, listAgencies } from "#app/store/users/agencies.ts";
import { removeArchivedAlerts } from "./retention-alerts.ts";

type RecordsContext = Pick<
  AppContext,
  "db" | "clock" | "images" | "backups" | "attachments" | "imports" | "alertArchive"
>;

/** Retention in days of records that no policy covers. */
export const COMMON_DAYS = {
  /** The bell shows 7 days, Failed Jobs this many. With 90 days, deliveries took a fifth of the control database. */
  deliveries: 30,
  dead_jobs: 90,
  addresses: 180,
  push_devices: 90,
  outgoing_deliveries: 30,
} as const;

const STEP = 500;
/** Batches per kind and run; the rest waits for the next run. */
const MAX_STEPS = 10;
/** Days that removed plates stay in the table of the lists: imports and open pages of a list may still refer to them. */
const LISTED_DAYS = 1;
const MOVED_AT_ONCE = 2_000;
/** Maximum number of segments of archived hits that a run changes, with up to five queries each. */
const SEGMENTS_A_RUN = 30;
/** Agencies per run. The next run continues with the next ones. */
const AGENCIES_A_RUN = 40;
/**
 * Queries after which a run begins no further agency; D1 allows 1,000 per invocation. The last agency may make 280,
 * with ten batches of each kind and half of the segments, and records that no policy covers 130.
 */
const QUERIES_A_RUN = 580;
/** Approximate queries for an agency without its batches, a batch, a batch that finds nothing, and a segment. */
const QUERIES = { agency: 2, batch: 5, idle: 2, segment: 7 };
/** The time between two runs of retention in milliseconds, as in the cron expressions of wrangler.toml. */
export const RUNS_EVERY = 5 * MINUTE;
/** Days of hit images that one run scans, and the age in days from which it scans. */
const DAYS_LOOKED_AT = 3;
/** Prefixes of attachments that one run scans. All of them take three hours. */
const PREFIXES_LOOKED_AT = 2;
const STRAY_AFTER = 2 * DAY;

/** What a run removed, by kind. */
export type RemovedRecords = Record<string, number>;

/**
 * Removes expired records within the limits of a run. Returns the counts by agency; "" stands for no agency. If one
 * agency fails, the others are still purged and the error is thrown at the end.
 */
export async function purgeOldRecords(app: RecordsContext): Promise<Map<string, RemovedRecords>> {
  const now = app.clock();
  const agencies = await listAgencies(app.db);
  const removed = new Map<string, RemovedRecords>();
  const problems: unknown[] = [];
  async function purge(agencyId: string, work: (kinds: RemovedRecords) => Promise<void>): Promise<void> {
    const kinds: RemovedRecords = {};
    removed.set(agencyId, kinds);
    await work(kinds).catch((error: unknown) => problems.push(error));
  }
  const overForAll = Math.min(now, ...agencies.map(({ policy }) => now - policy.retention_days * DAY));
  await purge("", (kinds) => purgeCommon(app, { now, overForAll }, kinds));
  const budget = { left: SEGMENTS_A_RUN };
  const batches = { done: 0, idle: 0 };
  const turn = { now, every: RUNS_EVERY };
  let begun = 0;
  // Each run begins with another agency, so that each is the first to get a share of the budgets.
  for (const { id } of rotated(nextInRotation(agencies, { ...turn, count: AGENCIES_A_RUN }), turn)) {
    const ofBatches = QUERIES.batch * batches.done + QUERIES.idle * batches.idle;
    const ofSegments = QUERIES.segment * (SEGMENTS_A_RUN - budget.left);
    if (QUERIES.agency * begun + ofBatches + ofSegments >= QUERIES_A_RUN) break;
    begun++;
    await purge(id, async (kinds) => {
      // Read at the agency's turn: a policy may be raised while a purge runs.
      const agency = await findAgency(app.db, id);
      if (!agency) return;
      const { record_retention_days: recordDays, audit_retention_days: auditDays } = agency.policy;
      const expired = { agencyId: id, before: now - recordDays * DAY };
      const keptDays = searchesKeptDays({ recordDays, auditDays });
      const unlisted = { agencyId: id, before: listedSince(now, keptDays) };
      // Read before each step: a hold may be approved while a purge runs.
      const cutoff = async () => {
        return { ...expired, heldCases: [...(await findHeldCases(app.db, id))] };
      };
      const inSteps = stepsOf(app, id, { removed: kinds, batches });
      await purgeOf(app, { expired, cutoff, inSteps, batches });
      await inSteps("saved_searches", (step) => removeOldSavedSearches(app.db, unlisted, step));
      const archived = await removeArchivedAlerts(app, cutoff, budget);
      if (archived.removed > 0) kinds.alerts = (kinds.alerts ?? 0) + archived.removed;
      problems.push(...archived.problems);
    });
  }
  if (problems.length > 0) throw new AggregateError(problems, "not every old record was removed");
  return removed;
}

/** The time of a run, and the time before which images are past the retention of every agency. */
type RunTimes = { now: number; overForAll: number };

async function purgeCommon(app: RecordsContext, times: RunTimes, removed: RemovedRecords): Promise<void> {
  const { now } = times;
  const inSteps = stepsOf(app, "", { removed });
  for (const what of COMMON_RECORDS) {
    const before = now - COMMON_DAYS[what] * DAY;
    await inSteps(what, (step) => removeCommonRecords(app.db, what, { before, ...step }));
  }
  await noteStray(app, removed, { kind: "stray_alert_images", count: await purgeStray(app, times) });
  for (const prefix of nextInRotation(ATTACHMENT_PREFIXES, {
    now,
    every: RUNS_EVERY,
    count: PREFIXES_LOOKED_AT,
  })) {
    const count = await removeStrayAttachments(app, { prefix, before: now - STRAY_AFTER });
    await noteStray(app, removed, { kind: "stray_attachments", count });
  }
  const imports = await removeStrayImports(app, { before: now - STRAY_AFTER });
  await noteStray(app, removed, { kind: "stray_imports", count: imports });
}

/** Certifies the removal of objects in R2 that no row named. */
async function noteStray(
  app: RecordsContext,
  removed: RemovedRecords,
  { kind, count }: { kind: string; count: number },
): Promise<void> {
  if (count === 0) return;
  removed[kind] = (removed[kind] ?? 0) + count;
  await auditNow(app, null, { agencyId: "", action: "retention.records", detail: { [kind]: count } });
}

/** Scans a few days per run, so that every day is scanned once a day, however many there are. */
async function purgeStray(app: RecordsContext, { now, overForAll }: RunTimes): Promise<number> {
  const isOver = (day: number) => isDayOver(day, overForAll);
  const stored = await listDays(app.images, "alerts/");
  const copied = await listDays(app.backups, poolKey("IMAGES", "alerts/"));
  const days = [...new Set([...stored, ...copied.filter(isOver)])]
    .filter((day) => (day + 1) * DAY < now - STRAY_AFTER)
    .sort((a, b) => a - b);
  let removed = 0;
  for (const day of nextInRotation(days, { now, every: RUNS_EVERY, count: DAYS_LOOKED_AT })) {
    const from = day * DAY;
    removed += await removeStrayAlertImages(app, { from, to: from + DAY, isOver: isOver(day) });
  }
  return removed;
}

type Purge = { expired: Expired; cutoff: () => Promise<RecordCutoff>; inSteps: InSteps; batches: Batches };

async function purgeOf(app: RecordsContext, { expired, cutoff, inSteps, batches }: Purge): Promise<void> {
  await inSteps("alerts", async (step) => removeOldAlerts(app, await cutoff(), step));
  batches.idle += await moveFormer(app, expired.agencyId);
  await inSteps("hotlist_entries", async (step) => removeOldEntries(app.db, await cutoff(), step));
  await inSteps("hotlist_imports", (step) => removeOldImports(app.db, expired, step));
  // After the entries: attachments that only they used are now unattached.
  await inSteps("attachments", (step) => removeLooseAttachments(app, expired, step));
}

/** Moves plates that left an agency's lists to the history, of which the old ones are purged. Returns the number of batches. */
async function moveFormer(app: RecordsContext, agencyId: string): Promise<number> {
  const before = app.clock() - LISTED_DAYS * DAY;
  for (let steps = 1; ; steps++) {
    const moved = await moveFormerEntries(app.db, { agencyId, before, limit: MOVED_AT_ONCE });
    if (moved < MOVED_AT_ONCE || steps === MAX_STEPS) return steps;
  }
}

/** The batches of a run that removed something, and those that found nothing. */
type Batches = { done: number; idle: number };

type InSteps = (kind: string, remove: (step: PurgeStep) => Promise<number>) => Promise<void>;

/**
 * Returns a function that removes an agency's records of a kind in steps, adds their number to `removed`, and counts the
 * batches.
 */
function stepsOf(
  app: RecordsContext,
  agencyId: string,
  { removed, batches = { done: 0, idle: 0 } }: { removed: RemovedRecords; batches?: Batches },
): InSteps {
  return async (kind, remove) => {
    for (let i = 0; i < MAX_STEPS; i++) {
      const went = await remove({ limit: STEP, certificate: certifyRemoved(app, agencyId, { kind }) });
      batches[went > 0 ? "done" : "idle"]++;
      if (went > 0) removed[kind] = (removed[kind] ?? 0) + went;
      if (went < STEP) break;
    }
  };
}
