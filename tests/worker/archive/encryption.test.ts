import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys, unseal } from "#app/lib/crypto/primitives.ts";
import { DAY, isoTime, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { newReadImageName } from "#app/store/archive/images.ts";
import { createReadKeys } from "#app/store/archive/keys.ts";
import { purgeReadsOf } from "#app/store/archive/purge/reads.ts";
import { forgetKeys } from "#app/store/archive/purge/spent-keys.ts";
import {
  createReadArchive,
  createReadStore,
  type NewRead,
  type ReadStore,
} from "#app/store/archive/reads.ts";
import { openRead } from "#app/store/archive/rows.ts";
import { bindings, dumpDatabases, newAgency, testApp, unique } from "../../factories.ts";
import {
  archiveParts,
  destroySpentKeys,
  emptyArchive,
  heldAlways,
  newRun,
  PLAIN_READ,
  takeEvent,
} from "../../support/archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

const NAMES = ["READS_0", "READS_1", "READS_2", "READS_3"] as const;
const databases = NAMES.map((name) => bindings[name] as D1Database);
const NOON = Date.UTC(2026, 4, 20, 12);
const RETENTION = 21;
const LOST = /keys of reads of \d searched days are not in the key rings/;

let agencyId: string;
let now = NOON;
const app = () => testApp(() => now);
/** Purges all expired reads. Returns the agency's certificates. */
const purge = async () =>
  (await purgeExpired(app())).filter((certificate) => certificate.agencyId === agencyId);

/** Returns a binding as another isolate has it: with the same stored data and a different identity. */
function elsewhere<T extends object>(binding: T): T {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const otherIsolate = (keys = bindings.KEYS) =>
  createReadKeys(
    { keys: elsewhere(keys), backups: bindings.BACKUPS },
    parseSealingKeys(bindings.SEALING_KEYS),
  );

/** Returns a bucket that takes one write a second to an object and refuses others, as R2 does. */
function withWriteLimit(bucket: R2Bucket): R2Bucket {
  const written = new Map<string, number>();
  return new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "put") return value.bind(target);
      return async (key: string, ...rest: unknown[]) => {
        const since = Date.now() - (written.get(key) ?? 0);
        if (since < 1000)
          throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
        written.set(key, Date.now());
        return value.call(target, key, ...rest);
      };
    },
  });
}

function read(over: Partial<NewRead> = {}): NewRead {
  return {
    ...PLAIN_READ,
    plate: "SEAL123",
    make: "Koenigsegg",
    color: "Turquoise",
    bodyType: "hovercraft",
    confidence: 91,
    latitude: 41.7612,
    longitude: -72.6734,
    carState: "lost",
    eventAt: over.capturedAt ?? NOON,
    capturedAt: NOON,
    agencyId,
    cameraId: "camera-somewhere",
    cameraName: "Corner of Elm",
    carId: unique("car"),
    ...over,
  };
}

const platesFound = async (...search: Parameters<typeof searched>) => (await searched(...search)).plates;

async function searched(
  store: ReadStore,
  text = "",
  over: Partial<SightingQuery> = {},
): Promise<{ plates: string[]; missedDays: number[] }> {
  const plates: string[] = [];
  const missedDays: number[] = [];
  for await (const page of store.searchReads({
    agencyIds: [agencyId],
    cameraIds: ["camera-somewhere"],
    maxReads: 1000,
    signal: new AbortController().signal,
    query: {
      plate: parsePlatePattern(text) ?? { kind: "any" },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from: NOON - 200 * DAY,
      to: NOON + 200 * DAY,
      ...over,
    },
  })) {
    plates.push(...page.reads.map(({ plate }) => plate));
    missedDays.push(...(page.missedDays ?? []));
  }
  return { plates: plates.sort(), missedDays };
}

type Dump = { table: string; rows: Record<string, unknown>[] }[][];
const TABLES = ["read_keys", "sealed_reads", "plate_runs", "sealed_midnights"];

/** Returns all rows of reads, as D1 Time Travel would restore them; `writeBack` restores them. */
async function takeDump(): Promise<Dump> {
  return Promise.all(
    databases.map((database) =>
      Promise.all(
        TABLES.map(async (table) => ({
          table,
          rows: (await database.prepare(`SELECT * FROM ${table}`).all()).results,
        })),
      ),
    ),
  );
}

async function writeBack(dump: Dump): Promise<void> {
  await emptyArchive(databases);
  for (const [i, tables] of dump.entries())
    for (const { table, rows } of tables)
      for (const row of rows)
        await databases[i]
          ?.prepare(
            `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row).fill("?")})`,
          )
          .bind(...Object.values(row))
          .run();
}

