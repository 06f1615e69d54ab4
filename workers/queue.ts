import { createAppContext, type Env, isBeingRestored } from "#app/context.ts";
import { fanOutAlert } from "#app/domain/alert-fan-out.ts";
import { continueBackup } from "#app/domain/backup-run.ts";
import { runExportJob } from "#app/domain/export-run.ts";
import { continueImport } from "#app/domain/hotlist-import-work.ts";
import { keepDeadJobs } from "#app/domain/jobs.ts";
import { purgeResultSet } from "#app/domain/results.ts";
import { Job } from "#app/entities/job.ts";

/** One case a job type, one domain call a case. What cannot be parsed is retried and ends with the dead jobs. */
export async function takeBatch(
  batch: MessageBatch<unknown>,
  env: Env,
  lifetime: { waitUntil(work: Promise<unknown>): void },
): Promise<void> {
  if (isBeingRestored(env)) {
    batch.retryAll({ delaySeconds: 600 });
    return;
  }
  const app = createAppContext(env, lifetime);
  if (batch.queue.endsWith("-dead")) {
    await keepDeadJobs(app, { queue: batch.queue, messages: batch.messages });
    batch.ackAll();
    return;
  }
  for (const message of batch.messages) {
    try {
      const job = Job.parse(message.body);
      switch (job.type) {
        case "purge-result-set":
          await purgeResultSet(app, job.id);
          break;
        case "hotlist-import":
          await continueImport(app, job.id);
          break;
        case "export":
          await runExportJob(app, job.id);
          break;
        case "alert":
          await fanOutAlert(app, job.id);
          break;
        case "backup":
          await continueBackup(app, job.id);
          break;
      }
      message.ack();
    } catch (error) {
      console.error(`job ${message.id} failed, attempt ${message.attempts}`, error);
      // An alert is worth little after some minutes, and its own rows pace what is sent.
      const step = batch.queue.endsWith("-alerts") ? 1 : 10;
      message.retry({ delaySeconds: Math.min(2 ** (message.attempts - 1) * step, 600) });
    }
  }
}
