// What becomes of jobs that the queue gave up on: they are kept, so that nothing is lost without a trace.

import type { AppContext } from "#app/context.ts";
import { insertDeadJobs } from "#app/store/jobs.ts";

/** Keeps the messages of the dead-letter queue; one that is delivered twice is kept once. */
export async function keepDeadJobs(
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
  await insertDeadJobs(app.db, jobs);
}
