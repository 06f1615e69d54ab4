// Handles jobs that the queue gave up on, and jobs that arrive during a restore. They are stored or delayed, so that
// none is lost.

import type { AppContext } from "#app/context.ts";
import { Job } from "#app/entities/operations/job.ts";
import { insertFailedJobs } from "#app/store/operations/failed-jobs.ts";
import { putOffMessages } from "#app/store/queue.ts";

/**
 * Stores the messages of the dead-letter queue. Idempotent: a message that is delivered twice is stored once. While the
 * database does not answer, cron may queue the same alert each minute; one failed job stands for all of its messages.
 */
export async function keepFailedJobs(
  app: AppContext,
  batch: {
    queue: string;
    messages: readonly { id: string; body: unknown; attempts: number; timestamp: Date }[];
  },
): Promise<void> {
  const jobs = batch.messages.map(({ id, body, attempts, timestamp }) => ({
    id,
    queue: batch.queue,
    body,
    attempts,
    at: timestamp.getTime(),
    repeatable: Job.safeParse(body).success,
  }));
  await insertFailedJobs(app.db, jobs);
}

/**
 * Sends messages to their queue again with a delay in seconds. A retry would count as an attempt, and attempts would
 * run out before a restore of some hours is over.
 */
export async function putOffJobs(
  app: AppContext,
  batch: { queue: string; messages: readonly { body: unknown }[] },
  delaySeconds: number,
): Promise<void> {
  const { queue, messages } = batch;
  const own = queue.endsWith("-alerts")
    ? app.alertJobs
    : queue.endsWith("-exports")
      ? app.exportJobs
      : queue.endsWith("-webhooks")
        ? app.webhookJobs
        : app.jobs;
  const bodies = messages.map(({ body }) => body);
  await putOffMessages(own, bodies, delaySeconds);
}
