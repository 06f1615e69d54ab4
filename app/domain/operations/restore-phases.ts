// The phases of a restore, in order. Every part is read and checked before anything is written. Then the tables are
// cleared, rows are inserted parents first, keys and objects are copied, and rows are counted. Triggers are off from
// the first deleted row to the last step, which restores them in one transaction with the first new audit row. Images are
// copied after that (restore-images.ts).

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type {
  BackupManifest,
  BackupPart,
  ObjectLine,
  RestorePhase,
  RestorePlan,
} from "#app/entities/operations/backup.ts";
import { at, chunksOf } from "#app/lib/at.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { setWildcardEpoch } from "#app/store/alerts/matching.ts";
import { isRingUnreadable } from "#app/store/archive/rings/storage.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { BackupFault, readPart } from "#app/store/operations/backup-files.ts";
import { copyFromPool, copyRing, POOL_CONCURRENCY, poolKey } from "#app/store/operations/backup-pool.ts";
import {
  type BackupRun,
  endAllSessions,
  requireLease,
  updateRun,
} from "#app/store/operations/backup-runs.ts";
import { type Layout, readLayout } from "#app/store/operations/backup-tables.ts";
import {
  clearSome,
  countRows,
  dropIndexes,
  dropTriggers,
  emptyIndexes,
  type HeldKey,
  insertRows,
  listFilled,
  listHeldKeys,
  listIndexes,
  listTriggers,
  putIndex,
  putTriggers,
  setSequences,
} from "#app/store/operations/restore-tables.ts";
import { settleStorage } from "#app/store/operations/storage.ts";
import { listCheckpoints } from "#app/store/oversight/audit-checkpoints.ts";
import { OBJECTS, RINGS } from "./backup-objects.ts";
import {
  type Budget,
  bucketsOf,
  databaseNamed,
  databasesOf,
  filesOf,
  ownerAgencyId,
  poolOf,
  unitsOf,
} from "./backup-parts.ts";
import { piecesOf } from "./backups.ts";
import { insertImageChains } from "./restore-images.ts";

const LEASE_MS = 2 * MINUTE;
const CHECKPOINTS_A_UNIT = 500;
/** Ids assigned after the backup may appear in exports and letters, so they are skipped. */
const SEQUENCE_GAP = 100_000_000;

export type RestoreWork = {
  app: AppContext;
  run: BackupRun;
  plan: RestorePlan;
  manifest: BackupManifest;
  budget: Budget;
};

/** The work of each phase. One call does a part of a phase; a phase that is done sets the next one. */
export const RESTORE_PHASES: Record<RestorePhase, (work: RestoreWork) => Promise<void>> = {
  check: checkParts,
  clear: clearTables,
  rows: putRows,
  indexes: makeIndexes,
  keys: putKeys,
  objects: putObjects,
  count: countTables,
  finished: finish,
};

/** Returns the number of items that a phase processes: parts, databases, or the whole phase. */
export function lengthOf(
  app: Pick<AppContext, "db" | "places">,
  { phase, manifest }: { phase: RestorePhase; manifest: BackupManifest },
): number {
  if (phase === "check") return piecesOf(manifest).length;
  if (phase === "rows") return rowParts(manifest).length;
  if (phase === "objects") return objectParts(manifest).length;
  if (phase === "clear") return databasesOf(app).length;
  if (phase === "count") return manifest.databases.length;
  return 1;
}

type Counts = Partial<Pick<BackupRun, "rows" | "objects">>;

/** Stores progress in one transaction with further statements. */
export async function saveRestore(
  work: RestoreWork,
  change: Partial<RestorePlan>,
  { counts = {}, statements = [] }: { counts?: Counts; statements?: Statement[] } = {},
): Promise<void> {
  const { app, run } = work;
  const plan = { ...work.plan, ...change };
  const held = { ...counts, plan, phase: plan.phase, attempts: 0, leasedUntil: app.clock() + LEASE_MS };
  const [updated] = await inOneStep(app.db, [updateRun(app.db, run, held), ...statements]);
  requireLease(updated);
  Object.assign(run, held);
  work.plan = plan;
}

