import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { at } from "#app/lib/at.ts";
import { DAY, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createReadStore, type NewRead, type ReadStore } from "#app/store/archive/reads.ts";
import { bindings } from "../../factories.ts";
import { archiveParts, emptyArchive, PLAIN_READ, takeEvent } from "../../support/archive.ts";

const MIDNIGHT = Date.UTC(2026, 5, 20);
const { OTHER_DB, TEST_MIGRATIONS } = bindings as unknown as {
  OTHER_DB: D1Database;
  TEST_MIGRATIONS: { control: D1Migration[] };
};
await applyD1Migrations(OTHER_DB, TEST_MIGRATIONS.control);

/** Two archives of two databases each. */
const partsIn = (databases: (D1Database | undefined)[], control = bindings.DB) =>
  archiveParts(databases, { clock: () => MIDNIGHT + 2 * DAY, days: 30_000, control });
const archives = [
  partsIn([bindings.READS_0, bindings.READS_1]),
  partsIn([bindings.READS_2, bindings.READS_3], OTHER_DB),
] as const;
const together = createReadStore(archives[0]);
const oneByOne = createReadStore(archives[1]);

beforeEach(() => emptyArchive([bindings.READS_0, bindings.READS_1, bindings.READS_2, bindings.READS_3]));

const event = fc
  .record({
    plate: fc.constantFrom("AB12345", "CD67890", ""),
    plateState: fc.constantFrom("CT", ""),
    confidence: fc.option(fc.integer({ min: 0, max: 100 })),
    carState: fc.constantFrom("new" as const, "update" as const, "lost" as const),
    cameraId: fc.constantFrom("cam-1", "cam-2"),
    carId: fc.constantFrom("1", "2", "3", "4", "5", "6"),
    // Times around a midnight, in the middle of a day, and over hours in which a car stands there or another has its id.
    capturedAt: fc.oneof(
      fc.integer({ min: MIDNIGHT - 15 * MINUTE, max: MIDNIGHT + 15 * MINUTE }),
      fc.integer({ min: MIDNIGHT + DAY / 2, max: MIDNIGHT + DAY / 2 + 30 * MINUTE }),
      fc.integer({ min: MIDNIGHT + DAY / 4, max: MIDNIGHT + DAY / 2 }),
    ),
  })
  .map(
    (said): NewRead => ({
      ...PLAIN_READ,
      ...said,
      eventAt: said.capturedAt,
      agencyId: "hartford",
      cameraName: said.cameraId,
    }),
  );

async function kept(store: ReadStore) {
  const query = {
    plate: { kind: "any" as const },
    plateState: "",
    color: "",
    make: "",
    bodyType: "",
    marks: [],
  };
  const found: unknown[] = [];
  const pages = store.searchReads({
    agencyIds: ["hartford"],
    cameraIds: ["cam-1", "cam-2"],
    maxReads: 1000,
    signal: new AbortController().signal,
    query: { ...query, from: 0, to: MIDNIGHT + 2 * DAY } as never,
  });
  for await (const page of pages) found.push(...page.reads.map(({ id: _, ...read }) => JSON.stringify(read)));
  return found.sort();
}

