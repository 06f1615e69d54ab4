// Purges records other than reads: hits, removed hotlist plates, finished imports, unattached files and saved searches by
// the agency's policy, and operational records after a fixed time. Each run takes bounded steps and writes a purge certificate to
// the audit log of every agency that it removed anything from.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import { listedSince, searchesKeptDays } from "#app/entities/search/history/past-search.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { inTurn } from "#app/lib/turns.ts";
import { ATTACHMENT_PREFIXES } from "#app/store/files.ts";
import {
  COMMON_RECORDS,
  type Expired,
  listAlertImageDays,
  type RecordCutoff,
  removeCommonRecords,
  removeLooseAttachments,
  removeOldAlerts,
  removeOldEntries,
  removeOldImports,
  removeOldSavedSearches,
  removeStrayAlertImages,
  removeStrayAttachments,
} from "#app/store/operations/retention-records.ts";
import { findHeld } from "#app/store/oversight/legal-holds.ts";
import { findAgency, listAgencies } from "#app/store/users/agencies.ts";
import { removeArchivedAlerts } from "./retention-alerts.ts";

type RecordsContext = Pick<AppContext, "db" | "clock" | "images" | "attachments" | "alertArchive">;

/** Retention in days of records that no policy covers. */
export const COMMON_DAYS = {
  /** The bell looks back 7 days, Failed Jobs this long. They were a fifth of the control database with 90. */
  deliveries: 30,
  dead_jobs: 90,
  addresses: 180,
  push_devices: 90,
  outgoing_deliveries: 30,
} as const;

const STEP = 500;
/** Batches per kind and run; the rest waits for the next run. */
const MOST_STEPS = 10;
/** Segments of archived hits that a run changes, with up to five queries each. */
const SEGMENTS_A_RUN = 30;
/** D1 allows 1,000 queries per invocation. The next run continues with the next agencies. */
export const AGENCIES_A_RUN = 40;
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
 * agency fails, the others are still purged, what went before has its certificate, and the error is thrown at the end.
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
    await certify(app, agencyId, kinds).catch((error: unknown) => problems.push(error));
  }
  await purge("", (kinds) => purgeCommon(app, now, kinds));
  const budget = { left: SEGMENTS_A_RUN };
  for (const { id } of inTurn(agencies, { now, every: RUNS_EVERY, count: AGENCIES_A_RUN }))
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
        const { cases } = await findHeld(app.db, id);
        return { ...expired, heldCases: [...cases] };
      };
      await purgeOf(app, { expired, cutoff }, kinds);
      await inSteps(kinds, "saved_searches", (limit) => removeOldSavedSearches(app.db, unlisted, limit));
      const archived = await removeArchivedAlerts(app, cutoff, budget);
      if (archived.removed > 0) kinds.alerts = (kinds.alerts ?? 0) + archived.removed;
      problems.push(...archived.problems);
    });
  if (problems.length > 0) throw new AggregateError(problems, "not every old record was removed");
  return removed;
}

async function certify(app: RecordsContext, agencyId: string, kinds: RemovedRecords): Promise<void> {
  if (Object.keys(kinds).length === 0) return;
  await auditNow(app, null, { agencyId, action: "retention.records", detail: kinds });
}

async function purgeCommon(app: RecordsContext, now: number, removed: RemovedRecords): Promise<void> {
  for (const what of COMMON_RECORDS) {
    const before = now - COMMON_DAYS[what] * DAY;
    await inSteps(removed, what, (limit) => removeCommonRecords(app.db, what, { before, limit }));
  }
  const stray = await purgeStray(app, now);
  if (stray > 0) removed.stray_alert_images = stray;
  for (const prefix of inTurn(ATTACHMENT_PREFIXES, { now, every: RUNS_EVERY, count: PREFIXES_LOOKED_AT })) {
    const files = await removeStrayAttachments(app, { prefix, before: now - STRAY_AFTER });
    if (files > 0) removed.stray_attachments = (removed.stray_attachments ?? 0) + files;
  }
}

/** Scans a few days per run, so that every day is scanned once a day, however many there are. */
async function purgeStray(app: RecordsContext, now: number): Promise<number> {
  const days = (await listAlertImageDays(app.images)).filter((from) => from + DAY < now - STRAY_AFTER);
  let removed = 0;
  for (const from of inTurn(days, { now, every: RUNS_EVERY, count: DAYS_LOOKED_AT }))
    removed += await removeStrayAlertImages(app, { from, to: from + DAY });
  return removed;
}

async function purgeOf(
  app: RecordsContext,
  { expired, cutoff }: { expired: Expired; cutoff: () => Promise<RecordCutoff> },
  removed: RemovedRecords,
): Promise<void> {
  await inSteps(removed, "alerts", async (limit) => removeOldAlerts(app, await cutoff(), limit));
  await inSteps(removed, "hotlist_entries", async (limit) => removeOldEntries(app.db, await cutoff(), limit));
  await inSteps(removed, "hotlist_imports", (limit) => removeOldImports(app.db, expired, limit));
  // After the entries: attachments that only they used are now unattached.
  await inSteps(removed, "attachments", (limit) => removeLooseAttachments(app, expired, limit));
}

async function inSteps(
  removed: RemovedRecords,
  kind: string,
  step: (limit: number) => Promise<number>,
): Promise<void> {
  for (let i = 0; i < MOST_STEPS; i++) {
    const went = await step(STEP);
    if (went > 0) removed[kind] = (removed[kind] ?? 0) + went;
    if (went < STEP) break;
  }
}