/** Returns how many rows of a dump can be opened with the current keys. */
async function opened(dump: Dump): Promise<number> {
  const ring = await otherIsolate().of(agencyId);
  const ciphers = [...(await Promise.all(ring.days.map(ring.ofDay))), ...(await ring.held())];
  let count = 0;
  for (const { table, rows } of dump.flat()) {
    if (table !== "sealed_reads") continue;
    for (const row of rows as { captured_at: number; sealed: string }[])
      for (const cipher of ciphers)
        if (
          await openRead(cipher as NonNullable<typeof cipher>, row).then(
            () => true,
            () => false,
          )
        )
          count++;
  }
  return count;
}

async function hold(plates: string[]): Promise<string> {
  const id = unique("hold");
  await bindings.DB.prepare(
    `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by, requested_by_name, requested_at)
      VALUES (?, ?, '26-1', 'Evidence for the trial', ?, ?, ?, 'active', 'a', 'A', 0)`,
  )
    .bind(id, agencyId, JSON.stringify(plates), NOON - DAY, NOON + DAY)
    .run();
  return id;
}

const release = (id: string) =>
  bindings.DB.prepare("UPDATE legal_holds SET state = 'released' WHERE id = ?").bind(id).run();

beforeEach(async () => {
  await emptyArchive(databases);
  now = NOON;
  agencyId = (await newAgency()).id;
  await bindings.DB.prepare("UPDATE agencies SET retention_days = ? WHERE id = ?")
    .bind(RETENTION, agencyId)
    .run();
});

async function databasesWithReads(): Promise<D1Database[]> {
  const counts = await Promise.all(
    databases.map((database) =>
      database.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n"),
    ),
  );
  return databases.filter((_, i) => counts[i] !== 0);
}

describe("the stored rows", () => {
  it("reveal no plate, vehicle, location or image of a read", async () => {
    const image = `${newReadImageName({ at: NOON, cameraId: "camera-somewhere" })}.jpg`;
    await app().reads.takeEvents([
      read({ vehicleImageKey: image, direction: "outbound" }),
      read({ plate: "OTHER77", capturedAt: NOON + 12 * 60 * MINUTE - 1000 }),
    ]);
    expect(await platesFound(app().reads)).toEqual(["OTHER77", "SEAL123"]);
    const dump = await dumpDatabases();
    const reads = JSON.stringify(await takeDump());
    const telling = [
      "SEAL123",
      "SEAL",
      "OTHER77",
      "Koenigsegg",
      "Turquoise",
      "hovercraft",
      "outbound",
      image,
    ];
    for (const word of [...telling, "Corner of Elm", "41.76", "41761200", '"CT"'])
      expect(reads.includes(word) ? word : "").toBe("");
    for (const word of telling) expect(dump.includes(word) ? word : "").toBe("");
  });

  it("cannot be opened with the key ring alone, or for another agency, key or time", async () => {
    await app().reads.insertReads([read()]);
    const text = await (await bindings.KEYS.get(`read-keys/${agencyId}`))?.text();
    expect(text).toMatch(/^v1\.[\w-]+\.[\w-]+$/);
    const other = parseSealingKeys(`1:${btoa("0123456789abcdef0123456789abcdef")}`);
    await expect(
      unseal(other, { table: "read_keys", id: agencyId, field: "ring" }, text ?? ""),
    ).rejects.toThrow();
    const rows = (await takeDump())
      .flat()
      .flatMap(({ table, rows }) => (table === "sealed_reads" ? rows : []));
    const [row] = rows as { captured_at: number; sealed: string }[];
    const ring = await otherIsolate().of(agencyId);
    const cipher = await ring.ofDay(utcDay(NOON));
    if (!row || !cipher) throw new Error("nothing was kept");
    expect(await openRead(cipher, row)).toMatchObject({ plate: "SEAL123" });
    await expect(openRead(cipher, { ...row, captured_at: NOON + 1 })).rejects.toThrow();
  });
});

