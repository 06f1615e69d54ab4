import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { pdfProblem } from "#app/lib/pdf/check.ts";
import { PdfImageProblem, pdfImage } from "#app/lib/pdf/image.ts";
import { createPdfObjects, pdfNumber, pdfText } from "#app/lib/pdf/objects.ts";
import { pngFile } from "../../../support/png.ts";
import { objectsOf } from "./samples.ts";

type Part = string | readonly number[] | Uint8Array;
const bytesOf = (...parts: Part[]) =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
    ),
  );

describe("an attached PDF", () => {
  const pdf = (...parts: Part[]) => bytesOf("%PDF-1.7\n", ...parts, "\n%%EOF\n");
  const packed = (text: string) => new Uint8Array(deflateSync(Buffer.from(text, "latin1")));
  const objectStream = (entries: string, content: Part, after = "\nendstream") =>
    bytesOf(`5 0 obj <</Type/ObjStm ${entries}>>stream\n`, content, after);
  const UNCHECKED = "This PDF is compressed in a way that cannot be checked.";
  /** An object stream without content: an empty block and its checksum. */
  const SHORT = "/ObjStm/Filter/Fl stream\nx\x9c\x03\0\0\0\0\x01endstream";
  const active = (name: string) => `PDFs with active content (${name}) are refused.`;

  it.each<[string, string | undefined]>([
    ["%PDF-1.0 %%EOF", undefined],
    [" \r\n%PDF-2.0 %%EOF", undefined],
    [`${" ".repeat(1016)}%PDF-1.7 %%EOF`, undefined],
    [`${" ".repeat(1017)}%PDF-1.7 %%EOF`, "This is not a PDF."],
    ["x%PDF-1.7 %%EOF", "This is not a PDF."],
    ["%PDF-3.0 %%EOF", "This is not a PDF."],
    ["%PDF-1.x %%EOF", "This is not a PDF."],
    ["PDF-1.7 %%EOF", "This is not a PDF."],
    ["%PDF-1.7 %%EO", "This PDF is incomplete."],
    [`%PDF-1.7 %%EOF${" ".repeat(2043)}`, undefined],
    [`%PDF-1.7 %%EOF${" ".repeat(2044)}`, "This PDF is incomplete."],
    ["%PDF-1.7 /Encrypt 5 0 R %%EOF", "Encrypted PDFs cannot be checked and are refused."],
    ["%PDF-1.7 /#45ncryp#74<<>> %%EOF", "Encrypted PDFs cannot be checked and are refused."],
    ["%PDF-1.7 /EncryptMetadata true /Encryptx /Encrypt9 %%EOF", undefined],
  ])("is a complete PDF without encryption: %j", (text, problem) => {
    expect(pdfProblem(bytesOf(text))).toBe(problem);
  });

  // Each took minutes when a keyword was compared with everything before it, far beyond the time limit of a test.
  it.each([
    ["keywords", "stream ".repeat(500_000), undefined],
    ["keywords after a name", `/ObjStm ${"stream ".repeat(500_000)}`, UNCHECKED],
    ["keywords after an escaped name", `#2fObj#53tm ${"stream ".repeat(500_000)}`, UNCHECKED],
    ["filters", `/ObjStm ${"/Filter[".repeat(500_000)} stream`, UNCHECKED],
    ["short streams", "/ObjStm stream\nendstream ".repeat(150_000), undefined],
    [
      "ends after an object stream",
      `/ObjStm/Filter/Fl stream\nx\x9c\x03\0${"endstream".repeat(500_000)}`,
      UNCHECKED,
    ],
    [
      "bytes after an object stream",
      `/ObjStm/Filter/Fl stream\nx\x9c\x03\0${" ".repeat(9_000_000)}endstream`,
      UNCHECKED,
    ],
    ["short object streams", `${SHORT} `.repeat(200_000), UNCHECKED],
  ])("is checked in a short time if it is made of %s", (_, text, problem) => {
    expect(pdfProblem(pdf(text))).toBe(problem);
  });

  it.each([
    ...["JavaScript", "Launch", "EmbeddedFile", "EmbeddedFiles", "RichMedia", "SubmitForm", "ImportData"],
    ...["GoToE", "GoToR", "XFA", "Rendition"],
  ])("is refused with the name /%s, openly or packed", (name) => {
    for (const after of ["", " ", "/", "<", "["]) {
      expect(pdfProblem(pdf(`<</S/${name}${after}`))).toBe(active(name));
      const hidden = objectStream("/Filter/FlateDecode", packed(`<</S/${name}${after}`));
      expect(pdfProblem(pdf(hidden))).toBe(active(name));
    }
    for (const other of [`/${name}9`, `/${name}x`, `/${name}Z`, name])
      expect(pdfProblem(pdf(other))).toBeUndefined();
  });

  it.each([
    ["/JS(x)", "JS"],
    ["/JS \n<AB>", "JS"],
    ["/JS 12  0\nR", "JS"],
    ["/#4a#53(x)", "JS"],
    ["/#4A#53(x)", "JS"],
    ["/Subtype/3D", "3D"],
    ["/Subtype \n/3D", "3D"],
  ])("is refused with %j", (text, name) => {
    expect(pdfProblem(pdf(text))).toBe(active(name));
  });

  it.each([
    "/JS",
    "/JS/x",
    "/JS 12 R",
    "/JS 1 x R",
    "/JS x 0 R",
    "/JSx(y)",
    "/Subtype/2D",
    "/3D",
    "/J#5(x)",
    "/J##53(x)",
  ])("is accepted with %j", (text) => {
    expect(pdfProblem(pdf(text))).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ["/Filter/FlateDecode", active("Launch")],
    ["/Filter /Fl", active("Launch")],
    ["/Filter[ /FlateDecode ]", active("Launch")],
    ["/Filter\n[/Fl]", active("Launch")],
    ["/F#69lter/FlateDecode", active("Launch")],
    ["/Filter/FlateDecode/DecodeParms null", active("Launch")],
    ["/Filter/FlateDecode/DPx 1/DecodeParms9 2", active("Launch")],
    ["/Filter/FlateDecodeX", UNCHECKED],
    ["/Filter/Flx", UNCHECKED],
    ["/Filter/xFl", UNCHECKED],
    ["/Filter[/FlateDecode/FlateDecode]", UNCHECKED],
    ["/Filter[/ASCIIHexDecode]", UNCHECKED],
    ["/Filter 7 0 R", UNCHECKED],
    ["/Filter/FlateDecode/Filter/LZWDecode", UNCHECKED],
    ["/Filter/FlateDecode/DecodeParms<<>>", UNCHECKED],
    ["/Filter/FlateDecode/DP<<>>", UNCHECKED],
    ["/Filter/FlateDecode/FFilter/x", UNCHECKED],
    ["/FFilter/x", UNCHECKED],
    // Not compressed, so what it contains is in the plain text.
    ["", undefined],
  ])("is inflated in an object stream with %j", (entries, problem) => {
    expect(pdfProblem(pdf(objectStream(entries, packed("<</S/Launch>>"))))).toBe(problem);
  });

  it("is not inflated in other streams", () => {
    for (const type of ["/XObject", "/ObjStmx", "/ObjStm9"])
      expect(
        pdfProblem(pdf(`<</Type${type}/Filter/FlateDecode>>stream\n`, packed("/Launch "), "\nendstream")),
      ).toBeUndefined();
  });

  it("is searched in each object stream", () => {
    const streams = ["/Page", "/Launch", "/XFA"].map((name) =>
      objectStream("/Filter/FlateDecode", packed(name)),
    );
    expect(pdfProblem(pdf(...streams))).toBe(active("Launch"));
    // The dictionary of a stream begins after the stream before it.
    const image = bytesOf("<</Filter/DCTDecode>>stream\nx\nendstream ");
    expect(pdfProblem(pdf(image, objectStream("/Filter/FlateDecode", packed("/Page"))))).toBeUndefined();
    expect(pdfProblem(pdf(objectStream("/Filter/FlateDecode", packed("/Page")), image))).toBeUndefined();
  });

  it("has streams that begin after any line end, and end with at most one", () => {
    for (const start of ["stream\n", "stream\r\n", "stream\r", "stream \t\n", "stream"])
      for (const end of ["endstream", "\nendstream", "\rendstream", "\r\nendstream"]) {
        const content = packed("<</S/XFA>>");
        const text = pdf("<</Type/ObjStm/Filter/Fl>>", start, content, end);
        expect([start, end, pdfProblem(text)]).toEqual([start, end, active("XFA")]);
      }
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", packed("/Page"), "\n\n\nendstream")))).toBe(UNCHECKED);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", packed("/Page"), " endstream")))).toBe(UNCHECKED);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", packed("/Page"), "")))).toBe(UNCHECKED);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", packed("/Page").slice(0, -1))))).toBe(UNCHECKED);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", "xyz")))).toBe(UNCHECKED);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", "")))).toBe(UNCHECKED);
  });

  it("is checked to the end of a long stream, which may contain the word endstream", () => {
    const long = new Uint8Array(deflateSync(Buffer.from(`${"x".repeat(70_000)} /XFA `), { level: 0 }));
    expect(long.length).toBeGreaterThan(2 * 16_384);
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", long)))).toBe(active("XFA"));
    // A stored block, so that the word is in the compressed bytes too.
    const stored = new Uint8Array(deflateSync(Buffer.from("a endstream b endstream c /XFA "), { level: 0 }));
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", stored)))).toBe(active("XFA"));
  });

  it("may have 5,000 short object streams, or an end within one for each that is missing", () => {
    expect(pdfProblem(pdf(`${SHORT} `.repeat(5000)))).toBeUndefined();
    expect(pdfProblem(pdf(`${SHORT} `.repeat(5001)))).toBe(UNCHECKED);
    const stored = deflateSync(Buffer.from("endstream ".repeat(4000)), { level: 0 });
    const long = objectStream("/Filter/Fl", stored, "\nendstream ");
    expect(pdfProblem(pdf(long, `${SHORT} `.repeat(999)))).toBeUndefined();
    expect(pdfProblem(pdf(long, `${SHORT} `.repeat(1000)))).toBe(UNCHECKED);
  });

  it("may have 192 KiB in a row that inflate to nothing", () => {
    const zlib = packed("/XFA ");
    const behind = (blocks: number) => [
      zlib.slice(0, 2),
      new Uint8Array(Array.from({ length: blocks }, () => [0, 0, 0, 255, 255]).flat()),
      zlib.slice(2),
    ];
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", bytesOf(...behind(36_000)))))).toBe(active("XFA"));
    expect(pdfProblem(pdf(objectStream("/Filter/Fl", bytesOf(...behind(40_000)))))).toBe(UNCHECKED);
  });

  it("may inflate to 16 MiB in all object streams together", () => {
    const streams = (...sizes: number[]) =>
      pdf(
        ...sizes.map((size) =>
          bytesOf("<</Type/ObjStm/Filter/Fl>>stream\n", deflateSync(Buffer.alloc(size, 32)), "\nendstream "),
        ),
      );
    const tooLarge = "This PDF is too large to check when decompressed.";
    expect(pdfProblem(streams(16_777_216))).toBeUndefined();
    expect(pdfProblem(streams(16_777_217))).toBe(tooLarge);
    expect(pdfProblem(streams(16_000_000, 777_216))).toBeUndefined();
    expect(pdfProblem(streams(16_000_000, 777_217))).toBe(tooLarge);
  });
});

