import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { checkExport } from "#app/components/exports/check.ts";
import { createArchive } from "#app/domain/exports/zip.ts";
import { csvLine } from "#app/entities/exports/manifest.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import { at } from "#app/lib/at.ts";
import { parseSigningKeys, publicKeyPem } from "#app/lib/crypto/signing.ts";
import { crc32, createZip } from "#app/lib/files/zip.ts";
import { readZip } from "#app/lib/files/zip-read.ts";
import { TEST_SECRETS } from "../../support/secrets.ts";
import { NOON, sampleExport, sampleImage, sampleInput, sampleRecord } from "./samples.ts";

const keys = parseSigningKeys(TEST_SECRETS.EXPORT_SIGNING_KEYS);
const pem = await publicKeyPem(keys, 1);
const image = await sampleImage(160, 90, 1);
const folder = mkdtempSync(join(tmpdir(), "odin-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function archiveOf(records: ExportRecord[], failing = false): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const archive = createArchive({
    write: (bytes) => chunks.push(bytes.slice()),
    settle: async () => {},
    export: sampleExport({ kind: "zip", records: records.length }),
    exportInput: sampleInput(records),
    keys,
  });
  const lost = { reason: "Rekor gave something that is not an image.", isFailure: true };
  const missing = records.flatMap((record) =>
    archive.add(record, { vehicle: image, plate: failing ? lost : image }),
  );
  await archive.finish(missing);
  return new Uint8Array(Buffer.concat(chunks));
}

const asFile = (bytes: Uint8Array<ArrayBuffer>, name = "odin-export.zip") => new File([bytes], name);
const check = (...files: File[]) => checkExport(files, [{ version: 1, pem }], () => {});
const wrongOf = async (bytes: Uint8Array<ArrayBuffer>) =>
  (await check(asFile(bytes))).findings
    .filter(({ matches }) => !matches)
    .map(({ what, why }) => `${what}: ${why}`);

