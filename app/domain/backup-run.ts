// Makes a backup in steps, each one message of the queue: what it has come to stands in the run's row and its parts, so
// that any step may die and the next goes on. A part is written before its row: a row never names what is not there.

import type { AppContext } from "#app/context.ts";
import { auditWho } from "#app/entities/audit.ts";
import {
  BACKED_UP,
  type BackupManifest,
  type BackupPhase,
  type BackupPlan,
  type ObjectLine,
  type TablePlan,
} from "#app/entities/backup.ts";
import { MINUTE, utcDay } from "#app/lib/dates.ts";
import { insertAuditIfChanged } from "#app/store/audit.ts";
import { putManifest, putPart } from "#app/store/backup-files.ts";
import {
  copyRing,
  copyToPool,
  isRingLost,
  listBackedUp,
  listPool,
  poolKey,
  removeFromPool,
  someAtOnce,
} from "#app/store/backup-pool.ts";
import {
  type BackupRun,
  endRun,
  insertParts,
  leaseRun,
  listLastParts,
  listParts,
  releaseRun,
  removeParts,
  requireHeld,
  type StoredPart,
  updateRun,
} from "#app/store/backup-runs.ts";
import { readChunk, readSnapshot } from "#app/store/backup-tables.ts";
import { inOneStep } from "#app/store/database.ts";
import { sendJob } from "#app/store/queue.ts";
import {
  type Budget,
  bucketsOf,
  createBudget,
  databasesOf,
  filesOf,
  ownerAgencyId,
  poolOf,
  STEP,
} from "./backup-parts.ts";

const LEASE_MS = 5 * MINUTE;
/** Steps that may fail one after the other before the whole run has failed. */
const MOST_ATTEMPTS = 12;
/** Characters of a part, and of what is asked of D1 at once. */
const PART = 4_000_000;
const CHUNK = 1_500_000;
const MOST_ROWS = 20_000;
/** Objects that are compared with the pool at once. */
const OBJECTS = 500;

type Work = { app: AppContext; run: BackupRun; budget: Budget };

/** A step of a backup; sends the next one. Does nothing where another worker is at it or it has ended. */
export async function continueBackup(app: AppContext, id: string, limits = STEP): Promise<void> {
  const now = app.clock();
  const run = await leaseRun(app.db, { id, now, until: now + LEASE_MS });
  if (!run) return;
  if (run.attempts > MOST_ATTEMPTS) {
    await failBackup(app, id, "It failed again and again at the same place; the log of the Worker says why.");
    return;
  }
  const work: Work = { app, run, budget: createBudget(limits) };
  try {
    while (run.phase !== "finished" && work.budget.isLeft()) await PHASES[run.phase as BackupPhase](work);
  } catch (error) {
    await releaseRun(app.db, run);
    throw error;
  }
  if (run.phase === "finished") return;
  await releaseRun(app.db, run);
  await sendJob(app.jobs, { v: 1, type: "backup", id });
}

/** Ends a backup as failed, which the owner's audit log says. */
export async function failBackup(app: AppContext, id: string, message: string): Promise<void> {
  const at = app.clock();
  await inOneStep(app.db, [
    endRun(app.db, { id, state: "failed", at, message }),
    insertAuditIfChanged(app.db, {
      ...auditWho(null),
      agencyId: await ownerAgencyId(app),
      at,
      action: "backup.failed",
      outcome: "failed",
      object: id,
      detail: { reason: message },
    }),
  ]);
}

const PHASES: Record<BackupPhase, (work: Work) => Promise<void>> = {
  plan: takeSnapshots,
  rows: readLargeTables,
  keys: copyKeys,
  objects: copyObjects,
  manifest: finish,
  finished: async () => {},
};

type Change = Partial<Pick<BackupRun, "phase" | "plan" | "rows" | "bytes" | "objects" | "message">>;

/** Notes what was done. It counts only as long as this worker holds the run. */
async function save({ app, run }: Work, change: Change, parts: StoredPart[] = []): Promise<void> {
  const held = { ...change, attempts: 0, leasedUntil: app.clock() + LEASE_MS };
  const [updated] = await inOneStep(app.db, [
    updateRun(app.db, run, held),
    ...(parts.length > 0 ? [insertParts(app.db, parts, run.lease)] : []),
  ]);
  requireHeld(updated);
  Object.assign(run, held);
}

