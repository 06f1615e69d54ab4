import { createExecutionContext } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#app/context.ts";
import { filesOf } from "#app/domain/operations/backup-parts.ts";
import { continueBackup, failBackup } from "#app/domain/operations/backup-run.ts";
import {
  listBackups,
  startBackup,
  startNightlyBackup,
  sweepBackups,
  verifyBackup,
} from "#app/domain/operations/backups.ts";
import { clearRestore, restoreBackup } from "#app/domain/operations/restore.ts";
import { continueImages } from "#app/domain/operations/restore-images.ts";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { purgeOldAudit } from "#app/domain/operations/retention-audit.ts";
import { purgeOldRecords, RUNS_EVERY } from "#app/domain/operations/retention-records.ts";
import { anchorAuditHeads, checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { parseAlertFilter } from "#app/entities/alerts/hit.ts";
import type { RestoreReport } from "#app/entities/operations/backup.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { findActor } from "#app/http/session.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { DAY, HOUR, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { listAlerts } from "#app/store/alerts/archived.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { readManifest } from "#app/store/operations/backup-files.ts";
import { copyToPool } from "#app/store/operations/backup-pool.ts";
import { leaseStorage } from "#app/store/operations/storage.ts";
import worker from "../../../workers/app.ts";
import { takeBatch } from "../../../workers/queue.ts";
import { runCron } from "../../../workers/scheduled.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import {
  apiClient,
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newWorld,
  ORIGIN,
  PASSWORD,
  PUSHED,
  pushRead,
  type Row,
  search,
  searchBody,
  testApp,
  unique,
  type World,
} from "../../factories.ts";
import {
  appOf,
  copyImagesBack,
  emptyOtherWorld,
  objectsOf,
  otherWorld,
  RESTORE_TOKEN,
  restoreAll,
  restoreRows,
  rowsOf,
  schemaOf,
  withJobs,
} from "../../support/backup.ts";
import { R2_WORDS, seeded } from "../../support/faults.ts";
import { faultyBindings } from "../../support/faulty-bindings.ts";
import { archive, writeRows } from "../../support/operations/audit-archive.ts";
import { beforeCall } from "../../support/operations/buckets.ts";
import { archiveHits, hitGroup, oldHit } from "../../support/operations/hit-archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let world: World;
let owner: Client;
/** A group with archived hits. */
let hits: { id: string; agencyId: string };

const actorOf = async (one: Client) => {
  const actor = await findActor(testApp(), new Request(`${ORIGIN}/`, { headers: one.headers }));
  if (!actor) throw new Error("nobody is signed in");
  return actor;
};

/** Fills the first installation through Odin's own endpoints. */
async function fill(): Promise<void> {
  const { users, camera, agencies } = world;
  const hotadmin = await client(users.hotadmin);
  const form = (fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return { method: "POST", body };
  };
  const made = await hotadmin.fetch("/groups/create-mobile", form({ group_name: "Stolen cars" }));
  const { group_id }: { group_id: string } = await made.json();
  const saved = await hotadmin.fetch(
    `/groups/${group_id}/edit-mobile`,
    form({
      group_name: "Stolen cars",
      group_members: users.viewer.id,
      "plates[0][number]": "BK777",
      "plates[0][reason]": "Gestohlen – „Straße“ 🚓",
      "plates[0][file]": new File(["%PDF-1.4\n%%EOF\n"], "warrant.pdf"),
      "plates[1][number]": "BK8*",
      "plates[1][reason]": "Wildcard",
    }),
  );
  expect(saved.status).toBe(200);
  const now = Date.now();
  // On two days at any time of day, since each day has its own key and place, and so adds steps to a backup.
  const yesterday = Math.floor(now / DAY) * DAY - DAY;
  const times = [now - HOUR / 6, yesterday + 3 * HOUR, yesterday + 2 * HOUR, yesterday + HOUR];
  for (const [n, plate] of ["BK777", "XYZ123", "XYZ124", "AB12CD"].entries())
    await pushRead(camera, { plate, at: times[n] ?? now });
  const officer = await client(users.officer);
  const found = await search(officer, searchBody(agencies));
  const exported = await officer.post("/export-zip", {
    records: [{ id: found.rows[0]?.id }],
    justification: "Stolen vehicle",
    case_number: "26-9",
  });
  expect(exported.status).toBe(200);
  await exported.arrayBuffer();
  await bindings.KEYS.put("read-keys/an-agency", "sealed ring", {});
  // The hit's messages are processed after the answer to the camera.
  const waiting = `SELECT (SELECT count(*) FROM alerts WHERE fanned_out_at IS NULL)
    + (SELECT count(*) FROM deliveries WHERE state = 'pending')`;
  await vi.waitFor(async () => expect(await bindings.DB.prepare(waiting).raw()).toEqual([[0]]), {
    timeout: 60_000,
    interval: 50,
  });
  hits = await hitGroup(world.ours.id);
  for (const age of [200, 150]) await oldHit(hits, age);
  await archiveHits(hits, 9);
  await sealAuditLog(testApp());
}

/** Makes a finished backup of the first installation and returns its id. */
async function backUp(env: Env = bindings, limits?: Parameters<typeof continueBackup>[2]): Promise<string> {
  const { app, run } = withJobs(env);
  const { id } = await startBackup(app, await actorOf(owner));
  await run(limits);
  return id;
}

const runOf = async (id: string) => (await listBackups(testApp())).runs.find((run) => run.id === id);

beforeAll(async () => {
  world = await newWorld();
  owner = await apiClient(world.users.owner);
  await fill();
});

beforeEach(emptyOtherWorld);

/** Removes the values that a restore changes intentionally. */
function comparable(rows: Record<string, unknown[]>): Record<string, unknown[]> {
  const text = (row: unknown) => String(row);
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => {
      if (table === "DB.sessions")
        return [table, list.map((row) => text(row).replace(/"revoked_at":(\d+|null)/, ""))];
      if (table === "DB.audit_log")
        return [table, list.filter((row) => !/"(backup|restore)\./.test(text(row)))];
      // Isolates that kept wildcard entries read them again.
      if (table === "DB.wildcard_versions")
        return [table, list.map((row) => text(row).replace(/"epoch":\d+/, ""))];
      return [table, list];
    }),
  );
}

const TINY = { ms: 60_000, units: 1 };

const phaseOf = (id: string) =>
  bindings.DB.prepare("SELECT phase FROM backup_runs WHERE id = ?").bind(id).first<string>("phase");