describe("the ZIP archive", () => {
  it("contains images, lists and a manifest of all files, with safe file names", async () => {
    const records = [sampleRecord(0, { plate: "../../x", camera: "=cmd()" }), sampleRecord(1)];
    const files = unzipSync(await archiveOf(records, true));
    expect(Object.keys(files)).toEqual([
      "images/0001-x-vehicle.jpg",
      "images/0002-AB10001-vehicle.jpg",
      "records.csv",
      "records.json",
      "manifest.json",
      "manifest.sig",
    ]);
    const manifest = JSON.parse(new TextDecoder().decode(files["manifest.json"]));
    expect(manifest.missing).toHaveLength(2);
    expect(manifest.missing[0].reason).toBe("Rekor gave something that is not an image.");
    expect(manifest.records.map(({ id }: { id: string }) => id)).toEqual(records.map(({ id }) => id));
    expect(new TextDecoder().decode(files["records.csv"])).toContain(",'=cmd(),");
  });

  it("notes that the time is that of arrival if the camera sent none", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(2, { timeIsArrival: true }), sampleRecord(5)]));
    const note = "Time of arrival: the camera sent none or a wrong one.";
    const records = JSON.parse(new TextDecoder().decode(files["records.json"]));
    expect(records.map((record: { timestamp_note: unknown }) => record.timestamp_note)).toEqual([note, null]);
    const lines = new TextDecoder().decode(files["records.csv"]).split("\r\n");
    const column = at(lines, 0).split(",").indexOf("timestamp_note");
    expect(lines.slice(1, 3).map((line) => line.split(",")[column])).toEqual([note, ""]);
  });

  it("is verified when unchanged, and every kind of change is reported", async () => {
    const bytes = await archiveOf([sampleRecord(0), sampleRecord(1)]);
    const checked = await check(asFile(bytes));
    expect(checked.findings.filter(({ matches }) => !matches)).toEqual([]);
    expect(checked.verdict).toBe("unchanged");

    const changed = bytes.slice();
    const place = Buffer.from(bytes).indexOf("images/0001") + 300;
    changed[place] = at(changed, place) ^ 1;
    expect(await wrongOf(changed)).toEqual([
      "images/0001-AB10000-vehicle.jpg: Its content was changed: the SHA-256 does not match.",
    ]);
    const forged = Buffer.from(bytes);
    forged[forged.lastIndexOf('"justification"') + 20] = 0x58;
    expect((await wrongOf(new Uint8Array(forged)))[0]).toMatch(/^manifest.sig: The signature does not match/);
    expect(await wrongOf(bytes.slice(0, -40))).toEqual([
      "odin-export.zip: This is not a ZIP archive, or it is incomplete.",
    ]);
  });

  it("is rejected with added files or a foreign key", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const chunks: Uint8Array[] = [];
    const zip = createZip((chunk) => chunks.push(chunk.slice()), NOON);
    for (const [name, data] of Object.entries(files)) if (!name.endsWith("-plate.jpg")) zip.add(name, [data]);
    zip.add("images/more.jpg", [Uint8Array.of(1)]);
    zip.finish();
    const bytes = new Uint8Array(Buffer.concat(chunks));
    expect(await wrongOf(bytes)).toEqual([
      "images/more.jpg: The manifest does not list it.",
      "images/0001-AB10000-plate.jpg: It is missing from the archive.",
    ]);
    const other = await checkExport(
      [asFile(await archiveOf([sampleRecord(0)]))],
      [{ version: 2, pem }],
      () => {},
    );
    expect(other.verdict).toBe("changed");
  });

  it("can be verified by its manifest and signature alone", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const loose = (name: string) => asFile(new Uint8Array(files[name] ?? []), name);
    expect((await check(loose("manifest.json"), loose("manifest.sig"))).verdict).toBe("unchanged");
    expect((await check(loose("manifest.json"))).verdict).toBe("changed");
  });

  it("can be verified with its unpacked files, whose folder is not part of their names", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const loose = Object.entries(files).map(([name, bytes]) =>
      asFile(new Uint8Array(bytes), name.slice(name.lastIndexOf("/") + 1)),
    );
    // A dropped folder is a file that cannot be read.
    const images = Object.defineProperty(asFile(new Uint8Array(4096), "images"), "arrayBuffer", {
      value: () => Promise.reject(new DOMException("It is a folder.", "NotFoundError")),
    });
    const whole = await check(...loose, images);
    expect(whole.verdict).toBe("unchanged");
    expect(whole.findings).toContainEqual({
      matches: true,
      what: "images",
      why: "It is a folder. Files in it were not checked, except those listed here.",
    });
    const picture = loose.findIndex(({ name }) => name.endsWith("-vehicle.jpg"));
    const name = at(loose, picture).name;
    expect(whole.findings).toContainEqual({ matches: true, what: name });

    const bytes = new Uint8Array(files[`images/${name}`] ?? []);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const wrong = await check(...loose.with(picture, asFile(bytes, name)), images);
    expect(wrong.verdict).toBe("changed");
    expect(wrong.findings.filter(({ matches }) => !matches)).toEqual([
      { matches: false, what: name, why: "Its content was changed: the SHA-256 does not match." },
    ]);
    expect((await check(...loose, asFile(new Uint8Array(1), "other.jpg"))).verdict).toBe("changed");
  });

  it("can be verified after another program packed it again, with entries for its folders or in a folder", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const empty = new Uint8Array();
    const packed = (more: Record<string, Uint8Array>, into = "") =>
      new Uint8Array(
        zipSync(
          Object.fromEntries(
            Object.entries({ ...more, ...files }).map(([name, bytes]) => [`${into}${name}`, bytes]),
          ),
        ),
      );
    for (const again of [
      packed({ "images/": empty }),
      packed({}, "export/"),
      packed({ "": empty, "images/": empty }, "odin-export-2026-11-20/"),
    ]) {
      const checked = await check(asFile(again));
      expect(checked).toMatchObject({ verdict: "unchanged", unchecked: 0 });
      expect(checked.manifest?.case_number).toBe(sampleExport().caseNumber);
    }
    const listed = "The manifest does not list it.";
    expect(await wrongOf(packed({ "other/": empty }))).toEqual([`other/: ${listed}`]);
    expect(await wrongOf(packed({ "more.txt": empty }, "export/"))).toEqual([`more.txt: ${listed}`]);
    expect(await wrongOf(packed({ "images/": Uint8Array.of(1) }))).toEqual([
      "images/: It has 1 bytes, not 0.",
    ]);
    const two = packed({ "../manifest.json": empty }, "export/");
    expect((await check(asFile(two))).verdict).toBe("changed");
    expect((await check(asFile(packed({ "__MACOSX/._a": empty })))).verdict).toBe("changed");
  });

  it("can be verified after macOS packed it again, which adds the attributes of its files", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const attributes = Uint8Array.of(0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00);
    const notes = Uint8Array.of(0, 0, 0, 1, 0x42, 0x75, 0x64, 0x31, 0);
    const packed = (into: string, more: Record<string, Uint8Array>) =>
      new Uint8Array(
        zipSync({
          ...Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${into}${name}`, bytes])),
          ...more,
        }),
      );
    for (const into of ["", "export/"]) {
      const added = {
        [`${into}.DS_Store`]: notes,
        "__MACOSX/": new Uint8Array(),
        [`__MACOSX/${into}._manifest.json`]: attributes,
        [`__MACOSX/${into}images/._0.jpg`]: attributes,
      };
      const checked = await check(asFile(packed(into, added)));
      expect(checked).toMatchObject({ verdict: "unchanged", unchecked: 0 });
      const why = "Added by macOS. It is not part of the export.";
      expect(checked.findings.filter((finding) => finding.why === why)).toHaveLength(4);
    }
    const listed = "The manifest does not list it.";
    const picture = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);
    for (const [name, bytes] of [
      ["__MACOSX/._0.jpg", picture],
      ["__MACOSX/0.jpg", attributes],
      ["images/._0.jpg", attributes],
      [".DS_Store", picture],
    ] as const)
      expect(await wrongOf(packed("", { [name]: bytes }))).toEqual([`${name}: ${listed}`]);
  });

  it("is not verified if there are two manifests", async () => {
    const files = unzipSync(await archiveOf([sampleRecord(0)]));
    const loose = (name: string) => asFile(new Uint8Array(files[name] ?? []), name);
    const other = asFile(new TextEncoder().encode("{}"), "manifest.json");
    const checked = await check(loose("manifest.json"), loose("manifest.sig"), other);
    expect(checked.verdict).toBe("changed");
    expect(checked.findings).toEqual([
      { matches: false, what: "manifest.json", why: "Two of the files have this name. Choose one of them." },
    ]);
  });

  it("looks at each of its unpacked files once when it searches for equal names", async () => {
    let looks = 0;
    const files = Array.from({ length: 2000 }, (_, i) => {
      const file = asFile(new Uint8Array(), `${i}.jpg`);
      return Object.defineProperty(file, "name", {
        get() {
          looks++;
          return `${i}.jpg`;
        },
      });
    });
    expect((await check(...files)).verdict).toBe("changed");
    expect(looks).toBeLessThan(10 * files.length);
  });

  it("opens in other programs: unzip reports no error, openssl verifies the signature", async () => {
    const bytes = await archiveOf([sampleRecord(0)]);
    const path = (name: string) => join(folder, name);
    writeFileSync(path("a.zip"), bytes);
    const files = unzipSync(bytes);
    for (const name of ["manifest.json", "manifest.sig"]) writeFileSync(path(name), files[name] ?? "");
    writeFileSync(path("key.pem"), pem);
    const outputOf = (program: string, ...options: string[]) => {
      const done = spawnSync(program, options);
      if (done.error) throw new Error(`${program} is needed here`);
      return done.stdout.toString();
    };
    expect(outputOf("unzip", "-t", path("a.zip"))).toContain("No errors detected");
    const verify = ["dgst", "-sha256", "-verify", path("key.pem"), "-signature", path("manifest.sig")];
    expect(outputOf("openssl", ...verify, path("manifest.json"))).toContain("Verified OK");
    writeFileSync(path("forged.json"), `${readFileSync(path("manifest.json"), "utf8")} `);
    expect(outputOf("openssl", ...verify, path("forged.json"))).not.toContain("Verified OK");
    expect(readFileSync(path("key.pem"), "utf8")).toContain("BEGIN PUBLIC KEY");
  });
});

describe("the tools of the archive", () => {
  it("write the date and time in ZIP format, for every month", () => {
    for (let month = 0; month < 12; month++) {
      const chunks: Uint8Array[] = [];
      const zip = createZip((bytes) => chunks.push(bytes.slice()), Date.UTC(2026, month, 28, 23, 58, 42));
      zip.add("a", [Uint8Array.of(1)]);
      zip.finish();
      const bytes = new Uint8Array(chunks.flatMap((chunk) => [...chunk]));
      const view = new DataView(bytes.buffer);
      const [time, date] = [view.getUint16(10, true), view.getUint16(12, true)];
      expect([(date >> 9) + 1980, (date >> 5) & 15, date & 31]).toEqual([2026, month + 1, 28]);
      expect([time >> 11, (time >> 5) & 63, (time & 31) * 2]).toEqual([23, 58, 42]);
    }
  });

  it("compute CRC-32 by the published values, in one piece or several", () => {
    const bytes = new TextEncoder().encode("The quick brown fox jumps over the lazy dog");
    expect(crc32(bytes)).toBe(0x414fa339);
    expect(crc32(bytes.subarray(10), crc32(bytes.subarray(0, 10)))).toBe(0x414fa339);
  });

  it("turn spreadsheet formulas into text, and leave numbers unchanged", () => {
    expect(csvLine(["=cmd()", "+1", "-72.5", "@a", "\tx", "a,b", 'say "x"', -72.5, null])).toBe(
      `'=cmd(),'+1,'-72.5,'@a,"'\tx","a,b","say ""x""",-72.5,\r\n`.replace('"\'\tx"', "'\tx"),
    );
  });

  it("reject an archive whose parts contradict each other", async () => {
    const twice: Uint8Array<ArrayBuffer>[] = [];
    const zip = createZip((chunk) => twice.push(new Uint8Array(chunk)), NOON);
    zip.add("a", [Uint8Array.of(1)]);
    zip.add("a", [Uint8Array.of(2)]);
    zip.finish();
    await expect(readZip(new Blob(twice))).rejects.toThrow("two files named a");
    await expect(readZip(new Blob(["nothing"]))).rejects.toThrow("not a ZIP archive");
  });
});
