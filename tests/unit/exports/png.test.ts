import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { pdfImage } from "#app/lib/pdf/image.ts";
import { CHANNELS, encodePng, packedRow, pngFile, type SamplePng } from "../../support/png.ts";
import { makeReport, sampleImage, sampleRecord } from "./samples.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-png-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KINDS = [
  ...([1, 2, 4, 8, 16] as const).map((bits) => ({ color: 0, bits }) as const),
  ...([8, 16] as const).map((bits) => ({ color: 2, bits }) as const),
  ...([1, 2, 4, 8] as const).map((bits) => ({ color: 3, bits }) as const),
  ...([8, 16] as const).flatMap((bits) => [{ color: 4, bits } as const, { color: 6, bits } as const]),
];

/** Samples that look random and are reproducible. */
function samplesOf({ width, height, bits, color }: Omit<SamplePng, "samples">): Uint16Array {
  let seed = width * 31 + height;
  return Uint16Array.from({ length: width * height * CHANNELS[color] }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) & (2 ** bits - 1);
  });
}

const paletteOf = (bits: number) =>
  Uint8Array.from({ length: 3 * 2 ** bits }, (_, i) => (i * 37 + (i % 3) * 50) & 255);

function sample(kind: Omit<SamplePng, "samples">, transparent?: Uint8Array): SamplePng {
  const more: SamplePng["more"] = [...(kind.more ?? [])];
  if (kind.color === 3) more.push(["PLTE", paletteOf(kind.bits)]);
  if (transparent) more.push(["tRNS", transparent]);
  return { ...kind, samples: samplesOf(kind), more };
}

/** Rows of a PDF stream, for the filters "none" and "difference to the left". */
function rowsOf(data: readonly Uint8Array[], rowBytes: number, step: number): Buffer {
  const bytes = inflateSync(Buffer.concat(data));
  expect(bytes.length % (rowBytes + 1)).toBe(0);
  const rows: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += rowBytes + 1) {
    const row = Buffer.from(bytes.subarray(start + 1, start + 1 + rowBytes));
    expect(bytes[start]).toBeLessThan(2);
    if (bytes[start] === 1)
      for (let i = step; i < row.length; i++) row[i] = row.readUInt8(i) + row.readUInt8(i - step);
    rows.push(row);
  }
  return Buffer.concat(rows);
}

/** Some samples of each pixel, row by row, as PNG packs them. */
function wanted(png: SamplePng, from: number, count: number): Buffer {
  const channels = CHANNELS[png.color];
  const rows = Array.from({ length: png.height }, (_, y) => {
    const row = Array.from(png.samples.subarray(y * png.width * channels, (y + 1) * png.width * channels));
    return packedRow(
      row.filter((_, i) => i % channels >= from && i % channels < from + count),
      png.bits,
    );
  });
  return Buffer.concat(rows);
}

/** The pixels of the pictures in a report with this image, as another program extracts them. */
function takenOut(image: Uint8Array<ArrayBuffer>, size: string): Buffer[] {
  const { bytes, missing } = makeReport([sampleRecord(0)], () => ({
    vehicle: { bytes: image, type: "image/png", sha256: "1".repeat(64) },
    plate,
    address: "",
  }));
  expect(missing).toEqual([]);
  const file = join(folder, "report.pdf");
  writeFileSync(file, bytes);
  for (const name of readdirSync(folder)) if (name.startsWith("image")) rmSync(join(folder, name));
  execFileSync("pdfimages", [file, join(folder, "image")]);
  return readdirSync(folder)
    .filter((name) => /^image.*\.p[gp]m$/.test(name))
    .map((name) => readFileSync(join(folder, name)))
    .filter((picture) => picture.toString("latin1", 3, 9).trim() === size)
    .map((picture) => picture.subarray(picture.indexOf("255\n") + 4));
}

const plate = await sampleImage(160, 60, 2);