describe("a backup", () => {
  it("has every row and byte unchanged after a restore into an empty installation", async () => {
    const id = await backUp();
    const [rows, objects, schema] = [
      await rowsOf(bindings),
      await objectsOf(bindings),
      await schemaOf(bindings),
    ];
    for (const table of [
      "DB.alerts",
      "DB.alert_segments",
      "DB.alert_segment_ids",
      "DB.attachments",
      "DB.hotlist_entries",
      "DB.exports",
      "DB.audit_chain",
    ])
      expect(rows[table], table).not.toHaveLength(0);
    const env = await otherWorld();
    const report = await restoreAll(env, id);
    expect(report).toMatchObject({ state: "finished", missing: 0 });
    expect(report.skipped).toEqual({});
    expect(comparable(await rowsOf(env))).toEqual(comparable(rows));
    const epochIn = ({ DB }: Env) => DB.prepare("SELECT epoch FROM wildcard_versions").first("epoch");
    expect(await epochIn(env)).not.toBe(await epochIn(bindings));
    const restored = await objectsOf(env);
    const kept = Object.entries(objects).filter(([key]) => !key.startsWith("RESULTS/results/"));
    expect(restored).toEqual(Object.fromEntries(kept));
    expect(kept.map(([key]) => key.split("/")[0])).toEqual(
      expect.arrayContaining(["IMAGES", "ATTACHMENTS", "RESULTS", "KEYS"]),
    );
    expect(await schemaOf(env)).toEqual(schema);
  });

  it("once restored, lets users sign in and find reads with pictures, also before these are back; the audit log verifies", async () => {
    const env = await otherWorld();
    await restoreRows(env, await backUp());
    expect((await env.IMAGES.list()).objects).toEqual([]);
    const open = { ...env, RESTORE_TOKEN: undefined } as Env;
    const call = (path: string, init: RequestInit = {}) =>
      worker.fetch(new Request(new URL(path, ORIGIN), init) as never, open, createExecutionContext());
    const old = await call("/get-current-user", { headers: owner.headers });
    expect(old.status).toBe(401);
    const signIn = async (username: string) => {
      const answer = await call("/login", jsonInit({ username, password: PASSWORD, client: "api" }));
      const { token }: { token: string } = await answer.json();
      return { headers: { authorization: `Bearer ${token}` } };
    };
    const officer = await signIn(world.users.officer.username);
    const body = searchBody([world.ours.id], { plate: "XYZ12" });
    const found = await call("/search-data", jsonInit(body, officer));
    const rows: Row[] = await found.json();
    expect(rows).toMatchObject([{ plate: "XYZ123" }, { plate: "XYZ124" }]);
    const seePictures = async () => {
      for (const { image_path: vehicle, plate_image_url: plate } of rows)
        for (const [reference, bytes] of [
          [vehicle, PUSHED.vehicle],
          [plate, PUSHED.plate],
        ] as const) {
          const answer = await call(`/proxy-axis-image?path=${encodeURIComponent(reference ?? "")}`, officer);
          expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
        }
    };
    await seePictures();
    await copyImagesBack(open);
    expect((await env.IMAGES.list()).objects).not.toEqual([]);
    await seePictures();
    await sealAuditLog(appOf(open));
    const boss = await signIn("owner");
    const verified = await call("/audit-log/verify", jsonInit({ agency: world.ours.id, after: 0 }, boss));
    expect(await verified.json()).toMatchObject({ problem: null, next: null });
    const actions = await open.DB.prepare("SELECT action FROM audit_log ORDER BY seq").all<{
      action: string;
    }>();
    expect(actions.results.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["restore.finished", "restore.images"]),
    );
    await expect(open.DB.prepare("DELETE FROM audit_log").run()).rejects.toThrow(/append-only/);
  });

  it("made across a full hour verifies once restored, although later heads cover rows it lacks", async () => {
    const { app, run } = withJobs(bindings);
    const { id } = await startBackup(app, await actorOf(owner));
    await continueBackup(app, id, TINY);
    // A row that is not in the backup, and chain heads that cover it.
    await apiClient(world.users.owner);
    await sealAuditLog(testApp());
    expect(await anchorAuditHeads(testApp(() => Date.now() + HOUR))).toBe(true);
    await run();
    const env = await otherWorld();
    await restoreAll(env, id);
    const restored = appOf(env);
    await sealAuditLog(restored);
    for (const { id: agencyId } of [world.ours, world.theirs])
      expect(await checkChain(restored, agencyId, 0)).toMatchObject({ problem: null });
  });

  it("reuses no ids after its restore", async () => {
    const env = await otherWorld();
    await restoreAll(env, await backUp());
    for (const database of ["READS_0", "READS_1", "READS_2", "READS_3", "DB"] as const) {
      const { results } = await storeOf(bindings, database)
        .prepare("SELECT name, seq FROM sqlite_sequence WHERE name <> 'd1_migrations'")
        .all<{ name: string; seq: number }>();
      for (const { name, seq } of results) {
        const other = storeOf(env, database)
          .prepare("SELECT seq FROM sqlite_sequence WHERE name = ?")
          .bind(name);
        expect(await other.first("seq"), name).toBeGreaterThan(seq);
      }
    }
  });

  it("has no plates or names in readable form", async () => {
    const id = await backUp();
    const { objects } = await bindings.BACKUPS.list();
    expect(objects.some(({ key }) => key.startsWith(`backups/${id}/`))).toBe(true);
    for (const { key } of objects) {
      const text = new TextDecoder("latin1").decode(await bytesOf(bindings.BACKUPS, key));
      for (const secret of ["BK777", "XYZ123", "PDF-1.4", world.ours.name, bindings.PASSWORD_PEPPER])
        expect(text.includes(secret), `${secret} in ${key}`).toBe(false);
    }
  });

  it("has the same result if it runs in steps of one unit each", async () => {
    const id = await backUp(bindings, TINY);
    const rows = await rowsOf(bindings);
    const env = await otherWorld();
    const report = await restoreAll(env, id, TINY);
    expect(report.state).toBe("finished");
    expect(report.skipped).toEqual({});
    expect(comparable(await rowsOf(env))).toEqual(comparable(rows));
  });

  it("begins one database after the other, in steps of their own if there are many; no day moves meanwhile", async () => {
    const { app, run } = withJobs(bindings);
    const { id } = await startBackup(app, await actorOf(owner));
    const leaseMoves = () =>
      leaseStorage(app.db, { name: "READS_0", now: Date.now(), until: Date.now() + 1 });
    const progress: unknown[] = [];
    for (let step = 0; step < 5; step++) {
      await continueBackup(app, id, TINY);
      const [row] = await bindings.DB.prepare(
        "SELECT phase, json_array_length(plan, '$.databases') FROM backup_runs WHERE id = ?",
      )
        .bind(id)
        .raw();
      progress.push(row);
      expect(await leaseMoves()).toBeNull();
    }
    expect(progress).toEqual([
      ["plan", 1],
      ["plan", 2],
      ["plan", 3],
      ["plan", 4],
      ["rows", 5],
    ]);
    await run();
    expect(await runOf(id)).toMatchObject({ state: "finished" });
    expect(await leaseMoves()).not.toBeNull();
    await bindings.DB.prepare("UPDATE read_databases SET leased_until = 0").run();
  });

  it("continues after failures of databases and buckets, as does its restore", async () => {
    // Before the rows are read, since it may note that the session was used.
    const actor = await actorOf(owner);
    const rows = await rowsOf(bindings);
    const chance = seeded(7);
    const { app, jobs } = withJobs(bindings);
    const { id } = await startBackup(app, actor);
    const faulty = faultyBindings(bindings, { chance, rate: 0.12 });
    const { run: runFaulty, jobs: faultyJobs } = withJobs(faulty.env);
    faultyJobs.push(...jobs);
    for (let tries = 0; tries < 200 && faultyJobs.length > 0; tries++) {
      const [job] = faultyJobs;
      await runFaulty({ ms: 60_000, units: 3 }).catch(() => job && faultyJobs.push(job));
      if ((await runOf(id))?.state === "finished") break;
      // In production, a lease ends by itself if its call's answer was lost.
      await bindings.DB.prepare("UPDATE backup_runs SET leased_until = 0, attempts = 0 WHERE id = ?")
        .bind(id)
        .run();
      if (faultyJobs.length === 0) faultyJobs.push({ v: 1, type: "backup", id });
    }
    expect(await runOf(id)).toMatchObject({ state: "finished" });
    const env = await otherWorld();
    const faultyOther = faultyBindings(env, { chance, rate: 0.12 });
    let report: Pick<RestoreReport, "state" | "skipped"> = { state: "running", skipped: {} };
    for (let tries = 0; tries < 300 && report.state === "running"; tries++) {
      report = await restoreBackup(appOf(faultyOther.env), RESTORE_TOKEN, {
        id,
        limits: { ms: 60_000, units: 3 },
      }).catch(() => ({ state: "running", skipped: {} }));
      await env.DB.prepare("UPDATE backup_runs SET leased_until = 0, attempts = 0").run();
    }
    expect(faulty.injected()).toBeGreaterThan(3);
    expect(faultyOther.injected()).toBeGreaterThan(3);
    expect(report.state).toBe("finished");
    expect(report.skipped).toEqual({});
    expect(comparable(await rowsOf(env))).toEqual(comparable(rows));
  });

  it("copies the newest images in chains of steps of their own, which end with the backup", async () => {
    const { app, jobs, run } = withJobs(bindings);
    const before = await bindings.IMAGES.list({ prefix: "axis/" });
    const newest = utcDay(Date.now()) + 1;
    const prefixOf = (day: number) => `axis/${isoTime(day * DAY).slice(0, 10)}/`;
    const added = [newest, newest - 1].flatMap((day) =>
      Array.from({ length: 6 }, (_, i) => `${prefixOf(day)}ahead-${i}/${unique("image")}.jpg`),
    );
    for (const key of added) await bindings.IMAGES.put(key, key);
    const { id } = await startBackup(app, await actorOf(owner));
    const isCopied = async () =>
      Promise.all(added.map(async (key) => (await bindings.BACKUPS.head(`pool/IMAGES/${key}`)) !== null));
    // The backup itself stops when it begins to copy objects.
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      await continueBackup(app, job.id, { ms: 60_000, units: 1 });
      if ((await runOf(id))?.phase === "objects") break;
    }
    const chains = jobs.filter(({ type }) => type === "backup-copy");
    expect(chains.length).toBeGreaterThan(6);
    expect(await isCopied()).toEqual(added.map(() => false));
    // A camera's folder is of one chain only, and one that takes several steps copies the rest in the next.
    const lost = at(chains, 0);
    jobs.splice(0, jobs.length, ...chains.slice(1));
    await run({ ms: 60_000, units: 1 });
    const copied = await isCopied();
    expect(copied.filter(Boolean).length).toBeGreaterThan(6);
    expect(copied).toContain(false);
    jobs.push({ v: 1, type: "backup", id });
    await run();
    expect(await isCopied()).toEqual(added.map(() => true));
    expect(await runOf(id)).toMatchObject({
      state: "finished",
      objects: expect.any(Number),
    });
    await app.images.delete(added);
    jobs.push(lost);
    await run();
    expect(await isCopied()).toEqual(added.map(() => false));
    expect((await bindings.IMAGES.list({ prefix: "axis/" })).objects).toHaveLength(before.objects.length);
  });

  it("is read completely by verification, which names a changed part", async () => {
    const id = await backUp();
    const actor = await actorOf(owner);
    const whole = await verifyBackup(testApp(), actor, { id, after: 0 });
    expect(whole).toMatchObject({ next: null, problem: null, missing: 0 });
    expect(whole.objects).toBeGreaterThan(3);
    expect(whole.rows).toBe((await runOf(id))?.rows);
    const { objects } = await bindings.BACKUPS.list({ prefix: `backups/${id}/DB/users/` });
    const key = objects[0]?.key ?? "";
    await flip(key);
    const damaged = await verifyBackup(testApp(), actor, { id, after: 0 });
    expect(damaged.problem).toContain(key);
    expect((await auditOf(world.users.owner)).at(-1)).toMatchObject({
      action: "backup.verify",
      outcome: "failed",
    });
  });

  it("counts as verified when its last part was checked", async () => {
    const id = await backUp();
    const actor = await actorOf(owner);
    const verified = async () => {
      const { results } = await bindings.DB.prepare(
        "SELECT outcome, detail FROM audit_log WHERE action = 'backup.verify' AND object = ?",
      )
        .bind(id)
        .all();
      return results.map(({ outcome, detail }) => [outcome, JSON.parse(String(detail))]);
    };
    const { total } = await verifyBackup(testApp(), actor, { id, after: 100_000 });
    let steps = 0;
    for (let after: number | null = 0; after !== null; steps++) {
      expect(await verified()).toEqual([]);
      after = (await verifyBackup(testApp(), actor, { id, after }, TINY)).next;
    }
    expect(steps).toBe(total);
    // Names where this check began, because it did not check the parts before.
    expect(await verified()).toEqual([["ok", { after: total - 1, checked: total, total }]]);
  });

  it("with a changed part is not restored; the part is named and nothing is written", async () => {
    const id = await backUp();
    const { objects } = await bindings.BACKUPS.list({ prefix: `backups/${id}/DB/users/` });
    const key = objects[0]?.key ?? "";
    await flip(key);
    const env = await otherWorld();
    const report = await restoreAll(env, id);
    expect(report).toMatchObject({ state: "failed", rows: 0 });
    expect(report.message).toContain(key);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM agencies").first("n")).toBe(0);
    await flip(`backups/${id}/manifest.json`, 200);
    await expect(restoreAll(env, id)).rejects.toThrow(/manifest/);
  });

  it("made before some archived hits expired restores those that are kept, and is verified", async () => {
    const [first, second] = [await oldHit(hits, 300), await oldHit(hits, 200)];
    await archiveHits(hits, 9);
    const id = await backUp();
    expect(await purgeOldRecords(testApp(() => Date.now() + 100 * DAY))).toBeDefined();
    expect(await verifyBackup(testApp(), await actorOf(owner), { id, after: 0 })).toMatchObject({
      problem: null,
    });
    const env = await otherWorld();
    expect(await restoreAll(env, id)).toMatchObject({ state: "finished" });
    const app = appOf(env);
    const filter = parseAlertFilter({}, "UTC");
    if (typeof filter === "string") throw new Error(filter);
    const query = { groupId: hits.id, filter, beside: undefined, towards: "past" as const, limit: 9 };
    const ids = (await listAlerts(app, query)).map((hit) => hit.id);
    expect(ids).toContain(second.id);
    expect(ids).not.toContain(first.id);
  });

  it.each([
    ["", false],
    [", also if a later backup has run", true],
  ])(
    "of before a part of the audit log was purged verifies once restored and purged%s",
    async (_, isLater) => {
      const agency = await newAgency();
      await writeRows(
        agency.id,
        [900, 850, 800, 760, 600, 500, 1].map((age) => ({ age })),
      );
      await archive(agency, 2);
      const id = await backUp();
      expect(await purgeOldAudit(testApp())).toBe(4);
      if (isLater) await backUp();
      const env = await otherWorld();
      expect(await restoreAll(env, id, { ms: 60_000, units: 1 })).toMatchObject({ state: "finished" });
      expect(await purgeOldAudit(appOf(env))).toBe(4);
      await sealAuditLog(appOf(env));
      for (let after: number | null = 0; after !== null; ) {
        const report = await checkChain(appOf(env), agency.id, after);
        expect(report.problem).toBeNull();
        after = report.next;
      }
    },
  );

  it("does not restore purged objects", async () => {
    const id = await backUp();
    const { objects } = await bindings.IMAGES.list({ prefix: "axis/" });
    const gone = objects[0]?.key ?? "";
    const bytes = await bytesOf(bindings.IMAGES, gone);
    await testApp().images.delete([gone]);
    expect(await bindings.BACKUPS.head(`pool/IMAGES/${gone}`)).toBeNull();
    const env = await otherWorld();
    expect(await restoreAll(env, id)).toMatchObject({ state: "finished", missing: 0 });
    expect(await env.IMAGES.head(gone)).toBeNull();
    const detail = await env.DB.prepare(
      "SELECT detail FROM audit_log WHERE action = 'restore.images'",
    ).first<string>("detail");
    expect(JSON.parse(detail ?? "")).toMatchObject({ missing: 1, damaged: 0 });
    await bindings.IMAGES.put(gone, bytes, { httpMetadata: { contentType: "image/jpeg" } });
  });
});