describe("an encrypted plate", () => {
  it("is found by each of its fragments and by no others", async () => {
    const plate = fc.stringMatching(/^[AB18Ö京]{1,9}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(plate, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        fc.stringMatching(/^[AB18]{1,4}$/),
        async (plates, from, length, foreign) => {
          await emptyArchive(databases);
          const { reads } = app();
          await reads.insertReads(plates.map((one) => read({ plate: one })));
          const own = at(plates, 0);
          const start = from % own.length;
          const fragment = own.slice(start, start + 1 + (length % (own.length - start)));
          const gap = `${own[0]}?${own.slice(2)}`;
          const having = (text: string) => plates.filter((one) => one.includes(text)).sort();
          expect(await platesFound(reads, fragment)).toEqual(having(fragment));
          expect(await platesFound(reads, foreign)).toEqual(having(foreign));
          if (own.length > 1) expect(await platesFound(reads, gap)).toContain(own);
          expect(await platesFound(reads, `${own.slice(0, 1)}*`)).toEqual(
            plates.filter((one) => one.startsWith(own.slice(0, 1))).sort(),
          );
        },
      ),
      { numRuns: 25, seed: 3 },
    );
  });

  it("is found even if another plate of the day has the same tag", async () => {
    const { reads } = app();
    await reads.insertReads([read({ plate: "AB12345" })]);
    const [database] = await databasesWithReads();
    const own = await database?.prepare("SELECT plate_tag FROM sealed_reads").first<number>("plate_tag");
    for (const table of ["sealed_reads", "plate_runs"]) await database?.prepare(`DELETE FROM ${table}`).run();
    await reads.insertReads([read({ plate: "KLM9876" })]);
    for (const table of ["sealed_reads", "plate_runs"])
      await database?.prepare(`UPDATE ${table} SET plate_tag = ?`).bind(own).run();
    await reads.insertReads([read({ plate: "AB12345" })]);
    expect(await platesFound(reads, "B1234")).toEqual(["AB12345"]);
    expect(await platesFound(reads, "M987")).toEqual(["KLM9876"]);
  });

  it("is found even if another isolate has just created the key of its day", async () => {
    await app().reads.insertReads([read()]);
    expect(await platesFound(app().reads)).toEqual(["SEAL123"]);
    const other = createReadStore({ ...archiveParts(databases, { clock: () => now }), keys: otherIsolate() });
    await other.insertReads([read({ plate: "LATER9", capturedAt: NOON + DAY })]);
    expect(await platesFound(app().reads)).toEqual(["LATER9", "SEAL123"]);
  });

  it("uses one key per day, even if several isolates create it concurrently", async () => {
    const rings = await Promise.all(
      Array.from({ length: 6 }, (_, i) => otherIsolate().forDays(agencyId, [20_000, 20_001 + (i % 3)])),
    );
    const ids = await Promise.all(rings.map(async (ring) => (await ring.ofDay(20_000))?.id));
    expect(new Set(ids).size).toBe(1);
    expect((await otherIsolate().of(agencyId)).days.sort()).toEqual([20_000, 20_001, 20_002, 20_003]);
  });

  it("is created even if R2 refuses a second write within a second", async () => {
    const keys = withWriteLimit(bindings.KEYS);
    const rings = await Promise.all(
      Array.from({ length: 6 }, (_, i) => otherIsolate(keys).forDays(agencyId, [20_000 + (i % 2)])),
    );
    const ids = await Promise.all(rings.map(async (ring, i) => (await ring.ofDay(20_000 + (i % 2)))?.id));
    expect(new Set(ids).size).toBe(2);
    expect((await otherIsolate().of(agencyId)).days.sort()).toEqual([20_000, 20_001]);
  });

  it("is destroyed, in the backup's copy too, even if R2 refuses a second write within a second", async () => {
    const keys = withWriteLimit(bindings.KEYS);
    const backups = withWriteLimit(bindings.BACKUPS);
    const archive = createReadKeys({ keys, backups }, parseSealingKeys(bindings.SEALING_KEYS));
    await archive.forDays(agencyId, [20_000, 20_001]);
    const [ring, copy] = [`read-keys/${agencyId}`, `pool/keys/read-keys/${agencyId}`];
    const textOf = async (bucket: R2Bucket, key: string) => (await bucket.get(key))?.text();
    await backups.put(copy, (await textOf(keys, ring)) ?? "");
    await archive.destroy(agencyId, { days: [20_000] });
    expect((await otherIsolate().of(agencyId)).days).toEqual([20_001]);
    expect(await textOf(backups, copy)).toBe(await textOf(keys, ring));
  });
});