type PartInput = {
  section: string;
  name: string;
  n: number;
  lines: string[];
  after: string;
  isLast: boolean;
};

async function writePart({ app, run }: Work, { after, isLast, ...input }: PartInput): Promise<StoredPart> {
  const part = await putPart(filesOf(app, run.id), input);
  const { section, name, n } = input;
  return { runId: run.id, section, name, n, ...part, after, isLast };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const grown = (run: BackupRun, parts: StoredPart[]) => ({
  rows: run.rows + sum(parts.map(({ rows }) => rows)),
  bytes: run.bytes + sum(parts.map(({ bytes }) => bytes)),
});

/** The small tables of every database at one instant, and where the large ones ended. */
async function takeSnapshots(work: Work): Promise<void> {
  const plan: BackupPlan = { databases: [] };
  const parts: StoredPart[] = [];
  for (const { name: section, database } of databasesOf(work.app)) {
    const snapshot = await readSnapshot(database, section);
    plan.databases.push(snapshot.plan);
    const filled = [...snapshot.whole].filter(([, { lines }]) => lines.length > 0);
    parts.push(
      ...(await someAtOnce(filled, ([name, chunk]) =>
        writePart(work, { section, name, n: 0, ...chunk, isLast: true }),
      )),
    );
  }
  work.budget.spend();
  await save(work, { phase: "rows", plan, ...grown(work.run, parts) }, parts);
}

async function readLargeTables(work: Work): Promise<void> {
  const { app, run, budget } = work;
  const last = await lastParts(work);
  const databases = new Map(databasesOf(app).map(({ name, database }) => [name, database]));
  for (const { name: section, tables } of (run.plan as BackupPlan).databases) {
    const database = databases.get(section);
    if (!database) throw new Error(`the database ${section} is gone`);
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

/** Reads a table on from its last part; false where the step's time is over. */
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
      // The next chunk is as large as the rows so far let expect.
      limit = Math.min(MOST_ROWS, Math.max(20, Math.min(limit * 8, Math.floor((limit * CHUNK) / read))));
    }
    const part = await writePart(work, { section, name: table.name, n, lines, after, isLast });
    await save(work, grown(work.run, [part]), [part]);
    n += 1;
  }
  return true;
}

async function lastParts({ app, run }: Work): Promise<Map<string, StoredPart>> {
  const parts = await listLastParts(app.db, run.id);
  return new Map(parts.map((part) => [`${part.section}/${part.name}`, part]));
}

const KEYS = "read-keys/";

