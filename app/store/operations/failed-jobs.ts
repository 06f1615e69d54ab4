// Jobs that the queue gave up on, kept until the owner retries or discards them. A settled row stays for a week, so
// that a message that is delivered twice is not stored again.

import { and, asc, eq, gt, inArray, lt, notInArray, or, sql } from "drizzle-orm";
import type { PushChannel } from "#app/entities/alerts/push.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { deliveries } from "#app/store/schema/alerts.ts";
import { failedJobs } from "#app/store/schema/operations.ts";

export type NewFailedJob = Pick<typeof failedJobs.$inferInsert, "id" | "queue" | "body" | "attempts" | "at">;
export type FailedJob = typeof failedJobs.$inferSelect;

/**
 * Stores failed jobs. Idempotent: a message that arrives twice is stored once, and so is a job (`repeatable`) of which
 * several messages failed, since one retry does its work.
 */
export async function insertFailedJobs(
  db: ControlDb,
  jobs: (NewFailedJob & { repeatable: boolean })[],
): Promise<void> {
  // Serialized here, because a message may be anything, and JSON null is not SQL NULL.
  const rows = jobs.map((job) => ({ ...job, body: JSON.stringify(job.body ?? null) }));
  const failed = new Set<string>();
  const fresh = rows.filter(({ body, repeatable }) => !repeatable || (!failed.has(body) && failed.add(body)));
  await db.run(putFailedJobs(fresh));
}

/** Query plan: the failed jobs by dead_jobs_state once, as the set of the subquery; conflicts by the primary key. */
const putFailedJobs = (jobs: unknown[]) => sql`
  INSERT INTO dead_jobs (id, queue, body, attempts, at)
  SELECT value ->> 'id', value ->> 'queue', value ->> 'body', value ->> 'attempts', value ->> 'at'
  FROM json_each(${JSON.stringify(jobs)})
  WHERE value ->> 'repeatable' = 0 OR value ->> 'body' NOT IN (SELECT body FROM dead_jobs WHERE state = 'dead')
  ON CONFLICT DO NOTHING`;

/** Returns failed jobs, oldest first, after one of them. */
export async function listFailedJobs(
  db: ControlDb,
  input: { limit: number; after?: { at: number; id: string } },
): Promise<FailedJob[]> {
  const { limit, after } = input;
  return db
    .select()
    .from(failedJobs)
    .where(
      and(
        eq(failedJobs.state, "dead"),
        after &&
          or(gt(failedJobs.at, after.at), and(eq(failedJobs.at, after.at), gt(failedJobs.id, after.id))),
      ),
    )
    .orderBy(asc(failedJobs.at), asc(failedJobs.id))
    .limit(limit);
}

/** Returns how many failed jobs of all queues await a decision. */
export async function countFailedJobs(db: ControlDb): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(failedJobs)
    .where(eq(failedJobs.state, "dead"));
  return row?.count ?? 0;
}

const among = (ids: readonly string[]) => isOneOf(failedJobs.id, ids);

/** Returns those of these jobs that still await a decision, in no particular order. */
export async function listFailedJobsById(db: ControlDb, ids: readonly string[]): Promise<FailedJob[]> {
  return db
    .select()
    .from(failedJobs)
    .where(and(eq(failedJobs.state, "dead"), among(ids)));
}

/** Claims failed jobs to retry or discard, and returns them. Of two concurrent calls, only one gets each job. */
export function markFailedJobs(
  db: ControlDb,
  input: { ids: readonly string[]; state: "driven" | "discarded"; at: number },
): Statement {
  return db
    .update(failedJobs)
    .set({ state: input.state, stateAt: input.at })
    .where(and(eq(failedJobs.state, "dead"), among(input.ids)))
    .returning();
}

/** Returns jobs that were claimed for a retry before an instant and not sent. */
export async function listUnsent(
  db: ControlDb,
  input: { before: number; limit: number },
): Promise<FailedJob[]> {
  return db
    .select()
    .from(failedJobs)
    .where(and(eq(failedJobs.state, "driven"), lt(failedJobs.stateAt, input.before)))
    .orderBy(asc(failedJobs.stateAt))
    .limit(input.limit);
}

/** Records that jobs claimed for a retry are in their queue again. Jobs in another state stay as they are. */
export async function markSent(db: ControlDb, input: { ids: readonly string[]; at: number }): Promise<void> {
  await db
    .update(failedJobs)
    .set({ state: "sent", stateAt: input.at })
    .where(and(eq(failedJobs.state, "driven"), among(input.ids)));
}

/** Deletes jobs that were sent again or discarded before `before` (epoch milliseconds). */
export async function forgetSettledJobs(db: ControlDb, before: number): Promise<void> {
  await db
    .delete(failedJobs)
    .where(and(inArray(failedJobs.state, ["sent", "discarded"]), lt(failedJobs.stateAt, before)));
}

/** Failed sends of one channel with one reason. */
export type FailedSends = { channel: PushChannel; reason: string };
export type FailedSendsRow = FailedSends & {
  count: number;
  attempts: number;
  oldest: number;
  newest: number;
};

const IS_DEAD = sql`${deliveries.state} = 'dead'`;

/**
 * Returns the failed pushes of all agencies by channel and reason, each with its number, the most attempts, and the
 * times of the oldest and the newest. The channel `live` is left out.
 */
export async function listFailedSends(db: ControlDb): Promise<FailedSendsRow[]> {
  const rows = await db
    .select({
      channel: deliveries.channel,
      reason: deliveries.reason,
      count: sql<number>`count(*)`,
      attempts: sql<number>`max(${deliveries.attempts})`,
      oldest: sql<number>`min(${deliveries.updatedAt})`,
      newest: sql<number>`max(${deliveries.updatedAt})`,
    })
    .from(deliveries)
    .where(and(IS_DEAD, notInArray(deliveries.channel, ["live"])))
    .groupBy(deliveries.channel, deliveries.reason)
    .orderBy(deliveries.channel, deliveries.reason);
  return rows.flatMap(({ channel, ...row }) => (channel === "live" ? [] : [{ channel, ...row }]));
}

/** The condition of the oldest failed sends of a kind, `limit` at most. */
function oldestOf({ channel, reason, limit }: FailedSends & { limit: number }) {
  return sql`
    rowid IN (
      SELECT rowid
      FROM deliveries
      WHERE state = 'dead' AND channel = ${channel} AND reason = ${reason}
      ORDER BY updated_at
      LIMIT ${limit}
    )`;
}

type Settling = FailedSends & { at: number; limit: number };

/** Makes failed sends pending again, without attempts. Returns the alert of each. */
export function retryFailedSends(db: ControlDb, input: Settling): Statement {
  const { at } = input;
  return db
    .update(deliveries)
    .set({ state: "pending", reason: "", attempts: 0, nextAt: at, updatedAt: at, retriedAt: at })
    .where(and(IS_DEAD, oldestOf(input)))
    .returning({ alertId: deliveries.alertId });
}

/** Ends failed sends for good. Returns the alert of each. */
export function discardFailedSends(db: ControlDb, input: Settling): Statement {
  return db
    .update(deliveries)
    .set({ state: "suppressed", reason: `Discarded: ${input.reason}`, updatedAt: input.at })
    .where(and(IS_DEAD, oldestOf(input)))
    .returning({ alertId: deliveries.alertId });
}
