// The purge of one key: removes the reads under it that no legal hold keeps, and seals the held ones with another key.

import type { Held, HeldPlate } from "#app/entities/oversight/legal-hold.ts";
import { at } from "#app/lib/at.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "#app/store/archive/cipher.ts";
import { COPIED_DAYS, isFenced, requireChangeable } from "#app/store/archive/fences.ts";
import { objectsOf } from "#app/store/archive/images.ts";
import type { ReadKeys } from "#app/store/archive/keys.ts";
import {
  COLUMNS,
  type NewRead,
  openRead,
  putRuns,
  type SealedRead,
  sealUnder,
} from "#app/store/archive/rows.ts";

export type PurgeParts = {
  databases: D1Database[];
  images: R2Bucket;
  keys: ReadKeys;
  /** Whether a database is missing here. It may have reads of any key, so no key is destroyed or replaced. */
  isIncomplete?: boolean;
};

export type PurgedReads = {
  reads: number;
  images: number;
  /** Reads under the keys of held reads. */
  held: number;
};

/** Returns the key that seals reads of these holds from now on: the newest, or another. */
export type Target = (holds: HeldPlate[], another?: boolean) => Promise<ReadCipher>;

export type KeyPurge = {
  cipher: ReadCipher;
  before: number;
  /** Reads what is held, right before each step. */
  held: () => Promise<Held>;
  target: Target;
  run: StepRun;
};

/** The steps that are left, and what was removed so far, even if it fails. */
export type StepRun = {
  left: number;
  purged: PurgedReads;
  /** Called after each step that removed something. */
  onRemoved?: () => Promise<void>;
};

/** Rows per step: few enough for the image keys of one R2 call. */
const STEP = 400;

type Row = { id: number; revision: number; captured_at: number; sealed: string };
type OpenRow = { row: Row; read: NewRead | null };

/**
 * A read that an event has amended meanwhile stays: it may have a held plate now. So do all reads if the worker was
 * delayed: a hold may have been approved.
 */
const REMOVE = `DELETE FROM sealed_reads
  WHERE (id, revision) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
    AND unixepoch('subsec') * 1000 < ?2
  RETURNING id`;

const MOVED = COLUMNS.filter((column) => column !== "captured_at");
/** Only while the new key is listed in this database: a concurrent run may have found it unused and destroyed it. */
const MOVE = `UPDATE OR REPLACE sealed_reads
  SET ${MOVED.map((column, i) => `${column} = j.value ->> ${i + 2}`).join(", ")},
    revision = sealed_reads.revision + 1
  FROM json_each(?) AS j
  WHERE sealed_reads.id = j.value ->> 0
    AND sealed_reads.revision = j.value ->> 1
    AND EXISTS (SELECT 1 FROM read_keys WHERE id = j.value ->> 2)`;

/** Removes reads under a key that were captured before `before`, in at most `run.left` steps. Counts them in `run`. */
export async function purgeKey(parts: PurgeParts, databases: D1Database[], order: KeyPurge): Promise<void> {
  const { run } = order;
  for (const database of databases) {
    while (run.left > 0) {
      const rows = await readRows(database, order);
      if (rows.length === 0) break;
      run.left--;
      const { plates: held, until } = await order.held();
      const kept = rows.filter(({ read }) => read && holdOf(held, read));
      const gone = rows.filter((row) => !kept.includes(row));
      const keys = imageKeysOf(gone);
      if (keys.length > 0) await parts.images.delete(objectsOf(keys));
      const target = kept.length > 0 ? await order.target(holdsOf(held, kept)) : null;
      const moved = target && (await sealUnder(target, readsOf(kept)));
      const statements = [
        requireChangeable(
          database,
          rows.map(({ row }) => utcDay(row.captured_at)),
        ),
        database.prepare(REMOVE).bind(JSON.stringify(gone.map(({ row }) => [row.id, row.revision])), until),
        ...(moved ? [putRuns(database, moved), database.prepare(MOVE).bind(movedRows(kept, moved))] : []),
      ];
      const answers = await database.batch<{ id: number }>(statements).catch((error: unknown) => {
        if (isFenced(error)) return null;
        throw error;
      });
      // The day moved to another database meanwhile: the next run purges it there.
      if (!answers) break;
      if (moved && gone.length === 0 && answers.at(-1)?.meta.changes === 0)
        throw new Error("held reads could not be moved: their new key was destroyed, or they keep changing");
      // A concurrent run may have deleted some, and certifies those.
      const deleted = new Set(at(answers, 1).results.map(({ id }) => id));
      run.purged.reads += deleted.size;
      run.purged.images += imageKeysOf(gone.filter(({ row }) => deleted.has(row.id))).length;
      if (deleted.size > 0) await run.onRemoved?.();
      if (rows.length < STEP) break;
    }
  }
}

/**
 * Returns the oldest rows of a key. A row that cannot be opened is purged with the others. Rows of a day that is being
 * moved are left where they are only a copy: a step with one of them would fail, and a key of held reads has rows of
 * many days.
 */
async function readRows(
  database: D1Database,
  { cipher, before }: Pick<KeyPurge, "cipher" | "before">,
): Promise<OpenRow[]> {
  const { results } = await database
    .prepare(
      `SELECT id, revision, captured_at, sealed
      FROM sealed_reads
      WHERE key_id = ?1
        AND captured_at < ?2
        AND captured_at / ${DAY} NOT IN (${COPIED_DAYS})
      ORDER BY captured_at, id
      LIMIT ${STEP}`,
    )
    .bind(cipher.id, before)
    .all<Row>();
  return Promise.all(
    results.map(async (row) => ({ row, read: await openRead(cipher, row).catch(() => null) })),
  );
}

const imageKeysOf = (rows: OpenRow[]) =>
  rows
    .flatMap(({ read }) => [read?.vehicleImageKey, read?.plateImageKey])
    .filter((key) => typeof key === "string");

const readsOf = (rows: OpenRow[]) => rows.flatMap(({ read }) => (read ? [read] : []));

function movedRows(from: OpenRow[], to: SealedRead[]): string {
  return JSON.stringify(
    from.map(({ row }, i) => {
      const sealed = at(to, i).row.filter((_, n) => COLUMNS[n] !== "captured_at");
      return [row.id, row.revision, ...sealed];
    }),
  );
}

/** Returns a hold that keeps a read. */
function holdOf(held: HeldPlate[], { plate, capturedAt }: NewRead): HeldPlate | undefined {
  return held.find((hold) => hold.plate === plate && capturedAt >= hold.from && capturedAt <= hold.until);
}

/** Returns holds that together keep these reads, each once. */
function holdsOf(held: HeldPlate[], rows: OpenRow[]): HeldPlate[] {
  return [...new Set(readsOf(rows).flatMap((read) => holdOf(held, read) ?? []))];
}

/**
 * Returns a text that identifies a held plate and its time range, by which a key ring names what its newest key holds.
 */
export function holdName({ plate, from, until }: HeldPlate): string {
  return `${plate} ${from} ${until}`;
}