describe("the end of retention", () => {
  it("applies to searches even before a purge has run: day 20, day 21, and a millisecond later", async () => {
    await app().reads.insertReads([read()]);
    for (const [at, found] of [
      [NOON + 20 * DAY, ["SEAL123"]],
      [NOON + RETENTION * DAY, ["SEAL123"]],
      [NOON + RETENTION * DAY + 1, []],
      [NOON + 22 * DAY, []],
    ] as const) {
      now = at;
      expect(await platesFound(app().reads), isoTime(at)).toEqual(found);
      expect(await platesFound(app().reads, "EAL1"), isoTime(at)).toEqual(found);
    }
  });

  it("applies to images even before a purge has run", async () => {
    const key = `${newReadImageName({ at: NOON, cameraId: "camera-somewhere" })}.jpg`;
    await bindings.IMAGES.put(key, new Uint8Array([0xff, 0xd8, 0xff, 0xe0]));
    await app().reads.insertReads([read({ vehicleImageKey: key })]);
    const image = () => app().archive.image({ key, agencyId });
    now = NOON + RETENTION * DAY;
    expect(await image()).toHaveLength(4);
    now += 1;
    expect(await image()).toBeNull();
    expect(await app().archive.image({ key, agencyId: "nobody" })).toBeNull();
    await hold(["SEAL123"]);
    await purge();
    expect(await image()).toHaveLength(4);
  });

  it("destroys the day's key, so that restored databases reveal nothing", async () => {
    await app().reads.insertReads([read(), read({ plate: "NEXT1", capturedAt: NOON + DAY })]);
    await bindings.BACKUPS.put(`pool/keys/read-keys/${agencyId}`, "the ring of yesterday");
    const dump = await takeDump();
    expect(await opened(dump)).toBe(2);
    now = NOON + 20 * DAY;
    expect(await purge()).toEqual([]);
    // On day 21 half of the day has expired: the read is deleted; the key stays until the whole day has expired.
    now = NOON + RETENTION * DAY + 1;
    const [first] = await purge();
    expect(first).toMatchObject({ reads: 1, days: [] });
    expect(await opened(dump)).toBe(2);
    now = NOON + 22 * DAY;
    const [second] = await purge();
    expect(second).toMatchObject({ reads: 0, days: ["2026-05-20"] });
    expect(await opened(dump)).toBe(1);
    const audit = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.purge' ORDER BY seq DESC",
    )
      .bind(agencyId)
      .first<{ detail: string }>();
    expect(JSON.parse(audit?.detail ?? "")).toMatchObject({ days: ["2026-05-20"] });

    const copy = await (await bindings.BACKUPS.get(`pool/keys/read-keys/${agencyId}`))?.text();
    expect(copy).toBe(await (await bindings.KEYS.get(`read-keys/${agencyId}`))?.text());

    await writeBack(dump);
    expect(await platesFound(app().reads)).toEqual(["NEXT1"]);
    // A policy that was raised since would show the day: the search says that it cannot.
    expectLogged(LOST);
    const raised = createReadStore(archiveParts(databases, { clock: () => now }));
    expect(await searched(raised, "SEAL")).toEqual({ plates: [], missedDays: [utcDay(NOON)] });
    // The next purge deletes the restored rows again.
    await purge();
    expect(JSON.stringify(await takeDump())).not.toContain(String(dump.flat()[0]?.rows[0]?.id ?? "none"));
    expect(
      (await takeDump())
        .flat()
        .filter(({ table }) => table === "sealed_reads")
        .flatMap(({ rows }) => rows),
    ).toHaveLength(1);
  });

  it("purges all days over several runs, and each run destroys the keys of the days it emptied", async () => {
    const count = 230;
    const keys = otherIsolate();
    const first = utcDay(NOON) - 4000;
    await keys.forDays(
      agencyId,
      Array.from({ length: count }, (_, i) => first + i),
    );
    const parts = { databases, images: bindings.IMAGES, keys };
    const order = { agencyId, before: NOON, held: heldAlways() };
    const runs: number[] = [];
    let left = count;
    while (left > 0) {
      const run = await newRun(parts, order);
      await purgeReadsOf(parts, order, run);
      const { days, ids } = await destroySpentKeys(parts, order, run);
      await forgetKeys({ databases, ids });
      runs.push(days.length);
      left = (await otherIsolate().of(agencyId)).days.length;
    }
    expect(runs).toEqual([100, 100, 30]);
  });

  it("destroys the key also in the copy of a ring that was lost", async () => {
    await app().reads.insertReads([read(), read({ plate: "NEXT1", capturedAt: NOON + DAY })]);
    const [ring, copy] = [`read-keys/${agencyId}`, `pool/keys/read-keys/${agencyId}`];
    await bindings.BACKUPS.put(copy, (await (await bindings.KEYS.get(ring))?.text()) ?? "");
    const dump = await takeDump();
    await bindings.KEYS.delete(ring);
    now = NOON + 22 * DAY;
    await purge();
    await bindings.KEYS.put(ring, (await (await bindings.BACKUPS.get(copy))?.text()) ?? "");
    expect(await opened(dump)).toBe(1);
  });

  it("keeps unexpired reads of an agency whose key ring is missing, so that the ring can be restored", async () => {
    await app().reads.insertReads([read()]);
    const ring = (await (await bindings.KEYS.get(`read-keys/${agencyId}`))?.text()) ?? "";
    await bindings.KEYS.delete(`read-keys/${agencyId}`);
    now = NOON + 5 * DAY;
    await purge();
    await bindings.KEYS.put(`read-keys/${agencyId}`, ring);
    expect(
      await platesFound(
        createReadStore({ ...archiveParts(databases, { clock: () => now }), keys: otherIsolate() }),
      ),
    ).toEqual(["SEAL123"]);
  });
});

