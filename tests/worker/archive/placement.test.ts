import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { drainStorage } from "#app/domain/operations/drain.ts";
import { viewStorage } from "#app/domain/operations/storage.ts";
import type { ArchivedRead, ReadPage } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { DAY, HOUR, isoTime, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createAxisProvider } from "#app/providers/axis.ts";
import { beginCopy, copyChanges, copyDay, type DayMove } from "#app/store/archive/day-copy.ts";
import { findLockHolder, isLockLost, lockDay, newLockHolder } from "#app/store/archive/day-lock.ts";
import { closeDay } from "#app/store/archive/day-switch.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import { purgeReadsOf } from "#app/store/archive/purge/reads.ts";
import { forgetKeys } from "#app/store/archive/purge/spent-keys.ts";
import { createReadArchive, createReadStore, type NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { beginMove } from "#app/store/operations/storage.ts";
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

type Extra = Record<"OTHER_DB" | "OTHER_READS_0" | "OTHER_READS_1" | "OTHER_READS_2", D1Database> & {
  TEST_MIGRATIONS: Record<"control" | "reads", D1Migration[]>;
};
const { OTHER_DB, OTHER_READS_0, OTHER_READS_1, OTHER_READS_2, TEST_MIGRATIONS } =
  bindings as unknown as Extra;
const [A, B] = [bindings.READS_0 as D1Database, bindings.READS_1 as D1Database];
const [C, D] = [OTHER_READS_0, OTHER_READS_1];
const TABLES = ["sealed_reads", "plate_runs", "sealed_midnights", "read_keys", "day_fences", "changed_reads"];

let now = Date.UTC(2026, 5, 1, 12);
/** Each test has its own days and agency, because isolates cache the database of each day. */
let agencyId = "";

beforeAll(async () => {
  await applyD1Migrations(OTHER_DB, TEST_MIGRATIONS.control);
  for (const database of [C, D]) await applyD1Migrations(database, TEST_MIGRATIONS.reads);
});

async function begin(): Promise<void> {
  now += 1000 * DAY;
  agencyId = `agency-${now / DAY}`;
  for (const database of [A, B, C, D])
    await database.batch(TABLES.map((table) => database.prepare(`DELETE FROM ${table}`)));
  await control("DELETE FROM read_places", "DELETE FROM read_databases", "DELETE FROM read_sizes");
}

const control = (...sql: string[]) => OTHER_DB.batch(sql.map((one) => OTHER_DB.prepare(one)));
const buckets = { keys: bindings.KEYS, backups: bindings.BACKUPS };
const keys = createReadKeys(buckets, parseSealingKeys(bindings.SEALING_KEYS));

/** Opens an installation. A different object for the control database simulates another isolate with its own cache. */
function open(
  databases: Record<string, D1Database>,
  input: { limit?: number; db?: D1Database; answerMs?: number } = {},
) {
  const { limit: limitBytes = 1e10, db = OTHER_DB, answerMs = 10_000 } = input;
  const clock = () => now;
  const places = createPlaces({
    db: openControl(db),
    databases: findReadsDatabases(databases),
    limitBytes,
    clock,
  });
  const retentionDays = async (ids: string[]) => new Map(ids.map((id) => [id, 400]));
  const parts = { places, keys, retentionDays, clock, answerMs };
  const reads = createReadStore(parts);
  return { app: { db: openControl(db), places, clock }, places, reads, parts };
}
type Opened = ReturnType<typeof open>;

const anotherIsolate = () =>
  new Proxy(OTHER_DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** Returns a database whose every call ends as `answer` does. */
const broken = (real: D1Database, answer: () => Promise<never>) =>
  new Proxy(real, {
    get(target, name) {
      if (name === "batch") return answer;
      const value: unknown = Reflect.get(target, name);
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
      const statement = { bind: () => statement, all: answer, first: answer, run: answer, raw: answer };
      return () => statement;
    },
  });
const gone = (real: D1Database) =>
  broken(real, () => Promise.reject(new Error("D1_ERROR: Network connection lost")));
const silent = (real: D1Database) => broken(real, () => new Promise(() => {}));

function read(over: Partial<NewRead> = {}): NewRead {
  const capturedAt = over.capturedAt ?? now;
  return {
    ...PLAIN_READ,
    plate: "AB12345",
    make: "Honda",
    confidence: 90,
    latitude: 41.76,
    longitude: -72.67,
    carState: "new",
    eventAt: capturedAt,
    capturedAt,
    agencyId,
    cameraId: "cam-1",
    cameraName: "I-84 East",
    carId: "1",
    ...over,
  };
}

/** Returns `each` reads of different cars for each of the last `days` days. */
const readsOf = (days: number, each: number) =>
  Array.from({ length: days * each }, (_, i) => {
    const day = i % days;
    return read({
      carId: String(i),
      plate: `P${10_000 + i}`,
      capturedAt: now - day * DAY - (i % 900) * 1000,
    });
  });

async function search(
  { reads }: Opened,
  over: { text?: string; from?: number; pageSize?: number; agencyIds?: string[] } = {},
) {
  const pages: ReadPage[] = [];
  const plate = over.text ? { kind: "pattern" as const, text: over.text } : { kind: "any" as const };
  for await (const page of reads.searchReads({
    agencyIds: over.agencyIds ?? [agencyId],
    cameraIds: ["cam-1"],
    maxReads: 100_000,
    ...(over.pageSize && { pageSize: over.pageSize }),
    signal: new AbortController().signal,
    query: {
      plate,
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from: over.from ?? now - 60 * DAY,
      to: now + 2 * DAY,
    },
  }))
    pages.push(page);
  return {
    found: pages.flatMap((page) => page.reads),
    missed: pages.flatMap((page) => page.missedDays ?? []),
  };
}

/** Starts a move as a step of a drain does. */
async function lockedMove(move: Omit<DayMove, "holder">): Promise<DayMove> {
  const holder = newLockHolder();
  for (const { database } of [move.from, move.to])
    await lockDay(database, { day: move.day, holder, before: await findLockHolder(database, move.day) });
  return { ...move, holder };
}

const platesOf = (found: ArchivedRead[]) => found.map(({ plate }) => plate).sort();
const placesOf = async ({ places }: Opened, day = utcDay(now)) =>
  (await places.listParts(day, day)).map(({ name }) => name);

describe("the place of a day", () => {
  it("is recorded for an installation that placed days by modulo, without moving reads", async () => {
    await begin();
    const former = { READS_0: A, READS_1: B, READS_2: C };
    // The former version derived the database of a day from the day number.
    await control("INSERT INTO read_databases (name, state_at) VALUES ('READS_0', 0)");
    const byModulo = (day: number) => `READS_${day % 3}`;
    for (let i = 0; i < 9; i++) {
      const day = utcDay(now) - i;
      await control(
        `INSERT INTO read_places (day, part, database, placed_at) VALUES (${day}, 0, '${byModulo(day)}', 0)`,
      );
    }
    const given = readsOf(9, 7);
    await open(former).reads.insertReads(given);
    await control("DELETE FROM read_places", "DELETE FROM read_databases");

    const updated = open({ ...former, READS_7: D });
    const { found } = await search(updated);
    expect(platesOf(found)).toEqual(platesOf(given as never));
    for (let day = utcDay(now) - 8; day <= utcDay(now) + 1; day++)
      expect(await placesOf(updated, day)).toEqual([byModulo(day)]);
    const { databases } = await viewStorage(updated.app);
    expect(databases.map(({ name }) => name)).toEqual(["READS_0", "READS_1", "READS_2", "READS_7"]);
    // The new database gets the first day without a place.
    now += 2 * DAY;
    await takeEvent(updated.reads, read({ carId: "later" }));
    expect(await placesOf(updated)).toEqual(["READS_7"]);
  });

  it("is where its reads are, even if the update also added a database", async () => {
    await begin();
    const former = { READS_0: A, READS_1: B };
    const given = [...readsOf(2, 3), ...readsOf(5, 2).slice(4)];
    await control("INSERT INTO read_databases (name, state_at) VALUES ('READS_0', 0)");
    for (let day = utcDay(now) - 9; day <= utcDay(now) + 1; day++)
      await control(
        `INSERT INTO read_places (day, part, database, placed_at) VALUES (${day}, 0, 'READS_${day % 2}', 0)`,
      );
    await open(former).reads.insertReads(given);
    await control("DELETE FROM read_places", "DELETE FROM read_databases");
    const updated = open({ ...former, READS_2: C }, { db: anotherIsolate() });
    const days = new Set(given.map(({ capturedAt }) => utcDay(capturedAt)));
    const { found, missed } = await search(updated);
    expect(missed).toEqual([]);
    expect(platesOf(found)).toEqual(platesOf(given as never));
    for (const day of [...days, utcDay(now) + 1])
      expect(await placesOf(updated, day)).toEqual([`READS_${day % 2}`]);
  });

  it("is not guessed: with a missing binding, or a day in two databases, searches fail", async () => {
    await begin();
    await control("INSERT INTO read_databases (name, state_at) VALUES ('READS_0', 0)");
    for (let day = utcDay(now) - 9; day <= utcDay(now) + 1; day++)
      await control(
        `INSERT INTO read_places (day, part, database, placed_at) VALUES (${day}, 0, 'READS_${day % 4}', 0)`,
      );
    await open({ READS_0: A, READS_1: B, READS_2: C, READS_3: D }).reads.insertReads(readsOf(9, 1));
    await control("DELETE FROM read_places", "DELETE FROM read_databases");
    const unclear = {
      code: "unavailable",
      message: expect.stringMatching(/cannot tell which database.*binding missing/),
    };
    await expect(search(open({ READS_0: A, READS_1: B, READS_2: C }))).rejects.toMatchObject(unclear);
    // If a binding in the middle is missing, its days are recorded but not searched.
    const gap = open({ READS_0: A, READS_2: C, READS_3: D }, { db: anotherIsolate() });
    const lost = Array.from({ length: 9 }, (_, i) => utcDay(now) - i).filter((day) => day % 4 === 1);
    expect((await search(gap)).missed).toEqual(expect.arrayContaining(lost));
    await control("DELETE FROM read_places", "DELETE FROM read_databases");
    const [key] = (await A.prepare("SELECT * FROM read_keys LIMIT 1").all<{ id: number; day: number }>())
      .results;
    await B.prepare("INSERT INTO read_keys (id, agency_id, day) VALUES (?, 'x', ?)")
      .bind(key?.id, key?.day)
      .run();
    const both = open({ READS_0: A, READS_1: B, READS_2: C, READS_3: D });
    await expect(search(both)).rejects.toThrow(/Both READS_0 and READS_1 have reads of/);
    expect(await OTHER_DB.prepare("SELECT count(*) AS n FROM read_places").first("n")).toBe(0);
    expectLogged(
      /ALARM: Odin cannot tell which database stores which day of reads/,
      /READS_1 has reads of a searched day/,
    );
  });

  it("is chosen once, by round robin, including new databases and skipping missing numbers", async () => {
    await begin();
    const first = open({ READS_0: A, READS_4: B });
    for (let i = 0; i < 4; i++)
      await takeEvent(first.reads, read({ carId: `d${i}`, capturedAt: now + i * DAY }));
    const names = (await first.places.listParts(utcDay(now), utcDay(now) + 3)).map(({ name }) => name);
    expect(names).toEqual(["READS_0", "READS_4", "READS_0", "READS_4"]);
    const more = open({ READS_0: A, READS_4: B, READS_7: C }, { db: anotherIsolate() });
    await takeEvent(more.reads, read({ carId: "same day", capturedAt: now + 3 * DAY }));
    await takeEvent(more.reads, read({ carId: "next day", capturedAt: now + 4 * DAY }));
    expect(await placesOf(more, utcDay(now) + 3)).toEqual(["READS_4"]);
    expect(await placesOf(more, utcDay(now) + 4)).toEqual(["READS_7"]);
    // A camera whose clock is a day ahead only creates the day early: its place does not change.
    now += 4 * DAY;
    expect(await takeEvent(more.reads, read({ carId: "ahead" }))).toMatchObject({ created: true });
    expect(await placesOf(first)).toEqual(["READS_7"]);
    expect((await search(more)).found).toHaveLength(7);
  });

  it("is never in a database without tables, whose migrations were not applied", async () => {
    await begin();
    await takeEvent(open({ READS_0: A }).reads, read());
    const opened = open({ READS_0: A, READS_1: OTHER_READS_2 });
    for (let day = 1; day < 3; day++)
      await takeEvent(opened.reads, read({ capturedAt: now - day * DAY, carId: String(day) }));
    const placed = await opened.places.listParts(utcDay(now) - 2, utcDay(now));
    expect(placed.map(({ name }) => name)).toEqual(["READS_0", "READS_0", "READS_0"]);
  });

  it("is the same for isolates that start a day concurrently", async () => {
    await begin();
    const isolates = Array.from({ length: 5 }, () =>
      open({ READS_0: A, READS_1: B, READS_2: C }, { db: anotherIsolate() }),
    );
    const events = isolates.map(({ reads }) => takeEvent(reads, read()));
    const taken = await Promise.all(events);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
    expect(taken.filter(({ created }) => created)).toHaveLength(1);
  });

  it("continues in another database when the first is full, and no pass is split", async () => {
    await begin();
    const all = { READS_0: A, READS_1: B };
    const roomy = open(all);
    const before = await roomy.reads.takeEvents(readsOf(1, 3000));
    const [full] = await placesOf(roomy);
    const { databases } = await (async () => {
      await roomy.places.noteDatabases();
      return roomy.places;
    })();
    const measured = await Promise.all(databases.map(({ database }) => database.prepare("SELECT 1").all()));
    const limit = Math.round(Math.max(...measured.map(({ meta }) => meta.size_after)) / 0.98);
    const tight = open(all, { limit });
    const stale = open(all, { limit, db: anotherIsolate() });
    await takeEvent(stale.reads, read({ carId: "0", plate: "P10000", carState: "update", confidence: 91 }));
    // The write that detects the full database still succeeds; later ones go to another database.
    await takeEvent(tight.reads, read({ carId: "over", plate: "OVER1" }));
    const [next] = await Promise.all([
      takeEvent(tight.reads, read({ carId: "new", plate: "NEW1" })),
      // This isolate has not detected it yet, and stores the same pass.
      takeEvent(stale.reads, read({ carId: "new", plate: "NEW1" })),
    ]);
    const parts = await placesOf(tight);
    expect(parts[0]).toBe(full);
    expect(new Set(parts).size).toBe(2);
    // A later event of an earlier pass amends the read in its database.
    const late = await takeEvent(
      tight.reads,
      read({
        carId: "5",
        plate: "P10005",
        carState: "lost",
        confidence: 99,
        capturedAt: now - 5000 + 60_000,
      }),
    );
    expect(late).toMatchObject({ created: false, id: at(before, 5).id });
    const { found } = await search(tight);
    expect(found).toHaveLength(3002);
    expect(found.filter(({ plate }) => plate === "NEW1").map(({ id }) => id)).toEqual([next.id]);
    await tight.reads.insertReads([...readsOf(1, 20), read({ carId: "bulk", plate: "BULK1" })]);
    expect((await search(tight)).found).toHaveLength(3003);
  });

  it("continues in another database when D1 reports that the first has reached its maximum size", async () => {
    await begin();
    const roomy = open({ READS_0: A, READS_1: B });
    const first = await takeEvent(roomy.reads, read());
    expect(await placesOf(roomy)).toEqual(["READS_0"]);
    const refusing = new Proxy(A, {
      get(target, name) {
        if (name === "batch") return () => Promise.reject(new Error("D1_ERROR: Exceeded maximum DB size."));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const tight = open({ READS_0: refusing, READS_1: B }, { db: anotherIsolate() });
    expect(await takeEvent(tight.reads, read({ carId: "2", plate: "MORE1" }))).toMatchObject({
      created: true,
    });
    expect(await placesOf(roomy)).toEqual(["READS_0", "READS_1"]);
    const { found } = await search(roomy);
    expect(platesOf(found)).toEqual(["AB12345", "MORE1"]);
    expect(found.map(({ id }) => id)).toContain(first.id);
  });
});

describe("a search while isolates create keys of days", () => {
  it("finds the reads of a key that was created after it had loaded the rings, which it loads for that agency only", async () => {
    await begin();
    const one = open({ READS_0: A });
    // The day of the last read has a place already.
    await one.reads.insertReads([
      read({ carId: "1" }),
      read({ agencyId: `${agencyId}-other`, capturedAt: now - 2 * DAY }),
    ]);
    // Another isolate has a cache of its own.
    const KEYS = new Proxy(bindings.KEYS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const otherKeys = createReadKeys({ ...buckets, keys: KEYS }, parseSealingKeys(bindings.SEALING_KEYS));
    const other = createReadStore({ ...one.parts, keys: otherKeys });
    const store = (ago: number) =>
      other.insertReads([read({ carId: `ago ${ago}`, plate: `AGO${ago}`, capturedAt: now - ago * DAY })]);
    await store(1);
    const loaded: string[] = [];
    const slow: typeof keys = {
      ...keys,
      async of(...asked) {
        const ring = await keys.of(...asked);
        if (asked[1]?.fresh && loaded.push(asked[0]) === 1) await store(2);
        return ring;
      },
    };
    const { found, missed } = await search(
      { ...one, reads: createReadStore({ ...one.parts, keys: slow }) },
      { agencyIds: [agencyId, `${agencyId}-other`] },
    );
    expect(loaded).toEqual([agencyId, agencyId]);
    expect([platesOf(found).sort(), missed]).toEqual([["AB12345", "AB12345", "AGO1", "AGO2"], []]);
  });
});

describe("a database that does not answer", () => {
  it.each([
    ["unreachable", gone, 10_000],
    ["slow", silent, 2000],
  ])("is reported by its days when it is %s, and gets no new day", async (_, fault, answerMs) => {
    await begin();
    const given = readsOf(4, 5);
    const well = open({ READS_0: A, READS_1: B });
    await well.reads.insertReads(given);
    const lost = (await well.places.listParts(0, utcDay(now))).filter(({ name }) => name === "READS_1");
    expect(lost.length).toBeGreaterThan(0);
    const days = new Set(lost.map(({ day }) => day));
    const ill = open({ READS_0: A, READS_1: fault(B) }, { answerMs, db: anotherIsolate() });
    for (const text of [undefined, "P1000*"]) {
      const { found, missed } = await search(ill, text ? { text } : {});
      const rest = given.filter(
        ({ plate, capturedAt }) => !days.has(utcDay(capturedAt)) && plate.startsWith(text ? "P1000" : "P"),
      );
      expect(platesOf(found)).toEqual(platesOf(rest as never));
      expect(missed).toEqual([...days].sort());
    }
    expectLogged(/did not answer a search/);
    const archive = createReadArchive({ ...ill.parts, reads: ill.reads, images: bindings.IMAGES });
    const source = {
      id: agencyId,
      program: "Axis",
      agency: "A",
      integrationId: "axis",
      cameraIds: ["cam-1"],
    } as never;
    const query = {
      plate: { kind: "any" },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from: now - 9 * DAY,
      to: now,
    } as never;
    const sightings: unknown[] = [];
    const asked = (async () => {
      const signal = new AbortController().signal;
      for await (const page of createAxisProvider(archive).search({
        source,
        together: [source],
        query,
        maxReads: 99,
        signal,
      }))
        sightings.push(...page.sightings);
    })();
    const named = new Date(at([...days], 0) * DAY).toISOString().slice(0, 10);
    await expect(asked).rejects.toThrow(named);
    await expect(asked).rejects.toMatchObject({ kind: "incomplete" });
    expect(sightings.length).toBe(
      given.length - given.filter((one) => days.has(utcDay(one.capturedAt))).length,
    );
    // New days are placed in another database.
    now += 3 * DAY;
    await takeEvent(ill.reads, read());
    expect(await placesOf(well)).toEqual(["READS_0"]);
  });

  it("is reported by its days when its binding is missing, and temporarily refuses writes", async () => {
    await begin();
    const given = readsOf(2, 5);
    await open({ READS_0: A, READS_1: B }).reads.insertReads(given);
    const less = open({ READS_0: A }, { db: anotherIsolate() });
    const lost = (await less.places.listParts(0, utcDay(now))).filter(({ place }) => !place);
    const { found, missed } = await search(less);
    expect(missed).toEqual(lost.map(({ day }) => day));
    expect(found).toHaveLength(5);
    expectLogged(/READS_1 has reads of a searched day, but is not bound/);
    const late = read({ carId: "x", capturedAt: at(lost, 0).day * DAY + HOUR });
    await expect(takeEvent(less.reads, late)).rejects.toMatchObject({ code: "unavailable", retryAfter: 60 });
    expect((await viewStorage(less.app)).alarms.join()).toMatch(/READS_1 has 1 days of reads/);
  });
});

describe("a database that is added, drained and removed", () => {
  const drain = async ({ app }: Opened, steps = 400) => {
    for (let i = 0; i < steps; i++) {
      await drainStorage(app, { ms: 10_000, units: 3 });
      const { databases } = await viewStorage(app);
      if (databases.every(({ state, days }) => state !== "draining" || days === 0)) return;
    }
    throw new Error("the drain does not end");
  };

  it("loses and duplicates no read while searches and events continue", async () => {
    await begin();
    const before = { READS_0: A, READS_1: B };
    const after = { ...before, READS_7: C };
    // Reads under a legal hold have a key without a day.
    const given = readsOf(6, 250);
    const writer = open(before);
    const taken = await writer.reads.takeEvents(given);
    const idOf = new Map(given.map(({ carId }, i) => [carId, at(taken, i).id]));
    const held = [{ plate: "P10000", from: 0, until: now + DAY }];
    const images = bindings.IMAGES;
    const purgeParts = { databases: [A, B, C], images, keys };
    const order = {
      agencyId,
      before: now - 4.9 * DAY,
      held: heldAlways([...held, { plate: "P10005", from: 0, until: now }]),
    };
    await purgeReadsOf(purgeParts, order, await newRun(purgeParts, order));
    const kept = given.filter(
      ({ plate, capturedAt }) => capturedAt >= order.before || /^P1000[05]$/.test(plate),
    );
    const known = new Map(kept.map(({ carId, plate }) => [carId, plate]));
    expect(platesOf((await search(writer)).found)).toEqual([...known.values()].sort());

    const stale = open(after, { db: anotherIsolate() });
    const searcher = open(after, { db: anotherIsolate() });
    const drainer = open(after, { db: anotherIsolate() });
    await drainer.places.noteDatabases();
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    let isDone = false;
    let [posted, searched] = [0, 0];
    const post = async (isolate: Opened, kind: string) => {
      for (let i = 0; !isDone; i++) {
        const capturedAt = now - (i % 5) * DAY - 3600_000 - i * 1000;
        const carId = `${kind}${i}`;
        const [created] = await isolate.reads.takeEvents([
          read({ carId, plate: `N${kind}${i}`, capturedAt }),
          read({
            carId,
            plate: `N${kind}${i}`,
            capturedAt: capturedAt + 2000,
            carState: "lost",
            confidence: 99,
          }),
        ]);
        known.set(carId, `N${kind}${i}`);
        idOf.set(carId, created?.id ?? "");
        // A late event of a read that may be moving.
        const late = at(kept, (i * 37) % kept.length);
        if (late.capturedAt < order.before) continue;
        const amended = await takeEvent(isolate.reads, {
          ...late,
          carState: "lost",
          eventAt: late.capturedAt + 3000,
          capturedAt: late.capturedAt + 3000,
          confidence: 95,
        });
        expect(amended).toMatchObject({ created: false, id: idOf.get(late.carId) });
        posted++;
      }
    };
    const look = async () => {
      while (!isDone) {
        const due = [...known.values()];
        const { found, missed } = await search(searcher, { pageSize: 200 });
        const ids = found.map(({ id }) => id);
        expect(missed).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
        const plates = new Set(found.map(({ plate }) => plate));
        expect(plates.size).toBe(found.length);
        expect(due.filter((plate) => !plates.has(plate))).toEqual([]);
        searched++;
      }
    };
    const working = Promise.all([post(open(after), "A"), post(stale, "B"), look()]);
    await Promise.race([drain(drainer), working]);
    isDone = true;
    await working;
    expect(posted).toBeGreaterThan(3);
    expect(searched).toBeGreaterThan(3);
    const end = open(after, { db: anotherIsolate() });
    const report = async () => (await viewStorage(end.app)).databases.find(({ name }) => name === "READS_0");
    expect(await report()).toMatchObject({ days: 0, removable: false });
    expect((await report())?.leaving).toBeGreaterThan(0);
    // Former rows are deleted once no running search can need them.
    now += 6 * MINUTE;
    for (let i = 0; i < 300 && (await report())?.removable === false; i++)
      await drainStorage(end.app, { ms: 10_000, units: 5 });
    expect(await report()).toMatchObject({ removable: true, leaving: 0 });
    for (const table of ["sealed_reads", "plate_runs", "sealed_midnights"])
      expect(await A.prepare(`SELECT count(*) AS n FROM ${table}`).first("n"), table).toBe(0);
    // Without the binding, all reads are still found, also by plate, with their former ids.
    const without = open({ READS_1: B, READS_7: C }, { db: anotherIsolate() });
    const { found } = await search(without);
    expect(platesOf(found)).toEqual([...known.values()].sort());
    for (const [carId, plate] of [...known].slice(0, 25)) {
      const one = await search(without, { text: plate });
      expect(one.found.map(({ id }) => id)).toEqual([idOf.get(carId)]);
    }
    // The keys of expired days are still destroyed, and only held reads remain.
    const left = { databases: [B, C], images, keys };
    const last = { agencyId, before: now + 2 * DAY, held: heldAlways(held) };
    const run = await newRun(left, last);
    await purgeReadsOf(left, last, run);
    await forgetKeys(await destroySpentKeys(left, last, run));
    expect((await keys.of(agencyId, { fresh: true })).days).toEqual([]);
    expect(platesOf((await search(without)).found)).toEqual(["P10000"]);
  });

  it("does not stop the purge of reads of a released hold in the database that it copies to", async () => {
    await begin();
    const image = `axis/${isoTime(now - 2 * DAY).slice(0, 10)}/cam-1/copied.jpg`;
    await bindings.IMAGES.put(image, "x");
    await open({ READS_0: A }).reads.insertReads([
      read({ carId: "1", capturedAt: now - 2 * DAY, vehicleImageKey: image }),
      read({ carId: "2", capturedAt: now - DAY }),
    ]);
    const parts = { databases: [A], images: bindings.IMAGES, keys };
    const purge = async (plates: string[]) => {
      const held = heldAlways(plates.map((plate) => ({ plate, from: 0, until: now })));
      const order = { agencyId, before: now, held };
      const run = await newRun(parts, order);
      await purgeReadsOf(parts, order, run);
      return run.purged;
    };
    expect(await purge(["AB12345"])).toMatchObject({ reads: 0, held: 2 });
    const day = utcDay(now - 2 * DAY);
    await A.prepare("INSERT INTO day_fences (day, state) VALUES (?, 'arriving')").bind(day).run();
    expect(await purge([])).toMatchObject({ reads: 1, held: 1 });
    expect(await bindings.IMAGES.head(image)).not.toBeNull();
    await A.prepare("UPDATE day_fences SET state = 'open' WHERE day = ?").bind(day).run();
    expect(await purge([])).toMatchObject({ reads: 1, held: 0 });
    expect(await bindings.IMAGES.head(image)).toBeNull();
  });

  it("keeps its days when the drain is canceled, and no copy remains", async () => {
    await begin();
    const given = readsOf(2, 1500);
    const one = open({ READS_0: A, READS_1: B, READS_7: C });
    await one.reads.insertReads(given);
    const places = async () =>
      (await one.places.listParts(0, utcDay(now))).map(({ day, name }) => `${day} ${name}`);
    const before = await places();
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    // Interrupted during a copy.
    const copies = async () =>
      (await C.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n")) ?? 0;
    for (let i = 0; i < 9 && (await copies()) === 0; i++)
      await drainStorage(one.app, { ms: 10_000, units: 2 });
    expect(await copies()).toBeGreaterThan(0);
    expect(await places()).toEqual(before);
    expect((await search(one)).found).toHaveLength(3000);
    await control("UPDATE read_databases SET state = 'open' WHERE name = 'READS_0'");
    for (let i = 0; i < 9; i++) await drainStorage(one.app, { ms: 10_000, units: 9 });
    expect(await places()).toEqual(before);
    expect(await copies()).toBe(0);
    for (const database of [A, C])
      expect(
        await database
          .prepare("SELECT count(*) AS n FROM day_fences WHERE state <> 'open' OR continued = 1")
          .first("n"),
      ).toBe(0);
    const late = await takeEvent(one.reads, { ...at(given, 0), carState: "lost", confidence: 99 });
    expect(late.created).toBe(false);
    expect((await search(one)).found).toHaveLength(3000);
  });

  it("finishes an interrupted undo before it copies the day again, and keeps every read", async () => {
    await begin();
    await open({ READS_0: A }).reads.insertReads(readsOf(1, 4500));
    const one = open({ READS_0: A, READS_1: B });
    await one.places.noteDatabases();
    const state = (to: string) => control(`UPDATE read_databases SET state = '${to}' WHERE name = 'READS_0'`);
    await state("draining");
    const copies = async () =>
      (await B.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n")) ?? 0;
    for (let i = 0; i < 60 && (await copies()) < 4000; i++)
      await drainStorage(one.app, { ms: 10_000, units: 2 });
    await state("open");
    // One unit is not enough to delete the whole copy.
    await drainStorage(one.app, { ms: 10_000, units: 1 });
    expect(await copies()).toBe(2000);
    await state("draining");
    for (let i = 0; i < 20; i++) await drainStorage(one.app);
    expect(await placesOf(one)).toEqual(["READS_1"]);
    now += 6 * MINUTE;
    for (let i = 0; i < 20; i++) await drainStorage(one.app);
    expect(await A.prepare("SELECT count(*) AS n FROM sealed_reads").first("n")).toBe(0);
    expect((await search(one)).found).toHaveLength(4500);
  });

  it("copies a day again if the copy is incomplete, and never deletes rows of a day that is not closed", async () => {
    await begin();
    await open({ READS_0: A }).reads.insertReads(readsOf(1, 30));
    const one = open({ READS_0: A, READS_1: B });
    await one.places.noteDatabases();
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    const count = (database: D1Database) =>
      database.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n");
    // Enough units for the copy, but not for the steps after it.
    for (let i = 0; i < 20 && (await count(B)) === 0; i++)
      await drainStorage(one.app, { ms: 10_000, units: 4 });
    expect(await placesOf(one)).toEqual(["READS_0"]);
    await B.prepare("DELETE FROM sealed_reads WHERE id IN (SELECT id FROM sealed_reads LIMIT 1)").run();
    await expect(drainStorage(one.app)).rejects.toThrow(/could not be moved/);
    expect(await placesOf(one)).toEqual(["READS_0"]);
    expect((await takeEvent(one.reads, read({ carId: "0", carState: "lost", confidence: 99 }))).created).toBe(
      false,
    );
    await drain(one);
    expect(await placesOf(one)).toEqual(["READS_1"]);
    expect(await count(B)).toBe(30);
    // Without its fence, the former database accepts writes again.
    await A.prepare("DELETE FROM day_fences").run();
    now += 6 * MINUTE;
    await expect(drainStorage(one.app)).rejects.toThrow(/could not be moved/);
    expect(await count(A)).toBe(30);
  });

  it("keeps changes that could not be written to the new database, and logs only those of the copied day", async () => {
    await begin();
    const one = open({ READS_0: A, READS_1: B });
    const given = [...readsOf(1, 20), read({ carId: "other", plate: "OTHER1", capturedAt: now - DAY })];
    await open({ READS_0: A }).reads.insertReads(given);
    await one.places.noteDatabases();
    const place = (database: D1Database, name: string) => ({
      name,
      number: name === "READS_0" ? 0 : 1,
      database,
    });
    let fails = false;
    const flaky = new Proxy(B, {
      get(target, name) {
        if (name === "batch" && fails)
          return () => Promise.reject(new Error("D1_ERROR: Network connection lost"));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const move = await lockedMove({
      day: utcDay(now),
      from: place(A, "READS_0"),
      to: place(flaky, "READS_1"),
    });
    const progress = await beginCopy(move);
    await copyDay(move, progress, () => true);
    await takeEvent(one.reads, { ...at(given, 3), carState: "lost", confidence: 99 });
    await takeEvent(one.reads, { ...at(given, 20), carState: "lost", confidence: 98 });
    const logged = () => A.prepare("SELECT count(*) AS n FROM changed_reads").first<number>("n");
    expect(await logged()).toBe(1);
    fails = true;
    await expect(copyChanges(move, progress)).rejects.toThrow(/connection lost/);
    fails = false;
    expect(await logged()).toBe(1);
    // A change of a read while it is being copied stays in the log.
    expect(await copyChanges(move, progress)).toBe(1);
    const revisions = (database: D1Database) =>
      database
        .prepare("SELECT sum(revision) AS n FROM sealed_reads WHERE captured_at >= ?")
        .bind(utcDay(now) * DAY)
        .first<number>("n");
    expect(await revisions(B)).toBe(1);
    expect(await revisions(B)).toBe(await revisions(A));
    expect(await logged()).toBe(0);
  });

  it("still accepts writes when the last changes cannot be copied", async () => {
    await begin();
    const one = open({ READS_0: A, READS_1: B });
    const given = readsOf(1, 20);
    await open({ READS_0: A }).reads.insertReads(given);
    await one.places.noteDatabases();
    const move = await lockedMove({
      day: utcDay(now),
      from: { name: "READS_0", number: 0, database: A },
      to: { name: "READS_1", number: 1, database: B },
    });
    const progress = await beginCopy(move);
    await copyDay(move, progress, () => true);
    // A database whose log never becomes empty.
    const busy = new Proxy(A, {
      get(target, name) {
        if (name === "prepare")
          return (text: string) =>
            target.prepare(text.startsWith("DELETE FROM changed_reads") ? "SELECT ?, ?" : text);
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await takeEvent(one.reads, { ...at(given, 3), carState: "lost", confidence: 99 });
    await expect(
      closeDay({ ...move, from: { ...move.from, database: busy } }, progress, false),
    ).rejects.toThrow(/keep changing/);
    expect(await findFence(A, move.day)).toMatchObject({ state: "copying" });
    const late = await takeEvent(one.reads, { ...at(given, 4), carState: "lost", confidence: 99 });
    expect(late.created).toBe(false);
    // Without a fence, the rows of a closed day may change, so the copy is not used.
    await A.prepare("DELETE FROM day_fences").run();
    await expect(closeDay(move, progress, false)).rejects.toSatisfy(isLockLost);
  });

  it("finds the pass of an earlier part that moved, even from an isolate with an outdated cache", async () => {
    await begin();
    const [day, all] = [utcDay(now), { READS_0: A, READS_1: B, READS_2: C }];
    const midnight = (day + 1) * DAY - MINUTE;
    const one = open(all);
    const first = await open({ READS_0: A }).reads.takeEvents([
      read(),
      read({ carId: "night", plate: "NIGHT1", capturedAt: midnight }),
    ]);
    await one.places.noteDatabases();
    await one.places.continueDays(await one.places.listParts(day, day));
    const stale = open(all, { db: anotherIsolate() });
    const staleIsolates = [anotherIsolate(), anotherIsolate()] as const;
    for (const db of [...staleIsolates])
      await takeEvent(open(all, { db }).reads, read({ carId: "2", plate: "SECOND1" }));
    await takeEvent(stale.reads, read({ carId: "2", plate: "SECOND1" }));
    const [, later] = await placesOf(one);
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    await drain(one);
    const [moved] = await placesOf(one);
    expect(moved).not.toBe(later);
    now += 6 * MINUTE;
    for (let i = 0; i < 20; i++) await drainStorage(one.app);
    expect(await A.prepare("SELECT count(*) AS n FROM sealed_reads").first("n")).toBe(0);
    now -= 6 * MINUTE;
    const late = await takeEvent(
      stale.reads,
      read({ carState: "lost", confidence: 99, capturedAt: now + 5000 }),
    );
    expect(late).toMatchObject({ created: false, id: first[0]?.id });
    await open(all, { db: staleIsolates[0] }).reads.insertReads([read()]);
    const after = await takeEvent(
      open(all, { db: staleIsolates[1] }).reads,
      read({
        carId: "night",
        plate: "NIGHT1",
        carState: "update",
        capturedAt: midnight + 2 * MINUTE,
        confidence: 97,
      }),
    );
    expect(after).toMatchObject({ created: false, id: first[1]?.id });
    expect(platesOf((await search(one)).found)).toEqual(["AB12345", "NIGHT1", "SECOND1"]);
  });

  it("claims no pass around midnight in a database that its day has left, also in a list of several nights", async () => {
    await begin();
    const [day, all] = [utcDay(now), { READS_0: A, READS_1: B }];
    const night = (i: number, over: Partial<NewRead> = {}) =>
      read({ carId: `night ${i}`, plate: `NIGHT${i}`, capturedAt: (day + 1 + i) * DAY - MINUTE, ...over });
    await open({ READS_0: A }).reads.takeEvents([read(), read({ carId: "2", capturedAt: now + DAY })]);
    const stale = open(all, { db: anotherIsolate() });
    await stale.places.noteDatabases();
    await stale.places.forWriting([day, day + 1]);
    // The second day moves, the first stays.
    await control(`UPDATE read_places SET database = 'READS_1' WHERE day = ${day + 1}`);
    await A.prepare("INSERT INTO day_fences (day, state) VALUES (?, 'moved')")
      .bind(day + 1)
      .run();
    const taken = await stale.reads.takeEvents([night(0), night(1)]);
    const after = night(1, { carState: "update", capturedAt: (day + 2) * DAY + MINUTE, confidence: 97 });
    const amended = await takeEvent(open(all).reads, after);
    expect(amended).toMatchObject({ created: false, id: taken[1]?.id });
  });

  it("never continues a day in the database that it moves to, nor moves it to one where it continues", async () => {
    await begin();
    const day = utcDay(now);
    const one = open({ READS_0: A, READS_1: B });
    await open({ READS_0: A }).reads.insertReads(readsOf(1, 5));
    await one.places.noteDatabases();
    const [part] = await one.places.listParts(day, day);
    await control(`UPDATE read_places SET move_to = 'READS_1' WHERE day = ${day}`);
    await expect(one.places.continueDays([part as never])).rejects.toMatchObject({ code: "unavailable" });
    expect(await placesOf(one)).toEqual(["READS_0"]);
    await control(`UPDATE read_places SET move_to = NULL WHERE day = ${day}`);
    await one.places.continueDays([part as never]);
    expect(await placesOf(one)).toEqual(["READS_0", "READS_1"]);
    await control("UPDATE read_databases SET leased_until = 7 WHERE name = 'READS_0'");
    const leased = { day, part: 0, database: "READS_0", lease: 7 };
    expect(await beginMove(one.app.db, leased, "READS_1")).toBeUndefined();
    expect(await beginMove(one.app.db, { ...leased, lease: 6 }, "READS_2")).toBeUndefined();
    expect(await beginMove(one.app.db, leased, "READS_2")).toMatchObject({ moveTo: "READS_2" });
  });

  it("waits while a backup reads the databases, and reports why", async () => {
    await begin();
    const one = open({ READS_0: A, READS_1: B });
    await one.reads.insertReads(readsOf(2, 10));
    await control("UPDATE read_databases SET state = 'read-only' WHERE name = 'READS_1'");
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    const note = async () => (await viewStorage(one.app)).databases[0]?.note;
    await drainStorage(one.app);
    expect(await note()).toMatch(/No other database takes days/);
    expect((await viewStorage(one.app)).alarms.join()).toMatch(/No database takes new days/);
    await expect(takeEvent(one.reads, read({ capturedAt: now + DAY }))).rejects.toMatchObject({
      code: "unavailable",
    });
    await control("UPDATE read_databases SET state = 'open' WHERE name = 'READS_1'");
    const running = (phase: string) =>
      control(
        "DELETE FROM backup_runs",
        `INSERT INTO backup_runs (id, kind, state, phase, started_at, started_by, key_version)
          VALUES ('b', 'backup', 'running', '${phase}', 0, '', 1)`,
      );
    const count = () => A.prepare("SELECT count(*) AS n FROM sealed_reads").first("n");
    await running("rows");
    await drainStorage(one.app);
    expect(await note()).toMatch(/backup/);
    expect((await one.places.listParts(0, utcDay(now))).map(({ name }) => name).sort()).toEqual([
      "READS_0",
      "READS_1",
    ]);
    // The backup has finished reading the databases and now copies images.
    await running("objects");
    await drainStorage(one.app);
    expect(await count()).toBe(10);
    expect(await note()).toBe("");
    await running("rows");
    now += 6 * MINUTE;
    await drainStorage(one.app);
    expect(await count()).toBe(10);
    await running("objects");
    await drainStorage(one.app);
    expect(await count()).toBe(0);
    expect((await search(one)).found).toHaveLength(20);
  });

  it("moves no day to a database that has no space for it", async () => {
    await begin();
    await open({ READS_0: A }).reads.insertReads(readsOf(1, 3000));
    const { meta } = await B.prepare("SELECT 1").all();
    const one = open({ READS_0: A, READS_1: B }, { limit: meta.size_after + 3000 * 600 });
    await one.places.noteDatabases();
    await control("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'");
    await drainStorage(one.app);
    expect(await placesOf(one)).toEqual(["READS_0"]);
    expect((await viewStorage(one.app)).databases[0]?.note).toMatch(
      /No other database has space for the 3,000 reads/,
    );
    const roomy = open({ READS_0: A, READS_1: B }, { db: anotherIsolate() });
    await drain(roomy);
    expect((await search(roomy)).found).toHaveLength(3000);
  });
});
