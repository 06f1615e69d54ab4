// The purge of reads in installations with several databases of them.

import { describe, expect, it } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { findReadsDatabases } from "#app/store/archive/placement.ts";
import { listDueKeys } from "#app/store/archive/purge/reads.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { PLAIN_READ } from "../../support/archive.ts";
import { beforeCall, beforeCalls } from "../../support/operations/buckets.ts";

const NOW = Date.now();
const DATABASES = findReadsDatabases(bindings);
/** More than all agencies take. */
const ALL = { queries: 10_000 };
const EXPIRED_DAYS = [30, 31, 32, 33].map((days) => utcDay(NOW) - days);

type Through = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns the databases of reads with these names, whose calls go through `call`. */
const through = (names: string[], call: Through) =>
  Object.fromEntries(
    DATABASES.filter(({ name }) => names.includes(name)).map(({ name, database }) => [
      name,
      databaseThrough(database, call),
    ]),
  );

/** Creates an agency with a read, which has an image, on each of these days. */
async function agencyWithReads(retentionDays: number, days: number[]): Promise<string> {
  const { id: agencyId } = await newAgency();
  await bindings.DB.prepare("UPDATE agencies SET retention_days = ? WHERE id = ?").bind(90, agencyId).run();
  // Stored while the agency's policy still keeps them.
  const reads = days.map((day) => ({
    ...PLAIN_READ,
    agencyId,
    cameraId: "many",
    cameraName: "many",
    carState: "new" as const,
    plate: "MANY1",
    carId: unique("car"),
    capturedAt: day * DAY,
    eventAt: day * DAY,
    vehicleImageKey: `${dayPrefix(day)}many/${unique("image")}.jpg`,
  }));
  await testApp().reads.insertReads(reads);
  await bindings.DB.prepare("UPDATE agencies SET retention_days = ? WHERE id = ?")
    .bind(retentionDays, agencyId)
    .run();
  return agencyId;
}

const dayOf = (day: number) => isoTime(day * DAY).slice(0, 10);
const dayPrefix = (day: number) => `axis/${dayOf(day)}/`;
const ringOf = async (agencyId: string) => (await bindings.KEYS.get(`read-keys/${agencyId}`))?.text();

/** Returns how many reads of an agency each database has. */
async function readsIn(agencyId: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, database } of DATABASES) {
    const count = await database
      .prepare(
        "SELECT count(*) AS n FROM sealed_reads JOIN read_keys ON read_keys.id = key_id WHERE agency_id = ?",
      )
      .bind(agencyId)
      .first<number>("n");
    if (count) counts.set(name, count);
  }
  return counts;
}

async function certificatesOf(agencyId: string): Promise<object[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.purge' ORDER BY seq",
  )
    .bind(agencyId)
    .all<{ detail: string }>();
  return results.map(({ detail }) => JSON.parse(detail));
}

const isDown: Through = () => Promise.reject(new Error("D1 is down"));

async function problemsOf(purge: Promise<unknown>): Promise<string> {
  const problem: unknown = await purge.then(
    () => null,
    (error: unknown) => error,
  );
  return problem instanceof AggregateError ? problem.errors.map(String).join("; ") : String(problem);
}

