import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createDeflate } from "#app/lib/deflate.ts";

const deflate = createDeflate();
const back = (data: Uint8Array) => Buffer.compare(inflateSync(deflate(data)), data) === 0;

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("deflate", () => {
  it("gives what zlib reads back, whatever it is given, one after another with the same tables", () => {
    const next = numbers(3);
    const texts = [new Uint8Array(), Uint8Array.of(0), Uint8Array.of(7), Uint8Array.of(1, 1, 1, 1, 1, 1)];
    for (let n = 0; n < 200; n++) {
      const size = Math.floor(next() ** 4 * 150_000);
      const kinds = 1 + Math.floor(next() ** 3 * 256);
      const data = new Uint8Array(size);
      for (let i = 0; i < size; i++) {
        const far = Math.floor(next() * 40_000);
        // Half of it repeats what stood somewhere before, beyond the window too.
        if (next() < 0.02 && far > 0 && far < i) {
          const length = Math.floor(next() * 400);
          data.copyWithin(i, i - far, Math.min(i - far + length, i));
          i += length;
        } else data[i] = Math.floor(next() * kinds);
      }
      texts.push(data);
    }
    for (const data of texts) expect(back(data), `${data.length} bytes`).toBe(true);
  });

  it("keeps codes within their limit where some symbols are a million times as frequent as others", () => {
    const data = new Uint8Array(700_000);
    const next = numbers(9);
    let [a, b, at] = [1, 1, 0];
    for (let symbol = 0; symbol < 25; symbol++) {
      for (let k = 0; k < a && at < data.length; k++) data[at++] = symbol * 9;
      [a, b] = [b, a + b];
    }
    for (let i = at - 1; i > 0; i--) {
      const other = Math.floor(next() * (i + 1));
      [data[i], data[other]] = [data[other] as number, data[i] as number];
    }
    expect(back(data)).toBe(true);
  });

  it("packs a page about as well as zlib does", () => {
    const next = numbers(5);
    let page = "";
    for (let i = 0; i < 400; i++)
      page += `BT/F1 8.5 Tf ${(next() * 600).toFixed(2)} ${(next() * 700).toFixed(2)} Td(Record ${i})Tj ET\n`;
    const data = new TextEncoder().encode(page);
    expect(deflate(data).length).toBeLessThan(deflateSync(data).length * 1.05);
  });
});
