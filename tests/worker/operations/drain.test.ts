// Adds a database and retires another through Odin's own endpoints; makes backups before, during and after a drain.

import { createExecutionContext } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { startBackup } from "#app/domain/operations/backups.ts";
import { drainStorage } from "#app/domain/operations/drain.ts";
import { viewStorage } from "#app/domain/operations/storage.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import worker from "../../../workers/app.ts";
import {
  actorOf,
  apiClient,
  bindings,
  type Client,
  jsonInit,
  newWorld,
  ORIGIN,
  pushRead,
  type Row,
  searchBody,
  type World,
} from "../../factories.ts";
import { countReads, findFence, PLAIN_READ } from "../../support/archive.ts";
import { appOf, emptyOtherWorld, otherWorld, restoreAll, withJobs } from "../../support/backup.ts";

const READS = [bindings.READS_0, bindings.READS_1, bindings.READS_2, bindings.READS_3] as D1Database[];
const TABLES = ["sealed_reads", "plate_runs", "sealed_midnights", "read_keys", "day_fences", "changed_reads"];
const LIMITS = { ms: 10_000, units: 8 };
/** The middle of a day, so that no pass is near a midnight. */
const noon = utcDay(Date.now()) * DAY - 12 * HOUR;

let world: World;
let owner: Client;
let officer: Client;

beforeAll(async () => {
  world = await newWorld();
  [owner, officer] = [await apiClient(world.users.owner), await apiClient(world.users.officer)];
});
beforeEach(async () => {
  for (const database of READS)
    await database.batch(TABLES.map((table) => database.prepare(`DELETE FROM ${table}`)));
  await bindings.DB.batch(
    ["read_places", "read_databases", "read_sizes"].map((table) =>
      bindings.DB.prepare(`DELETE FROM ${table}`),
    ),
  );
});

/** Returns the installation with other read databases, as a new isolate without cached places of days. */
function deployment(databases: Partial<Env>): Env {
  const db = new Proxy(bindings.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const none = { READS_0: undefined, READS_1: undefined, READS_2: undefined, READS_3: undefined };
  // A missing binding is undefined, which the type of `READS_n` does not allow.
  return { ...bindings, ...none, ...databases, DB: db } as unknown as Env;
}

async function ask(env: Env, path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(new URL(path, ORIGIN), { redirect: "manual", ...init });
  return worker.fetch(request as never, env as never, createExecutionContext());
}

const post = (env: Env, who: Client, path: string, body: unknown) =>
  ask(env, path, jsonInit(body, { headers: who.headers }));

/** Pauses, so that the timers of the other loops can fire. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Searches all days of the camera's agency. Returns the plates found. */
async function platesFound(env: Env): Promise<string[]> {
  const range = { start_time: isoTime(noon - 6 * DAY), end_time: isoTime(noon + DAY) };
  const answer = await post(env, officer, "/search-data", searchBody([world.ours.id], range));
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Row[]).map(({ plate }) => plate);
}

describe("databases of reads under load", () => {
  it("are added and retired while cameras post and people search; every read is found at every moment", async () => {
    const former = deployment({ READS_0: READS[0], READS_1: READS[1] });
    const posted = new Set<string>();
    let n = 0;
    const push = async (env: Env) => {
      const plate = `D${String(n++).padStart(5, "0")}`;
      const pass = { plate, at: noon - (n % 4) * DAY - n * 1000 };
      await pushRead(world.camera, pass, (path, init) => ask(env, path, init));
      posted.add(plate);
    };
    for (let i = 0; i < 40; i++) await push(former);
    // READS_2 is added and READS_0 drained. Two isolates handle requests, each with its own cache of places.
    const three = { READS_0: READS[0], READS_1: READS[1], READS_2: READS[2] };
    const [current, another] = [deployment(three), deployment(three)];
    const states = async () => viewStorage(appOf(current));
    expect((await states()).databases.map(({ name }) => name)).toEqual(["READS_0", "READS_1", "READS_2"]);
    const drained = await post(current, owner, "/storage/READS_0/state", { state: "draining" });
    expect(drained.status).toBe(200);
    expect((await post(current, owner, "/storage/READS_0/remove", {})).status).toBe(409);

    let isDone = false;
    const started: string[] = [];
    const load = async (env: Env) => {
      while (!isDone) {
        const plate = `D${String(n).padStart(5, "0")}`;
        started.push(plate);
        await push(env);
        // Stays within the rate limit of one camera.
        await pause(40);
      }
    };
    let searches = 0;
    const look = async () => {
      while (!isDone) {
        const before = [...posted];
        const found = await platesFound(current);
        const seen = new Set(found);
        expect(seen.size).toBe(found.length);
        expect(before.filter((plate) => !seen.has(plate))).toEqual([]);
        const known = new Set([...posted, ...started]);
        expect(found.filter((plate) => !known.has(plate))).toEqual([]);
        searches++;
        await pause(20);
      }
    };
    const drain = async () => {
      const ofDrained = async () => at((await states()).databases, 0);
      for (
        let later = 0;
        !(await ofDrained()).removable;
        later += (await ofDrained()).days === 0 ? 6 * MINUTE : 0
      ) {
        if (later > HOUR) throw new Error("the drain does not end");
        await drainStorage(
          appOf(current, () => Date.now() + later),
          { ms: 10_000, units: 3 },
        );
        // Waits for searches and posts after each step of the drain, however slow they are.
        const [searchesThen, postedThen] = [searches, posted.size];
        while (!isDone && (searches === searchesThen || posted.size < postedThen + 3)) await pause(20);
      }
      isDone = true;
    };
    const working = Promise.all([load(another), load(current), look(), drain()]);
    await working.finally(() => {
      isDone = true;
    });
    expect(posted.size).toBeGreaterThan(50);
    expect(searches).toBeGreaterThan(3);
    expect((await post(current, owner, "/storage/READS_0/remove", {})).status).toBe(200);

    const without = deployment({ READS_1: READS[1], READS_2: READS[2] });
    expect((await platesFound(without)).sort()).toEqual([...posted].sort());
    await push(without);
    expect((await platesFound(without)).sort()).toEqual([...posted].sort());
  });

  it("store the reads of 100 cameras that send an hour of passes at once, and send them again", async () => {
    const cameras = Array.from({ length: 100 }, (_, i) => `back-${i}`);
    const { reads } = appOf(deployment({ READS_0: READS[0], READS_1: READS[1] }));
    const send = () =>
      Promise.all(
        cameras.map((cameraId) =>
          reads.takeEvents(
            Array.from({ length: 60 }, (_, i) => ({
              ...PLAIN_READ,
              plate: `B${i}`,
              confidence: 90,
              carState: "new",
              eventAt: noon - i * MINUTE,
              capturedAt: noon - i * MINUTE,
              agencyId: world.ours.id,
              cameraId,
              cameraName: cameraId,
              carId: String(i),
            })),
          ),
        ),
      );
    const first = (await send()).flat();
    expect(first.filter(({ created }) => created)).toHaveLength(6000);
    const again = (await send()).flat();
    expect(again.filter(({ created }) => created)).toEqual([]);
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(await countReads(READS)).toBe(6000);
  });
});