describe("a database of reads that does not answer", () => {
  it("does not stop the purge of the others, but no key is destroyed and no stray image removed", async () => {
    const agencyId = await agencyWithReads(5, EXPIRED_DAYS);
    const stray = utcDay(NOW) - 220;
    await bindings.IMAGES.put(`${dayPrefix(stray)}camera/stray.jpg`, "x");
    const [ring, before] = [await ringOf(agencyId), await readsIn(agencyId)];
    const [down, ...others] = [...before.keys()];
    expect(others.length).toBeGreaterThan(0);
    const app = testApp(() => NOW, through([down ?? ""], isDown));
    expect(await problemsOf(purgeExpired(app, ALL))).toContain("D1 is down");
    const left = before.get(down ?? "");
    expect([...(await readsIn(agencyId))]).toEqual([[down, left]]);
    expect(await ringOf(agencyId)).toBe(ring);
    expect((await bindings.IMAGES.list({ prefix: dayPrefix(stray) })).objects).toHaveLength(1);
    await purgeExpired(
      testApp(() => NOW),
      ALL,
    );
    expect((await readsIn(agencyId)).size).toBe(0);
    expect(await ringOf(agencyId)).not.toBe(ring);
    expect((await bindings.IMAGES.list({ prefix: dayPrefix(stray) })).objects).toHaveLength(0);
    expect(await certificatesOf(agencyId)).toMatchObject([
      { reads: EXPIRED_DAYS.length - (left ?? 0), days: [] },
      { reads: left, days: EXPIRED_DAYS.map(dayOf).sort() },
    ]);
  });

  it("keeps the keys if it has answered when the run began", async () => {
    const agencyId = await agencyWithReads(5, EXPIRED_DAYS);
    const ring = await ringOf(agencyId);
    let isGone = false;
    const names = [...(await readsIn(agencyId)).keys()];
    const call: Through = (work) => (isGone ? isDown(work) : work());
    const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
      isGone = true;
    });
    const app = testApp(() => NOW, { ...through([at(names, 0)], call), IMAGES });
    expect(await problemsOf(purgeExpired(app, ALL))).toContain("D1 is down");
    expect(await ringOf(agencyId)).toBe(ring);
    await purgeExpired(
      testApp(() => NOW),
      ALL,
    );
    expect((await readsIn(agencyId)).size).toBe(0);
    expect(await ringOf(agencyId)).not.toBe(ring);
  });
});

describe("a purge that fails", () => {
  it("while it looks for days without reads leaves no key closed", async () => {
    const [day = 0] = EXPIRED_DAYS;
    const agencyId = await agencyWithReads(5, [day]);
    const closed = async () => {
      const counts = await Promise.all(
        DATABASES.map(({ database }) =>
          database
            .prepare("SELECT count(*) AS n FROM closed_keys JOIN read_keys USING (id) WHERE agency_id = ?")
            .bind(agencyId)
            .first<number>("n"),
        ),
      );
      return counts.reduce<number>((sum, n) => sum + (n ?? 0), 0);
    };
    let wasClosed = 0;
    // The ring is read when the reads are purged, before its keys are closed and after it.
    const KEYS = beforeCalls(bindings.KEYS, "get", async () => {
      if ((await closed()) === 0) return;
      wasClosed = await closed();
      throw new Error("R2 is down");
    });
    expect(
      await problemsOf(
        purgeExpired(
          testApp(() => NOW, { KEYS }),
          ALL,
        ),
      ),
    ).toContain("R2 is down");
    expect([wasClosed > 0, await closed()]).toEqual([true, 0]);
  });

  it("has certified all but the last ten steps, of whatever agencies they are", async () => {
    const [day = 0] = EXPIRED_DAYS;
    await purgeExpired(
      testApp(() => NOW),
      ALL,
    );
    const ids: string[] = [];
    for (let i = 0; i < 15; i++) ids.push(await agencyWithReads(5, [day]));
    let removals = 0;
    const call: Through = (work) => (removals > 12 ? isDown(work) : work());
    const IMAGES = beforeCalls(bindings.IMAGES, "delete", async () => {
      removals++;
    });
    const names = DATABASES.map(({ name }) => name);
    const dying = { ...through(names, call), DB: databaseThrough(bindings.DB, call), IMAGES };
    await expect(
      purgeExpired(
        testApp(() => NOW, dying),
        ALL,
      ),
    ).rejects.toThrow();
    const certified = await Promise.all(ids.map(certificatesOf));
    expect(certified.flat()).toEqual(
      Array.from({ length: 10 }, () => expect.objectContaining({ reads: 1, images: 1 })),
    );
  });
});

