// Backs up rows: small tables in one snapshot, large ones in parts, each from where the last one ended. The table names
// come from the databases themselves, so that none is forgotten.

import pMap from "p-map";
import type { BackupPlan, TablePlan } from "#app/entities/operations/backup.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { POOL_CONCURRENCY } from "#app/store/operations/backup-pool.ts";
import type { StoredPart } from "#app/store/operations/backup-runs.ts";
import { readChunk, readSnapshot } from "#app/store/operations/backup-tables.ts";
import { isMoving } from "#app/store/operations/storage.ts";
import { databaseNamed, databasesOf } from "./backup-parts.ts";
import { grown, lastParts, planOf, save, sum, type Work, writePart } from "./backup-work.ts";

/** Characters per part, and per query. */
const PART = 4_000_000;
const CHUNK = 1_500_000;
const MOST_ROWS = 20_000;
/** How long a step waits for the end of a step that moves days of reads. */
const MOVES_WAIT_MS = SECOND;

/** Reads the small tables of every database in one snapshot, and stores where the large ones ended. */
export async function takeSnapshots(work: Work): Promise<void> {
  // Days do not move while a backup reads, because it reads one database after the other.
  if (await isMoving(work.app.db, work.app.clock())) {
    work.budget.spend();
    await new Promise((resolve) => setTimeout(resolve, MOVES_WAIT_MS));
    return;
  }
  const unbound = await work.app.places.listUnbound();
  if (unbound.length > 0)
    throw new Error(`${unbound.join(", ")} not bound: a backup without the reads there is not made`);
  const plan: BackupPlan = { databases: [] };
  const parts: StoredPart[] = [];
  for (const { name: section, database } of databasesOf(work.app)) {
    const snapshot = await readSnapshot(database, section);
    plan.databases.push(snapshot.plan);
    const filled = [...snapshot.whole].filter(([, { lines }]) => lines.length > 0);
    parts.push(
      ...(await pMap(
        filled,
        ([name, chunk]) => writePart(work, { section, name, n: 0, ...chunk, isLast: true }),
        { concurrency: POOL_CONCURRENCY },
      )),
    );
  }
  work.budget.spend();
  await save(work, { phase: "rows", plan, ...grown(work.run, parts) }, parts);
}

/** Reads the rest of the large tables, within the step's budget. */
export async function readLargeTables(work: Work): Promise<void> {
  const { app, run, budget } = work;
  const last = await lastParts(work);
  for (const { name: section, tables } of planOf(run).databases) {
    const database = databaseNamed(app, section);
    for (const table of tables) {
      if (table.whole) continue;
      const from = last.get(`${section}/${table.name}`);
      if (!(await readTable(work, { section, database, table, from }))) return;
    }
  }
  budget.spend();
  await save(work, { phase: "keys" });
}

type TableInput = { section: string; database: D1Database; table: TablePlan; from: StoredPart | undefined };

/** Reads a table from its last part on. Returns false if the step's budget ran out. */
async function readTable(work: Work, { section, database, table, from }: TableInput): Promise<boolean> {
  let { n, after, isLast } = from ? { ...from, n: from.n + 1 } : { n: 0, after: "", isLast: false };
  let limit = 500;
  while (!isLast) {
    if (!work.budget.isLeft()) return false;
    work.budget.spend();
    const lines: string[] = [];
    for (let size = 0; size < PART && !isLast; ) {
      const chunk = await readChunk(database, table, { after, limit });
      for (const line of chunk.lines) lines.push(line);
      after = chunk.after;
      isLast = chunk.lines.length < limit;
      const read = sum(chunk.lines.map(({ length }) => length)) + 1;
      size += read;
      // Sizes the next chunk by the average row so far.
      limit = Math.min(MOST_ROWS, Math.max(20, Math.min(limit * 8, Math.floor((limit * CHUNK) / read))));
    }
    const part = await writePart(work, { section, name: table.name, n, lines, after, isLast });
    await save(work, grown(work.run, [part]), [part]);
    n += 1;
  }
  return true;
}