type RowPart = {
  section: string;
  table: BackupManifest["databases"][number]["tables"][number];
  part: BackupPart;
};

const rowParts = (manifest: BackupManifest): RowPart[] =>
  manifest.databases.flatMap(({ name, tables }) =>
    tables.flatMap((table) => table.parts.map((part) => ({ section: name, table, part }))),
  );
const objectParts = (manifest: BackupManifest) =>
  manifest.buckets.flatMap(({ name, parts }) => parts.map((part) => ({ name, part })));

/** Opens every part before the first row is written, so that a damaged backup restores nothing. */
async function checkParts(work: RestoreWork): Promise<void> {
  const { app, manifest, budget } = work;
  const pieces = piecesOf(manifest);
  while (work.plan.at < pieces.length) {
    if (!budget.isLeft()) return;
    budget.spend();
    await readPart(filesOf(app, manifest.id), at(pieces, work.plan.at).part);
    await saveRestore(work, { at: work.plan.at + 1 });
  }
  // Append-only tables have to be cleared, and change counters must not count restored rows.
  const triggers = await listTriggers(app.db.$client);
  const indexes = await listSlowIndexes(app, manifest);
  budget.spend(unitsOf(databasesOf(app).length + triggers.length));
  await saveRestore(
    work,
    { phase: "clear", at: 0, indexes, triggers: triggers.map((trigger) => trigger.sql) },
    { statements: dropTriggers(app.db, triggers) },
  );
}

/**
 * Tables of this many rows get their indexes at the end: one sort is faster than row by row. Larger ones would exceed
 * D1's 30 seconds.
 */
const INDEXED_LATER = { from: 20_000, to: 2_000_000 };

async function listSlowIndexes(app: AppContext, manifest: BackupManifest): Promise<RestorePlan["indexes"]> {
  const { from, to } = INDEXED_LATER;
  const found: RestorePlan["indexes"] = [];
  for (const { name, database } of databasesOf(app)) {
    const tables = manifest.databases.find((one) => one.name === name)?.tables ?? [];
    const large = new Set(tables.filter(({ rows }) => rows >= from && rows <= to).map((table) => table.name));
    for (const { table, ...index } of await listIndexes(database))
      if (large.has(table)) found.push({ database: name, ...index });
  }
  return found;
}

/** Queries for clearing a database, in addition to two per table and those for its indexes and the deleted rows. */
const CLEAR_QUERIES = 6;

async function clearTables(work: RestoreWork): Promise<void> {
  const { app, budget, plan } = work;
  const databases = databasesOf(app);
  while (work.plan.at < databases.length) {
    if (!budget.isLeft()) return;
    const { name, database } = at(databases, work.plan.at);
    const indexes = plan.indexes.filter((index) => index.database === name);
    await dropIndexes(database, indexes);
    const layout = await readLayout(database);
    budget.spend(unitsOf(CLEAR_QUERIES + indexes.length + 2 * layout.tables.length));
    const filled = new Set(await listFilled(database, layout));
    // Children before their parents. Clears at least some rows, so that every step makes progress.
    for (const table of layout.tables.filter(({ name }) => filled.has(name)).reverse())
      while (await clearSome(database, table)) {
        budget.spend();
        if (!budget.isLeft()) return;
      }
    await emptyIndexes(database);
    await saveRestore(work, { at: work.plan.at + 1 });
  }
  const next = plan.undo ? "indexes" : "rows";
  await saveRestore(work, { phase: next, at: 0 }, { counts: { rows: 0, objects: 0 } });
}