describe("a backup around a drain", () => {
  beforeEach(emptyOtherWorld);

  const databases = { READS_0: READS[0], READS_1: READS[1] };

  async function backUp(env: Env): Promise<string> {
    const { app, run } = withJobs(env);
    const { id } = await startBackup(app, await actorOf(owner));
    await run();
    return id;
  }

  /** Restores a backup into empty databases. Returns the installation. */
  async function restore(id: string, over: Partial<Env> = {}) {
    await emptyOtherWorld();
    const other = await otherWorld();
    // A missing binding, as in `deployment`.
    const env = { ...other, READS_2: undefined, READS_3: undefined, ...over } as unknown as Env;
    const report = await restoreAll(env, id);
    expect(report.state).toBe("finished");
    expect(report.skipped).toEqual({});
    return env;
  }

  async function platesOf(env: Env): Promise<string[]> {
    const plates: string[] = [];
    for await (const page of appOf(env).reads.searchReads({
      agencyIds: [world.ours.id],
      cameraIds: [world.camera.id],
      maxReads: 1000,
      signal: new AbortController().signal,
      query: {
        plate: { kind: "any" },
        plateState: "",
        color: "",
        make: "",
        bodyType: "",
        marks: [],
        from: noon - 6 * DAY,
        to: noon + DAY,
      },
    })) {
      expect(page.missedDays ?? []).toEqual([]);
      plates.push(...page.reads.map(({ plate }) => plate));
    }
    return plates.sort();
  }

  it("restores every read if it was made before, during or after the drain, even if only fences are left", async () => {
    const env = deployment(databases);
    const plates = ["RB1", "RB2", "RB3", "RB4"];
    for (const [i, plate] of plates.entries())
      await pushRead(world.camera, { plate, at: noon - (i % 2) * DAY - i * 1000 }, (path, init) =>
        ask(env, path, init),
      );
    const before = await backUp(env);

    expect((await post(env, owner, "/storage/READS_0/state", { state: "draining" })).status).toBe(200);
    const [day] = (
      await bindings.DB.prepare("SELECT day FROM read_places WHERE database = 'READS_0'").all<{
        day: number;
      }>()
    ).results.map((row) => row.day);
    // During the drain: a part of the day is copied.
    for (let i = 0; i < 9 && !(await findFence(READS[1] as D1Database, day ?? 0)); i++)
      await drainStorage(appOf(env), { ms: 10_000, units: 3 });
    expect(await findFence(READS[0] as D1Database, day ?? 0)).toMatchObject({ state: "copying" });
    const during = await backUp(env);

    for (let i = 0; i < 9; i++) await drainStorage(appOf(env), LIMITS);
    const moved = await backUp(env);
    const later = appOf(env, () => Date.now() + 6 * MINUTE);
    for (let i = 0; i < 9; i++) await drainStorage(later, LIMITS);
    expect((await post(env, owner, "/storage/READS_0/remove", {})).status).toBe(200);
    const without = deployment({ READS_1: READS[1] });
    // READS_0 now has only fences. The first of these backups includes it, but its restore does not need it.
    const [emptied, removed] = [await backUp(env), await backUp(without)];

    for (const id of [before, during, moved, emptied, removed])
      expect(await platesOf(await restore(id)), id).toEqual(plates);
    for (const id of [emptied, removed]) {
      const one = await restore(id, { READS_0: undefined });
      expect(await platesOf(one)).toEqual(plates);
      expect(await appOf(one).places.listUnbound()).toEqual([]);
    }
    // The interrupted move is discarded and restarted.
    const one = await restore(during);
    const app = appOf(one, () => Date.now() + 2 * MINUTE);
    for (let i = 0; i < 12; i++) await drainStorage(app, LIMITS);
    expect(new Set((await app.places.listParts(0, utcDay(noon))).map(({ name }) => name))).toEqual(
      new Set(["READS_1"]),
    );
    expect(await platesOf(one)).toEqual(plates);
  });
});