/** Rings of keys have one copy, overwritten each time: never one a backup. The copy of a ring that was lost is kept. */
async function copyKeys(work: Work): Promise<void> {
  const { app } = work;
  const { keys, backups } = app;
  const since = utcDay(app.clock()) - 1;
  const lost: string[] = [];
  let cursor: string | undefined;
  do {
    const page: R2Objects = await keys.list({ prefix: KEYS, ...(cursor && { cursor }) });
    await someAtOnce(page.objects, async ({ key }) => {
      const ring = { source: key, target: poolKey("keys", key) };
      const agencyId = key.slice(KEYS.length);
      if (await isRingLost({ ...poolOf(app), rings: keys }, { ...ring, agencyId, since }))
        lost.push(agencyId);
      else await copyRing(keys, backups, ring);
    });
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
  work.budget.spend();
  const message = `Keys of reads were lost (${lost.join(", ")}). Their copy in ${poolKey("keys", KEYS)} is kept: put it back.`;
  await save(work, { phase: "objects", ...(lost.length > 0 && { message }) });
}

async function copyObjects(work: Work): Promise<void> {
  const last = await lastParts(work);
  const buckets = bucketsOf(work.app);
  for (const name of Object.keys(BACKED_UP)) {
    const bucket = buckets[name] as R2Bucket;
    let part = last.get(`objects/${name}`);
    while (!part?.isLast) {
      if (!work.budget.isLeft()) return;
      work.budget.spend();
      part = await copyPage(work, { name, bucket, from: part });
    }
  }
  await save(work, { phase: "manifest" });
}

type PageInput = { name: string; bucket: R2Bucket; from: StoredPart | undefined };

/** Behind every key. */
const END = "\u{10FFFF}";
/** Copies without an object that a purge leaves behind when it dies; more than that is a loss and no purge. */
const MOST_STALE = 100;

/** Copies what the pool does not have yet of some hundred objects, and lists them in a part. */
async function copyPage(work: Work, { name, bucket, from }: PageInput): Promise<StoredPart> {
  const { app, run } = work;
  const after = from?.after ?? "";
  const { objects, next } = await listBackedUp(bucket, { name, after, limit: OBJECTS });
  const copied = await listPool(app.backups, { bucket: name, after, until: next ?? END });
  const lines = new Map(objects.map(({ key, size, etag }): [string, ObjectLine] => [key, [key, size, etag]]));
  const stale = [...copied.keys()].filter((key) => !lines.has(key));
  if (stale.length <= MOST_STALE) await removeFromPool(app.backups, name, stale);
  const current = String(app.config.sealingKeys.current);
  const lacking = objects.filter(({ key, etag }) => {
    const copy = copied.get(key);
    return copy?.etag !== etag || copy.keyVersion !== current;
  });
  await someAtOnce(lacking, async ({ key }) => {
    const line = await copyToPool(poolOf(app), { name, bucket, key });
    if (line) lines.set(key, line);
    else lines.delete(key);
  });
  // What was purged while it was copied has to leave the pool again.
  if (lacking.length > 0) {
    const { objects: still } = await listBackedUp(bucket, { name, after, limit: OBJECTS });
    const there = new Set(still.map(({ key }) => key));
    const gone = lacking.map(({ key }) => key).filter((key) => !there.has(key));
    await removeFromPool(app.backups, name, gone);
    for (const key of gone) lines.delete(key);
  }
  const part = await writePart(work, {
    section: "objects",
    name,
    n: from ? from.n + 1 : 0,
    lines: [...lines.values()].map((line) => JSON.stringify(line)),
    after: next ?? after,
    isLast: next === null,
  });
  const missing = `${name} lacks objects that the backups have. Their copies are kept: more are missing than a purge leaves.`;
  await save(
    work,
    {
      bytes: run.bytes + part.bytes,
      objects: run.objects + part.rows,
      ...(stale.length > MOST_STALE && { message: missing }),
    },
    [part],
  );
  return part;
}

/** Writes the manifest, which makes it a backup. */
async function finish(work: Work): Promise<void> {
  const { app, run } = work;
  const manifest = manifestOf(run, await listParts(app.db, run.id), app.clock());
  await putManifest(filesOf(app, run.id), manifest);
  const { id, rows, bytes, objects, finishedAt } = manifest;
  const [updated] = await inOneStep(app.db, [
    updateRun(app.db, run, { state: "finished", phase: "finished", finishedAt, plan: null, leasedUntil: 0 }),
    insertAuditIfChanged(app.db, {
      ...auditWho(null),
      agencyId: await ownerAgencyId(app),
      at: finishedAt,
      action: "backup.finished",
      outcome: "ok",
      object: id,
      detail: { rows, bytes, objects, startedBy: run.startedBy || "cron" },
    }),
    removeParts(app.db, run.id),
  ]);
  requireHeld(updated);
  run.phase = "finished";
}

function manifestOf(run: BackupRun, parts: StoredPart[], finishedAt: number): BackupManifest {
  const of = Map.groupBy(parts, ({ section, name }) => `${section}/${name}`);
  const partsOf = (section: string, name: string) =>
    (of.get(`${section}/${name}`) ?? [])
      .filter(({ rows }) => rows > 0)
      .map(({ key, rows, bytes, sha256 }) => ({ key, rows, bytes, sha256 }));
  const counted = (found: { rows: number }[]) => sum(found.map(({ rows }) => rows));
  const { id, startedAt, startedBy, keyVersion, rows, bytes, objects } = run;
  return {
    format: 1,
    id,
    startedAt,
    finishedAt,
    startedBy,
    keyVersion,
    rows,
    bytes,
    objects,
    databases: (run.plan as BackupPlan).databases.map(({ name, sequences, tables }) => ({
      name,
      sequences,
      tables: tables.map((table) => {
        const found = partsOf(name, table.name);
        return { name: table.name, columns: table.columns, rows: counted(found), parts: found };
      }),
    })),
    buckets: Object.keys(BACKED_UP).map((name) => {
      const found = partsOf("objects", name);
      return { name, objects: counted(found), parts: found };
    }),
  };
}
