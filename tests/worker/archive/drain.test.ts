// A drain whose worker dies, or is delayed, at each of its calls in turn. At every moment, searches find exactly the
// existing reads; in the end no read is lost, duplicated, outdated, or restored after its deletion.

import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { drainStorage } from "#app/domain/operations/drain.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { DAY, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import { purgeReadsOf } from "#app/store/archive/purge/reads.ts";
import { createReadStore, type NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import { bindings } from "../../factories.ts";
import {
  destroySpentKeys,
  findFence,
  heldAlways,
  newRun,
  PLAIN_READ,
  takeEvent,
} from "../../support/archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";

type Extra = Record<"OTHER_DB" | "OTHER_READS_0" | "OTHER_READS_1", D1Database> & {
  TEST_MIGRATIONS: Record<"control" | "reads", D1Migration[]>;
};
const { OTHER_DB, OTHER_READS_0: A, OTHER_READS_1: B, TEST_MIGRATIONS } = bindings as unknown as Extra;
const TABLES = ["sealed_reads", "plate_runs", "sealed_midnights", "read_keys", "day_fences", "changed_reads"];
const buckets = { keys: bindings.KEYS, backups: bindings.BACKUPS };
const keys = createReadKeys(buckets, parseSealingKeys(bindings.SEALING_KEYS));
const images = bindings.IMAGES;
const LIMITS = { ms: 10_000, units: 20 };
/** Only every ninth call is tested, starting from a different one in each test run. */
const STRIDE = 9;
const FIRST = inject("fuzzSeed") % STRIDE;

let now = Date.UTC(2026, 5, 1, 12);
/** When the reads were captured. */
let start = now;
/** Agencies with reads that are kept, that expire during the drain, and of which a legal hold keeps one. */
let agencies = { kept: "", expiring: "", held: "" };
/** The reads that a search must find: plate to confidence, which late events raise. */
let expected = new Map<string, number>();

beforeAll(async () => {
  await applyD1Migrations(OTHER_DB, TEST_MIGRATIONS.control);
  for (const database of [A, B]) await applyD1Migrations(database, TEST_MIGRATIONS.reads);
});

const control = (...sql: string[]) => OTHER_DB.batch(sql.map((one) => OTHER_DB.prepare(one)));

type Through = <T>(work: () => Promise<T>) => Promise<T>;
const direct: Through = (work) => work();

/** Opens the installation as a new isolate, whose database calls go through `call`. */
function open(call: Through = direct) {
  const db = openControl(databaseThrough(OTHER_DB, call));
  const clock = () => now;
  const databases = findReadsDatabases({
    READS_0: databaseThrough(A, call),
    READS_1: databaseThrough(B, call),
  });
  const places = createPlaces({ db, databases, limitBytes: 1e10, clock });
  const retentionDays = async (ids: string[]) => new Map(ids.map((id) => [id, 400]));
  const reads = createReadStore({ places, keys, retentionDays, clock, answerMs: 10_000 });
  return { app: { db, places, clock }, reads };
}

function read(plate: string, over: Partial<NewRead> = {}): NewRead {
  const capturedAt = over.capturedAt ?? start;
  return {
    ...PLAIN_READ,
    plate,
    make: "Honda",
    confidence: 50,
    latitude: 41.76,
    longitude: -72.67,
    carState: "new",
    eventAt: capturedAt,
    capturedAt,
    agencyId: agencies.kept,
    cameraId: "cam-1",
    cameraName: "I-84 East",
    carId: plate,
    ...over,
  };
}

/** Stores a day of reads in READS_0, which is to be drained. */
async function begin(): Promise<void> {
  start += 1000 * DAY;
  now = start;
  const id = now / DAY;
  agencies = { kept: `kept-${id}`, expiring: `expiring-${id}`, held: `held-${id}` };
  for (const database of [A, B])
    await database.batch(TABLES.map((table) => database.prepare(`DELETE FROM ${table}`)));
  await control(
    "DELETE FROM read_places",
    "DELETE FROM read_databases",
    "INSERT INTO read_databases (name, state, state_at) VALUES ('READS_0', 'draining', 0), ('READS_1', 'open', 0)",
    `INSERT INTO read_places (day, part, database, placed_at) VALUES (${utcDay(start)}, 0, 'READS_0', 0)`,
  );
  const given = [
    ...["KEEP1", "KEEP2", "KEEP3"].map((plate) => read(plate)),
    read("GONE1", { agencyId: agencies.expiring }),
    ...["HELD1", "GONE2"].map((plate) => read(plate, { agencyId: agencies.held })),
  ];
  await open().reads.insertReads(given);
  expected = new Map(given.map(({ plate }) => [plate, 50]));
}

/** Searches as a new isolate and compares all results with the expected reads. */
async function expectAll(hint: string): Promise<void> {
  const found: [string, number | null][] = [];
  for await (const page of open().reads.searchReads({
    agencyIds: Object.values(agencies),
    cameraIds: ["cam-1"],
    maxReads: 1000,
    signal: new AbortController().signal,
    query: {
      plate: { kind: "any" },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from: start - 2 * DAY,
      to: start + DAY,
    },
  })) {
    expect(page.missedDays ?? [], hint).toEqual([]);
    found.push(...page.reads.map(({ plate, confidence }): [string, number | null] => [plate, confidence]));
  }
  expect(found.sort(), hint).toEqual([...expected].sort());
}

const held = () => heldAlways([{ plate: "HELD1", from: 0, until: start + DAY }])();

/** Posts a new read and a late event; deletes expired reads, and gives held reads a separate key. */
async function change(n: number): Promise<void> {
  const { reads } = open();
  await takeEvent(reads, read(`NEW${n}`));
  expected.set(`NEW${n}`, 50);
  const later = start + 1000 * n;
  const late = { carState: "lost", capturedAt: later, eventAt: later, confidence: 60 + n } as const;
  const amended = await takeEvent(reads, read("KEEP2", late));
  expect(amended.created).toBe(false);
  expected.set("KEEP2", 60 + n);
  const parts = { databases: [A, B], images, keys };
  // The purge skips a day that is being moved; the next run deletes it.
  for (const agencyId of [agencies.expiring, agencies.held]) {
    const order = { agencyId, before: start + DAY, held };
    await purgeReadsOf(parts, order, await newRun(parts, order));
  }
  expected.delete("GONE1");
  expected.delete("GONE2");
}

/** Continues the drain with healthy workers until the former rows are deleted; checks that none is left. */
async function finish(hint: string): Promise<void> {
  const { app } = open();
  const unfinished =
    "SELECT count(*) AS n FROM read_places WHERE database = 'READS_0' OR left_in IS NOT NULL";
  for (let i = 0; i < 12 && (await OTHER_DB.prepare(unfinished).first("n")) !== 0; i++) {
    now += 3 * MINUTE;
    await drainStorage(app, LIMITS);
  }
  const [place] = await app.places.listParts(utcDay(start), utcDay(start));
  expect(place?.name, hint).toBe("READS_1");
  for (const table of ["sealed_reads", "plate_runs", "sealed_midnights", "changed_reads"])
    expect(await A.prepare(`SELECT count(*) AS n FROM ${table}`).first("n"), `${hint}: ${table}`).toBe(0);
  expect(await findFence(B, utcDay(start)), hint).toMatchObject({ state: "open", continued: 0 });
  await expectAll(hint);
}

/** Destroys all keys and checks that no row remains: no row was copied after its deletion. */
async function destroyAll(hint: string): Promise<void> {
  const parts = { databases: [A, B], images, keys };
  for (const agencyId of Object.values(agencies)) {
    const order = { agencyId, before: start + 3 * DAY, held: heldAlways() };
    const run = await newRun(parts, order);
    await purgeReadsOf(parts, order, run);
    await destroySpentKeys(parts, order, run);
    expect((await keys.of(agencyId, { fresh: true })).days, hint).toEqual([]);
  }
  for (const database of [A, B])
    expect(await database.prepare("SELECT count(*) AS n FROM sealed_reads").first("n"), hint).toBe(0);
}

const DIED = "this isolate has died";

/** Lets `n` calls through, then the isolate dies: before or after the next call takes effect. */
function dying(n: number, isAfter: boolean): { call: Through; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    call: async (work) => {
      calls += 1;
      if (calls <= n) return work();
      if (calls === n + 1 && isAfter) await work();
      throw new Error(DIED);
    },
  };
}