function storeOf(env: Env, name: "DB" | `READS_${number}`): D1Database {
  const database = env[name];
  if (!database) throw new Error(`there is no database ${name}`);
  return database;
}

async function bytesOf(bucket: R2Bucket, key: string): Promise<ArrayBuffer> {
  const object = await bucket.get(key);
  if (!object) throw new Error(`there is no object ${key}`);
  return object.arrayBuffer();
}

/** Flips one bit of an object. */
async function flip(key: string, index = 60): Promise<void> {
  const bytes = new Uint8Array(await bytesOf(bindings.BACKUPS, key));
  bytes[index] = at(bytes, index) ^ 1;
  await bindings.BACKUPS.put(key, bytes);
}

describe("a large table", () => {
  it("is restored completely, with its indexes, even if each step ends after one part", async () => {
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21000)
      INSERT INTO sign_in_attempts (id, account, address, at) SELECT 'try' || (i * 7919 % 21001), 'name:' || i, '192.0.2.' || (i % 250), i FROM n`,
    ).run();
    try {
      const id = await backUp(bindings, TINY);
      const [rows, schema] = [await rowsOf(bindings), await schemaOf(bindings)];
      expect(rows["DB.sign_in_attempts"]?.length).toBeGreaterThanOrEqual(21_000);
      const env = await otherWorld();
      const report = await restoreAll(env, id, TINY);
      expect(report.state).toBe("finished");
      expect(report.skipped).toEqual({});
      expect(comparable(await rowsOf(env))).toEqual(comparable(rows));
      expect(await schemaOf(env)).toEqual(schema);
    } finally {
      await bindings.DB.prepare("DELETE FROM sign_in_attempts WHERE id LIKE 'try%'").run();
    }
  });
});

describe("key rings", () => {
  const key = "read-keys/some-agency";
  const today = utcDay(Date.now());
  const ringOf = (...days: number[]) =>
    seal(
      testApp().config.sealingKeys,
      { table: "read_keys", id: "some-agency", field: "ring" },
      JSON.stringify({ days: Object.fromEntries(days.map((day) => [day, "a2V5"])), held: [] }),
    );
  const copy = async () => (await bindings.BACKUPS.get(`pool/keys/${key}`))?.text();

  it("have keys of held reads that a restored database lists again, if the backup read its list before", async () => {
    const { readKeys, readsDatabases } = testApp();
    const held = await readKeys.holding(world.ours.id, ["HELD1 0 1"]);
    const moved =
      "UPDATE sealed_reads SET key_id = ?2 WHERE id = (SELECT min(id) FROM sealed_reads WHERE key_id = ?1)";
    const counts = await Promise.all(
      readsDatabases.map(async (database) => {
        const former = await database
          .prepare("SELECT key_id AS id FROM sealed_reads LIMIT 1")
          .first<number>("id");
        const undo = database
          .prepare("UPDATE sealed_reads SET key_id = ?1 WHERE key_id = ?2")
          .bind(former, held.id);
        const { meta } = await database.prepare(moved).bind(former, held.id).run();
        return { undo, moved: meta.changes };
      }),
    );
    expect(Math.max(...counts.map((one) => one.moved))).toBe(1);
    const id = await backUp();
    for (const { undo } of counts) await undo.run();
    const env = await otherWorld();
    // A fault of the bucket is not a ring that cannot be opened.
    const KEYS = beforeCall(env.KEYS, "get", () => Promise.reject(new Error(R2_WORDS.before)));
    await expect(restoreAll({ ...env, KEYS }, id)).rejects.toThrow(R2_WORDS.before);
    const report = await restoreAll(env, id);
    expect(report.state).toBe("finished");
    expect(report.skipped).toEqual({});
    for (const [i, database] of appOf(env).readsDatabases.entries()) {
      const listed = database.prepare("SELECT agency_id, day FROM read_keys WHERE id = ?").bind(held.id);
      const row = { agency_id: world.ours.id, day: null };
      expect((await listed.all()).results).toEqual(counts[i]?.moved === 1 ? [row] : []);
    }
    await readKeys.destroy(world.ours.id, { held: [held.id] });
  });

  it("have one current copy, without the keys of destroyed days, for all backups", async () => {
    await bindings.KEYS.put(key, await ringOf(today - 22, today - 21, today));
    const id = await backUp();
    await testApp().readKeys.destroy("some-agency", { days: [today - 22] });
    const younger = await (await bindings.KEYS.get(key))?.text();
    await backUp();
    expect(await copy()).toBe(younger);
    const env = await otherWorld();
    await restoreAll(env, id);
    expect(await (await env.KEYS.get(key))?.text()).toBe(younger);
    expect((await testApp().readKeys.of("some-agency", { fresh: true })).days).toEqual([today - 21, today]);
  });

  it("that were lost and started again leave their keys in the copy until these are destroyed", async () => {
    const { sealingKeys } = testApp().config;
    const second = parseSealingKeys(`${bindings.SEALING_KEYS},2:${btoa("another key that must not leak!!")}`);
    const owner = { table: "read_keys", id: "some-agency", field: "ring" };
    const put = async (bucket: R2Bucket, name: string, days: object, held: string[]) =>
      bucket.put(name, await seal(sealingKeys, owner, JSON.stringify({ days, held })));
    const keysOfCopy = async () => JSON.parse(await unseal(second, owner, (await copy()) ?? ""));
    const [a, b, c] = [today - 2, today - 1, today];
    await put(bindings.BACKUPS, `pool/keys/${key}`, { [a]: "a2E=", [b]: "a2I=", [c]: "a2M=" }, ["aDE="]);
    await put(bindings.KEYS, key, { [c]: "bmV3", [c + 1]: "a2Q=" }, ["aDI="]);
    const days = { [a]: "a2E=", [b]: "a2I=", [c]: "a2M=", [c + 1]: "a2Q=" };
    expect((await runOf(await backUp()))?.message).toContain("some-agency");
    expect(await keysOfCopy()).toEqual({ days, held: ["aDE=", "aDI="] });
    const readKeys = createReadKeys({ keys: bindings.KEYS, backups: bindings.BACKUPS }, second);
    await readKeys.rotate(1000);
    expect(await keysOfCopy()).toEqual({ days, held: ["aDE=", "aDI="] });
    await readKeys.destroy("some-agency", { days: [c], lost: [a] });
    const left = { days: { [b]: "a2I=", [c + 1]: "a2Q=" }, held: ["aDE=", "aDI="] };
    expect(await keysOfCopy()).toEqual(left);
    expect((await readKeys.of("some-agency", { fresh: true })).days).toEqual([c + 1]);
    // Also if the ring is gone.
    await bindings.KEYS.delete(key);
    await readKeys.destroy("some-agency", { lost: [b] });
    expect(await keysOfCopy()).toEqual({ ...left, days: { [c + 1]: "a2Q=" } });
    await bindings.BACKUPS.delete(`pool/keys/${key}`);
  });

  it("that were lost days ago do not overwrite the last copy, nor do those of held reads", async () => {
    const { sealingKeys } = testApp().config;
    const owner = { table: "read_keys", id: "some-agency", field: "ring" };
    const sealed = (days: number[], held: string[]) =>
      seal(
        sealingKeys,
        owner,
        JSON.stringify({ days: Object.fromEntries(days.map((day) => [day, "a2V5"])), held }),
      );
    const keysOfCopy = async () => JSON.parse(await unseal(sealingKeys, owner, (await copy()) ?? ""));
    for (const [had, has] of [
      // No camera of the agency sent a read on the three days since then.
      [await sealed([today - 5, today - 4], []), await sealed([today], [])],
      [await sealed([today], ["aDE="]), await sealed([today], [])],
    ] as const) {
      await bindings.BACKUPS.put(`pool/keys/${key}`, had);
      await bindings.KEYS.put(key, has);
      expect((await runOf(await backUp()))?.message).toContain("some-agency");
      const before = JSON.parse(await unseal(sealingKeys, owner, had));
      const after = await keysOfCopy();
      expect(after).toMatchObject(before);
    }
    await bindings.BACKUPS.delete(`pool/keys/${key}`);
    await bindings.KEYS.delete(key);
  });

  it("that were lost or cannot be opened stop no backup, and their copy is encrypted with the newest key", async () => {
    const { sealingKeys } = testApp().config;
    const second = parseSealingKeys(`${bindings.SEALING_KEYS},2:${btoa("another key that must not leak!!")}`);
    const only = parseSealingKeys(`2:${btoa("another key that must not leak!!")}`);
    const owner = { table: "read_keys", id: "some-agency", field: "ring" };
    const json = JSON.stringify({ days: { [today]: "a2E=" }, held: ["aDE="] });
    const readKeys = createReadKeys({ keys: bindings.KEYS, backups: bindings.BACKUPS }, second);
    const { unreadable } = await readKeys.rotate(0);
    for (const ring of [null, "no ring"]) {
      await bindings.BACKUPS.put(`pool/keys/${key}`, await seal(sealingKeys, owner, json));
      if (ring) {
        await bindings.KEYS.put(key, ring);
        expect(await runOf(await backUp())).toMatchObject({
          state: "finished",
          message: expect.stringContaining("some-agency"),
        });
      }
      const before = await readKeys.rotate(0);
      const { resealed } = await readKeys.rotate(1000);
      expect(resealed).toContain("some-agency");
      expect(before.remaining).toBe(resealed.length);
      expect(await unseal(only, owner, (await copy()) ?? "")).toBe(json);
      const left = { resealed: [], remaining: 0, unreadable: unreadable + (ring ? 1 : 0) };
      expect(await readKeys.rotate(1000)).toEqual(left);
      await bindings.KEYS.delete(key);
    }
    await bindings.BACKUPS.delete(`pool/keys/${key}`);
  });

  it("that were lost do not overwrite the last copy", async () => {
    const whole = await ringOf(today - 2, today - 1, today);
    const images = Array.from({ length: 120 }, (_, n) => `alerts/2026-01-03/${n}.jpg`);
    await bindings.KEYS.put(key, whole);
    for (const image of images) await bindings.IMAGES.put(image, image);
    await backUp();
    await bindings.KEYS.put(key, await ringOf(today));
    await bindings.IMAGES.delete(images);
    const id = await backUp();
    expect(await copy()).toBe(whole);
    // The message lists further losses after this one.
    expect((await runOf(id))?.message).toMatch(/some-agency.*IMAGES lacks objects/);
    await bindings.KEYS.put(key, whole);
    await testApp().images.delete(images);
  });
});

describe("objects", () => {
  it("keep their copies if more objects are missing than a purge explains, and the run reports this", async () => {
    const keys = Array.from({ length: 120 }, (_, n) => `alerts/2026-01-01/${n}.jpg`);
    for (const key of keys) await bindings.IMAGES.put(key, key);
    await backUp();
    await bindings.IMAGES.delete(keys);
    const id = await backUp();
    expect((await runOf(id))?.message).toMatch(/IMAGES lacks objects/);
    expect(await bindings.BACKUPS.head(`pool/IMAGES/${keys[0]}`)).not.toBeNull();
    await testApp().images.delete(keys);
    expect(await bindings.BACKUPS.head(`pool/IMAGES/${keys[0]}`)).toBeNull();
  });

  it("keep their copies if a bucket of a few was emptied, which no purge does", async () => {
    const { objects } = await bindings.RESULTS.list({ prefix: "exports/" });
    expect(objects.length).toBeGreaterThan(0);
    const [key = ""] = objects.map((object) => object.key);
    const kept = await Promise.all(
      objects.map(async (object) => ({ object, bytes: await bytesOf(bindings.RESULTS, object.key) })),
    );
    await backUp();
    await bindings.RESULTS.delete(objects.map((object) => object.key));
    try {
      const id = await backUp();
      expect((await runOf(id))?.message).toMatch(/RESULTS lacks objects/);
      expect(await bindings.BACKUPS.head(`pool/RESULTS/${key}`)).not.toBeNull();
    } finally {
      for (const { object, bytes } of kept)
        await bindings.RESULTS.put(object.key, bytes, { httpMetadata: object.httpMetadata });
    }
  });

  it("that an earlier backup's restore left out keep their copies until no policy keeps their day", async () => {
    const now = Date.now();
    const dayOf = (age: number) => isoTime(now - age * DAY).slice(0, 10);
    const keysOf = (prefix: string) => Array.from({ length: 120 }, (_, n) => `${prefix}/${n}.jpg`);
    const [old, young] = [400, 5].map((age) => [
      ...keysOf(`axis/${dayOf(age)}/cam`),
      ...keysOf(`alerts/${dayOf(age)}`),
    ]) as [string[], string[]];
    const all = [...old, ...young];
    await Promise.all(all.map((key) => bindings.IMAGES.put(key, key)));
    await backUp();
    await bindings.IMAGES.delete(all);
    // Another test sealed key rings with a second key.
    const SEALING_KEYS = `${bindings.SEALING_KEYS},2:${btoa("another key that must not leak!!")}`;
    await purgeExpired(testApp(Date.now, { SEALING_KEYS }));
    for (let run = 0; run < 5; run++) await purgeOldRecords(testApp(() => now + run * RUNS_EVERY));
    await backUp();
    const copies = async () => {
      const found: string[] = [];
      for (const key of all) if (await bindings.BACKUPS.head(`pool/IMAGES/${key}`)) found.push(key);
      return found;
    };
    expect(await copies()).toEqual(young);
    await testApp().images.delete(young);
  });

  it("of any size have no copy if the bucket refuses it", async () => {
    const key = "alerts/2026-01-04/large.jpg";
    await bindings.IMAGES.put(key, new Uint8Array(5 * 1024 * 1024));
    const put = async (_key: string, body: ReadableStream) => {
      await new Response(body).arrayBuffer();
      throw new Error("R2 is down");
    };
    const pool = { backups: { put } as unknown as R2Bucket, keys: testApp().config.sealingKeys };
    const copied = copyToPool(pool, { name: "IMAGES", bucket: bindings.IMAGES, key });
    await expect(copied).rejects.toThrow("R2 is down");
    await bindings.IMAGES.delete(key);
  });

  it("are all copied if others are stored while a page is copied", async () => {
    const keys = Array.from({ length: 600 }, (_, n) => `alerts/2026-01-05/b${String(n).padStart(3, "0")}`);
    await Promise.all(keys.map((key) => bindings.IMAGES.put(key, key)));
    const other = "alerts/2026-01-05/a.jpg";
    const IMAGES = beforeCall(bindings.IMAGES, "get", () => bindings.IMAGES.put(other, other));
    const id = await backUp({ ...bindings, IMAGES });
    const prefix = "pool/IMAGES/alerts/2026-01-05/b";
    const copies = (await bindings.BACKUPS.list({ prefix })).objects;
    expect(copies.map(({ key }) => key)).toEqual(keys.map((key) => `pool/IMAGES/${key}`));
    const env = await otherWorld();
    expect(await restoreAll(env, id)).toMatchObject({ state: "finished", missing: 0 });
    const restored = (await env.IMAGES.list({ prefix: "alerts/2026-01-05/b" })).objects;
    expect(restored.map(({ key }) => key)).toEqual(keys);
    await testApp().images.delete([...keys, other]);
  });

  it("are listed in few parts, so that the manifest stays small, and are restored some hundred at a time", async () => {
    const keys = Array.from({ length: 1_100 }, (_, n) => `alerts/2026-01-06/${String(n).padStart(4, "0")}`);
    await Promise.all(keys.map((key) => bindings.IMAGES.put(key, key)));
    try {
      const id = await backUp();
      const manifest = await readManifest(filesOf(testApp(), id));
      const [images] = manifest?.buckets.filter(({ name }) => name === "IMAGES") ?? [];
      expect(images?.objects).toBeGreaterThanOrEqual(1_100);
      expect(images?.parts).toHaveLength(1);
      const env = await otherWorld();
      await restoreRows(env, id, TINY);
      const { app, jobs } = withJobs(env);
      await sweepBackups(app);
      const restored: number[] = [];
      for (let job = jobs.shift(); job; job = jobs.shift()) {
        await continueImages(app, job.id, TINY);
        restored.push((await listBackups(app)).images?.done ?? images?.objects ?? 0);
      }
      expect(restored.length).toBeGreaterThanOrEqual(3);
      const most = Math.max(...restored.map((objects, n) => objects - (restored[n - 1] ?? 0)));
      expect(most).toBeLessThanOrEqual(500);
      const found = (await env.IMAGES.list({ prefix: "alerts/2026-01-06/", limit: 1000 })).objects;
      const rest = (await env.IMAGES.list({ prefix: "alerts/2026-01-06/1" })).objects;
      expect([...found, ...rest.slice(0, 100)].map(({ key }) => key)).toEqual(keys);
      const check = await verifyBackup(testApp(), await actorOf(owner), { id, after: 0 });
      expect(check).toMatchObject({ problem: null, next: null, objects: manifest?.objects, missing: 0 });
    } finally {
      await testApp().images.delete(keys.slice(0, 1000));
      await testApp().images.delete(keys.slice(1000));
    }
  });

  it("that are overwritten or purged while they are copied have no former copy", async () => {
    const [changed, purged] = ["hit-segments/changed", "hit-segments/purged"];
    for (const key of [changed, purged]) await bindings.ATTACHMENTS.put(key, "before");
    const { config, attachments } = testApp();
    const pool = { backups: bindings.BACKUPS, keys: config.sealingKeys };
    // After the object was read, and before its copy is written.
    const acts: Record<string, () => Promise<unknown>> = {
      [changed]: async () => {
        await bindings.ATTACHMENTS.put(changed, "after");
        await copyToPool(pool, { name: "ATTACHMENTS", bucket: bindings.ATTACHMENTS, key: changed });
      },
      [purged]: () => attachments.delete(purged),
    };
    const BACKUPS = new Proxy(bindings.BACKUPS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (key: string, ...rest: unknown[]) => {
          const own = String(key).replace("pool/ATTACHMENTS/", "");
          const act = name === "put" ? acts[own] : undefined;
          delete acts[own];
          await act?.();
          return value.apply(target, [key, ...rest]);
        };
      },
    });
    const id = await backUp({ ...bindings, BACKUPS });
    expect(acts).toEqual({});
    expect(await bindings.BACKUPS.head(`pool/ATTACHMENTS/${purged}`)).toBeNull();
    const env = await otherWorld();
    expect(await restoreAll(env, id)).toMatchObject({ state: "finished", missing: 0 });
    expect(await (await env.ATTACHMENTS.get(changed))?.text()).toBe("after");
    await attachments.delete(changed);
  });

  it("that arrive with their copy after a page was listed keep it", async () => {
    const key = "hit-segments/arrived";
    const { config, attachments } = testApp();
    const pool = { backups: bindings.BACKUPS, keys: config.sealingKeys };
    let hasArrived = false;
    const ATTACHMENTS = new Proxy(bindings.ATTACHMENTS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "list") return value.bind(target);
        return async (...values: unknown[]) => {
          const page = await value.apply(target, values);
          if (!hasArrived) {
            hasArrived = true;
            await bindings.ATTACHMENTS.put(key, "hits");
            await copyToPool(pool, { name: "ATTACHMENTS", bucket: bindings.ATTACHMENTS, key });
          }
          return page;
        };
      },
    });
    await backUp({ ...bindings, ATTACHMENTS });
    expect(await bindings.BACKUPS.head(`pool/ATTACHMENTS/${key}`)).not.toBeNull();
    await attachments.delete(key);
  });

  it("left in the pool by an interrupted purge are removed by the next backup", async () => {
    await bindings.IMAGES.put("alerts/2026-01-02/one.jpg", "one");
    await backUp();
    await bindings.IMAGES.delete("alerts/2026-01-02/one.jpg");
    await backUp();
    expect(await bindings.BACKUPS.head("pool/IMAGES/alerts/2026-01-02/one.jpg")).toBeNull();
  });
});

/** What page, restore, /health, a message and a cron get from a new isolate of an installation without RESTORE_TOKEN. */
async function withoutToken(other: Env, through = async <T>(work: () => Promise<T>) => work()) {
  const seen = { calls: 0, statuses: [0], camera: 0, message: "", health: "", held: [""], put: [{}] };
  const DB = databaseThrough(other.DB, (work) => {
    seen.calls += 1;
    return through(work);
  });
  seen.put = [];
  const JOBS = { sendBatch: async (list: object[]) => void seen.put.push(...list) } as unknown as Queue<Job>;
  const env = { ...other, DB, JOBS, RESTORE_TOKEN: undefined } as Env;
  const call = (path: string, init: RequestInit = {}) =>
    worker.fetch(new Request(new URL(path, ORIGIN), init) as never, env, createExecutionContext());
  const answers = [await call("/"), await call("/restore"), await call("/health")] as const;
  const camera = await call("/ingest/axis/none", { method: "POST" });
  seen.camera = camera.status;
  seen.statuses = answers.map(({ status }) => status);
  const text = await answers[1].text();
  seen.message = text.startsWith("{") ? JSON.parse(text).message : text;
  seen.health = await answers[2].text();
  seen.held = [];
  const message = { id: "m", body: {}, attempts: 1, ack: () => {}, retry: () => seen.held.push("again") };
  const batch = { queue: "odin-jobs", messages: [message], ackAll: () => seen.held.push("acked") };
  await takeBatch(batch as unknown as MessageBatch, env, { waitUntil: () => {} });
  const minute = { cron: "* * * * *", scheduledTime: 0, noRetry: () => {} };
  await runCron(minute, env, { waitUntil: () => {} }).catch(() => seen.held.push("failed"));
  return seen;
}

describe("a restore", () => {
  it("needs the token; while it is open, no other endpoint answers", async () => {
    const env = await otherWorld();
    const call = (path: string, init: RequestInit = {}) =>
      worker.fetch(new Request(new URL(path, ORIGIN), init) as never, env, createExecutionContext());
    const list = (token: string) => call("/restore", { headers: { authorization: `Bearer ${token}` } });
    const id = await backUp();
    expect((await list("wrong")).status).toBe(401);
    const listed: { id: string }[] = await (await list(RESTORE_TOKEN)).json();
    expect(listed[0]).toMatchObject({ id });
    for (const path of ["/", "/login", "/search", "/ingest/axis/abc"])
      expect((await call(path)).status, path).toBe(503);
    const wrong = await Promise.all(Array.from({ length: 20 }, () => list("wrong")));
    expect(wrong.map(({ status }) => status)).toContain(429);
    expect((await list(RESTORE_TOKEN)).status).toBe(200);
  });

  it("has all but the reads of an agency whose keys no sealing key opens", async () => {
    const id = await backUp();
    const ring = "pool/keys/read-keys/some-agency";
    await bindings.BACKUPS.put(ring, "no ring");
    const env = await otherWorld();
    const init = { method: "POST", headers: { authorization: `Bearer ${RESTORE_TOKEN}` } };
    let report: { state: string } = { state: "running" };
    while (report.state === "running") {
      const request = new Request(new URL(`/restore/${id}`, ORIGIN), init);
      report = await (await worker.fetch(request as never, env, createExecutionContext())).json();
    }
    expect(report).toMatchObject({ state: "finished", skipped: {} });
    await bindings.BACKUPS.delete(ring);
  });

  it("is refused if there is an agency, for an unknown backup, and during another restore", async () => {
    const id = await backUp();
    const full = appOf({ ...bindings, RESTORE_TOKEN });
    await expect(restoreBackup(full, RESTORE_TOKEN, { id })).rejects.toThrow(/empty installation/);
    const env = await otherWorld();
    await expect(restoreBackup(appOf(env), RESTORE_TOKEN, { id: "none" })).rejects.toThrow(/no such backup/);
    await restoreBackup(appOf(env), RESTORE_TOKEN, { id, limits: TINY });
    const other = await backUp();
    await expect(restoreBackup(appOf(env), RESTORE_TOKEN, { id: other })).rejects.toThrow(/Clear that first/);
  });

  it("names the bindings to add if the installation lacks databases with reads", async () => {
    const id = await backUp();
    const { READS_0, READS_1, READS_2, READS_3, ...other } = await otherWorld();
    const env = { ...other, READS_9: READS_3 } as Env;
    await expect(restoreAll(env, id)).rejects.toThrow(
      /^The backup has reads of databases that are not bound here: add READS_[0-3](, READS_[0-3])* to wrangler.toml and deploy\.$/,
    );
  });

  it("names the columns that this version lacks, and the version to restore with", async () => {
    await bindings.DB.exec("ALTER TABLE agencies ADD dropped_since text");
    const id = await backUp();
    await bindings.DB.exec("ALTER TABLE agencies DROP COLUMN dropped_since");
    await expect(restoreAll(await otherWorld(), id)).rejects.toThrow(
      "This version of Odin lacks what the backup has: DB.agencies (dropped_since). Deploy the version that made it, restore, and then deploy this one.",
    );
  });

  it("whose token was deleted midway keeps Odin closed until it is finished or cleared", async () => {
    expectLogged(/^job m failed/);
    const id = await backUp();
    const other = await otherWorld();
    const continueIt = () => restoreBackup(appOf(other), RESTORE_TOKEN, { id, limits: TINY });
    let phase = (await continueIt()).phase;
    expect(phase).toBe("check");
    // Nothing was written yet.
    expect((await withoutToken(other)).statuses).toEqual([200, 404, 503]);
    while (phase !== "rows") phase = (await continueIt()).phase;
    const closed = await withoutToken(other);
    expect(closed).toMatchObject({ statuses: [503, 503, 503], message: /^The restore .* has not finished/ });
    expect(closed.health).toBe(closed.message);
    // Each of them asked once whether a restore is unfinished, and did nothing else.
    expect(closed).toMatchObject({ calls: 6, camera: 503, held: ["acked"], put: [{ delaySeconds: 600 }] });
    for (let state = ""; state !== "cancelled"; )
      state = (await clearRestore(appOf(other), RESTORE_TOKEN)).state;
    expect((await withoutToken(other)).statuses).toEqual([200, 404, 503]);
    await restoreAll(other, id);
    expect((await withoutToken(other)).statuses).toEqual([200, 404, 503]);
  });

  it("is not forgotten while the database does not answer: then only /health does", async () => {
    expectLogged(/^bug/, /^ALARM: the control database does not answer/, /^job/);
    const dead = await withoutToken(await otherWorld(), async () => {
      throw new Error("D1_ERROR: overloaded");
    });
    expect(dead).toMatchObject({ statuses: [500, 500, 503], camera: 503, health: "late: database\n" });
    expect(dead.held).toEqual(["again", "failed"]);
  });

  it("counts the rows of a table only if some were not inserted, and reports how many", async () => {
    const id = await backUp();
    const env = await otherWorld();
    const counted: string[] = [];
    const listening = (real: D1Database) =>
      new Proxy(real, {
        get(target, name) {
          if (name === "prepare")
            return (text: string) => {
              counted.push(...(/^SELECT count\(\*\) AS n FROM "(\w+)"$/.exec(text)?.slice(1) ?? []));
              return target.prepare(text);
            };
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    const names = ["DB", "READS_0", "READS_1", "READS_2", "READS_3"] as const;
    const heard = {
      ...env,
      ...Object.fromEntries(names.map((name) => [name, listening(env[name] as D1Database)])),
    };
    const step = () => restoreBackup(appOf(heard), RESTORE_TOKEN, { id, limits: TINY });
    while ((await step()).phase !== "rows");
    const [agency] = await bindings.DB.prepare(
      "SELECT name FROM agencies WHERE id = (SELECT agency_id FROM users WHERE id = ?)",
    )
      .bind(world.users.viewer.id)
      .raw<[string]>();
    await env.DB.prepare("INSERT INTO agencies (id, name, created_at) VALUES ('another', ?, 0)")
      .bind(agency?.[0])
      .run();
    let report = await step();
    while (report.state === "running") report = await step();
    const kept = await env.DB.prepare("SELECT count(*) FROM users").first<number>("count(*)");
    const all = await bindings.DB.prepare("SELECT count(*) FROM users").first<number>("count(*)");
    expect(report.skipped["DB.users"]).toBe((all ?? 0) - (kept ?? 0));
    expect(report.skipped["DB.users"]).toBeGreaterThan(0);
    expect(counted).toContain("users");
    expect(
      counted.filter((table) => ["sealed_reads", "plate_runs", "audit_log", "alerts"].includes(table)),
    ).toEqual([]);
  });

  it("that was abandoned midway can be cleared, and another can start", async () => {
    const id = await backUp();
    const env = await otherWorld();
    const schema = await schemaOf(env);
    const empty = await rowsOf(env);
    for (let phase = ""; phase !== "objects"; )
      phase = (await restoreBackup(appOf(env), RESTORE_TOKEN, { id, limits: TINY })).phase;
    expect(await env.DB.prepare("SELECT count(*) AS n FROM agencies").first("n")).toBeGreaterThan(0);
    for (let state = ""; state !== "cancelled"; )
      state = (await clearRestore(appOf(env), RESTORE_TOKEN)).state;
    expect(await schemaOf(env)).toEqual(schema);
    // Clearing does not restore the rows that migrations insert; the next restore does.
    const { "DB.wildcard_versions": seeds, ...others } = empty;
    expect(seeds).toHaveLength(1);
    expect(await rowsOf(env)).toMatchObject(others);
    expect(await restoreAll(env, id)).toMatchObject({ state: "finished" });
  });
});

describe("backups", () => {
  it("are made every night, one at a time, and not before there is an agency", async () => {
    const { app, jobs, run } = withJobs(bindings);
    await startNightlyBackup(app);
    await startNightlyBackup(app);
    expect(jobs).toHaveLength(1);
    await expect(startBackup(app, await actorOf(owner))).rejects.toThrow(/already running/);
    await run();
    const empty = withJobs({ ...(await otherWorld()), RESTORE_TOKEN: undefined } as Env);
    await startNightlyBackup(empty.app);
    expect(empty.jobs).toHaveLength(0);
  });

  it("are also made after a restore that was abandoned before it wrote anything", async () => {
    await bindings.DB.prepare(
      "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES ('given-up', 'restore', 'running', 'check', 0)",
    ).run();
    const { app, jobs, run } = withJobs(bindings);
    await startNightlyBackup(app);
    expect(jobs).toHaveLength(1);
    await run();
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = 'given-up'").run();
  });

  it("that do not finish raise an alarm the next night, when the next one starts", async () => {
    await backUp();
    const { jobs } = withJobs(bindings);
    const queue = { send: async () => {} } as unknown as Queue<never>;
    const at = (hours: number) => appOf({ ...bindings, JOBS: queue }, () => Date.now() + hours * HOUR);
    await startNightlyBackup(at(24));
    const [started] = (await listBackups(testApp())).runs;
    expect(started).toMatchObject({ state: "running", started_by: "" });
    await failBackup(testApp(), started?.id ?? "", "R2 is down");
    await expect(startNightlyBackup(at(48))).rejects.toThrow(/no backup has finished since/);
    const [again] = (await listBackups(testApp())).runs;
    expect(again?.id).not.toBe(started?.id);
    await failBackup(testApp(), again?.id ?? "", "cleared by the test");
    expect(jobs).toHaveLength(0);
  });

  it("answer 400 to an invalid position and 404 to unknown ids at verification", async () => {
    const id = await backUp();
    expect((await owner.post(`/backups/${id}/verify`, { after: -1 })).status).toBe(400);
    expect((await owner.post(`/backups/${id}/verify`, { after: 10_000 })).status).toBe(200);
    for (const other of ["x".repeat(1100), "..%2F..", "%00"])
      expect((await owner.post(`/backups/${other}/verify`, { after: 0 })).status, other).toBe(404);
  });

  it("that are unknown to this database get a row and expire like others, even if unfinished", async () => {
    const id = await backUp();
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    const parts = ["backups/20200102T030405006Z-lost/DB/users/000000-x", "backups/no-time/DB/users/000000-x"];
    const fresh = `backups/${new Date().toISOString().replaceAll(/[-:.]/g, "")}-now/DB/users/000000-x`;
    for (const key of [...parts, fresh]) await bindings.BACKUPS.put(key, "part");
    await sweepBackups(testApp());
    expect(await runOf(id)).toMatchObject({ state: "finished", removed: false });
    for (const key of parts) expect(await bindings.BACKUPS.head(key), key).toBeNull();
    expect(await bindings.BACKUPS.head(fresh)).not.toBeNull();
    await bindings.BACKUPS.delete(fresh);
  });

  it("write rows in the owner's audit log when they start and end", async () => {
    const id = await backUp();
    const { results } = await bindings.DB.prepare(
      "SELECT action, agency_id, outcome FROM audit_log WHERE object = ? ORDER BY seq",
    )
      .bind(id)
      .all();
    expect(results).toEqual([
      { action: "backup.start", agency_id: world.ours.id, outcome: "ok" },
      { action: "backup.finished", agency_id: world.ours.id, outcome: "ok" },
    ]);
  });

  it("are late after 26 hours, and removed after 30 days except the newest", async () => {
    const id = await backUp();
    expect(await listBackups(testApp())).toMatchObject({ late: false });
    expect(await listBackups(testApp(() => Date.now() + 27 * HOUR))).toMatchObject({ late: true });
    const older = (await listBackups(testApp())).runs.filter((run) => run.id !== id && !run.removed);
    expect(older.length).toBeGreaterThan(0);
    // A run removes at most fifty, and the tests above have made about as many.
    for (let run = 0; run < 2; run++) await sweepBackups(testApp(() => Date.now() + 31 * DAY));
    const { objects } = await bindings.BACKUPS.list({ prefix: "backups/" });
    expect([...new Set(objects.map(({ key }) => key.split("/")[1]))]).toEqual([id]);
    expect(
      (await listBackups(testApp())).runs.filter(({ removed }) => !removed).map((run) => run.id),
    ).toEqual([id]);
  });

  it("that are canceled end at the next step and leave nothing", async () => {
    const { app, jobs, run } = withJobs(bindings);
    const { id } = await startBackup(app, await actorOf(owner));
    await continueBackup(app, id, TINY);
    expect((await bindings.BACKUPS.list({ prefix: `backups/${id}/` })).objects).not.toHaveLength(0);
    expect((await owner.post(`/backups/${id}/cancel`, {})).status).toBe(200);
    await run();
    expect(jobs).toHaveLength(0);
    await sweepBackups(app);
    expect((await bindings.BACKUPS.list({ prefix: `backups/${id}/` })).objects).toHaveLength(0);
    expect(await runOf(id)).toMatchObject({ state: "cancelled", removed: true });
  });

  it("that are canceled during a step are removed once their worker can no longer write", async () => {
    const { app } = withJobs(bindings);
    const { id } = await startBackup(app, await actorOf(owner));
    await continueBackup(app, id, TINY);
    await bindings.DB.prepare("UPDATE backup_runs SET leased_until = ? WHERE id = ?")
      .bind(Date.now() + HOUR, id)
      .run();
    await owner.post(`/backups/${id}/cancel`, {});
    await sweepBackups(app);
    expect(await runOf(id)).toMatchObject({ state: "cancelled", removed: false });
    await sweepBackups(testApp(() => Date.now() + 2 * HOUR));
    expect(await runOf(id)).toMatchObject({ state: "cancelled", removed: true });
  });

  it("are not changed by a worker whose lease has ended meanwhile", async () => {
    const { app, run } = withJobs(bindings);
    const actor = await actorOf(owner);
    const { id } = await startBackup(app, actor);
    const set = (change: string) =>
      bindings.DB.prepare(`UPDATE backup_runs SET ${change} WHERE id = ?`).bind(id).run();
    /** Another worker takes the run while this one writes a file. */
    async function loseLease() {
      const BACKUPS = beforeCall(bindings.BACKUPS, "put", () => set("lease = 'of another worker'"));
      const slow = withJobs({ ...bindings, BACKUPS }).app;
      await expect(continueBackup(slow, id)).rejects.toThrow("the lease");
      const phase = await phaseOf(id);
      await continueBackup(app, id);
      expect(await phaseOf(id)).toBe(phase);
      await set("leased_until = 0");
    }
    await loseLease();
    const parts = "SELECT count(*) AS n FROM backup_parts WHERE run_id = ?";
    expect(await bindings.DB.prepare(parts).bind(id).first("n")).toBe(0);
    while ((await phaseOf(id)) !== "manifest") await continueBackup(app, id, TINY);
    await loseLease();
    await run();
    const { rows } = (await runOf(id)) ?? {};
    expect(await verifyBackup(app, actor, { id, after: 0 })).toMatchObject({ rows, problem: null });
  });

  it("that make no progress fail, which the audit log reports", async () => {
    const { app } = withJobs(bindings);
    const { id } = await startBackup(app, await actorOf(owner));
    const broken = { ...bindings.BACKUPS, put: () => Promise.reject(new Error("R2 is down")) };
    const dead = withJobs({ ...bindings, BACKUPS: broken as unknown as R2Bucket }).app;
    for (let tries = 0; tries < 12; tries++)
      await expect(continueBackup(dead, id)).rejects.toThrow("R2 is down");
    await continueBackup(dead, id);
    expect(await runOf(id)).toMatchObject({ state: "failed" });
    const failed = await bindings.DB.prepare(
      "SELECT action FROM audit_log WHERE object = ? ORDER BY seq DESC",
    )
      .bind(id)
      .first("action");
    expect(failed).toBe("backup.failed");
  });
});
