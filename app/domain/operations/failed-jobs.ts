// Failed jobs and alert sends, which the owner retries or discards. A job is claimed in the database before it is sent,
// and a scheduled job sends what was claimed but not sent. So no job is lost, and each runs once. (The states `dead`
// and `driven` and the act `drive` are older names in the database, URLs and audit log for failed, retried and retry.)

import type { AppContext } from "#app/context.ts";
import { announceAlerts } from "#app/domain/alerts/fan-out.ts";
import { countReadsToTag } from "#app/domain/archive/tags.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  FAILED_JOBS_SHOWN,
  type FailedJobChoice,
  type FailedJobSummary,
  type FailedJobs,
} from "#app/entities/operations/failed-job.ts";
import { Job } from "#app/entities/operations/job.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { logWarning } from "#app/lib/log.ts";
import { counted } from "#app/lib/number-text.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  countFailedJobs,
  discardFailedSends,
  type FailedJob,
  type FailedSends,
  forgetSettledJobs,
  listFailedJobs,
  listFailedJobsById,
  listFailedSends,
  listUnsent,
  markFailedJobs,
  markSent,
  retryFailedSends,
} from "#app/store/operations/failed-jobs.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { sendJobs } from "#app/store/queue.ts";

/** Jobs claimed per write, and writes per call; the rest wait for the next call. */
const PAGE = 500;
const PAGES = 20;
/** If a claimed job is still unsent after this time, its sender has crashed. */
const UNSENT_MS = MINUTE;
/**
 * Sends claimed per write, and retried or discarded per call. A retried send expires after ten minutes like every
 * other, so one call retries no more than can go out by then.
 */
const SENDS = { step: 5000, retry: 20_000, discard: 100_000 };
const KEPT_MS = 7 * DAY;

function jobOf(row: Pick<FailedJob, "body">): Job | undefined {
  return Job.safeParse(row.body).data;
}

function summaryOf(row: FailedJob): FailedJobSummary {
  const { id, queue, attempts, at } = row;
  return { id, type: jobOf(row)?.type ?? "unreadable", queue, attempts, at };
}

/** Returns everything that failed: kinds of work and times, without plates or people. */
export async function viewFailedJobs(app: AppContext): Promise<FailedJobs> {
  const [jobs, jobs_total, sends, reads_to_tag] = await Promise.all([
    listFailedJobs(app.db, { limit: FAILED_JOBS_SHOWN }),
    countFailedJobs(app.db),
    listFailedSends(app.db),
    countReadsToTag(app),
  ]);
  return { jobs: jobs.map(summaryOf), jobs_total, sends, reads_to_tag };
}

type Act = "retry" | "discard";
export type FailedJobsDone = { msg: string; jobs: number; sends: number };

/** Retries the chosen jobs and sends. Idempotent. Messages that cannot be parsed stay in the list. */
export async function retryFailedJobs(
  app: AppContext,
  actor: Actor,
  choice: FailedJobChoice,
  limits = SENDS,
): Promise<FailedJobsDone> {
  return settle(app, actor, { act: "retry", choice, limits });
}

/** Discards the chosen jobs and sends. Their rows are deleted after a week; the audit row stays. */
export async function discardFailedJobs(
  app: AppContext,
  actor: Actor,
  choice: FailedJobChoice,
): Promise<FailedJobsDone> {
  return settle(app, actor, { act: "discard", choice, limits: SENDS });
}

async function settle(
  app: AppContext,
  actor: Actor,
  input: { act: Act; choice: FailedJobChoice; limits: typeof SENDS },
): Promise<FailedJobsDone> {
  const { act, choice, limits } = input;
  let [jobs, sends] = [0, 0];
  if (choice.kind === "jobs")
    jobs = await settleJobs(app, actor, { act, rows: await listFailedJobsById(app.db, choice.ids) });
  if (choice.kind === "sends") sends = await settleSends(app, actor, { act, kinds: [choice], limits });
  if (choice.kind === "all") {
    jobs = await settleAllJobs(app, actor, act);
    sends = await settleSends(app, actor, { act, kinds: await listFailedSends(app.db), limits });
  }
  const done = [jobs > 0 && counted(jobs, "job"), sends > 0 && counted(sends, "send")]
    .filter(Boolean)
    .join(" and ");
  const verb = act === "retry" ? "retried" : "discarded";
  return { msg: done === "" ? await nothingText(app, act, choice) : `${done} ${verb}`, jobs, sends };
}