describe("a search of reads whose keys were lost", () => {
  const ringName = () => `read-keys/${agencyId}`;
  const elsewhereFound = () =>
    searched(
      createReadStore({
        ...archiveParts(databases, { clock: () => now, days: RETENTION }),
        keys: otherIsolate(),
      }),
    );

  it("names the days that have such reads, also when the ring was started again", async () => {
    expectLogged(LOST);
    const days = [0, 1, 2].map((ago) => utcDay(NOON) - ago);
    await app().reads.insertReads([0, 1, 2].map((ago) => read({ capturedAt: NOON - ago * DAY })));
    expect(await elsewhereFound()).toMatchObject({ missedDays: [] });
    await bindings.KEYS.delete(ringName());
    expect(await elsewhereFound()).toEqual({ plates: [], missedDays: days.toReversed() });
    const restarted = createReadStore({ ...archiveParts(databases), keys: otherIsolate() });
    await restarted.insertReads([read({ plate: "AGAIN1", capturedAt: NOON })]);
    expect(await elsewhereFound()).toEqual({ plates: ["AGAIN1"], missedDays: days.toReversed() });
    // Reads past their retention would not be shown.
    now = NOON + (RETENTION - 1) * DAY;
    expect(await elsewhereFound()).toEqual({ plates: ["AGAIN1"], missedDays: days.slice(0, 2).toReversed() });
  });

  it("names the days of reads under a legal hold, whose retention is over", async () => {
    expectLogged(LOST);
    await app().reads.insertReads([read(), read({ plate: "LOOSE1", capturedAt: NOON + DAY })]);
    await hold(["SEAL123"]);
    now = NOON + 23 * DAY;
    await purge();
    expect(await elsewhereFound()).toEqual({ plates: ["SEAL123"], missedDays: [] });
    await bindings.KEYS.delete(ringName());
    expect(await elsewhereFound()).toEqual({ plates: [], missedDays: [utcDay(NOON)] });
  });
});

