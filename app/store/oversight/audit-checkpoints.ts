// Where each agency's audit log begins after its oldest rows have gone. A checkpoint stands twice: in D1, which the
// triggers look at, and in R2 under the bucket's lock, which proves that it was not made up by whoever can write D1.

import { desc, eq, sql } from "drizzle-orm";
import { DAY } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { auditCheckpoints } from "#app/store/schema/checkpoints.ts";

export type Checkpoint = typeof auditCheckpoints.$inferSelect;

/** The last checkpoint of an agency's chain; undefined where all of it is there. */
export async function findCheckpoint(db: ControlDb, agencyId: string): Promise<Checkpoint | undefined> {
  const [row] = await db
    .select()
    .from(auditCheckpoints)
    .where(eq(auditCheckpoints.agencyId, agencyId))
    .orderBy(desc(auditCheckpoints.position))
    .limit(1);
  return row;
}

/** Moves the beginning of an agency's log behind these rows of its chain, in one batch: triggers see to the order. */
export function removeUpTo(db: ControlDb, checkpoint: Checkpoint, seqs: number[]): Statement[] {
  const list = JSON.stringify(seqs);
  return [
    db.insert(auditCheckpoints).values(checkpoint),
    db.run(sql`delete from audit_log where seq in (select value from json_each(${list}))`),
    db.run(sql`delete from audit_chain where seq in (select value from json_each(${list}))`),
  ];
}

const keyOf = ({ agencyId, position }: Pick<Checkpoint, "agencyId" | "position">) =>
  `audit-checkpoints/${agencyId || "none"}/${position}.json`;

/** A checkpoint as it is kept in R2: with the time of the newest row that goes. */
type KeptCheckpoint = Checkpoint & { rowsUntil: number };

/** Rows that are younger than this when they go were taken out, whatever the checkpoint says; the triggers hold the same. */
const LEAST_AGE = 365 * DAY;

/** Keeps a checkpoint where the database cannot reach; what stands there already stays. */
export async function putCheckpoint(bucket: R2Bucket, checkpoint: KeptCheckpoint): Promise<void> {
  await bucket.put(keyOf(checkpoint), JSON.stringify(checkpoint), {
    onlyIf: { etagDoesNotMatch: "*" },
    httpMetadata: { contentType: "application/json" },
  });
}

/** Whether a checkpoint is the one that was kept when its rows went, by R2's own clock when they were old enough. */
export async function isKeptCheckpoint(bucket: R2Bucket, checkpoint: Checkpoint): Promise<boolean> {
  const object = await bucket.get(keyOf(checkpoint));
  if (!object) return false;
  const { hash, seq, rowsUntil } = await object.json<KeptCheckpoint>();
  const wereOld = object.uploaded.getTime() - rowsUntil >= LEAST_AGE;
  return hash === checkpoint.hash && seq === checkpoint.seq && wereOld;
}