async function putRows(work: RestoreWork): Promise<void> {
  const { app, manifest, run, budget } = work;
  const parts = rowParts(manifest);
  const layouts = new Map<string, Layout>();
  while (work.plan.at < parts.length) {
    if (!budget.isLeft()) return;
    const { section, table, part } = at(parts, work.plan.at);
    const database = databasesOf(app).find(({ name }) => name === section)?.database;
    if (!database) {
      // The backup had no reads in this database, which has been removed since (restore.ts).
      await saveRestore(work, { at: work.plan.at + 1 });
      continue;
    }
    const layout = layouts.get(section) ?? (await readLayout(database));
    layouts.set(section, layout);
    const lines = await readPart(filesOf(app, manifest.id), part);
    for (let n = 0; n < 3; n++) budget.spend();
    const inserted = await insertRows(database, { target: table, layout, lines });
    // Includes rows inserted by a step that did not end: only a count shows them.
    const isShort = inserted < lines.length;
    const short = [...new Set([...work.plan.short, ...(isShort ? [`${section}.${table.name}`] : [])])];
    const counts = { rows: run.rows + lines.length };
    await saveRestore(work, { at: work.plan.at + 1, short }, { counts });
  }
  budget.spend(unitsOf(2 * manifest.databases.length));
  for (const { name, sequences } of manifest.databases) {
    const database = databasesOf(app).find((one) => one.name === name)?.database;
    const beyond = Object.entries(sequences).map(([table, seq]) => [table, seq + SEQUENCE_GAP]);
    if (database) await setSequences(database, Object.fromEntries(beyond));
  }
  await saveRestore(work, { phase: "indexes", at: 0 });
}

async function makeIndexes(work: RestoreWork): Promise<void> {
  const { app, plan, budget } = work;
  while (work.plan.at < plan.indexes.length) {
    if (!budget.isLeft()) return;
    budget.spend();
    const { database, definition } = at(plan.indexes, work.plan.at);
    await putIndex(databaseNamed(app, database), definition);
    await saveRestore(work, { at: work.plan.at + 1 });
  }
  await saveRestore(work, { phase: plan.undo ? "finished" : "keys", at: 0 });
}

/**
 * A ring has one copy, which lacks the keys that were destroyed since the backup. After the backup had read a
 * database's list of keys, its reads may have been given a key of held reads, so these keys are listed again.
 */
async function putKeys(work: RestoreWork): Promise<void> {
  const { backups, keys, places } = work.app;
  const prefix = poolKey("keys", "");
  const held: HeldKey[] = [];
  for await (const { objects } of listPages(backups, { prefix }))
    await pMap(
      objects,
      async ({ key }) => {
        const target = key.slice(prefix.length);
        await copyRing(backups, keys, { source: key, target });
        held.push(...(await heldKeysOf(work.app, target.slice(RINGS.length))));
      },
      { concurrency: POOL_CONCURRENCY },
    );
  work.budget.spend(unitsOf(places.databases.length));
  if (held.length > 0) for (const { database } of places.databases) await listHeldKeys(database, held);
  await saveRestore(work, { phase: "objects", at: 0 });
}

/** Returns an agency's keys of held reads; none if no sealing key opens its ring. */
async function heldKeysOf({ readKeys }: AppContext, agencyId: string): Promise<HeldKey[]> {
  try {
    const ring = await readKeys.of(agencyId, { fresh: true });
    return (await ring.held()).map(({ id }) => ({ id, agencyId }));
  } catch (error) {
    if (isRingUnreadable(error)) return [];
    throw error;
  }
}

