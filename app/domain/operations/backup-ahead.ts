// Copies the newest images of reads while a backup lists the older ones. A step of a backup copies about 80 objects a
// second, and these chains of steps run at the same time. Nothing depends on them: the backup compares each page with
// the pool and copies what is missing there.

import type { AppContext } from "#app/context.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { at, chunksOf } from "#app/lib/at.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { findRun } from "#app/store/operations/backup-runs.ts";
import { listDays } from "#app/store/operations/retention.ts";
import { sendJobs } from "#app/store/queue.ts";
import { copyPage, END } from "./backup-objects.ts";
import { createBudget, STEP } from "./backup-parts.ts";

/**
 * The UTC days whose images are copied ahead, newest first. Images of two days were stored since the last nightly
 * backup.
 */
const DAYS = 3;
/** Number of chains of steps per day, each with an equal share of the cameras. */
const CHAINS = 4;

type CopyJob = Extract<Job, { type: "backup-copy" }>;

/** Queues the first step of each chain. Call when the backup begins to copy objects. */
export async function copyAhead(
  { images, jobs }: Pick<AppContext, "images" | "jobs">,
  id: string,
): Promise<void> {
  const days = (await listDays(images, "axis/")).sort((a, b) => b - a).slice(0, DAYS);
  for (const day of days) {
    const cameras: string[] = [];
    const prefix = `axis/${isoTime(day * DAY).slice(0, 10)}/`;
    for await (const { delimitedPrefixes } of listPages(images, { prefix, delimiter: "/" }))
      cameras.push(...delimitedPrefixes);
    const size = Math.max(1, Math.ceil(cameras.length / CHAINS));
    const chains = chunksOf(cameras, size).map(
      (own): CopyJob => ({ v: 1, type: "backup-copy", id, after: at(own, 0), until: `${own.at(-1)}${END}` }),
    );
    await sendJobs(jobs, chains);
  }
}

/** Copies one step of a chain and queues the next. Does nothing once the backup has ended or copied everything itself. */
export async function continueCopy(
  app: AppContext,
  { id, after, until }: CopyJob,
  limits = STEP,
): Promise<void> {
  const run = await findRun(app.db, id);
  if (run?.state !== "running" || run.phase !== "objects") return;
  const work = { app, run, budget: createBudget(limits) };
  let next: string | null = after;
  while (next !== null) {
    if (!work.budget.isLeft()) {
      await sendJobs(app.jobs, [{ v: 1, type: "backup-copy", id, after: next, until }]);
      return;
    }
    work.budget.spend();
    next = (await copyPage(work, { name: "IMAGES", bucket: app.images, after: next, until })).next;
  }
}