describe("a destroyed key", () => {
  it("stays listed if another read was stored under it meanwhile, so that the next purge deletes its row", async () => {
    const [day] = EXPIRED_DAYS;
    const agencyId = await agencyWithReads(5, [day ?? 0]);
    const name = at([...(await readsIn(agencyId)).keys()], 0);
    const database = testApp().readsDatabases[DATABASES.findIndex((one) => one.name === name)];
    const row = await database
      ?.prepare(
        "SELECT r.* FROM sealed_reads AS r JOIN read_keys AS k ON k.id = r.key_id WHERE k.agency_id = ?",
      )
      .bind(agencyId)
      .first<Record<string, string | number>>();
    const [columns, values] = [Object.keys(row ?? {}), Object.values(row ?? {})];
    // While the certificate is written, another isolate stores a read with a key that it knew.
    let isStored = false;
    const DB = databaseThrough(bindings.DB, async (work) => {
      const ring = await ringOf(agencyId);
      if (!isStored && ring !== before) {
        isStored = true;
        await database
          ?.prepare(`INSERT INTO sealed_reads (${columns}) VALUES (${columns.map(() => "?")})`)
          .bind(...values)
          .run();
      }
      return work();
    });
    const before = await ringOf(agencyId);
    await purgeExpired(
      testApp(() => NOW, { DB }),
      ALL,
    );
    expect(isStored).toBe(true);
    const count = () =>
      database
        ?.prepare("SELECT count(*) AS n FROM sealed_reads WHERE key_id = ?")
        .bind(row?.key_id)
        .first("n");
    expect(await count()).toBe(1);
    await purgeExpired(
      testApp(() => NOW),
      ALL,
    );
    expect(await count()).toBe(0);
    expect((await readsIn(agencyId)).size).toBe(0);
  });
});

describe("the queries of a purge", () => {
  /** Purges, and returns how many calls of the databases of reads that took. */
  async function callsOfPurge(): Promise<number> {
    let calls = 0;
    const names = DATABASES.map(({ name }) => name);
    const counted: Through = (work) => {
      calls++;
      return work();
    };
    await purgeExpired(
      testApp(() => NOW, through(names, counted)),
      ALL,
    );
    return calls;
  }

  it("do not grow with agencies without expired reads", async () => {
    await callsOfPurge();
    const before = await callsOfPurge();
    for (let i = 0; i < 3; i++) await agencyWithReads(60, EXPIRED_DAYS);
    expect(await callsOfPurge()).toBe(before);
  });

  it("of an agency whose day ends are few, however many databases there are", async () => {
    const callsWith = async (agencies: number) => {
      for (let i = 0; i < agencies; i++) await agencyWithReads(5, EXPIRED_DAYS.slice(0, 1));
      return callsOfPurge();
    };
    await callsWith(1);
    const [one, five] = [await callsWith(1), await callsWith(5)];
    // Its reads are listed and removed, its rows of three tables erased, and its key is forgotten.
    expect((five - one) / 4).toBe(6);
  });

  it("do not grow with the days that old images are of", async () => {
    const callsWith = async (days: number[]) => {
      for (const day of days) await bindings.IMAGES.put(`${dayPrefix(day)}camera/stray.jpg`, "x");
      const calls = await callsOfPurge();
      for (const day of days)
        expect((await bindings.IMAGES.list({ prefix: dayPrefix(day) })).objects).toHaveLength(0);
      return calls;
    };
    const old = [221, 222, 223, 224, 225].map((days) => utcDay(NOW) - days);
    await callsWith(old);
    expect(await callsWith(old)).toBe(await callsWith(old.slice(0, 1)));
  });

  it("do not grow with the reads under a legal hold", async () => {
    const callsWith = async (reads: number) => {
      const days = Array.from({ length: reads }, () => EXPIRED_DAYS[0] ?? 0);
      const agencyId = await agencyWithReads(5, days);
      await bindings.DB.prepare(
        `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
          requested_by_name, requested_at) VALUES (?, ?, '26-1', '', '["MANY1"]', 0, ?, 'active', 'a', 'A', 0)`,
      )
        .bind(unique("hold"), agencyId, NOW)
        .run();
      await callsOfPurge();
      const calls = await callsOfPurge();
      expect([...(await readsIn(agencyId)).values()]).toEqual([reads]);
      return calls;
    };
    const none = await callsOfPurge();
    const one = await callsWith(1);
    expect(await callsWith(420)).toBe(2 * one - none);
  });

  it("list no keys of days that the agency's own policy keeps", async () => {
    const [short, long] = [await agencyWithReads(5, EXPIRED_DAYS), await agencyWithReads(60, EXPIRED_DAYS)];
    const due = [
      { agencyId: short, untilDay: utcDay(NOW) - 5 },
      { agencyId: long, untilDay: utcDay(NOW) - 60 },
    ];
    const listed = await Promise.all(DATABASES.map(({ database }) => listDueKeys(database, due)));
    const found = listed.flat().map(({ agencyId, day }) => ({ agencyId, day }));
    expect(found.sort((a, b) => (b.day ?? 0) - (a.day ?? 0))).toEqual(
      EXPIRED_DAYS.map((day) => ({ agencyId: short, day })),
    );
  });
});