describe("an image in a PDF", () => {
  const damaged = new PdfImageProblem("The image is damaged and cannot be shown.");
  const segment = (marker: number, ...content: number[]) => [0xff, marker, 0, content.length + 2, ...content];
  const frame = (
    marker: number,
    components: number,
    more: { bits?: number; height?: number; width?: number } = {},
  ) => {
    const { bits = 8, height = 0x0102, width = 0x0304 } = more;
    return segment(marker, bits, height >> 8, height & 255, width >> 8, width & 255, components, 1, 1);
  };
  const jpeg = (...parts: Part[]) => {
    // In a larger buffer, as parts of an upload are.
    const padded = bytesOf("padding", [0xff, 0xd8], ...parts);
    return pdfImage(padded.subarray(7), "image/jpeg");
  };
  const adobe = segment(0xee, ...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, 2);

  it.each([
    [1, "/DeviceGray"],
    [3, "/DeviceRGB"],
    [4, "/DeviceCMYK"],
  ])("that is a JPEG of %d components is %s", (components, space) => {
    for (const marker of [0xc0, 0xc1, 0xc2]) {
      const image = jpeg(segment(0xe0, 1, 2, 3), frame(marker, components), "scan");
      expect([image.width, image.height, image.mask]).toEqual([0x0304, 0x0102, undefined]);
      expect(image.entries).toBe(
        `/Width 772/Height 258/ColorSpace${space}/BitsPerComponent 8/Filter/DCTDecode`,
      );
      expect(Buffer.concat(image.data).toString("latin1").startsWith("\xff\xd8\xff\xe0\0\x05")).toBe(true);
    }
  });

  it("has inverted inks if Adobe wrote its four components", () => {
    const decode = "/Decode[1 0 1 0 1 0 1 0]";
    expect(jpeg(adobe, frame(0xc0, 4), "scan").entries).toContain(`8${decode}/Filter`);
    expect(jpeg(adobe, frame(0xc0, 3), "scan").entries).not.toContain("Decode[");
    expect(jpeg(segment(0xee, ...Buffer.from("Adobx-")), frame(0xc0, 4), "s").entries).toContain(decode);
    expect(jpeg(segment(0xee, ...Buffer.from("Adoxe-")), frame(0xc0, 4), "s").entries).not.toContain(decode);
    expect(jpeg(segment(0xed, ...Buffer.from("Adobe-")), frame(0xc0, 4), "s").entries).not.toContain(decode);
  });

  it("may have padding, markers without content, and tables before its frame", () => {
    const empty = [0x01, 0xd0, 0xd7, 0xd8].flatMap((marker) => [0xff, marker]);
    const tables = [0xc4, 0xc8, 0xcc, 0xbf, 0xd9, 0xda].flatMap((marker) =>
      segment(marker, 9, 9, 9, 9, 9, 9, 9, 9, 9),
    );
    expect(jpeg([0xff, 0xff], empty, tables, [0xff], frame(0xc0, 1), "scan").width).toBe(0x0304);
  });

  it.each([0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])(
    "is refused as a JPEG with the frame %d, which a PDF cannot show",
    (marker) => {
      expect(() => jpeg(frame(marker, 3), "scan")).toThrow(
        new PdfImageProblem("This kind of JPEG cannot be shown in a PDF."),
      );
    },
  );

  it("is refused as a damaged JPEG", () => {
    for (const parts of [
      [],
      ["not a marker", frame(0xc0, 3), "scan"],
      [segment(0xe0, 1), "x", frame(0xc0, 3), "scan"],
      [frame(0xc0, 2), "scan"],
      [frame(0xc0, 3, { bits: 12 }), "scan"],
      [frame(0xc0, 3, { width: 0 }), "scan"],
      [frame(0xc0, 3, { height: 0 }), "scan"],
      [frame(0xc0, 3).slice(0, 9)],
      [segment(0xe0, 1, 2, 3, 4, 5, 6, 7, 8)],
    ])
      expect(() => jpeg(...parts)).toThrow(damaged);
    expect(jpeg(frame(0xc0, 3).slice(0, 10)).width).toBe(0x0304);
  });

  it("is refused in any other format, by its name", () => {
    for (const [type, name] of [
      ["image/webp", "WEBP"],
      ["image/gif", "GIF"],
      ["", ""],
    ] as const)
      expect(() => pdfImage(new Uint8Array(), type)).toThrow(
        `A PDF cannot hold ${name} images unchanged; the ZIP archive has the original.`,
      );
    expect(damaged.name).toBe("PdfImageProblem");
  });

  const header = (
    color: number,
    bits: number,
    more: { width?: number; height?: number; interlace?: number } = {},
  ) => {
    const content = Buffer.alloc(13);
    content.writeUInt32BE(more.width ?? 2);
    content.writeUInt32BE(more.height ?? 1, 4);
    content.set([bits, color, 0, 0, more.interlace ?? 0], 8);
    return ["IHDR", content] as [string, Uint8Array];
  };
  const end: [string, Uint8Array] = ["IEND", Buffer.alloc(0)];
  const pixels = deflateSync(Buffer.from([0, 1, 2, 3, 4, 5, 6]));
  const idat: [string, Uint8Array] = ["IDAT", pixels];
  const png = (...chunks: [string, Uint8Array][]) => pdfImage(pngFile(chunks), "image/png");
  const palette = (colors: number): [string, Uint8Array] => [
    "PLTE",
    Uint8Array.from({ length: colors * 3 }, (_, i) => i),
  ];
  const entries = (space: string, colors: number, bits: number) =>
    `/Width 2/Height 1/ColorSpace${space}/BitsPerComponent ${bits}/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors ${colors}/BitsPerComponent ${bits}/Columns 2>>`;

  it("that is a PNG keeps its compressed pixels", () => {
    for (const bits of [1, 2, 4, 8, 16])
      expect(png(header(0, bits), idat, end)).toEqual({
        width: 2,
        height: 1,
        entries: entries("/DeviceGray", 1, bits),
        data: [new Uint8Array(pixels)],
      });
    for (const bits of [8, 16])
      expect(png(header(2, bits), idat, ["tEXt", Buffer.from("x")], idat, end)).toEqual({
        width: 2,
        height: 1,
        entries: entries("/DeviceRGB", 3, bits),
        data: [new Uint8Array(pixels), new Uint8Array(pixels)],
      });
    for (const bits of [1, 2, 4, 8])
      expect(png(header(3, bits), palette(2), idat, end).entries).toBe(
        entries("[/Indexed/DeviceRGB 1<000102030405>]", 1, bits),
      );
  });

  it("is transparent in one color, or in adjacent colors of its palette", () => {
    const mask = (color: number, ...transparent: number[]) =>
      png(
        header(color, 8),
        ...(color === 3 ? [palette(5)] : []),
        ["tRNS", Buffer.from(transparent)],
        idat,
        end,
      )
        .entries.split(">>")
        .at(-1);
    expect(mask(0, 1, 2)).toBe("/Mask[258 258]");
    expect(mask(2, 0, 1, 0, 2, 1, 0)).toBe("/Mask[1 1 2 2 256 256]");
    expect(mask(3, 255, 255)).toBe("");
    expect(mask(3, 0)).toBe("/Mask[0 0]");
    expect(mask(3, 255, 0, 0, 255)).toBe("/Mask[1 2]");
    for (const [color, ...transparent] of [
      [0, 1],
      [0, 0, 1, 0, 2],
      [2, 0, 1],
      [2, 0, 1, 0, 2, 1],
    ] as const)
      expect(() => mask(color, ...transparent)).toThrow(damaged);
  });

  it("has a mask for other colors of its palette", () => {
    const transparent: [string, Uint8Array] = ["tRNS", Buffer.from([0, 255, 0, 7])];
    const rows = deflateSync(Buffer.from([0, 3, 4]));
    const image = png(header(3, 8), palette(5), transparent, ["IDAT", rows], end);
    expect(image.entries).not.toContain("/Mask");
    expect(image.mask?.entries).toBe(entries("/DeviceGray", 1, 8));
    expect([...inflateSync(Buffer.concat(image.mask?.data ?? []))]).toEqual([0, 7, 255]);
  });

  it("has its alpha in a mask", () => {
    for (const bits of [8, 16] as const) {
      const size = bits / 8;
      const row = (channels: number) =>
        deflateSync(Buffer.from([0, ...Array.from({ length: 2 * channels * size }, (_, i) => i)]));
      const unpacked = (data: readonly Uint8Array[] = []) => [...inflateSync(Buffer.concat(data))];
      const gray = png(header(4, bits), ["IDAT", row(2)], end);
      expect([gray.entries, gray.mask?.entries]).toEqual(Array(2).fill(entries("/DeviceGray", 1, bits)));
      const color = png(header(6, bits), ["IDAT", row(4)], end);
      expect(color.entries).toBe(entries("/DeviceRGB", 3, bits));
      expect(color.mask?.entries).toBe(entries("/DeviceGray", 1, bits));
      expect(unpacked(color.mask?.data)).toEqual(size === 1 ? [0, 3, 7] : [0, 6, 7, 14, 15]);
      expect(unpacked(gray.data)).toEqual(size === 1 ? [0, 0, 2] : [0, 0, 1, 4, 5]);
    }
  });

  it("is refused as a damaged PNG", () => {
    const tooMuch = new PdfImageProblem(
      "A PNG that is damaged or this large cannot be embedded unchanged; the ZIP archive has the original.",
    );
    const bad: [string, Uint8Array] = ["IDAT", Buffer.from("not zlib")];
    const partly: [string, Uint8Array] = ["tRNS", Buffer.from([7])];
    for (const chunks of [
      [header(0, 8), end],
      [header(0, 8, { width: 0 }), idat, end],
      [header(0, 8, { height: 0 }), idat, end],
      [header(0, 8, { interlace: 2 }), idat, end],
      [header(3, 8), idat, end],
      [header(1, 8), idat, end],
      [header(5, 8), idat, end],
      [header(0, 3), idat, end],
      ...[1, 2, 4].map((bits) => [header(2, bits), idat, end]),
      [header(3, 16), palette(2), idat, end],
      // Its palette ends within a color.
      [header(3, 8), ["PLTE", new Uint8Array(7)] as [string, Uint8Array], idat, end],
      [header(4, 4), idat, end],
      [header(6, 4), idat, end],
      [header(0, 8)],
    ])
      expect(() => png(...chunks)).toThrow(damaged);
    expect(() => pdfImage(new Uint8Array(32), "image/png")).toThrow(damaged);
    for (const chunks of [
      [header(0, 8, { interlace: 1 }), bad, end],
      [header(3, 8), palette(2), partly, bad, end],
      [header(4, 8), bad, end],
      [header(6, 8), bad, end],
    ])
      expect(() => png(...chunks)).toThrow(tooMuch);
  });
});

