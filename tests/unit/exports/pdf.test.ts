import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { coverRows } from "#app/domain/exports/cover.ts";
import { countAgencies } from "#app/entities/exports/request.ts";
import type { InvestigationRequest } from "#app/entities/search/investigate/answer.ts";
import { at } from "#app/lib/at.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { makeReport, sampleExport, sampleImage, sampleInput, sampleRecord } from "./samples.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const vehicle = await sampleImage(320, 180, 1);
const plate = await sampleImage(160, 60, 2);
const images = { vehicle, plate, address: "430 Main St, Hartford, Connecticut" };

/** Returns all objects of the file, with their streams inflated. */
function unpacked(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  let plain = "";
  for (const match of text.matchAll(/\/Filter\/FlateDecode\/Length (\d+)>>stream\n/g)) {
    const start = match.index + match[0].length;
    plain += inflateSync(bytes.subarray(start, start + Number(match[1]))).toString("latin1");
  }
  return text + plain;
}

/** Runs a program on the report; any warning fails the test. */
function run(program: string, bytes: Uint8Array, ...options: string[]): string {
  const file = join(folder, "report.pdf");
  writeFileSync(file, bytes);
  const done = spawnSync(program, [...options, file, ...(program === "pdftotext" ? ["-"] : [])]);
  if (done.error) throw new Error(`${program} is needed here: install poppler-utils and mupdf-tools`);
  // Debian builds MuPDF without color profiles; its warning is not about the file.
  expect(done.stderr.toString().replace("warning: ICC support is not available\n", "")).toBe("");
  return done.stdout.toString();
}

type Chunk = [type: string, data: Buffer];

function chunks(png: { header: number[]; more?: Chunk[]; rows: Buffer }): Uint8Array<ArrayBuffer> {
  const [width = 0, height = 0, bits = 0, color = 0] = png.header;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([bits, color], 8);
  const all: Chunk[] = [
    ["IHDR", header],
    ...(png.more ?? []),
    ["IDAT", deflateSync(png.rows)],
    ["IEND", Buffer.alloc(0)],
  ];
  const parts = all.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  });
  return new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]));
}

/** A PNG with alpha that uses each of the five filters in turn. */
function transparentPng(
  pixels: Uint8Array,
  image: { width: number; height: number; channels: number; sample: number },
): Uint8Array<ArrayBuffer> {
  const { width, height, channels, sample } = image;
  const [pixel, row] = [channels * sample, width * channels * sample];
  const rows = Buffer.alloc(height * (row + 1));
  const byteAt = (x: number, y: number) => (x < 0 || y < 0 ? 0 : at(pixels, y * row + x));
  for (let y = 0; y < height; y++) {
    const filter = y % 5;
    rows[y * (row + 1)] = filter;
    for (let x = 0; x < row; x++) {
      const [left, up, corner] = [byteAt(x - pixel, y), byteAt(x, y - 1), byteAt(x - pixel, y - 1)];
      const p = left + up - corner;
      const near = (value: number) => Math.abs(p - value);
      const paeth =
        near(left) <= near(up) && near(left) <= near(corner) ? left : near(up) <= near(corner) ? up : corner;
      const guess = at([0, left, up, (left + up) >> 1, paeth], filter);
      rows[y * (row + 1) + 1 + x] = (byteAt(x, y) - guess) & 255;
    }
  }
  return chunks({ header: [width, height, sample * 8, channels === 4 ? 6 : 4], rows });
}

