import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createPacker } from "#app/lib/deflate.ts";

/** Numbers that look like chance and are the same each time. */
function chance(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Bytes of few or many kinds, in which stretches come again from near or far. */
function bytesOf(size: number, kinds: number, seed: number): Uint8Array {
  const next = chance(seed);
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    if (at > 8 && next(3) === 0) {
      const from = Math.max(0, at - 1 - next(next(2) === 0 ? 64 : 40_000));
      for (let i = from, left = 3 + next(300); left > 0 && at < size; left--)
        bytes[at++] = bytes[i++] as number;
    } else bytes[at++] = next(kinds);
  }
  return bytes;
}

const isSame = (bytes: Uint8Array, packed: Uint8Array) => inflateSync(packed).equals(Buffer.from(bytes));

describe("packing of small pieces", () => {
  it("gives back every piece, one after the other from the same tables", () => {
    const pack = createPacker();
    for (const [i, size] of [0, 1, 2, 3, 4, 5, 9, 257, 258, 259, 4000, 33_000, 70_000, 200_000].entries())
      for (const kinds of [1, 2, 90, 256]) {
        const bytes = bytesOf(size, kinds, i * 7 + kinds);
        expect(isSame(bytes, pack(bytes)), `${size} bytes of ${kinds} kinds`).toBe(true);
        // What an earlier piece left in the tables must not be taken for a part of this one.
        expect(isSame(bytes, pack(bytes)), `${size} bytes of ${kinds} kinds again`).toBe(true);
      }
  });

  it("gives back symbols as unlike in number as can be, whose codes must be cut short", () => {
    const pack = createPacker();
    const counts = [1, 1];
    while (counts.length < 20) counts.push((counts.at(-1) as number) + (counts.at(-2) as number));
    const next = chance(5);
    const bytes = Uint8Array.from(counts.flatMap((count, i) => Array<number>(count).fill(i * 11)));
    for (let i = bytes.length - 1; i > 0; i--) {
      const k = next(i + 1);
      [bytes[i], bytes[k]] = [bytes[k] as number, bytes[i] as number];
    }
    expect(isSame(bytes, pack(bytes))).toBe(true);
  });

  it("packs the content of a page as small as zlib does, within a fiftieth", () => {
    const pack = createPacker();
    const next = chance(9);
    const lines = Array.from(
      { length: 200 },
      (_, n) =>
        `BT/F1 8.5 Tf 352 ${700 - n * 3} Td(Camera ${next(40)} at Exit ${next(90)} )Tj -60 -14 Td(41.${next(1e6)}, -72.${next(1e6)} )Tj ET`,
    );
    const bytes = Buffer.from(lines.join("\n"));
    expect(isSame(bytes, pack(bytes))).toBe(true);
    expect(pack(bytes).length).toBeLessThan(deflateSync(bytes, { level: 6 }).length * 1.02);
  });
});