describe("values in a PDF", () => {
  it.each([
    ["", "()"],
    ["Main St ~", "(Main St ~)"],
    ["a(b)c\\d", "(a\\(b\\)c\\\\d)"],
    ["é", "<FEFF00E9>"],
    ["a\n", "<FEFF0061000A>"],
    ["\x7f", "<FEFF007F>"],
    ["🚓", "<FEFFD83DDE93>"],
  ])("are strings: %j is %s", (text, written) => {
    expect(pdfText(text)).toBe(written);
  });

  it.each([
    [1, "1"],
    [0.5, "0.5"],
    [1.005, "1"],
    [2.345, "2.35"],
    [-0.126, "-0.13"],
    [1 / 3, "0.33"],
  ])("are numbers: %d is %s", (value, written) => {
    expect(pdfNumber(value)).toBe(written);
  });
});

describe("the objects of a PDF", () => {
  it("are found by its table, however many there are", () => {
    const parts: Uint8Array[] = [];
    const pdf = createPdfObjects((bytes) => parts.push(bytes.slice()));
    const expected = new Map<number, string>();
    const free = [0];
    for (let i = 0; i < 1500; i++) {
      const number = pdf.reserve();
      if (i % 97 === 5) {
        free.push(number);
      } else if (i % 100 === 7) {
        pdf.stream(number, "/Kind/Raw", [Buffer.from(`raw ${i}`), Buffer.from("\0end")]);
        expected.set(number, `/Kind/Raw raw ${i}\0end`);
      } else {
        const text = i === 400 ? "é".repeat(20_000) : i % 3 === 0 ? `(ÿ${i})` : `<</I ${i}>>`;
        pdf.write(number, text);
        expected.set(number, text);
      }
    }
    const packed = [pdf.reserve(), pdf.reserve()];
    pdf.packed(packed[0] ?? 0, "/Kind/Text", "aé".repeat(9000));
    pdf.packed(packed[1] ?? 0, "/Kind/Bytes", Uint8Array.of(0, 255));
    const start = pdf.finish({ root: 7, info: 8, id: Uint8Array.of(0xab, 1) });

    const file = Buffer.concat(parts);
    expect(file.subarray(0, 15).toString("latin1")).toBe("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n");
    expect(file.toString("latin1").endsWith(`startxref\n${start}\n%%EOF\n`)).toBe(true);
    const read = objectsOf(file);
    for (const [number, text] of expected) expect(read.objects.get(number)).toBe(text);
    expect(read.free).toEqual(free);
    const contentOf = (number = 0) => {
      const [, kind, content = ""] =
        /^(\S+)\/Filter\/FlateDecode ([\s\S]*)$/.exec(read.objects.get(number) ?? "") ?? [];
      return [kind, inflateSync(Buffer.from(content, "latin1")).toString("latin1")];
    };
    expect(contentOf(packed[0])).toEqual(["/Kind/Text", "aé".repeat(9000)]);
    expect(contentOf(packed[1])).toEqual(["/Kind/Bytes", "\0\xff"]);
    const size = 1 + [...read.objects.keys()].reduce((most, number) => Math.max(most, number), 0);
    expect(read.trailer).toBe(
      `/Type/XRef/Size ${size}/W[1 4 2]/Root 7 0 R/Info 8 0 R/ID[<AB01><AB01>]/DecodeParms<</Predictor 12/Columns 7>>/Filter/FlateDecode`,
    );
    // Packs of 200, and the rest.
    const packs = [...read.objects.values()].flatMap(
      (text) => /^\/Type\/ObjStm\/N (\d+)/.exec(text)?.[1] ?? [],
    );
    expect(packs.map(Number)).toEqual([...Array<number>(7).fill(200), expected.size - 15 - 1400]);
  });

  it("are refused beyond 4 GiB, where the offsets of their table end", () => {
    const pdf = createPdfObjects(() => {});
    const [first, second] = [pdf.reserve(), pdf.reserve()];
    const part = new Uint8Array(64 * 1024 * 1024);
    pdf.stream(first, "", Array<Uint8Array>(64).fill(part));
    expect(() => pdf.stream(second, "", [part])).toThrow(RangeError);
  });

  it("may be the table alone", () => {
    const parts: Uint8Array[] = [];
    const pdf = createPdfObjects((bytes) => parts.push(bytes.slice()));
    expect(pdf.finish({ root: 1, info: 1, id: new Uint8Array() })).toBe(15);
    const { objects, free } = objectsOf(Buffer.concat(parts));
    expect([[...objects.keys()], free]).toEqual([[1], [0]]);
  });
});