describe("the PDF report", () => {
  it("embeds its JPEGs unchanged", () => {
    const { bytes } = makeReport([sampleRecord(1)], () => images);
    const file = Buffer.from(bytes);
    for (const image of [vehicle, plate]) {
      expect("bytes" in image && file.includes(Buffer.from(image.bytes))).toBe(true);
    }
  });

  it("shows the first nine vehicles and all places on its cover, without embedding a picture twice", () => {
    const records = Array.from({ length: 11 }, (_, n) => sampleRecord(n));
    const { bytes } = makeReport(records, () => images);
    const file = Buffer.from(bytes).toString("latin1");
    expect(file.match(/\/Filter\/DCTDecode/g)).toHaveLength(22);
    const cover = run("pdftotext", bytes, "-l", "1").replace(/\s+/g, " ");
    expect(cover).toContain("11 places");
    expect(cover).toContain("9 AB10008");
    expect(cover).not.toContain("AB10009");
    expect(unpacked(bytes)).toContain("/Alt(Map of all places of the reads. 11 places)");
  });

  it("has a cover without map and pictures if there are none", () => {
    const record = sampleRecord(1, { latitude: null, longitude: null });
    const broken = { bytes: Uint8Array.of(0xff, 0xd8, 1), type: "image/jpeg", sha256: "0".repeat(64) };
    const { bytes, missing } = makeReport([record], () => ({ ...images, vehicle: broken }));
    expect(missing).toHaveLength(1);
    const cover = run("pdftotext", bytes, "-l", "1");
    expect(cover).toContain("Records");
    expect(cover).not.toMatch(/First pictures|place of|One place/);
  });

  it("names the nearest towns below the map of a record", () => {
    const text = run("pdftotext", makeReport([sampleRecord(1)], () => images).bytes);
    expect(text.replace(/\s+/g, " ")).toMatch(/Near: Hartford, CT( \d+\.\d mi [NESW]+)?; \w/);
    expect(text).toMatch(/\d+ mi$/m);
    expect(text).not.toMatch(/\d km/);
  });

  it("shows a vendor's values in plain words, with the recorded value where it differs", () => {
    const { bytes } = makeReport([sampleRecord(1)], () => images);
    const text = run("pdftotext", bytes).replace(/\s+/g, " ");
    expect(text).toContain("Sedan (recorded as sedan-standard)");
    expect(text).toContain("Silver/Gray");
    expect(text).not.toContain("recorded as Silver");
  });

  it("shows a long case number completely below each page, and a longer one on the cover only", () => {
    const longest = "W".repeat(64);
    const { bytes } = makeReport([sampleRecord(1)], () => images, { caseNumber: longest });
    const feet = [
      ...run("pdftotext", bytes, "-bbox").matchAll(/xMax="([\d.]+)" yMax="(7\d\d[\d.]*)">(.*?)</g),
    ];
    const names = feet.filter(([, , , word = ""]) => word.includes("WW"));
    expect(new Set(names.map(([, , , word]) => word))).toEqual(new Set([longest]));
    for (const [, right] of names) expect(Number(right)).toBeLessThan(36 + 464);

    const { bytes: other } = makeReport([sampleRecord(1)], () => images, { caseNumber: "\u4e2d".repeat(64) });
    const text = run("pdftotext", other).replace(/\s+/g, "");
    expect(text).toContain("[U+4E2D]".repeat(64));
    expect(text).toMatch(/\[U\+4E2D\]\S{0,6}…/);
  });

  it("is tagged, has a title and a language, and describes its pictures", () => {
    const text = unpacked(makeReport([sampleRecord(1)], () => images).bytes);
    expect(text).toContain("/MarkInfo<</Marked true>>");
    expect(text).toContain("/Lang(en-US)");
    expect(text).toContain("/Title(License plate read report, odin-report-2026-11-20, case 26-1044)");
    expect(text).toContain("/S/Figure");
    expect(text).toContain("/Alt(Vehicle image of AB10001, camera I-84 East at Exit 1)");
    expect(text).toContain("/FontFile2");
  });

  it("lists missing images with the reason, and shows the others", () => {
    const records = [sampleRecord(0), sampleRecord(1), sampleRecord(2)];
    const { missing } = makeReport(records, (n) => ({
      ...images,
      vehicle:
        n === 0
          ? { reason: "Axon took too long to answer.", isFailure: true }
          : n === 1
            ? {
                bytes: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16),
                type: "image/jpeg",
                sha256: "0".repeat(64),
              }
            : { reason: "Axis has no vehicle image of this read.", isFailure: false },
    }));
    expect(missing.map(({ record, image, reason }) => [record, image, reason])).toEqual([
      [1, "vehicle", "Axon took too long to answer."],
      [2, "vehicle", "The image is damaged and cannot be shown."],
    ]);
  });

  it("grows by the size of its images and little more", () => {
    const size = (count: number) =>
      makeReport(
        Array.from({ length: count }, (_, n) => sampleRecord(n)),
        () => images,
      ).bytes.length;
    const of = (image: typeof vehicle) => ("bytes" in image ? image.bytes.length : 0);
    const each = (size(60) - size(20)) / 40 - of(vehicle) - of(plate);
    expect(each).toBeLessThan(1600);
  });

  it("is readable in another program, with every character of every name", () => {
    const camera = "Größenstraße Καλημέρα Привет Đường 中文 (a\\b) ../../x";
    const records = [
      sampleRecord(0, { camera }),
      sampleRecord(1, { camera: "=cmd()".repeat(50), plate: "" }),
    ];
    const { bytes } = makeReport(records, () => images, { justification: "Why. ".repeat(400).trim() });
    const info = run("pdfinfo", bytes);
    expect(info).toMatch(/Tagged:\s+yes/);
    const text = run("pdftotext", bytes, "-layout").replace(/\s+/g, " ");
    expect(text).toContain("Größenstraße Καλημέρα Привет Đường");
    expect(text).toContain("[U+4E2D][U+6587] (a\\b) ../../x");
    expect(text).toContain("No plate read");
    expect(text.match(/Why\./g)?.length).toBeGreaterThan(400);
    const pages = Number(/Pages:\s+(\d+)/.exec(info)?.[1]);
    expect(text).toContain(`Page ${pages} of ${pages}`);
    const hash = "sha256" in vehicle ? vehicle.sha256 : "";
    expect(text).toContain(hash);
    run("pdffonts", bytes);
    execFileSync("pdftoppm", ["-r", "40", "-png", join(folder, "report.pdf"), join(folder, "page")]);
  });

  it("notes the arrival time only for reads whose camera sent no time", () => {
    const records = [sampleRecord(2, { timeIsArrival: true }), sampleRecord(5)];
    const text = run("pdftotext", makeReport(records, () => images).bytes).replace(/\s+/g, " ");
    expect(text.match(/Time of arrival: the camera sent none or a wrong one\./g)).toHaveLength(1);
  });

  it("yields the same text in every reader: each character has two bytes, without mixed lengths", () => {
    const camera = "Größenstraße (Nord) a\\b Καλημέρα Привет Đường \u0100\u0128\u0129\u015c";
    const { bytes } = makeReport([sampleRecord(0, { camera })], () => images);
    for (const text of [run("pdftotext", bytes), run("mutool", bytes, "draw", "-q", "-F", "text")]) {
      const words = text.replace(/\s+/g, " ");
      for (const wanted of ["License plate read report", "AB10000", "Toyota", "Record 1 of 1"])
        expect(words).toContain(wanted);
      // Text extraction keeps the line breaks of the page.
      expect(words.replace(/ /g, "")).toContain(camera.replace(/ /g, ""));
    }
    expect(unpacked(bytes)).toContain("/Encoding/Identity-H");
  });

  it("has XMP metadata with the same title", () => {
    const { bytes } = makeReport([sampleRecord(0)], () => images, { caseNumber: "<26> & 'more' \u00e9" });
    const xmp = run("pdfinfo", bytes, "-meta");
    expect(xmp).toContain(
      '<rdf:li xml:lang="x-default">License plate read report, odin-report-2026-11-20, case &lt;26&gt; &amp; &#39;more&#39; \u00e9</rdf:li>',
    );
    expect(xmp).toContain("<xmp:CreateDate>2026-11-20T17:03:07.000Z</xmp:CreateDate>");
    expect(xmp).toContain("<pdf:Producer>Odin</pdf:Producer>");
    // No checker has confirmed conformance, so it is not claimed.
    expect(xmp).not.toContain("pdfuaid");
  });

  it.each([
    [true, "ab1", "plate AB1 and look-alikes, state CT"],
    [true, "", "any plate, state CT"],
    [false, "ab1", "plate AB1, state CT"],
  ])("says whether the search allowed look-alikes (%s, plate %j)", (look_alikes, plate, expected) => {
    const made = sampleInput([sampleRecord(0)]);
    const [query] = made.queries;
    if (!query) throw new Error("no query");
    const request = { ...query.request, plate, look_alikes };
    const rows = coverRows({
      export: sampleExport(),
      exportInput: { ...made, queries: [{ ...query, request }] },
      timeText: zonedTime("UTC"),
      missing: "None",
      patterns: "",
      attribution: "",
    });
    expect(rows.find(({ label }) => label === "Search")?.text).toMatch(
      new RegExp(`^${expected}, make Toyota;`),
    );
  });

  it.each([
    [
      { tool: "convoy", request: { plate: "AB1", minutes: 2, at_least: 3 } },
      "vehicles traveling with plate AB1, state CT, within 2 minutes at 3 or more cameras, make Toyota;",
    ],
    [
      { tool: "places", request: { places: [{ name: "Store" }, { name: "" }], at_least: 2 } },
      "plates read in at least 2 of 2 places (Store, Place 2), state CT, make Toyota;",
    ],
  ])("describes the evidence of a place or convoy search as that (%#)", (investigation, expected) => {
    const made = sampleInput([sampleRecord(0)]);
    const queries = made.queries.map((query) => ({
      ...query,
      investigation: investigation as InvestigationRequest,
    }));
    const rows = coverRows({
      export: sampleExport(),
      exportInput: { ...made, queries },
      timeText: zonedTime("UTC"),
      missing: "None",
      patterns: "",
      attribution: "",
    });
    expect(rows.find(({ label }) => label === "Search")?.text).toContain(expected);
  });

  it("counts the agencies that were searched, not their cameras", () => {
    const statuses = (["Rekor", "Axis", "Axis", "Axis"] as const).map((program) => ({
      program,
      agency: "Hartford",
    }));
    expect(countAgencies(statuses)).toBe(2);
    const text = run("pdftotext", makeReport([sampleRecord(0)], () => images).bytes, "-layout");
    expect(text.replace(/\s+/g, " ")).toContain("make Toyota; 2 agencies");
  });

  it("returns the original JPEG files, and the pixels of a PNG", () => {
    const png = {
      bytes: new Uint8Array(
        Buffer.from(
          "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mMQaGA48B8ABNUCUDdj9EQAAAAASUVORK5CYII=",
          "base64",
        ),
      ),
      type: "image/png",
      sha256: "1".repeat(64),
    };
    const webp = { ...png, type: "image/webp" };
    const { bytes, missing } = makeReport([sampleRecord(0), sampleRecord(1)], (n) =>
      n === 0 ? { ...images, plate: png } : { ...images, vehicle: webp },
    );
    expect(missing.map(({ record, image, reason }) => [record, image, reason])).toEqual([
      [2, "vehicle", "A PDF cannot hold WEBP images unchanged; the ZIP archive has the original."],
    ]);
    expect(run("pdfimages", bytes, "-list")).toMatch(/image\s+2\s+2\s+gray\s+1\s+8/);
    const prefix = join(folder, "image");
    execFileSync("pdfimages", ["-all", join(folder, "report.pdf"), prefix]);
    const hashes = readdirSync(folder)
      .filter((name) => name.endsWith(".jpg"))
      .map((name) =>
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      );
    const hashOf = (image: typeof vehicle) => ("sha256" in image ? image.sha256 : "");
    // The contact sheet draws the vehicle a second time.
    expect([...new Set(hashes)].sort()).toEqual([hashOf(vehicle), hashOf(plate)].sort());
  });

  it("shows a transparent PNG with its transparency and unchanged pixels", async () => {
    const [width, height] = [37, 23];
    for (const { channels, sample } of [
      { channels: 4, sample: 1 },
      { channels: 4, sample: 2 },
      { channels: 2, sample: 1 },
    ]) {
      const pixels = randomBytes(width * height * channels * sample);
      const png = transparentPng(pixels, { width, height, channels, sample });
      const image = { bytes: png, type: "image/png", sha256: "1".repeat(64) };
      const { bytes, missing } = makeReport([sampleRecord(0)], () => ({ ...images, plate: image }));
      expect(missing).toEqual([]);
      run("pdfimages", bytes, "-list");
      const folder = mkdtempSync(join(tmpdir(), "odin-png-"));
      const file = join(folder, "report.pdf");
      writeFileSync(file, bytes);
      execFileSync("pdfimages", [file, join(folder, "image")]);
      const pictures = readdirSync(folder)
        .filter((name) => /\.p[gp]m$/.test(name))
        .map((name) => readFileSync(join(folder, name)))
        .filter((picture) => picture.toString("latin1", 3, 9).trim() === `${width} ${height}`)
        .map((picture) => picture.subarray(picture.indexOf("255\n") + 4));
      rmSync(folder, { recursive: true });
      const highest = (from: number, count: number) =>
        Buffer.from(
          Array.from({ length: width * height }, (_, i) =>
            // The high byte of sixteen bits is the first one.
            Array.from({ length: count }, (_, k) => at(pixels, (i * channels + from + k) * sample)),
          ).flat(),
        );
      const greyAsColor = (grey: Buffer) => Buffer.from([...grey].flatMap((value) => [value, value, value]));
      const isOne = (wanted: Buffer) =>
        pictures.some((picture) => picture.equals(wanted) || picture.equals(greyAsColor(wanted)));
      expect(isOne(highest(0, channels - 1))).toBe(true);
      expect(isOne(highest(channels - 1, 1))).toBe(true);
    }
  });

  it("masks the single transparent color of a PNG", () => {
    const png = chunks({
      header: [2, 2, 8, 0],
      more: [["tRNS", Buffer.from([0, 7])]],
      rows: Buffer.from([0, 7, 9, 0, 9, 7]),
    });
    const image = { bytes: png, type: "image/png", sha256: "1".repeat(64) };
    const { bytes, missing } = makeReport([sampleRecord(0)], () => ({ ...images, plate: image }));
    expect(missing).toEqual([]);
    expect(Buffer.from(bytes).toString("latin1")).toContain("/Mask[7 7]");
    run("pdftotext", bytes);
  });

  it("rejects a transparent PNG with contradictory headers", () => {
    const good = transparentPng(randomBytes(4 * 4 * 4), { width: 4, height: 4, channels: 4, sample: 1 });
    const huge = good.slice();
    new DataView(huge.buffer).setUint32(16, 0x7fffffff);
    const tall = good.slice();
    new DataView(tall.buffer).setUint32(20, 5);
    const flat = good.slice();
    new DataView(flat.buffer).setUint32(20, 3);
    const cut = good.slice(0, good.length - 30);
    for (const png of [huge, tall, flat, cut]) {
      const image = { bytes: png, type: "image/png", sha256: "1".repeat(64) };
      const { missing } = makeReport([sampleRecord(0)], () => ({ ...images, plate: image }));
      expect(missing.map(({ reason }) => reason)).toEqual([expect.stringMatching(/damaged/)]);
    }
  });

  it("keeps all characters distinct, however many there are", () => {
    const letters = Array.from({ length: 0x24f - 0xc0 }, (_, i) => String.fromCodePoint(0xc0 + i));
    const others = Array.from({ length: 0x44f - 0x410 }, (_, i) => String.fromCodePoint(0x410 + i));
    const camera = [...letters, ...others].join("");
    const { bytes } = makeReport([sampleRecord(0, { camera })], () => images);
    const text = run("pdftotext", bytes).replace(/\s+/g, "");
    // Two of them have no glyph in most fonts, and are shown by their code point.
    expect(text).toContain(camera.replace("\u0149", "[U+0149]").replace("\u01c4", "[U+01C4]"));
  });

  it("prints a text that exceeds a page in full on the next pages", () => {
    const camera = Array.from({ length: 900 }, (_, n) => `n${n}`).join(" ");
    const { bytes } = makeReport([sampleRecord(0, { camera }), sampleRecord(1)], () => images);
    const text = run("pdftotext", bytes, "-layout").replace(/\s+/g, " ");
    expect(text).toContain("(in full on the next page)");
    expect(text).toContain("Record 1 of 2, in full");
    for (const n of [0, 450, 899]) expect(text).toContain(` n${n} `);
    expect(text.indexOf("Record 2 of 2")).toBeGreaterThan(text.indexOf(" n899 "));
  });

  it("separates words for screen readers, and reads the record's heading first", () => {
    const { bytes } = makeReport([sampleRecord(1)], () => images);
    const structure = run("pdfinfo", bytes, "-struct-text");
    expect(structure).toMatch(/H2[^"]*"Record 1 of 1 AB10001 CT · Axon\s*"/);
    expect(structure).toContain("Plate AB10001 State CT Make Toyota Color Silver/Gray");
  });
});