describe("a PNG in the PDF report", () => {
  it("keeps every sample of an interlaced image of any kind and size", () => {
    for (const { color, bits } of KINDS) {
      for (const [width, height] of [
        [1, 1],
        [3, 2],
        [5, 9],
        [37, 23],
      ] as const) {
        const png = sample({ width, height, bits, color, isInterlaced: true });
        const image = pdfImage(encodePng(png), "image/png");
        const channels = CHANNELS[color];
        const colors = channels === 2 || channels === 4 ? channels - 1 : channels;
        const what = `colour type ${color}, ${bits} bits, ${width} x ${height}`;
        const step = Math.max(1, (bits * channels) >> 3);
        if (channels === colors) {
          const row = Math.ceil((width * bits * colors) / 8);
          expect(rowsOf(image.data, row, step).equals(wanted(png, 0, colors)), what).toBe(true);
          expect(image.mask, what).toBeUndefined();
          continue;
        }
        const sampleBytes = bits >> 3;
        const rows = rowsOf(image.data, width * colors * sampleBytes, colors * sampleBytes);
        expect(rows.equals(wanted(png, 0, colors)), what).toBe(true);
        const alpha = rowsOf(image.mask?.data ?? [], width * sampleBytes, sampleBytes);
        expect(alpha.equals(wanted(png, colors, 1)), what).toBe(true);
      }
    }
  });

  it("shows an interlaced image in another program unchanged", () => {
    const png = sample({ width: 41, height: 29, bits: 8, color: 2, isInterlaced: true });
    const pictures = takenOut(encodePng(png), "41 29");
    expect(pictures.some((picture) => picture.equals(wanted(png, 0, 3)))).toBe(true);
  });

  it("shows partly transparent palette colors with their transparency", () => {
    for (const isInterlaced of [false, true]) {
      for (const bits of [2, 4, 8] as const) {
        const transparent = Uint8Array.from({ length: 2 ** bits - 1 }, (_, i) => (i * 90) & 255);
        const png = sample({ width: 33, height: 21, bits, color: 3, isInterlaced }, transparent);
        const palette = paletteOf(bits);
        const colors = Buffer.from([...png.samples].flatMap((n) => [...palette.subarray(n * 3, n * 3 + 3)]));
        const alphas = Buffer.from([...png.samples].map((n) => transparent[n] ?? 255));
        const greys = Buffer.from([...alphas].flatMap((alpha) => [alpha, alpha, alpha]));
        const pictures = takenOut(encodePng(png), "33 21");
        const what = `${bits} bits, ${isInterlaced ? "interlaced" : "plain"}`;
        expect(
          pictures.some((picture) => picture.equals(colors)),
          what,
        ).toBe(true);
        expect(
          pictures.some((picture) => picture.equals(alphas) || picture.equals(greys)),
          what,
        ).toBe(true);
      }
    }
  });

  it("masks the fully transparent colors of a palette without reading a pixel", () => {
    const png = sample({ width: 9, height: 9, bits: 8, color: 3 }, Uint8Array.of(255, 0, 0, 255));
    const image = pdfImage(encodePng(png), "image/png");
    expect(image.mask).toBeUndefined();
    expect(image.entries).toContain("/Mask[1 2]");
  });

  it("rejects contradictory headers", () => {
    const interlaced = { width: 12, height: 12, bits: 8, color: 6, isInterlaced: true } as const;
    const palette = { width: 12, height: 12, bits: 4, color: 3 } as const;
    for (const good of [
      encodePng(sample(interlaced)),
      encodePng(sample(palette, Uint8Array.of(9, 99, 200))),
    ]) {
      const changed = (at: number, value: number) => {
        const bad = good.slice();
        new DataView(bad.buffer).setUint32(at, value);
        return bad;
      };
      const bad = [
        ...[16, 20].flatMap((at) => [0, 10, 14, 60_000, 0x7fffffff, 0xffffffff].map((n) => changed(at, n))),
        good.slice(0, good.length - 24),
        good.map((byte, i) => (i === 24 ? 3 : byte)),
        good.map((byte, i) => (i === 28 ? 2 : byte)),
      ];
      bad.forEach((png, i) => {
        expect(() => pdfImage(png, "image/png"), `change ${i}`).toThrow(/damaged/);
      });
    }
  });

  it("rejects an unknown filter, and data that inflates to too many pixels", () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(4);
    header.writeUInt32BE(4, 4);
    header.set([8, 3, 0, 0, 0], 8);
    const rows = (bytes: Buffer) =>
      pngFile([
        ["IHDR", header],
        ["PLTE", paletteOf(8)],
        ["tRNS", Uint8Array.of(3, 4)],
        ["IDAT", deflateSync(bytes)],
        ["IEND", Buffer.alloc(0)],
      ]);
    expect(pdfImage(rows(Buffer.alloc(20)), "image/png").mask).toBeDefined();
    expect(() => pdfImage(rows(Buffer.alloc(20, 5)), "image/png")).toThrow(/damaged/);
    expect(() => pdfImage(rows(Buffer.alloc(30_000_000)), "image/png")).toThrow(/damaged/);
  });

  it("keeps every sample of an image that is inflated in many pieces, however its data is divided", () => {
    const png = sample({ width: 300, height: 240, bits: 8, color: 6, isInterlaced: true });
    const file = Buffer.from(encodePng(png));
    const start = file.indexOf("IDAT") + 4;
    const data = file.subarray(start, start + file.readUInt32BE(start - 8));
    expect(data.length).toBeGreaterThan(2 * 65_536);
    for (const cuts of [[], [65_536], [1, 131_072], [data.length - 1], [0]]) {
      const ends = [...cuts, data.length];
      const parts = ends.map((end, i) => ["IDAT", data.subarray(ends[i - 1] ?? 0, end)] as [string, Buffer]);
      const header = file.subarray(16, 29);
      const image = pdfImage(pngFile([["IHDR", header], ...parts, ["IEND", Buffer.alloc(0)]]), "image/png");
      expect(rowsOf(image.data, 900, 3).equals(wanted(png, 0, 3)), `cut at ${cuts}`).toBe(true);
      expect(rowsOf(image.mask?.data ?? [], 300, 1).equals(wanted(png, 3, 1)), `cut at ${cuts}`).toBe(true);
    }
  });

  it("rejects data with too few or too many rows, and more pixels than a report can have", () => {
    const file = (width: number, height: number, rows: number) => {
      const header = Buffer.alloc(13);
      header.writeUInt32BE(width);
      header.writeUInt32BE(height, 4);
      header.set([8, 6, 0, 0, 0], 8);
      const data = deflateSync(Buffer.alloc(rows * (1 + width * 4)));
      return pngFile([
        ["IHDR", header],
        ["IDAT", data],
        ["IEND", Buffer.alloc(0)],
      ]);
    };
    expect(pdfImage(file(10, 10, 10), "image/png").mask).toBeDefined();
    expect(() => pdfImage(file(10, 10, 9), "image/png")).toThrow(/damaged/);
    expect(() => pdfImage(file(10, 10, 11), "image/png")).toThrow(/damaged/);
    expect(pdfImage(file(2500, 2499, 2499), "image/png").mask).toBeDefined();
    expect(() => pdfImage(file(2500, 2500, 2500), "image/png")).toThrow(/damaged/);
  });
});