describe("reads under a legal hold", () => {
  const over = NOON + 23 * DAY;

  it("are sealed with a separate key before their day's key is destroyed, and are still found", async () => {
    await app().reads.insertReads([read(), read({ plate: "LOOSE1" })]);
    const dump = await takeDump();
    await hold(["SEAL123"]);
    now = over;
    const [certificate] = await purge();
    expect(certificate).toMatchObject({ reads: 1, held: 1, days: ["2026-05-20"] });
    for (const text of ["", "EAL1", "*L1?3", "S*", "*E?L*"])
      expect(await platesFound(app().reads, text), text).toEqual(["SEAL123"]);
    expect(await platesFound(app().reads, "", { make: "Koenigsegg" as never })).toEqual(["SEAL123"]);
    expect(await opened(dump)).toBe(0);
    expect(await purge()).toEqual([]);
    expect(await platesFound(app().reads)).toEqual(["SEAL123"]);
  });

  it("have pictures, which an export gets with a query for each day and database", async () => {
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xd9]);
    const pictured = (plate: string, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const capturedAt = NOON - (i % 2) * (DAY - MINUTE) + i;
        const name = newReadImageName({ at: capturedAt, cameraId: "camera-somewhere" });
        return read({ plate, capturedAt, vehicleImageKey: `${name}.jpg` });
      });
    const [kept, loose] = [pictured("SEAL123", 30), pictured("LOOSE1", 2)];
    const keysOf = (reads: NewRead[]) => reads.flatMap(({ vehicleImageKey }) => vehicleImageKey ?? []);
    const putAll = (reads: NewRead[]) =>
      Promise.all(keysOf(reads).map((key) => bindings.IMAGES.put(key, jpeg)));
    await app().reads.insertReads([...kept, ...loose]);
    await putAll(kept);
    const id = await hold(["SEAL123"]);
    now = over;
    await purge();
    await putAll(loose);
    const counted = databases.map(queriesOf);
    const parts = archiveParts(
      counted.map(({ database }) => database),
      { days: RETENTION, clock: () => now },
    );
    const archive = createReadArchive({ ...parts, reads: app().reads, images: bindings.IMAGES });
    const shown = (reads: NewRead[]) =>
      Promise.all(keysOf(reads).map(async (key) => (await archive.image({ key, agencyId })) !== null));
    let answers: boolean[] = [];
    let queries = 0;
    let work = async () => {
      answers = await shown([...kept, ...loose]);
    };
    for (const { count } of counted) {
      const inner = work;
      work = async () => {
        const own = await count(inner);
        queries += own;
      };
    }
    await work();
    expect(answers).toEqual([...kept.map(() => true), ...loose.map(() => false)]);
    expect(queries).toBeLessThanOrEqual(2 * 3);
    await release(id);
    await purge();
    await putAll(kept);
    now += 5 * MINUTE;
    expect(await shown(kept)).toEqual(kept.map(() => false));
  });

  it("lose that key when their last hold ends; reads of other holds are sealed with a new key", async () => {
    await app().reads.insertReads([read(), read({ plate: "BOTH22" })]);
    const [first] = [await hold(["SEAL123", "BOTH22"])];
    const second = await hold(["BOTH22"]);
    now = over;
    await purge();
    const dump = await takeDump();
    expect(await opened(dump)).toBe(2);
    await release(first);
    expect(await purge()).toMatchObject([{ reads: 1, held: 1 }]);
    expect(await platesFound(app().reads)).toEqual(["BOTH22"]);
    expect(await opened(dump)).toBe(0);
    await release(second);
    await purge();
    const ring = await otherIsolate().of(agencyId);
    expect([ring.days, await ring.held()]).toEqual([[], []]);
    expect((await takeDump()).flat().flatMap(({ rows }) => rows)).toEqual([]);
  });

  it("of other holds keep their key until they have another, also in a database that does not list it", async () => {
    await app().reads.insertReads([read(), read({ plate: "BOTH22" })]);
    const first = await hold(["SEAL123", "BOTH22"]);
    await hold(["BOTH22"]);
    now = over;
    await purge();
    // A backup that began before the reads got that key, and read them afterwards, has them without it in the list.
    for (const database of databases) await database.prepare("DELETE FROM read_keys WHERE day IS NULL").run();
    await release(first);
    expect(await purge()).toMatchObject([{ reads: 1, held: 1 }]);
    expect(await platesFound(app().reads)).toEqual(["BOTH22"]);
    expect((await (await otherIsolate().of(agencyId)).held()).length).toBe(1);
  });

  it("of released holds are purged over several runs of one step each; reads of other holds are kept", async () => {
    const days = [0, 1, 2].map((day) => NOON + day * DAY);
    await app().reads.insertReads(
      days.flatMap((capturedAt) => [read({ capturedAt }), read({ capturedAt, plate: "GONE1" })]),
    );
    const heldPlates = (plates: string[]) =>
      plates.map((plate) => ({ plate, from: NOON - DAY, until: NOON + 9 * DAY }));
    const parts = { databases, images: bindings.IMAGES, keys: otherIsolate() };
    const purgeOf = async (plates: string[], left: number) => {
      const order = { agencyId, before: NOON + 8 * DAY, held: heldAlways(heldPlates(plates)) };
      const run = { ...(await newRun(parts, order)), left };
      await purgeReadsOf(parts, order, run);
      await forgetKeys(await destroySpentKeys(parts, order, run));
      return run.purged;
    };
    expect(await purgeOf(["SEAL123", "GONE1"], 100)).toMatchObject({ reads: 0, held: 6 });
    const dump = await takeDump();
    const runs: { reads: number; held: number }[] = [];
    for (let i = 0; i < 8; i++) runs.push(await purgeOf(["SEAL123"], 1));
    expect(runs.reduce((sum, { reads }) => sum + reads, 0)).toBe(3);
    expect(runs.filter(({ reads }) => reads > 0).length).toBeGreaterThan(1);
    expect(runs.at(-1)).toMatchObject({ held: 3 });
    expect(await opened(dump)).toBe(0);
    expect((await (await otherIsolate().of(agencyId)).held()).length).toBe(1);
    now = NOON + 30 * DAY;
    await hold(["SEAL123"]);
    expect(await platesFound(app().reads)).toEqual(["SEAL123", "SEAL123", "SEAL123"]);
  });

  it("are not lost if a late event corrects their plate while the purge is about to delete them", async () => {
    const first = read({ plate: "SEAL128" });
    await app().reads.insertReads([first]);
    const correct = () => takeEvent(app().reads, { ...first, plate: "SEAL123", eventAt: NOON + 1000 });
    const held = async () => {
      await correct();
      return heldAlways([{ plate: "SEAL123", from: NOON - DAY, until: NOON + DAY }])();
    };
    const parts = { databases, images: bindings.IMAGES, keys: otherIsolate() };
    const order = { agencyId, before: over - RETENTION * DAY, held };
    await purgeReadsOf(parts, order, await newRun(parts, order));
    await purgeReadsOf(parts, order, await newRun(parts, order));
    await hold(["SEAL123"]);
    now = over;
    expect(await platesFound(app().reads)).toEqual(["SEAL123"]);
  });

  it("can be joined by a late read of their day if a purge leaves them to the next run", async () => {
    await app().reads.insertReads([read()]);
    const parts = { databases, images: bindings.IMAGES, keys: otherIsolate() };
    const order = { agencyId, before: over - RETENTION * DAY, held: heldAlways() };
    const run = { ...(await newRun(parts, order)), left: 0 };
    await purgeReadsOf(parts, order, run);
    expect((await destroySpentKeys(parts, order, run)).days).toEqual([]);
    await app().reads.insertReads([read({ plate: "LATE22" })]);
    expect(await platesFound(app().reads)).toEqual(["LATE22", "SEAL123"]);
  });

  it("are not lost if one arrives while the key of its day is destroyed", async () => {
    const held = { plate: "SEAL123", from: NOON - DAY, until: NOON + DAY };
    const clock = () => over;
    const store = createReadStore({
      ...archiveParts(databases, { days: RETENTION, clock }),
      keys: otherIsolate(),
    });
    const late = () => store.insertReads([read({ capturedAt: NOON + 1000, eventAt: NOON + 1000 })]);
    await store.insertReads([read({ plate: "LOOSE1" })]);
    const answers: string[] = [];
    /** Sends the late read after each query that looks for reads under the key of the day. */
    const meanwhile = (database: D1Database) =>
      new Proxy(database, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          if (name !== "prepare") return value.bind(target);
          return (text: string) => {
            const statement = target.prepare(text);
            if (!/EXISTS \(SELECT 1 FROM sealed_reads WHERE key_id = value\)/.test(text)) return statement;
            const all = async (ids: string) => {
              const found = await statement.bind(ids).all();
              answers.push(
                await late().then(
                  () => "stored",
                  (error) => error.code,
                ),
              );
              return found;
            };
            return { bind: (ids: string) => ({ all: () => all(ids) }) };
          };
        },
      });
    const order = { agencyId, before: over - RETENTION * DAY, held: heldAlways([held]) };
    const keys = createReadKeys(
      { keys: bindings.KEYS, backups: bindings.BACKUPS },
      parseSealingKeys(bindings.SEALING_KEYS),
    );
    const purgeWith = async (some: D1Database[]) => {
      const parts = { databases: some, images: bindings.IMAGES, keys };
      const run = await newRun(parts, order);
      await purgeReadsOf(parts, order, run);
      await forgetKeys(await destroySpentKeys(parts, order, run));
    };
    await purgeWith(databases.map((database) => meanwhile(database as D1Database)));
    expect(answers).toEqual(["unavailable"]);
    // The camera sends it again, even from an isolate that still knows the destroyed key: the day has a new one.
    await late();
    await purgeWith(databases);
    expect(await platesFound(store)).toEqual(["SEAL123"]);
    expect((await otherIsolate().of(agencyId)).days).toEqual([]);
  });

  it("are never lost, and no other read remains, wherever a purge fails", async () => {
    let calls = 0;
    let most = Number.POSITIVE_INFINITY;
    const breaking = <T extends object>(binding: T): T =>
      new Proxy(binding, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            if (name !== "bind" && ++calls > most) throw new Error("the isolate has died");
            return value.apply(target, args);
          };
        },
      });
    const held = (plate: string) => ({ plate, from: NOON - DAY, until: NOON + DAY });
    const partsOf = (isFaulty: boolean) => ({
      databases: isFaulty ? databases.map(breaking) : databases,
      images: bindings.IMAGES,
      keys: createReadKeys(
        {
          keys: isFaulty ? breaking(bindings.KEYS) : elsewhere(bindings.KEYS),
          backups: isFaulty ? breaking(bindings.BACKUPS) : bindings.BACKUPS,
        },
        parseSealingKeys(bindings.SEALING_KEYS),
      ),
    });
    const purgeOf = async (plates: string[], isFaulty: boolean) => {
      const parts = partsOf(isFaulty);
      const order = { agencyId, before: over - RETENTION * DAY, held: heldAlways(plates.map(held)) };
      const run = await newRun(parts, order);
      await purgeReadsOf(parts, order, run);
      await forgetKeys(await destroySpentKeys(parts, order, run));
    };
    const clock = () => over;
    let died = true;
    for (let step = 0; died; step += 2) {
      died = false;
      await emptyArchive(databases);
      agencyId = unique("agency");
      now = NOON;
      const archive = createReadStore(archiveParts(databases, { days: RETENTION, clock }));
      await archive.insertReads([read(), read({ plate: "LOOSE1" }), read({ plate: "HELD22" })]);
      const dump = await takeDump();
      // First with both plates held, then with one of them released.
      for (const plates of [["HELD22", "SEAL123"], ["HELD22"]]) {
        [calls, most] = [0, step];
        await purgeOf(plates, true).catch(() => {
          died = true;
        });
        await purgeOf(plates, false);
        const store = createReadStore({
          ...archiveParts(databases, { days: RETENTION, clock }),
          keys: otherIsolate(),
        });
        expect(await platesFound(store), `step ${step}`).toEqual(plates);
        expect(await opened(dump), `step ${step}`).toBe(0);
      }
      const ring = await otherIsolate().of(agencyId);
      expect([ring.days.length, (await ring.held()).length], `step ${step}`).toEqual([0, 1]);
      if (!died) expect(step).toBeGreaterThan(20);
    }
  });
});

