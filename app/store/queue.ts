// The only module that sends to queues.

import type { Job } from "#app/entities/operations/job.ts";
import { chunksOf } from "#app/lib/at.ts";

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
  await putOffMessages(queue, jobs, 0);
}

/** Sends messages again unchanged, including invalid ones, with a delay. */
export async function putOffMessages<T>(
  queue: Queue<T>,
  bodies: readonly T[],
  delaySeconds: number,
): Promise<void> {
  for (const part of chunksOf(bodies, BATCH))
    await queue.sendBatch(part.map((body) => ({ body, contentType: "json", delaySeconds })));
}