describe("a drain", () => {
  it.each([false, true])(
    "continues after a worker that died at any of its calls (after its effect: %s)",
    async (isAfter) => {
      expectLogged(/this isolate has died/);
      let n = FIRST;
      for (let isWhole = false; !isWhole; n += STRIDE) {
        await begin();
        const hint = `died at call ${n}`;
        const { call, calls } = dying(n, isAfter);
        await drainStorage(open(call).app, LIMITS).catch(() => {});
        isWhole = calls() <= n;
        await expectAll(hint);
        // A day that the dead worker has closed refuses writes until the next step.
        if ((await findFence(A, utcDay(start)))?.state !== "closed") {
          await change(1);
          await expectAll(hint);
        }
        now += 2 * MINUTE;
        await drainStorage(open().app, LIMITS);
        await change(2);
        await expectAll(hint);
        await finish(hint);
        await change(3);
        await expectAll(hint);
        if (n % 2 === 0) await destroyAll(hint);
      }
      // Checks that the drain made enough calls for the test to be meaningful.
      expect(n).toBeGreaterThan(2 * STRIDE);
    },
  );

  it("is not affected by a worker that was delayed at any of its calls until after the end of the drain", async () => {
    let n = FIRST;
    for (let isWhole = false; !isWhole; n += STRIDE) {
      await begin();
      const hint = `delayed at call ${n}`;
      let calls = 0;
      let resume = () => {};
      const gate = new Promise<void>((go) => {
        resume = go;
      });
      let reached = () => {};
      const isWaiting = new Promise<boolean>((go) => {
        reached = () => go(true);
      });
      const call: Through = async (work) => {
        calls += 1;
        if (calls === n + 1) {
          reached();
          await gate;
        }
        return work();
      };
      const delayed = drainStorage(open(call).app, LIMITS).catch(() => {});
      isWhole = !(await Promise.race([isWaiting, delayed.then(() => false)]));
      await expectAll(hint);
      now += 2 * MINUTE;
      const other = open().app;
      for (let i = 0; i < 3; i++) await drainStorage(other, LIMITS);
      await change(1);
      if (n % 2 === 0) await finish(hint);
      resume();
      await delayed;
      await expectAll(hint);
      await change(2);
      await expectAll(hint);
      await finish(hint);
    }
    expect(n).toBeGreaterThan(2 * STRIDE);
  });

  it("of a day that a purge has listed before keeps its keys until a later purge has removed its reads", async () => {
    await begin();
    const parts = { databases: [A, B], images, keys };
    const due = [agencies.expiring, agencies.held].map((agencyId) => ({
      agencyId,
      before: start + 3 * DAY,
      held,
    }));
    const purge = async (isListedBefore: boolean) => {
      for (const [i, order] of due.entries()) {
        const run = isListedBefore ? at(before, i) : await newRun(parts, order);
        await purgeReadsOf(parts, order, run);
        const { days } = await destroySpentKeys(parts, order, run);
        expect(days).toEqual(isListedBefore ? [] : [utcDay(start)]);
      }
    };
    const before = await Promise.all(due.map((order) => newRun(parts, order)));
    const { app } = open();
    for (let i = 0; i < 12 && (await findFence(A, utcDay(start)))?.state !== "moved"; i++)
      await drainStorage(app, LIMITS);
    // The former rows are still there.
    expect(await A.prepare("SELECT count(*) AS n FROM sealed_reads").first("n")).toBe(expected.size);
    await purge(true);
    await expectAll("moved");
    await finish("moved");
    await purge(true);
    await expectAll("former rows deleted");
    await purge(false);
    for (const plate of ["GONE1", "GONE2"]) expected.delete(plate);
    await expectAll("purged");
  });

  it("is undone even if a worker died at any of its calls, and can be repeated", async () => {
    expectLogged(/this isolate has died/);
    const state = (to: string) => control(`UPDATE read_databases SET state = '${to}' WHERE name = 'READS_0'`);
    let n = FIRST;
    for (let isWhole = false; !isWhole; n += STRIDE) {
      await begin();
      const hint = `undone, and died at call ${n}`;
      // While a day is being copied.
      const first = dying(24, true);
      await drainStorage(open(first.call).app, LIMITS).catch(() => {});
      await state("open");
      now += 2 * MINUTE;
      const { call, calls } = dying(n, n % 2 === 0);
      await drainStorage(open(call).app, LIMITS).catch(() => {});
      isWhole = calls() <= n;
      await expectAll(hint);
      now += 2 * MINUTE;
      await drainStorage(open().app, LIMITS);
      await change(1);
      await expectAll(hint);
      const [place] = await open().app.places.listParts(utcDay(start), utcDay(start));
      if (at([place], 0)?.name === "READS_0")
        expect(await B.prepare("SELECT count(*) AS n FROM sealed_reads").first("n"), hint).toBe(0);
      await state("draining");
      await finish(hint);
    }
    expect(n).toBeGreaterThan(STRIDE);
  });
});