describe("reads in the old clear-text tables", () => {
  it("are moved by cron, can still be found, and no clear text remains", async () => {
    const at = NOON;
    const database = databases[utcDay(at) % 4] as D1Database;
    await database.batch([
      database.prepare("INSERT INTO plates (id, plate) VALUES (900001, 'CLEAR1')"),
      database
        .prepare(
          `INSERT INTO reads (plate_id, captured_at, day, agency_id, camera_id, camera_name, car_id, plate_state, make, color,
            body_type, direction, car_state, event_at, latitude_e6) VALUES (900001, ?, ?, ?, 'camera-somewhere', 'Elm', '7', 'CT', 'Honda', 'Blue', '', '', 'lost', ?, 41500000)`,
        )
        .bind(at, utcDay(at), agencyId, at + 5),
      database.prepare("INSERT INTO midnight_passes VALUES ('camera-somewhere', '7', 1, 1)"),
    ]);
    await purge();
    await purge();
    expect(await platesFound(app().reads, "LEAR")).toEqual(["CLEAR1"]);
    for (const table of ["reads", "plates", "midnight_passes"])
      expect((await database.prepare(`SELECT * FROM ${table}`).all()).results).toEqual([]);
    const event = read({ plate: "CLEAR1", carId: "7", capturedAt: at + MINUTE });
    expect(await takeEvent(app().reads, event)).toMatchObject({ created: false });
  });
});

