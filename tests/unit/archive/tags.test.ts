import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { confusedWith, foldConfused } from "#app/entities/search/look-alikes.ts";
import { createReadCipher, openText, type ReadCipher, sealTexts } from "#app/store/archive/cipher.ts";
import {
  type RunTags,
  SPELLING,
  type TagKind,
  tagKeys,
  tagQuery,
  tagReads,
} from "#app/store/archive/tags.ts";
import { featuresOf, foldRun, runsOf } from "#app/store/archive/words.ts";

const cipherOf = (first: number) =>
  createReadCipher(
    Uint8Array.from({ length: 32 }, (_, i) => first + i),
    { agencyId: "hartford", day: 1 },
  );
const plate = fc.string({ unit: fc.constantFrom(..."AB80OD1ILQ4Z27Ö"), minLength: 1, maxLength: 8 });
const others = { pass: "1|cam", camera: "cam", make: "", color: "", body: "", state: "CT" };

describe("the tags of a plate", () => {
  it("are those that searches for its runs as read, its folded runs and its features look for", async () => {
    await fc.assert(
      fc.asyncProperty(plate, fc.nat(200), async (text, key) => {
        const cipher = await cipherOf(key);
        const [read] = await tagReads(cipher, [{ plate: text, ...others }]);
        const runs = runsOf(text);
        const ask = async (runTags: RunTags, words: number[]) => {
          const features = [featuresOf(foldConfused(text))];
          const [tags] = await tagQuery([cipher], { runs: words, runTags, features, texts: [] });
          return { tags: tags?.runs ?? [], bits: tags?.bits[0] };
        };
        const asRead = await ask("read", runs);
        expect(read?.runs).toEqual(asRead.tags);
        const folded = await ask("folded", runs.map(foldRun));
        const former = await ask("former", runs.map(foldRun));
        for (const [i, tag] of asRead.tags.entries()) {
          const first = folded.tags[i] ?? Number.NaN;
          for (const one of [tag, former.tags[i] ?? Number.NaN]) {
            expect(one).toBeGreaterThanOrEqual(first);
            expect(one).toBeLessThanOrEqual(first + SPELLING);
          }
          expect(first).toBeGreaterThanOrEqual(-(2 ** 31));
          expect(first + SPELLING).toBeLessThan(2 ** 31);
        }
        // The marks leave the bits.
        const bits = read?.bits.map((half) => half + 2 ** 47);
        expect(bits).toEqual(asRead.bits);
        expect(read?.bits.every((half) => half < 0)).toBe(true);
      }),
    );
  });

  it("are the same, and a text can be opened, after a search of more keys than stay prepared", async () => {
    const cipher = await cipherOf(7);
    const [few, many] = [[runsOf("ABC")], runsOf("ABCDEFGHIJKLMNOPQR").map((run) => [run])];
    const ask = async (list: ReadCipher[]) =>
      Promise.all([few, many].map((features) => tagQuery(list, { runs: [], features, texts: [] })));
    const before = await ask([cipher]);
    const sealed = await sealTexts(cipher, [{ text: "a read", capturedAt: 1 }]);
    const others = Array.from({ length: 10_001 }, () => ({ ...cipher }));
    expect((await tagQuery(others, { runs: [], features: few, texts: [] })).at(-1)).toEqual(before[0]?.[0]);
    expect(await ask([cipher])).toEqual(before);
    expect(await openText(cipher, sealed[0] ?? "", 1)).toBe("a read");
  });

  it("are those of each key, also among more keys than are tagged together", async () => {
    const keys = await Promise.all(
      Array.from({ length: 2_001 }, async (_, day) => ({
        cipher: await createReadCipher(new Uint8Array(32).fill(day % 250), { agencyId: "hartford", day }),
      })),
    );
    const query = { runs: runsOf("ABC"), features: [], texts: [] };
    const taken: [(typeof keys)[number], number | undefined][] = [];
    await tagKeys(keys, query, (key, { runs }) => taken.push([key, runs[0]]));
    expect(taken.map(([key]) => key)).toEqual(keys);
    for (const place of [0, 999, 1_000, 1_999, 2_000]) {
      const [key, run] = taken[place] ?? [];
      const [alone] = key ? await tagQuery([key.cipher], query) : [];
      expect(run, `${place}`).toBe(alone?.runs[0]);
    }
  });

  // Few blocks are decrypted one by one, many as one chain of Web Crypto.
  it("are the same for few words as for many", async () => {
    const makes = ["Subaru", "a make whose name is longer than a block"];
    const texts = makes.map((make): [kind: TagKind, text: string] => ["make", make]);
    await fc.assert(
      fc.asyncProperty(plate, fc.nat(200), async (text, key) => {
        const cipher = await cipherOf(key);
        const [runs, features] = [runsOf(text), featuresOf(text).map((feature) => [feature])];
        const many = Array.from({ length: 40 }, (_, n) => 1000 + n);
        const [few] = await tagQuery([cipher], { runs, features: [], texts });
        const [all] = await tagQuery([cipher], { runs: [...runs, ...many], features, texts });
        expect(all?.runs.slice(0, runs.length)).toEqual(few?.runs);
        expect(all?.texts).toEqual(few?.texts);
        for (const [i, set] of features.entries()) {
          const [one] = await tagQuery([cipher], { runs: [], features: [set], texts: [] });
          expect(all?.bits[i]).toEqual(one?.bits[0]);
        }
      }),
    );
  });

  it("tell most spellings of a run apart", async () => {
    const cipher = await cipherOf(7);
    const texts = confusedWith("0").flatMap((a) =>
      confusedWith("1").flatMap((b) => [`4${a}${b}`, `${b}${a}7`]),
    );
    const runs = texts.flatMap(runsOf);
    const [tags] = await tagQuery([cipher], { runs, features: [], texts: [] });
    expect(new Set(tags?.runs).size).toBeGreaterThan(runs.length - 3);
  });
});

describe("a folded run", () => {
  it("is the run of the folded plate", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 3, maxLength: 12 }), plate, (any, known) => {
        for (const text of [any, known])
          expect(new Set(runsOf(text).map(foldRun))).toEqual(new Set(runsOf(foldConfused(text))));
      }),
    );
  });
});
