import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { orientationExif, orientationOf } from "#app/lib/images/orientation.ts";
import { isHeic, type StrippableType, stripImage, strippableTypeOf } from "#app/lib/images/strip.ts";
import { imageIsWhole, imageTypeOf } from "#app/lib/images/type.ts";

type Part = string | readonly number[] | Uint8Array;
/** Bytes of texts (a byte per character) and numbers. */
const bytesOf = (...parts: Part[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : [...part])),
  );
const strip = (type: StrippableType, ...parts: Part[]) => stripImage(bytesOf(...parts), type);

const PNG = "\x89PNG\r\n\x1a\n";

describe("the type of an image", () => {
  it.each([
    ["\xff\xd8\xff\xe0", "image/jpeg", "image/jpeg"],
    ["\xff\xd8\xfe", undefined, undefined],
    [PNG, "image/png", "image/png"],
    ["\x89PNG\r\n\x1a\r", undefined, undefined],
    ["RIFF1234WEBP", "image/webp", "image/webp"],
    ["RIFF1234WAVE", undefined, undefined],
    ["RIFX1234WEBP", undefined, undefined],
    ["GIF87a", undefined, "image/gif"],
    ["GIF89a", undefined, "image/gif"],
    ["GIF88a", undefined, undefined],
    ["<svg>", undefined, undefined],
    ["", undefined, undefined],
  ])("%j is shown as %s and kept as %s", (start, shown, kept) => {
    expect([imageTypeOf(bytesOf(start)), strippableTypeOf(bytesOf(start))]).toEqual([shown, kept]);
  });

  it.each("heic heix heim heis hevc hevx hevm hevs mif1 msf1".split(" "))("%s is HEIC", (brand) => {
    expect(isHeic(bytesOf("1234ftyp", brand, "rest"))).toBe(true);
    expect(isHeic(bytesOf("1234fxyp", brand, "rest"))).toBe(false);
    expect(isHeic(bytesOf("1234ftypisom", brand))).toBe(false);
  });
});

