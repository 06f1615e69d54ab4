// The only place that sends to a queue.

import type { Job } from "#app/entities/operations/job.ts";

/** Longest delay that Queues take. */
const MAX_DELAY_SECONDS = 12 * 60 * 60;

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

/** Most messages that Queues take in one call. */
const BATCH = 100;

export async function sendJobs(queue: Queue<Job>, jobs: Job[]): Promise<void> {
  for (let from = 0; from < jobs.length; from += BATCH)
    await queue.sendBatch(
      jobs.slice(from, from + BATCH).map((body) => ({ body, contentType: "json" as const })),
    );
}

/** Sends messages as they came, whatever they are, not to be delivered before so many seconds. */
export async function putOffMessages(
  queue: Queue<Job>,
  bodies: unknown[],
  delaySeconds: number,
): Promise<void> {
  for (let from = 0; from < bodies.length; from += BATCH)
    await (queue as Queue<unknown>).sendBatch(
      bodies.slice(from, from + BATCH).map((body) => ({ body, contentType: "json" as const, delaySeconds })),
    );
}
