import { describe, expect, it } from "vitest";
import { keepKeysReady } from "#app/domain/archive/keys.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createReadKeys, type ReadKeys } from "#app/store/archive/keys.ts";
import { createReadStore } from "#app/store/archive/reads.ts";
import { bindings, unique } from "../../factories.ts";
import { archiveParts, emptyArchive, PLAIN_READ } from "../../support/archive.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const databases = [bindings.READS_0, bindings.READS_1, bindings.READS_2, bindings.READS_3];
const NOW = Date.UTC(2026, 5, 1, 12);
const TODAY = utcDay(NOW);

/** Another isolate: it has the same objects and no ring in memory. `meanwhile` runs before each call of R2. */
function otherIsolate(meanwhile: (name: string, key: unknown) => Promise<void> | void = () => {}): {
  keys: ReadKeys;
  calls: string[];
} {
  const calls: string[] = [];
  const KEYS = new Proxy(bindings.KEYS, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        calls.push(`${String(name)} ${args[0]}`);
        await meanwhile(String(name), args[0]);
        return value.apply(target, args);
      };
    },
  });
  const sealingKeys = parseSealingKeys(bindings.SEALING_KEYS);
  return { keys: createReadKeys({ keys: KEYS, backups: bindings.BACKUPS }, sealingKeys), calls };
}

/** Returns agencies with a key of today. */
async function newAgencies(): Promise<string[]> {
  const ids = Array.from({ length: 40 }, () => unique("bundled"));
  const { keys } = otherIsolate();
  for (const id of ids) await keys.forDays(id, [TODAY]);
  return ids;
}

/** Runs the job until no bundle changes. Returns how many each run wrote. */
async function bundleAll(): Promise<number[]> {
  const { keys } = otherIsolate();
  const runs: number[] = [];
  do runs.push(await keys.bundle());
  while (runs.at(-1) !== 0);
  return runs;
}

async function daysOf({ keys }: { keys: ReadKeys }, ids: string[]): Promise<number[][]> {
  await keys.loadMany(ids);
  return Promise.all(ids.map(async (id) => (await keys.of(id)).days));
}

const loadsOf = ({ calls }: { calls: string[] }) => calls.filter((call) => call.startsWith("get read-keys/"));
const bundles = async () => (await bindings.KEYS.list({ prefix: "ring-bundles/" })).objects;

/** Returns the keys of the bundles that have one of these agencies. Agencies of other tests may be in others. */
async function bundlesOf(ids: string[]): Promise<string[]> {
  const found = await Promise.all(
    (await bundles()).map(async ({ key }) => {
      const text = (await (await bindings.KEYS.get(key))?.text()) ?? "";
      return ids.some((id) => text.includes(`"${id}"`)) ? [key] : [];
    }),
  );
  return found.flat();
}

async function withoutBundles(): Promise<void> {
  await bindings.KEYS.delete((await bundles()).map(({ key }) => key));
}