describe("the rotation of the operator's keys", () => {
  it("encrypts the key rings again and does not change the keys of the days", async () => {
    await app().reads.insertReads([read()]);
    const second = `2:${btoa("another key that must not leak!!")}`;
    const sealingKeys = parseSealingKeys(`${bindings.SEALING_KEYS},${second}`);
    const buckets = { keys: bindings.KEYS, backups: bindings.BACKUPS };
    const readKeys = createReadKeys(buckets, sealingKeys);
    expect((await readKeys.rotate(0)).remaining).toBeGreaterThan(0);
    expect((await readKeys.rotate(1000)).resealed).toContain(agencyId);
    expect(await readKeys.rotate(1000)).toEqual({ resealed: [], remaining: 0, unreadable: 0 });
    expect(await (await bindings.KEYS.get(`read-keys/${agencyId}`))?.text()).toMatch(/^v2\./);
    const keys = createReadKeys({ keys: elsewhere(bindings.KEYS), backups: bindings.BACKUPS }, sealingKeys);
    expect(
      await platesFound(createReadStore({ ...archiveParts(databases, { clock: () => now }), keys })),
    ).toEqual(["SEAL123"]);
    for (const { key } of (await bindings.KEYS.list({ prefix: "read-keys/" })).objects)
      await bindings.KEYS.delete(key);
  });
});