/** Returns why nothing was settled: only messages that cannot be read are left, or another user was faster. */
async function nothingText(app: AppContext, act: Act, choice: FailedJobChoice): Promise<string> {
  const left =
    choice.kind === "jobs"
      ? await listFailedJobsById(app.db, choice.ids)
      : choice.kind === "all"
        ? await listFailedJobs(app.db, { limit: 1 })
        : [];
  if (act === "retry" && left.length > 0)
    return "Nothing was retried. Messages that cannot be read can only be discarded.";
  return `Nothing was ${act === "retry" ? "retried" : "discarded"}: another user did it first.`;
}

async function settleAllJobs(app: AppContext, actor: Actor, act: Act): Promise<number> {
  let done = 0;
  let after: { at: number; id: string } | undefined;
  for (let page = 0; page < PAGES; page++) {
    const rows = await listFailedJobs(app.db, { limit: PAGE, ...(after && { after }) });
    done += await settleJobs(app, actor, { act, rows });
    after = rows.at(-1);
    if (rows.length < PAGE) break;
  }
  return done;
}

async function settleJobs(
  app: AppContext,
  actor: Actor,
  input: { act: Act; rows: FailedJob[] },
): Promise<number> {
  const { act } = input;
  const rows = act === "retry" ? input.rows.filter(jobOf) : input.rows;
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const at = app.clock();
  const state = act === "retry" ? "driven" : "discarded";
  const [marked] = await inOneStep(app.db, [
    markFailedJobs(app.db, { ids, state, at }),
    insertAuditIfChanged(app.db, auditOf(actor, { at, act, object: ids[0] ?? "", detail: { jobs: ids } })),
  ]);
  const taken = marked as FailedJob[];
  if (act === "retry") await sendRetried(app, taken);
  return taken.length;
}

/** Settles each kind of send in batches, each with an audit row. What exceeds the limit waits for the next call. */
async function settleSends(
  app: AppContext,
  actor: Actor,
  input: { act: Act; kinds: FailedSends[]; limits: typeof SENDS },
): Promise<number> {
  const { act, kinds, limits } = input;
  let done = 0;
  for (const sends of kinds) {
    while (done < limits[act]) {
      const limit = Math.min(limits.step, limits[act] - done);
      const count = await settleSomeSends(app, actor, { act, sends, limit });
      done += count;
      if (count < limit) break;
    }
  }
  return done;
}

async function settleSomeSends(
  app: AppContext,
  actor: Actor,
  input: { act: Act; sends: FailedSends; limit: number },
): Promise<number> {
  const { act, limit } = input;
  const { channel, reason } = input.sends;
  const at = app.clock();
  const change = act === "retry" ? retryFailedSends : discardFailedSends;
  const [changed] = await inOneStep(app.db, [
    change(app.db, { channel, reason, at, limit }),
    insertAuditIfChanged(app.db, auditOf(actor, { at, act, object: channel, detail: { channel, reason } })),
  ]);
  const rows = changed as { alertId: string }[];
  if (act === "retry") await announceAlerts(app, [...new Set(rows.map(({ alertId }) => alertId))]);
  return rows.length;
}

function auditOf(
  actor: Actor,
  input: { at: number; act: Act; object: string; detail: Record<string, unknown> },
): AuditEntry {
  const { at, act, object, detail } = input;
  const action = act === "retry" ? "dead-jobs.drive" : "dead-jobs.discard";
  return { ...auditWho(actor), at, action, outcome: "ok", object, detail };
}

/** Sends claimed jobs, each to the queue of its type. */
async function sendRetried(app: AppContext, rows: FailedJob[]): Promise<void> {
  const queues = { alert: app.alertJobs, export: app.exportJobs, webhook: app.webhookJobs, other: app.jobs };
  const parcels = Map.groupBy(rows, (row) => {
    const type = jobOf(row)?.type;
    return type === "alert" || type === "export" || type === "webhook" ? type : "other";
  });
  for (const [name, parcel] of parcels) {
    const jobs = parcel.map(jobOf).filter((job) => job !== undefined);
    try {
      await sendJobs(queues[name], jobs);
    } catch (error) {
      logWarning(`${jobs.length} jobs wait for the next sweep, because the queue refused them`, error);
      continue;
    }
    await markSent(app.db, { ids: parcel.map(({ id }) => id), at: app.clock() });
  }
}

/** Sends jobs that were claimed but not sent, and deletes jobs that were settled a week ago. */
export async function sweepFailedJobs(app: AppContext): Promise<void> {
  const now = app.clock();
  await sendRetried(app, await listUnsent(app.db, { before: now - UNSENT_MS, limit: PAGE }));
  await forgetSettledJobs(app.db, now - KEPT_MS);
}