describe("storing many events at once", () => {
  async function takeBothWays(list: NewRead[]): Promise<void> {
    const many = await together.takeEvents(list);
    const single = [];
    for (const one of list) single.push(await takeEvent(oneByOne, one));
    const shape = (taken: typeof many) => {
      const names = new Map<string, number>();
      return taken.map(({ id, facts, capturedAt, revision }) => {
        if (!names.has(id)) names.set(id, names.size);
        return { read: names.get(id), facts, capturedAt, revision };
      });
    };
    expect(shape(many)).toEqual(shape(single));
  }
  const lists = fc.array(fc.array(event, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 });
  const alike = (settings: { numRuns: number; seed: number }) =>
    fc.assert(
      fc.asyncProperty(lists, async (some) => {
        for (const list of some) await takeBothWays(list);
        expect(await kept(together)).toEqual(await kept(oneByOne));
      }),
      settings,
    );

  it("has the same result as storing them one by one, with the same read ids", async () => {
    await alike({ numRuns: 25, seed: 11 });
  });

  it("gives no event to a pass that a later event of the list begins after midnight", async () => {
    const car = { ...at(fc.sample(event, { numRuns: 1, seed: 14 }), 0), carState: "new" as const };
    const seen = (minutes: number) => {
      const capturedAt = MIDNIGHT + minutes * MINUTE;
      return { ...car, capturedAt, eventAt: capturedAt };
    };
    await takeBothWays([seen(-9)]);
    await takeBothWays([seen(-1), seen(5)]);
    expect(await kept(together)).toEqual(await kept(oneByOne));
  });

  it("has the same result for days that continue in a second database", async () => {
    await takeBothWays(fc.sample(event, { numRuns: 40, seed: 12 }));
    for (const { places } of archives) {
      const day = utcDay(MIDNIGHT);
      await places.continueDays(await places.listParts(day - 1, day));
      expect(await places.listParts(day - 1, day)).toHaveLength(4);
    }
    await alike({ numRuns: 15, seed: 13 });
  });

  let calls = 0;
  const counted = (real: D1Database) =>
    new Proxy(real, {
      get(target, name) {
        if (name === "prepare" || name === "batch") calls += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const store = createReadStore(
    partsIn([bindings.READS_0, bindings.READS_1].map((one) => counted(one as D1Database))),
  );

  it("takes a constant number of statements, even when the list is sent again", async () => {
    calls = 0;
    // Each car has two events; every fifth car passes around midnight.
    const list = Array.from({ length: 300 }, (_, i): NewRead => {
      const car = i % 150;
      const capturedAt = MIDNIGHT + (car % 5 === 0 ? car * 1000 : DAY / 2);
      return {
        ...PLAIN_READ,
        plate: `AB${10_000 + car}`,
        confidence: 90,
        carState: i < 150 ? "new" : "lost",
        eventAt: capturedAt + (i < 150 ? 0 : 2000),
        capturedAt,
        agencyId: "hartford",
        cameraId: "cam-1",
        cameraName: "cam-1",
        carId: String(car),
      };
    });
    const first = await store.takeEvents(list);
    expect(calls).toBeLessThan(40);
    calls = 0;
    const again = await store.takeEvents(list);
    expect(calls).toBeLessThan(40);
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(new Set(first.map(({ id }) => id)).size).toBe(150);
    expect(again.every(({ created, revision }) => !created && revision === 1)).toBe(true);
    expect(first.filter(({ created }) => created)).toHaveLength(150);
  });

  it("takes as few for hundreds of events of a parked car, whose plate is read in two ways", async () => {
    calls = 0;
    const ofCar = { agencyId: "hartford", cameraId: "cam-1", cameraName: "cam-1", carId: "1" };
    const list = Array.from({ length: 400 }, (_, i): NewRead => {
      const capturedAt = MIDNIGHT + DAY / 2 + i * 30_000;
      const carState = i === 0 ? "new" : i === 399 ? "lost" : "update";
      const plate = i % 2 === 0 ? "AB12345" : "A812345";
      return { ...PLAIN_READ, ...ofCar, plate, carState, capturedAt, eventAt: capturedAt };
    });
    const first = await store.takeEvents(list);
    expect(calls).toBeLessThan(60);
    expect(new Set(first.map(({ id }) => id)).size).toBe(1);
    expect(first.map(({ revision, facts }) => [revision, facts.plate])).toEqual(
      list.map(({ plate }, i) => [i, plate]),
    );
    calls = 0;
    const again = await store.takeEvents(list);
    expect(calls).toBeLessThan(60);
    expect(new Set(again.map(({ revision }) => revision))).toEqual(new Set([399]));
    expect(await kept(store)).toHaveLength(1);
  });
});
