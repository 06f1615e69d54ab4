// What becomes of jobs that the queue gave up on, or that come while a backup is restored: they are kept or put off, so
// that nothing is lost without a trace.

import type { AppContext } from "#app/context.ts";
import { insertFailedJobs } from "#app/store/operations/failed-jobs.ts";
import { putOffMessages } from "#app/store/queue.ts";

/** Keeps the messages of the dead-letter queue; one that is delivered twice is kept once. */
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
  }));
  await insertFailedJobs(app.db, jobs);
}

/**
 * Sends messages to their queue anew, to come again after a while. A retry would count as an attempt, of which a message
 * has so few that it would be dead before a restore of some hours is over.
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
      : app.jobs;
  const bodies = messages.map(({ body }) => body);
  await putOffMessages(own, bodies, delaySeconds);
}
