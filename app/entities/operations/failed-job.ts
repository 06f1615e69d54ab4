import * as z from "zod/mini";
import { PUSH_CHANNELS } from "#app/entities/alerts/push.ts";
import type * as answers from "./answers.ts";
import type { Job } from "./job.ts";

/** Maximum number of jobs that the screen shows and that one call accepts. */
export const FAILED_JOBS_SHOWN = 200;

/** A job that the queue gave up on, without its content. */
export type FailedJobSummary = {
  id: string;
  /** `unreadable` for a message in no known form, which can only be discarded. */
  type: Job["type"] | "unreadable";
  queue: string;
  attempts: number;
  at: number;
};

/** Failed sends, by channel and reason. */
type FailedSendsSummary = z.infer<typeof answers.FailedSendsSummary>;

export type FailedJobs = {
  jobs: FailedJobSummary[];
  jobs_total: number;
  sends: FailedSendsSummary[];
  /** Stored reads that searches find only slowly until a scheduled job has retagged them. */
  reads_to_tag: number;
};

/** The body of POST /dead-jobs/drive (retry) and /dead-jobs/discard: some jobs, sends of one kind, or everything. */
export const FailedJobChoice = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("jobs"),
    ids: z.array(z.string().check(z.maxLength(200))).check(z.minLength(1), z.maxLength(FAILED_JOBS_SHOWN)),
  }),
  z.object({
    kind: z.literal("sends"),
    channel: z.enum(PUSH_CHANNELS),
    reason: z.string().check(z.maxLength(300)),
  }),
  z.object({ kind: z.literal("all") }),
]);
export type FailedJobChoice = z.infer<typeof FailedJobChoice>;