describe("an image is whole", () => {
  const jpeg = (...parts: Part[]) => imageIsWhole(bytesOf([0xff, 0xd8, 0xff], ...parts), "image/jpeg");
  it("with the end marker of JPEG in the last 64 KiB", () => {
    expect([jpeg("data", [0xff, 0xd9]), jpeg([0xff, 0xd9], "trailer"), jpeg([0xff, 0xd9])]).toEqual([
      true,
      true,
      true,
    ]);
    expect([jpeg("data", [0xff]), jpeg([0xd9]), jpeg(), jpeg([0xff, 0xd8, 0xd9])]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    const trailer = (length: number) => jpeg("x", [0xff, 0xd9], new Uint8Array(length));
    expect([trailer(65_534), trailer(65_535)]).toEqual([true, false]);
  });

  it("with the end marker of JPEG itself, not that of a thumbnail in its header", () => {
    const thumbnail = bytesOf("Exif\0\0", [0xff, 0xd8, 0xff], "small", [0xff, 0xd9]);
    const header = [0xe1, 0, thumbnail.length + 2, ...thumbnail, 0xff, 0xfe, 0, 4, 0xff, 0xd9];
    const picture = [0xff, 0xdb, 0, 4, 1, 2, 0xff, 0xda, 3, 4, 5];
    expect([jpeg(header, picture, [0xff, 0xd9]), jpeg(header, picture), jpeg(header)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("with the last chunk of PNG at its end", () => {
    const png = (...parts: Part[]) => imageIsWhole(bytesOf(PNG, ...parts), "image/png");
    expect(png("data", "IEND\xae\x42\x60\x82")).toBe(true);
    for (const end of ["IEND\xae\x42\x60", "IEND\xae\x42\x60\x83", "IEND\xae\x42\x60\x82.", ""])
      expect(png(end)).toBe(false);
  });

  it("with as many bytes of WebP as its header says, in four little-endian bytes", () => {
    const webp = (size: readonly number[], length: number) =>
      imageIsWhole(bytesOf("RIFF", size, new Uint8Array(length)), "image/webp");
    expect([webp([9, 0, 0, 0], 9), webp([9, 0, 0, 0], 10), webp([9, 0, 0, 0], 8)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([webp([1, 2, 0, 0], 513), webp([1, 2, 0, 0], 512)]).toEqual([true, false]);
    expect([webp([0, 0, 1, 0], 65_536), webp([0, 0, 1, 0], 65_535)]).toEqual([true, false]);
    expect(webp([0, 0, 0, 1], 65_536)).toBe(false);
    expect(imageIsWhole(bytesOf("RIFF", [0, 0, 0]), "image/webp")).toBe(false);
  });
});

describe("the orientation", () => {
  /** A TIFF with entries of (tag, type, value), by TIFF 6.0 section 2. */
  const tiff = (little: boolean, entries: readonly [number, number, number][], count = entries.length) => {
    const bytes = new Uint8Array(10 + entries.length * 12);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, little ? 0x4949 : 0x4d4d);
    view.setUint16(2, 42, little);
    view.setUint32(4, 8, little);
    view.setUint16(8, count, little);
    for (const [i, [tag, type, value]] of entries.entries()) {
      view.setUint16(10 + i * 12, tag, little);
      view.setUint16(12 + i * 12, type, little);
      view.setUint32(14 + i * 12, 1, little);
      view.setUint16(18 + i * 12, value, little);
    }
    return bytes;
  };

  it.each([
    [0, undefined],
    [1, undefined],
    [2, 2],
    [6, 6],
    [8, 8],
    [9, undefined],
  ])("of %d is %j", (value, expected) => {
    for (const little of [true, false]) {
      const block = tiff(little, [
        [0x010f, 3, 7],
        [0x0112, 3, value],
        [0x0112, 3, 4],
      ]);
      expect(orientationOf(block)).toBe(expected);
      expect(orientationOf(bytesOf("Exif\0\0", block))).toBe(expected);
    }
  });

  it("is unknown in a damaged block", () => {
    for (const block of [
      bytesOf(""),
      bytesOf("Exif\0\0"),
      bytesOf("XX", tiff(true, [[0x0112, 3, 6]]).subarray(2)),
      tiff(true, [[0x0112, 4, 6]]),
      tiff(true, [[0x0111, 3, 6]], 2),
      tiff(true, [[0x0112, 3, 6]], 0),
      tiff(true, [[0x0112, 3, 6]]).subarray(0, 18),
    ])
      expect(orientationOf(block)).toBeUndefined();
    expect(orientationOf(tiff(true, [[0x0112, 3, 6]], 9))).toBe(6);
  });

  it("alone is a block of one entry", () => {
    expect([...orientationExif(6)]).toEqual([
      ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
      ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0],
      ...[0, 0, 0, 0],
    ]);
  });
});

describe("a stripped JPEG", () => {
  const segment = (marker: number, content: Part) => {
    const bytes = bytesOf(content);
    return bytesOf([0xff, marker, 0, bytes.length + 2], bytes);
  };
  const [start, end] = [
    [0xff, 0xd8],
    [0xff, 0xd9],
  ];
  const frame = segment(0xc0, [8, 0x01, 0x02, 0x03, 0x04, 1, 1, 0x11, 0]);
  const scan = bytesOf(segment(0xda, [1, 1, 0, 0, 63, 0]), [1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xd7, 4]);
  const jfif = bytesOf("JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0]);

  it("has only what draws it, and its size", () => {
    const tables = [0xc4, 0xcc, 0xdb, 0xdc, 0xdd, 0xde, 0xdf].map((marker) => segment(marker, "table"));
    const others = [0x02, 0xc8, 0xe2, 0xed, 0xef, 0xf0, 0xfd, 0xfe].map((marker) => segment(marker, "other"));
    const adobe = segment(0xee, "Adobe\0\x64\0\0\0\0\0");
    const whole = bytesOf(start, segment(0xe0, jfif), adobe, ...tables, frame, scan, end);
    const loud = bytesOf(
      start,
      segment(0xe0, jfif),
      adobe,
      ...others,
      segment(0xee, "Other"),
      segment(0xe0, "JFXX\0".repeat(4)),
      ...tables,
      [0xff, 0xff],
      frame.subarray(1),
      ...others,
      scan,
      ...others,
      end,
      "TRAILER",
    );
    const stripped = stripImage(loud, "image/jpeg");
    expect(stripped).toEqual({ bytes: whole, width: 0x0304, height: 0x0102 });
    expect(stripImage(whole, "image/jpeg")).toEqual(stripped);
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])(
    "has the size of its frame, marker %d",
    (marker) => {
      const own = bytesOf([0xff, marker], frame.subarray(2));
      expect(strip("image/jpeg", start, own, scan, end)).toEqual({
        bytes: bytesOf(start, own, scan, end),
        width: 0x0304,
        height: 0x0102,
      });
    },
  );

  it("has no thumbnail in its JFIF header", () => {
    const thumbnail = bytesOf("JFIF\0", [1, 1, 0, 0, 1, 0, 1, 1, 1], "RGB");
    expect(strip("image/jpeg", start, segment(0xe0, thumbnail), frame, scan, end)?.bytes).toEqual(
      bytesOf(start, segment(0xe0, jfif), frame, scan, end),
    );
    expect(strip("image/jpeg", start, segment(0xe0, jfif.subarray(0, 13)), frame, scan, end)?.bytes).toEqual(
      bytesOf(start, frame, scan, end),
    );
  });

  it("has its first orientation, and no other EXIF", () => {
    const exif = (value: number) => segment(0xe1, bytesOf("Exif\0\0", orientationExif(value), "GPS"));
    const expected = segment(0xe1, bytesOf("Exif\0\0", orientationExif(6)));
    expect(strip("image/jpeg", start, exif(6), exif(3), frame, scan, end)?.bytes).toEqual(
      bytesOf(start, expected, frame, scan, end),
    );
    expect(strip("image/jpeg", start, exif(1), exif(6), frame, scan, end)?.bytes).toEqual(
      bytesOf(start, expected, frame, scan, end),
    );
    const other = segment(0xe1, bytesOf("Exif\0x", orientationExif(6)));
    expect(strip("image/jpeg", start, other, frame, scan, end)?.bytes).toEqual(
      bytesOf(start, frame, scan, end),
    );
  });

  it("is undefined if the file is malformed", () => {
    const size = (height: number, width: number) => segment(0xc0, [8, 0, height, 0, width, 1, 1, 0x11, 0]);
    for (const parts of [
      [start, scan, end],
      [start, size(0, 5), scan, end],
      [start, size(5, 0), scan, end],
      [start, frame, scan],
      [start, [0xfe, 0xc0], frame, scan, end],
      [start, frame, [0xff, 0x01], scan, end],
      [start, frame, [0xff, 0xd0], scan, end],
      [start, frame, [0xff, 0xd8], scan, end],
      [start, frame, [0xff, 0xfe, 0, 1], scan, end],
      [start, frame, [0xff, 0xfe, 0, 99], scan, end],
    ])
      expect(strip("image/jpeg", ...parts)).toBeUndefined();
    expect(strip("image/jpeg", start, size(1, 1), scan, end)).toMatchObject({ width: 1, height: 1 });
    expect(strip("image/jpeg", start, frame, [0xff, 0xfe, 0, 2], scan, end)?.bytes).toEqual(
      bytesOf(start, frame, scan, end),
    );
  });
});

describe("a stripped PNG", () => {
  const chunk = (name: string, content: Part) => {
    const bytes = bytesOf(content);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(bytes.length);
    sum.writeUInt32BE(crc32(bytesOf(name, bytes)));
    return bytesOf(size, name, bytes, sum);
  };
  const head = chunk("IHDR", [0, 0, 1, 9, 0, 0, 2, 5, 8, 2, 0, 0, 0]);
  const end = chunk("IEND", "");

  it.each([
    ["PLTE", 768],
    ["tRNS", 256],
    ["gAMA", 4],
    ["cHRM", 32],
    ["sRGB", 1],
    ["sBIT", 4],
    ["bKGD", 6],
    ["pHYs", 9],
    ["tEXt", -1],
    ["iCCP", -1],
  ])("has the chunk %s with up to %d bytes", (name, most) => {
    const image = (length: number) =>
      bytesOf(PNG, head, chunk(name, new Uint8Array(length)), chunk("IDAT", new Uint8Array(999)), end);
    const without = bytesOf(PNG, head, chunk("IDAT", new Uint8Array(999)), end);
    const kept = (length: number) => stripImage(image(length), "image/png")?.bytes;
    if (most >= 0) expect(kept(most)).toEqual(image(most));
    expect(kept(most + 1)).toEqual(without);
  });

  it("has its size, and ends with an empty chunk", () => {
    expect(strip("image/png", PNG, head, chunk("IEND", "secret"), "TRAILER")).toEqual({
      bytes: bytesOf(PNG, head, end),
      width: 265,
      height: 517,
    });
  });

  it("has its orientation as the only EXIF", () => {
    const exif = chunk("eXIf", bytesOf(orientationExif(8), "GPS"));
    expect(strip("image/png", PNG, head, exif, end)?.bytes).toEqual(
      bytesOf(PNG, head, chunk("eXIf", orientationExif(8)), end),
    );
  });

  it("is undefined if the file is malformed", () => {
    for (const parts of [
      [PNG, end],
      [PNG, chunk("IHDR", [0, 0, 0, 0, 0, 0, 2, 5, 8, 2, 0, 0, 0]), end],
      [PNG, chunk("IHDR", [0, 0, 1, 9, 0, 0, 0, 0, 8, 2, 0, 0, 0]), end],
      [PNG, head, end.subarray(0, 11)],
      [PNG, head],
    ])
      expect(strip("image/png", ...parts)).toBeUndefined();
    expect(
      strip("image/png", PNG, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]), end),
    ).toMatchObject({ width: 1, height: 1 });
  });
});

describe("a stripped WebP", () => {
  const chunk = (name: string, content: Part) => {
    const bytes = bytesOf(content);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    return bytesOf(name, size, bytes, bytes.length % 2 ? [0] : []);
  };
  const file = (...chunks: Uint8Array[]) => chunk("RIFF", bytesOf("WEBP", ...chunks));
  /** A key frame of 0x0123 by 0x0045 pixels with scaling bits (RFC 6386, section 9.1). */
  const lossy = chunk("VP8 ", [1, 2, 3, 0x9d, 0x01, 0x2a, 0x23, 0x41, 0x45, 0x80, 9]);
  /** 291 by 69 pixels: 14 bits each, one less (WebP lossless bitstream, section 3). */
  const lossless = chunk("VP8L", [0x2f, 0x22, 0x01, 0x11, 0x10, 9]);
  const extended = (flags: number) => chunk("VP8X", [flags, 0, 0, 0, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06]);

  it("has the size of its first picture, or of its canvas", () => {
    const sizeOf = (...chunks: Uint8Array[]) => {
      const found = stripImage(file(...chunks), "image/webp");
      return found && [found.width, found.height];
    };
    expect(sizeOf(lossy)).toEqual([0x123, 0x45]);
    expect(sizeOf(lossless)).toEqual([291, 69]);
    expect(sizeOf(extended(0), lossy)).toEqual([0x030202, 0x060505]);
    expect(sizeOf(chunk("ALPH", "x"), lossy)).toEqual([0x123, 0x45]);
    expect(sizeOf(chunk("ALPH", "x"))).toBeUndefined();
    expect(sizeOf(chunk("VP8 ", [1, 2, 3, 0x9d, 1, 0x2a, 0, 0xc0, 1, 0]))).toBeUndefined();
    expect(sizeOf(chunk("VP8 ", [1, 2, 3, 0x9d, 1, 0x2a, 1, 0, 0, 0xc0]))).toBeUndefined();
    expect(sizeOf()).toBeUndefined();
  });

  it("has only what draws it, without flags for the rest", () => {
    const all = file(
      extended(0xff),
      chunk("ICCP", "profile"),
      chunk("ANIM", "123456"),
      chunk("ALPH", "alp"),
      lossy,
      chunk("EXIF", "GPS"),
      chunk("XMP ", "by"),
      chunk("junk", "x"),
    );
    const kept = file(
      extended(0xff & ~(0x20 | 0x08 | 0x04)),
      chunk("ANIM", "123456"),
      chunk("ALPH", "alp"),
      lossy,
    );
    expect(strip("image/webp", all, "TRAILER")?.bytes).toEqual(kept);
  });

  it("has its orientation in the extended format only", () => {
    const exif = chunk("EXIF", bytesOf(orientationExif(5), "GPS"));
    expect(strip("image/webp", file(extended(0x2c), lossy, exif))?.bytes).toEqual(
      file(extended(0x08), lossy, chunk("EXIF", orientationExif(5))),
    );
    expect(strip("image/webp", file(lossy, exif))?.bytes).toEqual(file(lossy));
  });

  it("has only what draws it in each frame", () => {
    const position = "0123456789abcdef";
    const frame = (...chunks: Uint8Array[]) => chunk("ANMF", bytesOf(position, ...chunks));
    const loud = file(
      extended(2),
      frame(chunk("ALPH", "a"), lossy, chunk("XMP ", "odd")),
      frame(chunk("junk", "xx"), lossless),
    );
    expect(stripImage(loud, "image/webp")?.bytes).toEqual(
      file(extended(2), frame(chunk("ALPH", "a"), lossy), frame(lossless)),
    );
    const broken = bytesOf(lossy.subarray(0, 4), [99, 0, 0, 0], lossy.subarray(8));
    expect(stripImage(file(extended(2), frame(broken)), "image/webp")).toBeUndefined();
  });

  it("is undefined if the file is cut off, or a chunk is longer than the file", () => {
    const whole = file(extended(0), lossy);
    for (const end of [whole.length - 1, 20, 12, 4])
      expect(strip("image/webp", whole.subarray(0, end))).toBeUndefined();
    const long = whole.slice();
    long[34] = 200;
    expect(strip("image/webp", long)).toBeUndefined();
  });
});

describe("a stripped GIF", () => {
  const word = (value: number) => [value & 255, value >> 8];
  const head = (width: number, height: number, packed = 0) =>
    bytesOf("GIF89a", word(width), word(height), [packed, 7, 9]);
  const frame = (size: { left?: number; top?: number; width?: number; height?: number } = {}) => {
    const { left = 0, top = 0, width = 1, height = 1 } = size;
    return bytesOf([0x2c], word(left), word(top), word(width), word(height), [0, 2, 2, 0x44, 1, 0]);
  };
  const TRAILER = [0x3b];
  const stripped = (...parts: Part[]) => {
    // In a larger buffer, as parts of an upload are.
    const padded = bytesOf("padding", ...parts);
    return stripImage(padded.subarray(7), "image/gif");
  };
  const between = (...parts: Part[]) => stripped(head(1, 1), ...parts, frame(), TRAILER)?.bytes;
  const without = bytesOf(head(1, 1), frame(), TRAILER);

  it.each([
    [0x00, 0],
    [0x07, 0],
    [0x80, 6],
    [0x81, 12],
    [0xf0, 6],
    [0x87, 768],
  ])("keeps the color tables that the flags %d announce: %d bytes", (packed, length) => {
    const table = new Uint8Array(length).fill(0x99);
    const local = bytesOf([0x2c], word(0), word(0), word(1), word(1), [packed], table, [2, 1, 5, 0]);
    const whole = bytesOf(head(1, 1, packed), table, local, local, TRAILER);
    expect(stripped(whole, "after")).toEqual({ bytes: whole, width: 1, height: 1 });
  });

  it("is as large as its screen and all its frames", () => {
    const sizeOf = (...parts: Part[]) => {
      const found = stripped(...parts, TRAILER);
      return found && [found.width, found.height];
    };
    expect(sizeOf(head(0x0102, 0x0304), frame())).toEqual([0x0102, 0x0304]);
    expect(sizeOf(head(9, 5), frame({ left: 5, top: 3, width: 6, height: 4 }), frame())).toEqual([11, 7]);
    expect(sizeOf(head(9, 5), frame({ left: 2, top: 1, width: 6, height: 3 }))).toEqual([9, 5]);
    expect(sizeOf(head(0, 0), frame({ width: 0x0201, height: 0x0403 }))).toEqual([0x0201, 0x0403]);
    expect(sizeOf(head(0, 5), frame({ width: 0 }))).toBeUndefined();
    expect(sizeOf(head(5, 0), frame({ height: 0 }))).toBeUndefined();
    expect(sizeOf(head(5, 5))).toBeUndefined();
  });

  const control = (...content: number[]) => bytesOf([0x21, 0xf9], content);
  const application = (name: string, ...content: number[]) => bytesOf([0x21, 0xff, 11], name, content);

  it("keeps the timing of frames and the repetition, without what follows in their blocks", () => {
    const timing = control(4, 1, 2, 3, 4, 0);
    expect(between(timing)).toEqual(bytesOf(head(1, 1), timing, frame(), TRAILER));
    expect(between(control(4, 1, 2, 3, 4, 2, 9, 9, 0))).toEqual(
      bytesOf(head(1, 1), timing, frame(), TRAILER),
    );
    for (const name of ["NETSCAPE2.0", "ANIMEXTS1.0"]) {
      const loop = application(name, 3, 1, 7, 8, 0);
      const expected = bytesOf(head(1, 1), loop, frame(), TRAILER);
      expect(between(loop)).toEqual(expected);
      expect(between(application(name, 3, 1, 7, 8, 2, 9, 9, 0))).toEqual(expected);
    }
  });

  it.each([
    ["a comment", [0x21, 0xfe, 4, 65, 66, 67, 68, 0]],
    ["a text", [0x21, 0x01, 4, 65, 66, 67, 68, 0]],
    ["a short timing", control(3, 1, 2, 3, 0)],
    ["a long timing", control(5, 1, 2, 3, 4, 5, 0)],
    ["no timing", control(0)],
    ["XMP", application("XMP DataXMP", 3, 1, 7, 8, 0)],
    ["a short repetition", application("NETSCAPE2.0", 2, 1, 7, 0)],
    ["another repetition", application("NETSCAPE2.0", 3, 2, 7, 8, 0)],
    ["a repetition under another label", bytesOf([0x21, 0xfe, 11], "NETSCAPE2.0", [3, 1, 7, 8, 0])],
    ["a longer name", bytesOf([0x21, 0xff, 12], "NETSCAPE2.0", [3, 3, 1, 7, 8, 0])],
  ])("does not keep %s", (_, extension) => {
    expect(between(extension)).toEqual(without);
  });

  it("is undefined if the file is cut off or has an unknown block", () => {
    const whole = bytesOf(head(1, 1, 0x80), "tables", control(4, 1, 2, 3, 4, 0), frame(), TRAILER);
    expect(stripped(whole)?.bytes).toEqual(whole);
    for (let end = 6; end < whole.length; end++)
      expect(stripImage(whole.slice(0, end), "image/gif")).toBeUndefined();
    for (const kind of [0, 0x20, 0x2d, 0x3a]) expect(between([kind])).toBeUndefined();
  });
});
