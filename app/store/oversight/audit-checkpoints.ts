// A checkpoint is where an agency's audit log starts after its oldest rows were purged. It is stored in D1, where
// triggers check it, and in R2 under the bucket's lock, which proves that it was not forged by someone who can write to
// D1.

import { desc, eq, sql } from "drizzle-orm";
import { listPages } from "#app/lib/files/list-pages.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { copyToPool, type Pool } from "#app/store/operations/backup-pool.ts";
import { BACKUP_READS } from "#app/store/operations/storage.ts";
import { auditCheckpoints } from "#app/store/schema/audit.ts";

export type Checkpoint = typeof auditCheckpoints.$inferSelect;

/** Returns the last checkpoint of an agency's chain, or undefined if nothing was purged. */
export async function findCheckpoint(db: ControlDb, agencyId: string): Promise<Checkpoint | undefined> {
  const [row] = await db
    .select()
    .from(auditCheckpoints)
    .where(eq(auditCheckpoints.agencyId, agencyId))
    .orderBy(desc(auditCheckpoints.position))
    .limit(1);
  return row;
}

/**
 * Returns the statements that delete the leading rows of a chain, for one batch. Triggers enforce their order. If a
 * backup is reading the database, no checkpoint is inserted, and without it they make the batch fail.
 */
export function removeUpTo(
  db: ControlDb,
  checkpoint: Checkpoint,
  seqs: number[],
): [Statement, ...Statement[]] {
  const list = JSON.stringify(seqs);
  const { agencyId, position, seq, hash, at } = checkpoint;
  return [
    db.run(sql`
      INSERT INTO audit_checkpoints (agency_id, position, seq, hash, at)
      SELECT ${agencyId}, ${position}, ${seq}, ${hash}, ${at}
      WHERE NOT EXISTS (${BACKUP_READS})`),
    db.run(sql`
      DELETE FROM audit_log
      WHERE seq IN (SELECT value FROM json_each(${list}))`),
    db.run(sql`
      DELETE FROM audit_chain
      WHERE seq IN (SELECT value FROM json_each(${list}))`),
  ];
}

const PREFIX = "audit-checkpoints/";
const keyOf = ({ agencyId, position }: Pick<Checkpoint, "agencyId" | "position">) =>
  `${PREFIX}${agencyId || "none"}/${position}.json`;

/** Returns the keys of all checkpoints in a bucket, below a folder that ends with a slash. */
export async function listCheckpoints(bucket: R2Bucket, folder = ""): Promise<string[]> {
  const keys: string[] = [];
  for await (const { objects } of listPages(bucket, { prefix: `${folder}${PREFIX}` }))
    keys.push(...objects.map(({ key }) => key));
  return keys;
}

/** A checkpoint in R2, with the time of the newest row that was purged. */
type KeptCheckpoint = Checkpoint & { rowsUntil: number };

/** A row younger than this was not purged but tampered with. The triggers enforce the same age. */
const LEAST_AGE = 365 * DAY;

/** Stores a checkpoint in R2, out of the database's reach. Never overwrites one. */
export async function putCheckpoint(bucket: R2Bucket, checkpoint: KeptCheckpoint): Promise<void> {
  await bucket.put(keyOf(checkpoint), JSON.stringify(checkpoint), {
    onlyIf: { etagDoesNotMatch: "*" },
    httpMetadata: { contentType: "application/json" },
  });
}

/** Copies a checkpoint to the backups, of which an older one may have rows that were purged behind it. */
export async function backUpCheckpoint(pool: Pool, bucket: R2Bucket, checkpoint: Checkpoint): Promise<void> {
  await copyToPool(pool, { name: "AUDITS", bucket, key: keyOf(checkpoint) });
}

/** Returns whether a checkpoint matches its copy in R2, and the rows were old enough by R2's own clock. */
export async function isKeptCheckpoint(bucket: R2Bucket, checkpoint: Checkpoint): Promise<boolean> {
  const object = await bucket.get(keyOf(checkpoint));
  if (!object) return false;
  const { hash, seq, rowsUntil } = await object.json<KeptCheckpoint>();
  const wereOld = object.uploaded.getTime() - rowsUntil >= LEAST_AGE;
  return hash === checkpoint.hash && seq === checkpoint.seq && wereOld;
}

/** Returns the time up to which rows were purged before a checkpoint, or the latest that it can be without its copy in R2. */
export async function findPurgedUntil(bucket: R2Bucket, checkpoint: Checkpoint): Promise<number> {
  const object = await bucket.get(keyOf(checkpoint));
  return object ? (await object.json<KeptCheckpoint>()).rowsUntil : checkpoint.at - LEAST_AGE;
}
