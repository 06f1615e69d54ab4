// Copies the images of a restored backup back after Odin is in use again: a state has hundreds of millions, and a step
// copies about 80 a second. Chains of steps run at the same time; each is a run of its own, which no failure ends.
// Until an image is back it is read from the backup, and no new backup begins.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { BackupManifest, BackupPart, ImagesPlan, ObjectLine } from "#app/entities/operations/backup.ts";
import { at } from "#app/lib/at.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { logError } from "#app/lib/log.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { BackupFault, readManifest, readPart } from "#app/store/operations/backup-files.ts";
import { copyFromPool, keysBetween, POOL_CONCURRENCY, poolKey } from "#app/store/operations/backup-pool.ts";
import {
  type BackupRun,
  insertRun,
  leaseRun,
  releaseRun,
  requireLease,
  updateRun,
} from "#app/store/operations/backup-runs.ts";
import { sendJob } from "#app/store/queue.ts";
import { OBJECTS } from "./backup-objects.ts";
import { createBudget, filesOf, ownerAgencyId, poolOf, STEP } from "./backup-parts.ts";
import { LEASE_MS, save, sum, type Work } from "./backup-work.ts";

/** 300,000,000 images take a day and a half (computed with 30 ms per R2 call). */
const CHAINS = 32;
const BUCKET = "IMAGES";

/** Returns the lists of images in a manifest, the newest images of reads first. */
function listsOf(manifest: BackupManifest): BackupPart[] {
  return manifest.buckets.flatMap(({ name, parts }) => (name === BUCKET ? parts.toReversed() : []));
}

const ownLists = (manifest: BackupManifest, { chain, chains }: Pick<ImagesPlan, "chain" | "chains">) =>
  listsOf(manifest).filter((_, n) => n % chains === chain);

/** Inserts the chains that copy a restored backup's images; none without images. The sweep of backups starts them. */
export function insertImageChains({ db, clock }: AppContext, manifest: BackupManifest): Statement[] {
  const chains = Math.min(CHAINS, listsOf(manifest).length);
  return Array.from({ length: chains }, (_, chain) => {
    const total = sum(ownLists(manifest, { chain, chains }).map(({ rows }) => rows));
    const plan: ImagesPlan = {
      restoredFrom: manifest.id,
      chain,
      chains,
      lists: 0,
      within: 0,
      total,
      missing: 0,
      damaged: 0,
    };
    const run = { id: randomToken(), kind: "images", state: "running", phase: "objects", plan } as const;
    return insertRun(db, { ...run, startedAt: clock() }, { unlessRunning: false });
  });
}

/**
 * Copies one step of a chain and queues the next. Does nothing if another worker holds the run or it has ended. Never throws
 * once it holds the run: the sweep of backups tries again.
 */
export async function continueImages(app: AppContext, id: string, limits = STEP): Promise<void> {
  const now = app.clock();
  const run = await leaseRun(app.db, { id, now, until: now + LEASE_MS });
  if (!run) return;
  try {
    if (await copyBack({ app, run, budget: createBudget(limits) })) return await finish(app, run);
    await releaseRun(app.db, run);
    await sendJob(app.jobs, { v: 1, type: "restore-images", id });
  } catch (error) {
    logError("images of the restored backup were not copied back, and are tried again", error);
    await releaseRun(app.db, run).catch(() => {});
  }
}

function planOf({ plan }: BackupRun): ImagesPlan {
  if (!plan || !("restoredFrom" in plan)) throw new Error("the run does not copy images back");
  return plan;
}

/** Copies until the step's budget is used up. Returns whether everything is copied. */
async function copyBack(work: Work): Promise<boolean> {
  const { app, run, budget } = work;
  const { restoredFrom, ...chain } = planOf(run);
  const files = filesOf(app, restoredFrom);
  const manifest = await readManifest(files);
  if (!manifest) throw new Error(`the backup ${restoredFrom} is gone`);
  const lists = ownLists(manifest, chain);
  for (let plan = planOf(run); plan.lists < lists.length; plan = planOf(run)) {
    const lines = await readPart(files, at(lists, plan.lists));
    for (let { within } = plan; within < lines.length; ) {
      if (!budget.isLeft()) return false;
      budget.spend();
      const some = lines.slice(within, within + OBJECTS);
      const { missing, damaged } = await copySome(
        app,
        some.map((line): ObjectLine => JSON.parse(line)),
      );
      within += some.length;
      const before = planOf(run);
      const counts = { missing: before.missing + missing, damaged: before.damaged + damaged };
      const objects = run.objects + some.length - missing - damaged;
      await save(work, { plan: { ...before, ...counts, within }, objects });
    }
    await save(work, { plan: { ...planOf(run), lists: plan.lists + 1, within: 0 } });
  }
  return true;
}

/**
 * Copies listed objects, in the order of their keys, that their bucket lacks. Returns the number of objects that it
 * could not copy.
 */
async function copySome(app: AppContext, lines: ObjectLine[]): Promise<{ missing: number; damaged: number }> {
  const range = { first: at(lines, 0)[0], last: at(lines, lines.length - 1)[0] };
  // If only a database was lost, the bucket still has everything.
  const there = await keysBetween(app.images, range);
  const lacking = lines.filter(([key]) => !there.has(key));
  const copied = await pMap(lacking, (line) => copyOne(app, line), { concurrency: POOL_CONCURRENCY });
  const kept = await keysBetween(app.backups, { ...range, root: poolKey(BUCKET, "") });
  // A purge removes the copy before the object, and may have happened in between.
  const purged = lacking.filter(([key], n) => copied[n] === "copied" && !kept.has(key)).map(([key]) => key);
  if (purged.length > 0) await app.images.delete(purged);
  const countOf = (result: Copied) => copied.filter((one) => one === result).length;
  return { missing: countOf("missing") + purged.length, damaged: countOf("damaged") };
}

type Copied = "copied" | "missing" | "damaged";

async function copyOne(app: AppContext, [key, size]: ObjectLine): Promise<Copied> {
  try {
    const input = { name: BUCKET, bucket: app.images, key, size };
    return (await copyFromPool(poolOf(app), input)) ? "copied" : "missing";
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    logError(error.message);
    return "damaged";
  }
}

/** Ends a chain, and writes what it copied to the owner's audit log. */
async function finish(app: AppContext, run: BackupRun): Promise<void> {
  const now = app.clock();
  const { restoredFrom, chain, chains, missing, damaged } = planOf(run);
  const [updated] = await inOneStep(app.db, [
    updateRun(app.db, run, {
      state: "finished",
      phase: "finished",
      finishedAt: now,
      leasedUntil: 0,
      removedAt: now,
    }),
    auditIfChanged(app, null, {
      agencyId: await ownerAgencyId(app),
      at: now,
      action: "restore.images",
      outcome: damaged > 0 ? "failed" : "ok",
      object: restoredFrom,
      detail: { chain: chain + 1, chains, objects: run.objects, missing, damaged },
    }),
  ]);
  requireLease(updated);
}
