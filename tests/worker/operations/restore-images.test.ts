// Images of a restored backup, which are copied back after Odin has opened. backup.test.ts restores everything else.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import {
  listBackups,
  startBackup,
  startNightlyBackup,
  sweepBackups,
} from "#app/domain/operations/backups.ts";
import { insertImageChains } from "#app/domain/operations/restore-images.ts";
import type { BackupList, BackupManifest } from "#app/entities/operations/backup.ts";
import { at } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { actorOf, apiClient, bindings, type Client, newWorld, testApp, type World } from "../../factories.ts";
import {
  appOf,
  copyImagesBack,
  emptyOtherWorld,
  otherWorld,
  restoreRows,
  withJobs,
} from "../../support/backup.ts";
import { beforeCall, beforeCalls } from "../../support/operations/buckets.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let world: World;
let owner: Client;
/** Keys of the images that every backup here has. */
const KEYS = Array.from(
  { length: 12 },
  (_, n) => `axis/2026-11-0${1 + (n % 3)}/camera/image-${n}.jpg`,
).sort();

beforeAll(async () => {
  world = await newWorld();
  owner = await apiClient(world.users.owner);
  for (const key of KEYS)
    await bindings.IMAGES.put(key, key, { httpMetadata: { contentType: "image/jpeg" } });
});

beforeEach(emptyOtherWorld);

/** Backs up the first installation. Returns the id of the backup. */
async function backUp(): Promise<string> {
  const { run, jobs } = withJobs(bindings);
  const { id }: { id: string } = await (await owner.post("/backups/start", {})).json();
  jobs.push({ v: 1, type: "backup", id });
  await run();
  return id;
}

/** Restores a new backup without its images. Returns the id of the backup and the second installation. */
async function restored(): Promise<{ id: string; env: Env }> {
  const id = await backUp();
  const env = await otherWorld();
  expect(await restoreRows(env, id)).toMatchObject({ state: "finished" });
  return { id, env };
}

const keysIn = async ({ IMAGES }: Pick<Env, "IMAGES">) => (await IMAGES.list()).objects.map(({ key }) => key);

const copiesOf = async (env: Pick<Env, "BACKUPS">) =>
  (await env.BACKUPS.list({ prefix: "pool/IMAGES/axis/2026-11-0" })).objects.map(({ key }) => key.slice(12));

async function auditDetail({ DB }: Env) {
  const row = await DB.prepare(
    "SELECT outcome, detail FROM audit_log WHERE action = 'restore.images'",
  ).first<{
    outcome: string;
    detail: string;
  }>();
  return { outcome: row?.outcome, ...JSON.parse(row?.detail ?? "{}") };
}

/** What the owner's screen of an installation shows. */
async function listOf(env: Env): Promise<BackupList> {
  return listBackups(appOf(env));
}

