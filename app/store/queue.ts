// The only module that sends to queues.

import type { Job } from "#app/entities/operations/job.ts";

/** The longest delay that Queues accept. */
const MAX_DELAY_SECONDS = 12 * 60 * 60;

/** Sends a job. The delay is rounded up to whole seconds and cut to the 12 hours that Queues accept. */
export async function sendJob(
  queue: Queue<Job>,
  job: Job,
  options: { delaySeconds?: number } = {},
): Promise<void> {
  await queue.send(job, {
    contentType: "json",
    delaySeconds: Math.min(Math.max(0, Math.ceil(options.delaySeconds ?? 0)), MAX_DELAY_SECONDS),
  });
}

/** The most messages that Queues accept in one call. */
const BATCH = 100;

/** Sends any number of jobs without delay, in batches of 100. If a batch fails, the earlier ones are already sent. */
export async function sendJobs(queue: Queue<Job>, jobs: Job[]): Promise<void> {
  for (let from = 0; from < jobs.length; from += BATCH)
    await queue.sendBatch(
      jobs.slice(from, from + BATCH).map((body) => ({ body, contentType: "json" as const })),
    );
}

/** Sends messages again unchanged, including invalid ones, with a delay. */
export async function putOffMessages(
  queue: Queue<unknown>,
  bodies: unknown[],
  delaySeconds: number,
): Promise<void> {
  for (let from = 0; from < bodies.length; from += BATCH)
    await queue.sendBatch(
      bodies.slice(from, from + BATCH).map((body) => ({ body, contentType: "json" as const, delaySeconds })),
    );
}