async function putObjects(work: RestoreWork): Promise<void> {
  const { app, manifest, run, budget } = work;
  const parts = objectParts(manifest);
  const buckets = bucketsOf(app);
  while (work.plan.at < parts.length) {
    if (!budget.isLeft()) return;
    const { name, part } = at(parts, work.plan.at);
    if (name === "IMAGES") {
      const others = parts.findIndex((other, n) => n > work.plan.at && other.name !== name);
      await saveRestore(work, { at: others < 0 ? parts.length : others, within: 0 });
      continue;
    }
    const bucket = buckets[name];
    if (!bucket) throw new BackupFault(`The backup names a bucket ${name} that does not exist.`);
    const lines = await readPart(filesOf(app, manifest.id), part);
    while (work.plan.within < lines.length) {
      if (!budget.isLeft()) return;
      budget.spend();
      const some = lines.slice(work.plan.within, work.plan.within + OBJECTS);
      const put = await pMap(
        some,
        async (line) => {
          const [key, size, etag]: ObjectLine = JSON.parse(line);
          // If only a database was lost, the bucket still has everything.
          if ((await bucket.head(key))?.etag === etag) return true;
          return copyFromPool(poolOf(app), { name, bucket, key, size });
        },
        { concurrency: POOL_CONCURRENCY },
      );
      const there = put.filter(Boolean).length;
      await saveRestore(
        work,
        { within: work.plan.within + some.length, missing: work.plan.missing + some.length - there },
        { counts: { objects: run.objects + there } },
      );
    }
    await saveRestore(work, { at: work.plan.at + 1, within: 0 });
  }
  if (await putCheckpoints(work)) await saveRestore(work, { phase: "count", at: 0 });
}

/**
 * Restores all checkpoints of the audit log: those of purges since the backup explain which segments are gone. Returns
 * false if some are left for the next step.
 */
async function putCheckpoints({ app, budget }: RestoreWork): Promise<boolean> {
  const there = new Set(await listCheckpoints(app.audits));
  const prefix = poolKey("AUDITS", "");
  const copied = (await listCheckpoints(app.backups, prefix)).map((key) => key.slice(prefix.length));
  const lacking = copied.filter((key) => !there.has(key));
  for (const part of chunksOf(lacking, CHECKPOINTS_A_UNIT)) {
    if (!budget.isLeft()) return false;
    budget.spend();
    await pMap(
      part,
      // So small that the size is not needed.
      (key) => copyFromPool(poolOf(app), { name: "AUDITS", bucket: app.audits, key, size: 0 }),
      { concurrency: POOL_CONCURRENCY },
    );
  }
  return true;
}

/**
 * Skipped rows are counted by table: their parents were deleted while the backup was made. Listed keys may be more. Tables
 * that took every row are not counted: a database may have a hundred million rows.
 */
async function countTables(work: RestoreWork): Promise<void> {
  const { app, manifest, budget } = work;
  while (work.plan.at < manifest.databases.length) {
    if (!budget.isLeft()) return;
    const { name, tables } = at(manifest.databases, work.plan.at);
    const database = databasesOf(app).find((one) => one.name === name)?.database;
    const skipped = { ...work.plan.skipped };
    for (const table of tables) {
      const lacking =
        database && work.plan.short.includes(`${name}.${table.name}`)
          ? table.rows - (await countRows(database, table.name))
          : 0;
      if (lacking > 0) skipped[`${name}.${table.name}`] = lacking;
    }
    budget.spend(unitsOf(tables.length + 1));
    await saveRestore(work, { at: work.plan.at + 1, skipped });
  }
  await saveRestore(work, { phase: "finished" });
}

/** Restores the triggers, ends every session and every move of reads, and writes the audit row. After an undo, only cleans up. */
async function finish(work: RestoreWork): Promise<void> {
  const { app, run, plan, manifest } = work;
  const at = app.clock();
  const triggers = putTriggers(app.db, plan.triggers);
  const state = plan.undo ? "cancelled" : "finished";
  const { id, startedAt, rows, objects } = manifest;
  const { missing, skipped } = plan;
  const entry = auditAct(app, null, {
    agencyId: await ownerAgencyId(app),
    at,
    action: "restore.finished",
    object: id,
    detail: { startedAt, rows, objects, missing, skipped },
  });
  const names = app.places.databases.map(({ name }) => name);
  const settled = [endAllSessions(app.db, at), setWildcardEpoch(app.db, at), ...settleStorage(app.db, names)];
  const ended = plan.undo ? [] : [...settled, ...insertImageChains(app, manifest), entry];
  const change = { state, finishedAt: at, leasedUntil: 0 } as const;
  const [updated] = await inOneStep(app.db, [updateRun(app.db, run, change), ...ended, ...triggers]);
  requireLease(updated);
  Object.assign(run, change);
}