describe("the images of a restored backup", () => {
  it("are copied back once Odin has opened, with their types, by the sweep of backups", async () => {
    const { env } = await restored();
    expect(await keysIn(env)).toEqual([]);
    expect((await listOf(env)).images).toEqual({ done: 0, total: KEYS.length, failing: false });
    await copyImagesBack(env);
    expect(await keysIn(env)).toEqual(KEYS);
    const one = await env.IMAGES.get(at(KEYS, 0));
    expect([one?.httpMetadata?.contentType, await one?.text()]).toEqual(["image/jpeg", KEYS[0]]);
    expect((await listOf(env)).images).toBeNull();
    expect(await auditDetail(env)).toMatchObject({
      outcome: "ok",
      objects: KEYS.length,
      chain: 1,
      chains: 1,
    });
    // A second message of the chain finds nothing to do.
    await sweepBackups(appOf(env));
    expect(await keysIn(env)).toEqual(KEYS);
  });

  it("are not written again if their bucket still has them", async () => {
    const { env } = await restored();
    for (const key of KEYS.slice(0, 11)) await env.IMAGES.put(key, key);
    let puts = 0;
    const IMAGES = beforeCalls(env.IMAGES, "put", async () => {
      puts += 1;
    });
    await copyImagesBack({ ...env, IMAGES });
    expect(puts).toBe(1);
    expect(await keysIn(env)).toEqual(KEYS);
  });

  it("let no backup begin, which would take them for purged ones, nor their own be removed", async () => {
    const { id, env } = await restored();
    const before = await copiesOf(env);
    expect(before).toEqual(KEYS);
    // The newest backup always stays.
    await backUp();
    const late = appOf(env, () => Date.now() + 400 * DAY);
    await expect(startNightlyBackup(late)).rejects.toThrow("no backup has finished since");
    await expect(startBackup(late, await actorOf(owner))).rejects.toThrow("are still being copied back");
    expect((await listOf(env)).runs.filter(({ state }) => state === "running")).toEqual([]);
    await sweepBackups(late);
    const { results } = await env.DB.prepare("SELECT id FROM backup_runs WHERE kind = 'backup'").all<{
      id: string;
    }>();
    expect(results.map((run) => run.id)).toContain(id);
    expect((await env.BACKUPS.list({ prefix: `backups/${id}/` })).objects).not.toEqual([]);
    expect(await copiesOf(env)).toEqual(before);
    await copyImagesBack(env);
    const { app, run } = withJobs(env);
    await startNightlyBackup(app);
    await run();
    const [newest] = (await listOf(env)).runs;
    expect(newest).toMatchObject({ state: "finished", message: "" });
    expect(newest?.id).not.toBe(id);
    expect(await copiesOf(env)).toEqual(before);
  });

  it("do not come back if they are purged before or while they are copied", async () => {
    const { env } = await restored();
    const [early = "", meanwhile = ""] = KEYS;
    await appOf(env).images.delete(early);
    // After its copy was read, and before the object is written.
    const IMAGES = beforeCall(env.IMAGES, "put", () => appOf(env).images.delete(meanwhile));
    await copyImagesBack({ ...env, IMAGES });
    expect(await keysIn(env)).toEqual(KEYS.slice(2));
    expect(await copiesOf(env)).toEqual(KEYS.slice(2));
    expect(await auditDetail(env)).toMatchObject({ objects: KEYS.length - 2, missing: 2, damaged: 0 });
    await testApp().images.delete([early, meanwhile]);
    for (const key of [early, meanwhile])
      await bindings.IMAGES.put(key, key, { httpMetadata: { contentType: "image/jpeg" } });
  });

  it("are copied although one copy was changed, which the audit log counts", async () => {
    expectLogged(/^The copy pool\/IMAGES\/.* cannot be opened/);
    const { env } = await restored();
    const broken = at(KEYS, 3);
    const path = `pool/IMAGES/${broken}`;
    const bytes = new Uint8Array((await (await env.BACKUPS.get(path))?.arrayBuffer()) ?? new ArrayBuffer(0));
    bytes[bytes.length - 1] = at(bytes, bytes.length - 1) ^ 1;
    await env.BACKUPS.put(path, bytes);
    await copyImagesBack(env);
    expect(await keysIn(env)).toEqual(KEYS.filter((key) => key !== broken));
    expect(await auditDetail(env)).toMatchObject({ outcome: "failed", missing: 0, damaged: 1 });
    await env.BACKUPS.delete(path);
  });

  it("are tried again until they are there, and the screen says that attempts fail", async () => {
    expectLogged(/^images of the restored backup were not copied back/);
    const { env } = await restored();
    const down = async () => {
      throw new Error("We encountered an internal error. Please try again. (10001)");
    };
    const { app, run } = withJobs({ ...env, IMAGES: beforeCalls(env.IMAGES, "put", down) });
    for (let attempt = 0; attempt < 15; attempt++) {
      await sweepBackups(app);
      await run();
    }
    expect((await listOf(env)).images).toEqual({ done: 0, total: KEYS.length, failing: true });
    await copyImagesBack(env);
    expect(await keysIn(env)).toEqual(KEYS);
  });
});

describe("the chains that copy images back", () => {
  it("take each list of images once, at most 32 at a time", async () => {
    const part = (n: number) => ({ key: `part ${n}`, rows: 1 + n, bytes: 1, sha256: "" });
    const manifest: BackupManifest = {
      format: 1,
      id: "many",
      startedAt: 0,
      finishedAt: 0,
      startedBy: "",
      keyVersion: 1,
      rows: 0,
      bytes: 0,
      objects: 0,
      databases: [],
      buckets: [
        { name: "IMAGES", objects: 0, parts: Array.from({ length: 100 }, (_, n) => part(n)) },
        { name: "AUDITS", objects: 0, parts: [part(1000)] },
      ],
    };
    const env = await otherWorld();
    const app = appOf(env);
    const [first, ...others] = insertImageChains(app, manifest);
    if (!first) throw new Error("there is no chain");
    await inOneStep(app.db, [first, ...others]);
    const { results } = await env.DB.prepare(
      "SELECT plan ->> 'total' AS total FROM backup_runs WHERE kind = 'images'",
    ).all<{ total: number }>();
    expect(results).toHaveLength(32);
    expect(results.reduce((sum, { total }) => sum + total, 0)).toBe((100 * 101) / 2);
    expect(insertImageChains(app, { ...manifest, buckets: [] })).toEqual([]);
  });
});
