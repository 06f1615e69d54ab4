import { type AppContext, createAppContext, type Env, isBeingRestored } from "#app/context.ts";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { runExportJob } from "#app/domain/exports/run.ts";
import { continueImport } from "#app/domain/hotlists/import-work.ts";
import { pollAxonSlice } from "#app/domain/ingest/axon.ts";
import { sendToWebhooks } from "#app/domain/integrations/outgoing-delivery.ts";
import { continueCopy } from "#app/domain/operations/backup-ahead.ts";
import { continueBackup } from "#app/domain/operations/backup-run.ts";
import { keepFailedJobs, putOffJobs } from "#app/domain/operations/dead-letter-queue.ts";
import { continueImages } from "#app/domain/operations/restore-images.ts";
import { purgeResultSet } from "#app/domain/search/purge.ts";
import { Job } from "#app/entities/operations/job.ts";
import { logError } from "#app/lib/log.ts";

type Batch = MessageBatch<unknown>;
type Lifetime = { waitUntil(work: Promise<unknown>): void };

/** Seconds until a batch is delivered again if it arrived during a restore, or failed jobs could not be stored. */
const RESTORE_PAUSE = 600;
const DEAD_PAUSE = 300;

/**
 * Runs a batch: one case per job type, one domain call per case. A message that cannot be parsed is retried until it
 * becomes a failed job.
 */
export async function takeBatch(batch: Batch, env: Env, lifetime: Lifetime): Promise<void> {
  if (batch.queue.endsWith("-dead")) {
    await keep(batch, env, lifetime);
    return;
  }
  try {
    if (await isBeingRestored(env)) {
      await putOff(batch, env, lifetime);
      return;
    }
  } catch (error) {
    for (const message of batch.messages) tryAgain(batch, message, error);
    return;
  }
  const app = createAppContext(env, lifetime);
  const alerts = new Map<Message<unknown>, string>();
  const webhooks = new Map<Message<unknown>, string>();
  const others = new Map<Message<unknown>, OtherJob>();
  for (const message of batch.messages) {
    const { data: job, error } = Job.safeParse(message.body);
    if (!job) tryAgain(batch, message, error);
    else if (job.type === "alert") alerts.set(message, job.id);
    else if (job.type === "webhook") webhooks.set(message, job.id);
    else others.set(message, job);
  }
  await takeTogether(batch, alerts, (ids) => fanOutAlerts(app, ids));
  await takeTogether(batch, webhooks, (ids) => sendToWebhooks(app, ids));
  for (const [message, job] of others) {
    try {
      await takeJob(app, job);
      message.ack();
    } catch (error) {
      tryAgain(batch, message, error);
    }
  }
}

type OtherJob = Exclude<Job, { type: "alert" | "webhook" }>;

async function takeJob(app: AppContext, job: OtherJob): Promise<void> {
  switch (job.type) {
    case "purge-result-set":
      return purgeResultSet(app, job.id);
    case "hotlist-import":
      return continueImport(app, job.id);
    case "export":
      return runExportJob(app, job.id);
    case "backup":
      return continueBackup(app, job.id);
    case "backup-copy":
      return continueCopy(app, job);
    case "restore-images":
      return continueImages(app, job.id);
    case "axon-poll":
      return pollAxonSlice(app, job.ids);
    default:
      // Does not compile if a kind of job has no case: its messages would be acknowledged unread.
      job satisfies never;
  }
}

/** Runs all alerts or webhooks of a batch concurrently, so that a slow one does not delay the others. */
async function takeTogether(
  batch: Batch,
  messages: Map<Message<unknown>, string>,
  work: (ids: string[]) => Promise<Map<string, unknown>>,
) {
  if (messages.size === 0) return;
  const failed = await work([...messages.values()]);
  for (const [message, id] of messages) {
    if (failed.has(id)) tryAgain(batch, message, failed.get(id));
    else message.ack();
  }
}

function tryAgain(batch: Batch, message: Message<unknown>, error: unknown): void {
  logError(`job ${message.id} failed, attempt ${message.attempts}`, error);
  // An alert loses its value within minutes, and its delivery rows limit the rate of sends.
  const step = batch.queue.endsWith("-alerts") ? 1 : 10;
  message.retry({ delaySeconds: Math.min(2 ** (message.attempts - 1) * step, 600) });
}

async function putOff(batch: Batch, env: Env, lifetime: Lifetime): Promise<void> {
  try {
    await putOffJobs(createAppContext(env, lifetime), batch, RESTORE_PAUSE);
    batch.ackAll();
  } catch (error) {
    logError(`${batch.messages.length} messages could not be delayed`, error);
    batch.retryAll({ delaySeconds: RESTORE_PAUSE });
  }
}

/** The cause of these failures may also prevent storing them. */
async function keep(batch: Batch, env: Env, lifetime: Lifetime): Promise<void> {
  try {
    if (await isBeingRestored(env)) {
      batch.retryAll({ delaySeconds: RESTORE_PAUSE });
      return;
    }
    await keepFailedJobs(createAppContext(env, lifetime), { queue: batch.queue, messages: batch.messages });
    batch.ackAll();
  } catch (error) {
    logError("failed jobs wait, because they could not be stored", error);
    batch.retryAll({ delaySeconds: DEAD_PAUSE });
  }
}