describe("bundles of key rings", () => {
  it("have the keys of many agencies in few objects; few agencies are loaded one by one", async () => {
    await withoutBundles();
    const ids = await newAgencies();
    // The first run creates empty ones, the second fills them, the third finds nothing to do.
    const runs = await bundleAll();
    const count = (await bundles()).length;
    expect(runs).toEqual([count, count, 0]);
    expect(count).toBeLessThanOrEqual(16);
    const one = otherIsolate();
    expect(await daysOf(one, ids)).toEqual(ids.map(() => [TODAY]));
    expect(one.calls.sort()).toEqual((await bundlesOf(ids)).map((key) => `get ${key}`).sort());
    const other = otherIsolate();
    expect(await daysOf(other, ids.slice(0, 18))).toEqual(ids.slice(0, 18).map(() => [TODAY]));
    expect(other.calls).toHaveLength(18);
    expect(loadsOf(other)).toHaveLength(18);
  });

  it("are written again for the agencies that have changed", async () => {
    const [changed = "", ...ids] = await newAgencies();
    await bundleAll();
    await otherIsolate().keys.forDays(changed, [TODAY + 1]);
    expect(await bundleAll()).toEqual([1, 0]);
    const isolate = otherIsolate();
    expect((await daysOf(isolate, [changed, ...ids]))[0]).toEqual([TODAY, TODAY + 1]);
    expect(loadsOf(isolate)).toEqual([]);
  });

  it("lack newer keys, whose reads are found nevertheless", async () => {
    await emptyArchive(databases);
    const ids = await newAgencies();
    const pass = {
      cameraId: "camera",
      cameraName: "Elm",
      agencyId: ids[7] as string,
      carState: "lost",
      capturedAt: NOW,
    } as const;
    const read = { ...PLAIN_READ, ...pass, eventAt: NOW };
    const parts = archiveParts(databases, { clock: () => NOW });
    const store = (isolate: { keys: ReadKeys }) => createReadStore({ ...parts, keys: isolate.keys });
    await store(otherIsolate()).insertReads([{ ...read, plate: "BEFORE1", carId: "1" }]);
    await bundleAll();
    const yesterday = { ...read, plate: "AFTER1", carId: "2", capturedAt: NOW - DAY };
    await store(otherIsolate()).insertReads([yesterday]);
    const searching = otherIsolate();
    const plates: string[] = [];
    const query = { from: NOW - 3 * DAY, to: NOW + MINUTE, plate: { kind: "any" } } as const;
    const none = { plateState: "", color: "", make: "", bodyType: "" } as const;
    for await (const page of store(searching).searchReads({
      agencyIds: ids,
      cameraIds: ["camera"],
      maxReads: 10,
      signal: new AbortController().signal,
      query: { ...query, ...none, marks: [] },
    }))
      plates.push(...page.reads.map(({ plate }) => plate));
    expect(plates).toEqual(["BEFORE1", "AFTER1"]);
    expect(loadsOf(searching)).toEqual([`get read-keys/${ids[7]}`]);
  });

  it("never have a destroyed key: its bundle is deleted, and written again without it", async () => {
    const [gone = "", ...ids] = await newAgencies();
    await bundleAll();
    await otherIsolate().keys.destroy(gone, { days: [TODAY] });
    const after = otherIsolate();
    expect((await daysOf(after, [gone, ...ids]))[0]).toEqual([]);
    expect(await bundleAll()).toEqual([1, 1, 0]);
    expect((await daysOf(otherIsolate(), [gone, ...ids]))[0]).toEqual([]);
  });

  it.each([
    ["", false],
    [", and another run creates the bundle again", true],
  ])(
    "never have a key that is destroyed between reading its ring and writing the bundle%s",
    async (_, isAgain) => {
      await withoutBundles();
      const [gone = "", ...ids] = await newAgencies();
      expect(await otherIsolate().keys.bundle()).toBeGreaterThan(0);
      let phase: "before" | "read" | "destroyed" = "before";
      const job = otherIsolate(async (name, key) => {
        if (key === `read-keys/${gone}`) phase = "read";
        if (name !== "put" || phase !== "read") return;
        phase = "destroyed";
        await otherIsolate().keys.destroy(gone, { days: [TODAY] });
        if (isAgain) await otherIsolate().keys.bundle();
      });
      await job.keys.bundle();
      expect(phase).toBe("destroyed");
      expect((await daysOf(otherIsolate(), [gone, ...ids]))[0]).toEqual([]);
    },
  );

  it("that cannot be read leave the search to the rings", async () => {
    const ids = await newAgencies();
    await bundleAll();
    const [first] = await bundles();
    await bindings.KEYS.put(first?.key ?? "", "not a bundle");
    const isolate = otherIsolate();
    expect(await daysOf(isolate, ids)).toEqual(ids.map(() => [TODAY]));
    expect(loadsOf(isolate)).toHaveLength(ids.length);
    expectLogged(/bundles of key rings could not be read/);
    await withoutBundles();
  });
});

describe("keys of the next day", () => {
  const LATE = (TODAY + 1) * DAY - HOUR;
  const event = {
    ...PLAIN_READ,
    cameraId: "camera",
    cameraName: "Elm",
    carState: "lost",
    plate: "EARLY1",
  } as const;
  const passAt = (agencyId: string, at: number) => ({
    ...event,
    agencyId,
    carId: unique("car"),
    capturedAt: at,
    eventAt: at,
  });

  /** Stores a read of each agency. */
  async function storeReads(keys: ReadKeys, ids: string[], at: number): Promise<void> {
    const store = createReadStore({ ...archiveParts(databases, { clock: () => at }), keys });
    await store.insertReads(ids.map((id) => passAt(id, at)));
  }

  /** Runs the job in another isolate, which it returns. */
  async function runJob(at: number): Promise<ReturnType<typeof otherIsolate>> {
    const isolate = otherIsolate();
    const { places } = archiveParts(databases, { clock: () => at });
    await keepKeysReady({ places, readKeys: isolate.keys, clock: () => at });
    return isolate;
  }

  it("exist and are bundled before it begins, for agencies with reads of this day", async () => {
    await emptyArchive(databases);
    await withoutBundles();
    const [silent = "", ...ids] = await newAgencies();
    await storeReads(otherIsolate().keys, ids, NOW);
    // This run creates the bundles, the next one fills them.
    await runJob(NOW);
    expect(await daysOf(otherIsolate(), ids)).toEqual(ids.map(() => [TODAY]));
    await runJob(LATE);
    const isolate = otherIsolate();
    expect(await daysOf(isolate, [silent, ...ids])).toEqual([[TODAY], ...ids.map(() => [TODAY, TODAY + 1])]);
    expect(loadsOf(isolate)).toEqual([]);
    const puts = ({ calls }: { calls: string[] }) =>
      calls.filter((call) => call.startsWith("put read-keys/"));
    expect(puts(await runJob(LATE))).toEqual([]);
    const camera = otherIsolate();
    await storeReads(camera.keys, ids, (TODAY + 1) * DAY + HOUR);
    expect(puts(camera)).toEqual([]);
  });

  it("exist although the ring of another agency cannot be read", async () => {
    await emptyArchive(databases);
    const [broken = "", ...ids] = await newAgencies();
    await storeReads(otherIsolate().keys, [broken, ...ids], NOW);
    await bindings.KEYS.put(`read-keys/${broken}`, "not a ring");
    await expect(runJob(LATE)).rejects.toThrow("no sealing key opens this ring of keys");
    expect(await daysOf(otherIsolate(), ids)).toEqual(ids.map(() => [TODAY, TODAY + 1]));
    await bindings.KEYS.delete(`read-keys/${broken}`);
  });
});
