import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { countReadsToTag, retagArchive } from "#app/domain/archive/tags.ts";
import { foldConfused, lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { parsePlatePattern, plateMatches } from "#app/entities/search/plate.ts";
import { at } from "#app/lib/at.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import type { ReadCipher } from "#app/store/archive/cipher.ts";
import { createReadStore, type NewRead } from "#app/store/archive/reads.ts";
import { openRead } from "#app/store/archive/rows.ts";
import { MARK, tagQuery } from "#app/store/archive/tags.ts";
import { featuresOf, runsOf } from "#app/store/archive/words.ts";
import { bindings } from "../../factories.ts";
import { archiveParts, emptyArchive, PLAIN_READ } from "../../support/archive.ts";

const NOON = Date.UTC(2026, 5, 20, 12);
const databases = [bindings.READS_0, bindings.READS_1];
const parts = archiveParts(databases, { clock: () => NOON + DAY });
const store = createReadStore(parts);
const app = { readsDatabases: parts.databases, readKeys: parts.keys, clock: () => NOON + DAY };

beforeEach(() => emptyArchive(databases));

let car = 0;
const read = (plate: string, capturedAt = NOON): NewRead => ({
  plate,
  ...PLAIN_READ,
  carState: "lost",
  eventAt: capturedAt,
  capturedAt,
  agencyId: "hartford",
  cameraId: "cam-1",
  cameraName: "I-84",
  carId: `car-${car++}`,
});

async function find(text: string, lookAlikes: boolean): Promise<string[]> {
  const pattern = parsePlatePattern(text);
  if (!pattern) throw new Error(`${text} is no pattern`);
  const found: string[] = [];
  const pages = store.searchReads({
    agencyIds: ["hartford"],
    cameraIds: ["cam-1", "cam-2", "cam-3", "cam-4", "cam-5"],
    query: {
      plate: pattern,
      lookAlikes,
      plateState: "",
      make: "",
      color: "",
      bodyType: "",
      marks: [],
      from: NOON - 3 * DAY,
      to: NOON + DAY,
    },
    maxReads: 10_000,
    // Small pages, so that a search takes several.
    pageSize: 7,
    signal: new AbortController().signal,
  });
  for await (const page of pages) found.push(...page.reads.map(({ plate }) => plate));
  return found;
}

/** Returns the expected result by comparing every read, newest first. */
function expected(reads: NewRead[], text: string, lookAlikes: boolean): string[] {
  const pattern = parsePlatePattern(text);
  if (!pattern) throw new Error(`${text} is no pattern`);
  const resembles = lookAlikeMatcher(pattern);
  return reads
    .filter(({ plate }) => (lookAlikes ? resembles(plate) !== undefined : plateMatches(pattern, plate)))
    .toSorted((a, b) => b.capturedAt - a.capturedAt)
    .map(({ plate }) => plate);
}

const sign = fc.constantFrom(..."AB80OD1IL4C");
const plate = fc.string({ unit: sign, minLength: 2, maxLength: 7 });
const asked = fc.oneof(
  plate,
  fc.string({
    unit: fc.oneof({ weight: 5, arbitrary: sign }, fc.constantFrom("?", "*")),
    minLength: 1,
    maxLength: 8,
  }),
);
const SEARCHES = ["AB80OD1", "*8?0001*", "A880001", "B8O", "1IL4", "AC4C4A", "8?O*", "4C"];

/** The tags of versions that did not fold look-alikes, and of those whose runs were folded only. */
type Former = "unfolded" | "folded";

async function formerOf(cipher: ReadCipher, plate: string, former: Former) {
  const text = former === "folded" ? foldConfused(plate) : plate;
  const words = { runs: runsOf(text), features: [featuresOf(text)], texts: [] };
  const [tags] = await tagQuery([cipher], { ...words, runTags: "former" });
  const [low, high] = tags?.bits[0] ?? [0, 0];
  return {
    runs: tags?.runs ?? [],
    bits: former === "folded" ? [low, high + MARK] : [low, high],
  };
}

/** Replaces the tags of reads with those of former versions. `formerAt` says which those of the n-th read become. */
async function makeFormer(formerAt: (n: number) => Former | "new" = () => "unfolded"): Promise<void> {
  const ring = await parts.keys.of("hartford");
  const ciphers = (await Promise.all(ring.days.map((day) => ring.ofDay(day)))).filter((one) => one !== null);
  for (const database of parts.databases) {
    const { results } = await database
      .prepare("SELECT * FROM sealed_reads")
      .all<{ id: number; key_id: number; captured_at: number; sealed: string; plate_tag: number }>();
    const kept = new Set<number>();
    const tagsOfPlates = new Map<string, number>();
    for (const [n, row] of results.entries()) {
      const former = formerAt(n);
      if (former === "new") {
        kept.add(row.plate_tag);
        continue;
      }
      const cipher = ciphers.find(({ id }) => id === row.key_id);
      if (!cipher) throw new Error("a read without its key");
      const { plate } = await openRead(cipher, row);
      const name = `${former} ${plate}`;
      const tag = tagsOfPlates.get(name) ?? tagsOfPlates.size + 1;
      tagsOfPlates.set(name, tag);
      const { runs, bits } = await formerOf(cipher, plate, former);
      await database.batch([
        database
          .prepare("UPDATE sealed_reads SET plate_tag = ?, low = ?, high = ? WHERE id = ?")
          .bind(tag, bits[0], bits[1], row.id),
        database
          .prepare("INSERT OR IGNORE INTO plate_runs SELECT ?, value, ? FROM json_each(?)")
          .bind(cipher.id, tag, JSON.stringify(runs)),
      ]);
    }
    await database
      .prepare(
        "DELETE FROM plate_runs WHERE plate_tag > ? AND plate_tag NOT IN (SELECT value FROM json_each(?))",
      )
      .bind(tagsOfPlates.size, JSON.stringify([...kept]))
      .run();
  }
}

async function countRuns(): Promise<number> {
  const counts = await Promise.all(
    parts.databases.map((database) =>
      database.prepare("SELECT count(*) AS n FROM plate_runs").first<number>("n"),
    ),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const world = (plates: string[]) => plates.map((one, i) => read(one, NOON - (i % 3) * DAY - i * MINUTE));
const PLATES = [
  "AB80OD1",
  "A880001",
  "ABBOOD1",
  "AB8OOD",
  "AB80OD14",
  "B80",
  "88O",
  "1IL4",
  "1114",
  "AC4C4A",
  "AC4CA",
  "4C",
];

describe("searches of the archive", () => {
  it("find the same reads as a comparison with every read, in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plate, { maxLength: 60 }),
        fc.array(asked, { minLength: 1, maxLength: 6 }),
        async (plates, texts) => {
          await emptyArchive(databases);
          const reads = world(plates);
          await store.insertReads(reads);
          for (const text of [...texts, ...plates.slice(0, 3)])
            for (const lookAlikes of [false, true])
              expect(await find(text, lookAlikes)).toEqual(expected(reads, text, lookAlikes));
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("an exact search", () => {
  it("opens few other reads than those that match, although other plates look alike", async () => {
    const spellings = ["8OI", "BO1", "80I", "BDL", "8QL", "BD1", "80L", "BQI"];
    const plates = Array.from({ length: 640 }, (_, i) => `${spellings[i % 8]}${1000 + i}`);
    await store.insertReads(world(plates));
    // The first search also opens keys.
    expect(await find("801", true)).toHaveLength(640);
    const decrypt = vi.spyOn(crypto.subtle, "decrypt");
    try {
      expect(await find("BO1", false)).toHaveLength(80);
      const opened = decrypt.mock.calls.filter(([algorithm]) =>
        JSON.stringify(algorithm).includes("AES-GCM"),
      );
      expect(opened.length).toBeGreaterThanOrEqual(80);
      // Two spellings have the same tag under one key in 256. Three days have a key each.
      expect(opened.length).toBeLessThan(2 * 80);
    } finally {
      decrypt.mockRestore();
    }
  });
});

describe("reads with former tags", () => {
  it("are found beside others, whatever their tags are", async () => {
    const tagged = fc.constantFrom("unfolded", "folded", "new");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(plate, tagged), { maxLength: 40 }),
        fc.array(asked, { minLength: 1, maxLength: 4 }),
        async (given, texts) => {
          await emptyArchive(databases);
          const reads = world(given.map(([text]) => text));
          await store.insertReads(reads);
          await makeFormer((n) => given[n]?.[1] ?? "new");
          const check = async () => {
            for (const text of [...texts, ...given.slice(0, 3).map(([own]) => own)])
              for (const lookAlikes of [false, true])
                expect(await find(text, lookAlikes)).toEqual(expected(reads, text, lookAlikes));
          };
          await check();
          await retagArchive(app);
          expect(await countReadsToTag(app)).toBe(0);
          await check();
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each(["unfolded", "folded"] as const)(
    "are found before, during and after retagging (%s)",
    async (former) => {
      const reads = world([...PLATES, ...PLATES]);
      await store.insertReads(reads);
      const runs = await countRuns();
      await makeFormer(() => former);
      const later = world(["AB80OD1", "8CO4"]).map((one) => ({
        ...one,
        capturedAt: one.capturedAt + MINUTE / 2,
      }));
      await store.insertReads(later);
      const all = [...reads, ...later];
      const check = async () => {
        for (const text of SEARCHES)
          for (const lookAlikes of [false, true])
            expect(await find(text, lookAlikes)).toEqual(expected(all, text, lookAlikes));
      };
      expect(await countReadsToTag(app)).toBe(reads.length);
      await check();
      // A step retags a thousand reads of one database: an error after the first database leaves the second unchanged.
      expect(await retagArchive({ ...app, readsDatabases: [at(parts.databases, 0)] })).toBeGreaterThan(0);
      const left = await countReadsToTag(app);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(reads.length);
      await check();
      expect(await retagArchive(app)).toBe(left);
      expect(await countReadsToTag(app)).toBe(0);
      expect(await retagArchive(app)).toBe(0);
      await check();
      // The former runs are deleted: only those of the same reads and of the one new plate remain.
      expect(await countRuns()).toBe(runs + runsOf("8C04").length);
    },
  );

  it("are retagged within one limit for all databases, of which each gets its turn", async () => {
    await store.insertReads(world([...PLATES, ...PLATES]));
    await makeFormer(() => "folded");
    const left = () =>
      Promise.all(parts.databases.map((database) => countReadsToTag({ readsDatabases: [database] })));
    const before = await left();
    expect(before.filter((count) => count > 0).length).toBeGreaterThan(1);
    const changed = new Set<number>();
    for (const run of parts.databases.keys()) {
      const earlier = await left();
      const tagged = await retagArchive({ ...app, clock: () => run * 5 * MINUTE }, { reads: 1, queries: 99 });
      const later = await left();
      const touched = earlier.flatMap((count, n) => (count === later[n] ? [] : [n]));
      expect(touched.length).toBe(tagged > 0 ? 1 : 0);
      for (const n of touched) changed.add(n);
    }
    expect(changed.size).toBe(before.filter((count) => count > 0).length);
    expect(await retagArchive(app, { reads: 99, queries: 0 })).toBe(0);
  });

  it("are skipped if their key was destroyed, and marked if they are damaged", async () => {
    await store.insertReads(world(PLATES));
    await makeFormer((n) => (n % 2 === 0 ? "folded" : "unfolded"));
    const [first] = parts.databases;
    await first
      ?.prepare(
        "UPDATE sealed_reads SET sealed = 'AAAA' || sealed WHERE id = (SELECT min(id) FROM sealed_reads)",
      )
      .run();
    await parts.databases[1]?.prepare("DELETE FROM read_keys").run();
    const before = await countReadsToTag(app);
    const done = await retagArchive(app);
    expect(done).toBeGreaterThan(0);
    expect(await countReadsToTag(app)).toBe(before - done);
    expect(await retagArchive(app)).toBe(0);
  });
});
