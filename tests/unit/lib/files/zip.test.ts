import { deflateRawSync, crc32 as zlibCrc } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32, createZip } from "#app/lib/files/zip.ts";
import { readZip } from "#app/lib/files/zip-read.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

type Given = {
  name: string;
  data: Uint8Array;
  /** What the headers say, if not the truth. */
  method?: number;
  packed?: number;
  plain?: number;
  localName?: string;
  localMethod?: number;
  localPacked?: number;
  start?: number;
  extra?: number | Uint8Array;
  comment?: number | Uint8Array;
  flags?: number;
  /** Bytes after the data. */
  descriptor?: number;
};

const bytesOf = (given: number | Uint8Array) => (typeof given === "number" ? Buffer.alloc(given) : given);

/** An archive by APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16; the fields that Odin does not read are zero. */
function archiveOf(
  files: Given[],
  end: {
    count?: number;
    size?: number;
    at?: number;
    comment?: string;
    /** The bytes of the comment, if not the truth. */
    commentBytes?: number;
    hidden?: Given;
  } = {},
) {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const given of files) {
    const { name, data, method = 0, packed = data.length, plain = data.length, ...file } = given;
    const { localName = name, start = at, flags = 0, descriptor = 0 } = file;
    const { localMethod = method, localPacked = flags === 0 ? packed : 0 } = file;
    const [extra, comment] = [bytesOf(file.extra ?? 0), bytesOf(file.comment ?? 0)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(localMethod, 8);
    local.writeUInt32LE(localPacked, 18);
    local.writeUInt32LE(flags === 0 ? plain : 0, 22);
    local.writeUInt16LE(utf8(localName).length, 26);
    local.writeUInt16LE(extra.length, 28);
    const whole = Buffer.concat([local, utf8(localName), extra, data, Buffer.alloc(descriptor)]);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(packed, 20);
    central.writeUInt32LE(plain, 24);
    central.writeUInt16LE(utf8(name).length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt16LE(comment.length, 32);
    central.writeUInt32LE(start, 42);
    if (given !== end.hidden) directory.push(Buffer.concat([central, utf8(name), extra, comment]));
    parts.push(whole);
    at += whole.length;
  }
  const list = Buffer.concat(directory);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(end.count ?? directory.length, 10);
  last.writeUInt32LE(end.size ?? list.length, 12);
  last.writeUInt32LE(end.at ?? at, 16);
  last.writeUInt16LE(end.commentBytes ?? Math.min(utf8(end.comment ?? "").length, 65_535), 20);
  return new Blob([Buffer.concat([...parts, list, last, utf8(end.comment ?? "")])]);
}

const a: Given = { name: "a", data: utf8("first") };
const b: Given = { name: "über/b", data: utf8("second"), extra: 5, comment: 3 };
const contentOf = async (archive: Blob) => {
  const entries = await readZip(archive);
  return Promise.all(
    entries.map(async ({ name, size, read }) => [name, size, new TextDecoder().decode(await read())]),
  );
};

describe("a ZIP archive", () => {
  it("is read with stored and deflated files, extra fields and comments", async () => {
    const text = "deflated ".repeat(1000);
    const deflated: Given = { name: "c", data: deflateRawSync(text), method: 8, plain: text.length };
    const comment = "x".repeat(65_535);
    expect(await contentOf(archiveOf([a, b, deflated], { comment }))).toEqual([
      ["a", 5, "first"],
      ["über/b", 6, "second"],
      ["c", 9000, text],
    ]);
    expect(await readZip(archiveOf([]))).toEqual([]);
  });

  it.each<[string, Blob, string]>([
    ["of nothing", new Blob([]), "This is not a ZIP archive, or it is incomplete."],
    ["that is cut off", archiveOf([a]).slice(0, -1), "This is not a ZIP archive, or it is incomplete."],
    [
      "with a comment beyond 64 KiB",
      archiveOf([a], { comment: "x".repeat(65_536) }),
      "This is not a ZIP archive, or it is incomplete.",
    ],
    ["with text before it", new Blob(["x", archiveOf([a])]), "The archive contains data outside its files."],
    [
      "with a shorter list than it says",
      archiveOf([a], { count: 2 }),
      "The archive's list of files is damaged.",
    ],
    [
      "with more files in its list than it says",
      archiveOf([a, b], { count: 1 }),
      "The archive's list of files is damaged.",
    ],
    [
      "with files at the same place",
      archiveOf([a, { ...b, start: 0 }]),
      "The archive's files overlap or are out of order.",
    ],
    [
      "with files out of order",
      archiveOf([{ ...a, start: 99 }, b]),
      "The archive's files overlap or are out of order.",
    ],
    ["with two files of a name", archiveOf([a, b, a]), "The archive contains two files named a."],
  ])("%s is refused", async (_, archive, message) => {
    await expect(readZip(archive)).rejects.toThrow(new TypeError(message));
  });

  it("with a damaged entry in its list is refused", async () => {
    const bytes = new Uint8Array(await archiveOf([a]).arrayBuffer());
    bytes[36] = 0;
    await expect(readZip(new Blob([bytes]))).rejects.toThrow("The archive's list of files is damaged.");
  });

  it.each<[string, Given, string]>([
    ["under another name", { ...b, localName: "c" }, "über/b has a different name in its own header: c."],
    ["compressed in another way", { ...b, method: 9 }, "über/b uses an unsupported compression method."],
    ["larger than stated", { ...b, plain: 5 }, "über/b is larger than the archive says."],
    ["smaller than stated", { ...b, plain: 7 }, "über/b is smaller than the archive says."],
    [
      "inflated to more than stated",
      { ...b, data: deflateRawSync("x".repeat(99)), method: 8, plain: 98 },
      "über/b is larger than the archive says.",
    ],
    [
      "inflated to less than stated",
      { ...b, data: deflateRawSync("x".repeat(99)), method: 8, plain: 100 },
      "über/b is smaller than the archive says.",
    ],
  ])("with a file %s is read except for that file", async (_, file, message) => {
    const [first, second] = await readZip(archiveOf([a, file]));
    expect(new TextDecoder().decode(await first?.read())).toBe("first");
    await expect(second?.read()).rejects.toThrow(new TypeError(message));
  });

  it.each([37, 9999])(
    "with a file that is not at its place (%d) is read except for both files",
    async (start) => {
      const [first, second] = await readZip(archiveOf([a, { ...b, start }]));
      await expect(first?.read()).rejects.toThrow(new TypeError("a does not end where the archive says."));
      await expect(second?.read()).rejects.toThrow(new TypeError("über/b is not where the archive says."));
    },
  );

  it("with data that belongs to no file is refused, before, between and after its files", async () => {
    const message = "does not end where the archive says.";
    const hidden: Given = { name: "hidden", data: utf8("secret") };
    const without = (files: Given[]) => archiveOf(files, { hidden });
    await expect(readZip(without([hidden, a]))).rejects.toThrow(
      "The archive contains data outside its files.",
    );
    const [first, second] = await readZip(without([a, hidden, b]));
    await expect(first?.read()).rejects.toThrow(new TypeError(`a ${message}`));
    expect(new TextDecoder().decode(await second?.read())).toBe("second");
    const [last] = await readZip(without([a, hidden]));
    await expect(last?.read()).rejects.toThrow(new TypeError(`a ${message}`));
  });

  it("that has an end record of ZIP64 as well is refused, because other programs go by that one", async () => {
    const end64 = Buffer.alloc(56);
    end64.writeUInt32LE(0x06064b50, 0);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    const comment = Buffer.concat([end64, locator]);
    for (const end of [{}, { comment: "x".repeat(65_535) }])
      await expect(readZip(archiveOf([a, { ...b, comment }], end))).rejects.toThrow(
        "The archive contains data outside its files.",
      );
  });

  it.each([0, 4, 6])(
    "whose comment does not have the %d bytes that it says is refused",
    async (commentBytes) => {
      await expect(readZip(archiveOf([a], { comment: "about", commentBytes }))).rejects.toThrow(
        "The archive contains data outside its files.",
      );
    },
  );

  it("with a second name for a file is refused, because other programs show that one", async () => {
    const path = utf8("c");
    const field = Buffer.alloc(9);
    field.writeUInt16LE(0x7075, 0);
    field.writeUInt16LE(5 + path.length, 2);
    field.writeUInt8(1, 4);
    field.writeUInt32LE(crc32(utf8("a")), 5);
    const stamp = Buffer.from([0x55, 0x54, 1, 0, 0]);
    const named = archiveOf([{ ...a, extra: Buffer.concat([stamp, field, path]) }, b]);
    await expect(readZip(named)).rejects.toThrow("a has a second name.");
    expect(await readZip(archiveOf([{ ...a, extra: stamp }, b]))).toHaveLength(2);
  });

  it.each<[string, Partial<Given>]>([
    ["method", { localMethod: 8 }],
    ["size", { localPacked: 4 }],
  ])("with another %s of a file in its own header is read except for that file", async (_, other) => {
    const [first, second] = await readZip(archiveOf([{ ...a, ...other }, b]));
    await expect(first?.read()).rejects.toThrow("a is not what its own header says.");
    expect(new TextDecoder().decode(await second?.read())).toBe("second");
  });

  it("is read with descriptors after its files, and with nothing else there", async () => {
    const described = (size: number): Given => ({ ...a, flags: 1 << 3, descriptor: size });
    for (const size of [12, 16, 20, 24])
      expect(await contentOf(archiveOf([described(size), b]))).toEqual([
        ["a", 5, "first"],
        ["über/b", 6, "second"],
      ]);
    for (const file of [described(13), { ...a, descriptor: 16 }]) {
      const [first] = await readZip(archiveOf([file, b]));
      await expect(first?.read()).rejects.toThrow("a does not end where the archive says.");
    }
  });
});

describe("a written archive", () => {
  const written = (fill: (zip: ReturnType<typeof createZip>) => void, at = Date.UTC(2026, 10, 20, 12)) => {
    const chunks: Uint8Array[] = [];
    const zip = createZip((bytes) => chunks.push(bytes.slice()), at);
    fill(zip);
    zip.finish();
    return Buffer.concat(chunks);
  };

  it("has the fields of APPNOTE.TXT", () => {
    const data = utf8("The quick brown fox jumps over the lazy dog");
    const bytes = written(
      (zip) => zip.add("é.txt", [data.subarray(0, 9), data.subarray(9)]),
      Date.UTC(2026, 10, 20, 23, 59, 59),
    );
    const date = (46 << 9) | (11 << 5) | 20;
    const time = (23 << 11) | (59 << 5) | 29;
    const [local, central, end] = [bytes, bytes.subarray(30 + 6 + 43), bytes.subarray(30 + 6 + 43 + 46 + 6)];
    expect(local.readUInt32LE(0)).toBe(0x04034b50);
    // Version 2.0, names in UTF-8, stored, the time and date.
    expect([4, 6, 8, 10, 12].map((at) => local.readUInt16LE(at))).toEqual([20, 0x0800, 0, time, date]);
    expect([14, 18, 22].map((at) => local.readUInt32LE(at))).toEqual([0x414fa339, 43, 43]);
    expect([26, 28].map((at) => local.readUInt16LE(at))).toEqual([6, 0]);
    expect(local.subarray(30, 36).toString()).toBe("é.txt");
    expect(central.readUInt32LE(0)).toBe(0x02014b50);
    expect([4, 6, 8, 10, 12, 14].map((at) => central.readUInt16LE(at))).toEqual([
      20,
      20,
      0x0800,
      0,
      time,
      date,
    ]);
    expect([16, 20, 24, 42].map((at) => central.readUInt32LE(at))).toEqual([0x414fa339, 43, 43, 0]);
    expect([28, 30, 32, 34].map((at) => central.readUInt16LE(at))).toEqual([6, 0, 0, 0]);
    expect(end.readUInt32LE(0)).toBe(0x06054b50);
    expect([4, 6, 8, 10, 20].map((at) => end.readUInt16LE(at))).toEqual([0, 0, 1, 1, 0]);
    expect([12, 16].map((at) => end.readUInt32LE(at))).toEqual([52, 79]);
    expect(end).toHaveLength(22);
  });

  it("keeps thousands of files, and one whose bytes follow later", async () => {
    const names = Array.from({ length: 1500 }, (_, i) => `folder/${"n".repeat(i % 90)}${i}`);
    const bytes = written((zip) => {
      for (const name of names) zip.add(name, [utf8(name), utf8("!")]);
      zip.begin("last", { size: 4, crc: crc32(utf8("late")) });
      zip.write(utf8("la"));
      zip.write(utf8("te"));
    });
    const found = await contentOf(new Blob([bytes]));
    expect(found).toEqual([
      ...names.map((name) => [name, utf8(name).length + 1, `${name}!`]),
      ["last", 4, "late"],
    ]);
  });

  it("is limited to 4 GiB and 65,000 files", () => {
    const limit = 0xffff_ffff - 64 * 1024 * 1024;
    const zip = () => createZip(() => {}, 0);
    expect(() => zip().begin("a", { size: limit, crc: 0 })).not.toThrow();
    expect(() => zip().begin("a", { size: limit + 1, crc: 0 })).toThrow(
      new RangeError("the archive is too large"),
    );
    const full = zip();
    full.begin("a", { size: 1, crc: 0 });
    expect(() => full.begin("b", { size: limit - 30, crc: 0 })).toThrow(RangeError);
    const many = zip();
    for (let i = 0; i < 65_000; i++) many.begin("a", { size: 0, crc: 0 });
    expect(() => many.begin("a", { size: 0, crc: 0 })).toThrow(new RangeError("the archive is too large"));
  });
});

it("the CRC-32 of any bytes is that of zlib, also in parts", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), (bytes, cut) => {
      expect(crc32(bytes)).toBe(zlibCrc(bytes));
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(zlibCrc(bytes));
    }),
  );
});
