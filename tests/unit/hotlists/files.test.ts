import fc from "fast-check";
import { zlibSync } from "fflate";
import jpeg from "jpeg-js";
import { describe, expect, it } from "vitest";
import { orientationOf } from "#app/lib/images/orientation.ts";
import { isHeic, stripImage, strippableTypeOf } from "#app/lib/images/strip.ts";
import { pdfProblem } from "#app/lib/pdf/check.ts";

const encoder = new TextEncoder();
const bytesOf = (...parts: (string | Uint8Array | number[])[]) =>
  new Uint8Array(parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]));
const textOf = (bytes: Uint8Array) => new TextDecoder("windows-1252").decode(bytes);

function segment(marker: number, content: string): number[] {
  const size = content.length + 2;
  return [0xff, marker, size >> 8, size & 255, ...encoder.encode(content)];
}

describe("images", () => {
  const plain = new Uint8Array(
    jpeg.encode({ width: 16, height: 8, data: new Uint8Array(16 * 8 * 4).fill(120) }, 80).data,
  );

  it("JPEG: removes metadata and keeps the picture", () => {
    const loud = bytesOf(
      plain.slice(0, 2),
      segment(0xe1, "Exif\0\0GPS-41.76"),
      segment(0xfe, "by somebody"),
      segment(0xed, "Photoshop"),
      plain.slice(2),
      "TRAILER",
    );
    const stripped = stripImage(loud, "image/jpeg");
    expect(stripped).toMatchObject({ width: 16, height: 8 });
    if (!stripped) throw new Error("refused");
    expect(textOf(stripped.bytes)).not.toMatch(/GPS|somebody|Photoshop|TRAILER/);
    expect(jpeg.decode(stripped.bytes).data).toEqual(jpeg.decode(plain).data);
    expect(stripImage(plain.slice(0, plain.length - 20), "image/jpeg")).toBeUndefined();
  });

  it("JPEG: removes segments that decoders do not use, whatever their marker", () => {
    const loud = bytesOf(
      plain.slice(0, 2),
      segment(0x02, "RESERVED"),
      segment(0xc8, "EXTENSION"),
      segment(0xf4, "JPG4"),
      plain.slice(2),
    );
    const stripped = stripImage(loud, "image/jpeg");
    expect(textOf(stripped?.bytes ?? new Uint8Array())).not.toMatch(/RESERVED|EXTENSION|JPG4/);
    expect(stripped?.bytes).toEqual(stripImage(plain, "image/jpeg")?.bytes);
  });

  it("PNG: removes oversized chunks and the content of the last chunk", () => {
    const chunk = (name: string, content: string | number[]) =>
      bytesOf([0, 0, 0, content.length], name, content, [0, 0, 0, 0]);
    const head = [[0x89], "PNG\r\n", [0x1a, 0x0a], chunk("IHDR", [0, 0, 0, 9, 0, 0, 0, 5, 8, 2, 0, 0, 0])];
    const loud = bytesOf(
      ...head,
      chunk("gAMA", "somebody's name"),
      chunk("IDAT", [1, 2]),
      chunk("IEND", "a message"),
      "TRAILER",
    );
    const stripped = textOf(stripImage(loud, "image/png")?.bytes ?? new Uint8Array());
    expect(stripped).toMatch(/IDAT/);
    expect(stripped).not.toMatch(/somebody|message|TRAILER/);
  });

  it("WebP: removes hidden chunks inside animation frames", () => {
    const riff = (name: string, content: Uint8Array | number[] | string) =>
      bytesOf(name, [content.length, 0, 0, 0], content, content.length % 2 ? [0] : []);
    const frame = bytesOf(
      Array.from({ length: 16 }, () => 1),
      riff("VP8 ", [1, 2, 3]),
      riff("XMP ", "hidden"),
    );
    const body = bytesOf(
      "WEBP",
      riff("VP8X", [0x02, 0, 0, 0, 9, 0, 0, 4, 0, 0]),
      riff("ANIM", [0, 0, 0, 0, 0, 0]),
      riff("ANMF", frame),
    );
    const stripped = stripImage(bytesOf("RIFF", [body.length, 0, 0, 0], body), "image/webp");
    const text = textOf(stripped?.bytes ?? new Uint8Array());
    expect(text).toMatch(/ANMF.*VP8 /s);
    expect(text).not.toMatch(/XMP|hidden/);
    expect(stripImage(stripped?.bytes ?? new Uint8Array(), "image/webp")).toEqual(stripped);
  });

  it("GIF: removes comments, text and application data and keeps the animation", () => {
    const head = bytesOf("GIF89a", [9, 0, 5, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255]);
    const control = [0x21, 0xf9, 4, 0x04, 10, 0, 0, 0];
    const loop = bytesOf([0x21, 0xff, 11], "NETSCAPE2.0", [3, 1, 7, 0, 0]);
    const frame = [0x2c, 0, 0, 0, 0, 9, 0, 5, 0, 0, 2, 2, 0x84, 0x51, 0];
    const ext = (label: number, ...blocks: string[]) =>
      bytesOf([0x21, label], ...blocks.flatMap((block) => [[block.length], block]), [0]);
    const clean = bytesOf(head, loop, control, frame, control, frame, [0x3b]);
    const loud = bytesOf(
      head,
      ext(0xfe, "by somebody"),
      bytesOf([0x21, 0xff, 11], "NETSCAPE2.0", [3, 1, 7, 0, 6], "hidden", [0]),
      ext(0xff, "XMP DataXMP", "<x:xmpmeta GPS-41.76>"),
      ext(0x01, "plain text12", "written"),
      bytesOf(control.slice(0, 7), [6], "secret", [0]),
      frame,
      control,
      frame,
      [0x3b],
      "TRAILER",
    );
    expect(strippableTypeOf(loud)).toBe("image/gif");
    expect(stripImage(loud, "image/gif")).toEqual({ bytes: clean, width: 9, height: 5 });
    expect(stripImage(clean, "image/gif")?.bytes).toEqual(clean);
    for (let end = 0; end < clean.length; end++)
      expect(stripImage(clean.slice(0, end), "image/gif")).toBeUndefined();
    expect(stripImage(bytesOf(head, loop, [0x3b]), "image/gif")).toBeUndefined();
    expect(stripImage(bytesOf(head, [0x99], frame, [0x3b]), "image/gif")).toBeUndefined();
    // A frame may exceed the logical screen; the drawn size counts.
    const far = [...frame];
    far[2] = 0x7f;
    expect(stripImage(bytesOf(head, far, [0x3b]), "image/gif")?.width).toBe(0x7f00 + 9);
  });

  it("HEIC: recognizes the format by its brand", () => {
    for (const brand of ["heic", "heix", "mif1", "msf1"])
      expect(isHeic(bytesOf([0, 0, 0, 24], "ftyp", brand, [0, 0, 0, 0]))).toBe(true);
    for (const other of [bytesOf([0, 0, 0, 24], "ftypisom"), bytesOf("heic"), plain])
      expect(isHeic(other)).toBe(false);
  });

  it("PNG and WebP: removes text and EXIF chunks", () => {
    const chunk = (name: string, content: number[]) =>
      bytesOf([0, 0, 0, content.length], name, content, [0, 0, 0, 0]);
    const size = [0, 0, 0, 9, 0, 0, 0, 5, 8, 2, 0, 0, 0];
    const png = bytesOf(
      [0x89],
      "PNG\r\n",
      [0x1a, 0x0a],
      chunk("IHDR", size),
      chunk("tEXt", [65]),
      chunk("eXIf", [66]),
      chunk("IDAT", [1, 2]),
      chunk("IEND", []),
    );
    const stripped = stripImage(png, "image/png");
    expect(stripped).toMatchObject({ width: 9, height: 5 });
    expect(textOf(stripped?.bytes ?? new Uint8Array())).not.toMatch(/tEXt|eXIf/);
    const riff = (name: string, content: number[]) => bytesOf(name, [content.length, 0, 0, 0], content);
    const body = bytesOf(
      "WEBP",
      riff("VP8X", [0x0c, 0, 0, 0, 9, 0, 0, 4, 0, 0]),
      riff("EXIF", [65, 66]),
      riff("XMP ", [67, 68]),
      riff("VP8 ", [0, 0]),
    );
    const webp = stripImage(bytesOf("RIFF", [body.length, 0, 0, 0], body), "image/webp");
    expect(webp).toMatchObject({ width: 10, height: 5 });
    expect(textOf(webp?.bytes ?? new Uint8Array())).not.toMatch(/EXIF|XMP/);
  });

  it("keep only the orientation of their EXIF data", () => {
    const exif = (little: boolean) => {
      const block = new Uint8Array(60);
      const view = new DataView(block.buffer);
      view.setUint16(0, little ? 0x4949 : 0x4d4d);
      view.setUint16(2, 42, little);
      view.setUint32(4, 8, little);
      view.setUint16(8, 2, little);
      for (const [at, tag, value] of [
        [10, 0x010f, 65],
        [22, 0x0112, 6],
      ] as const) {
        view.setUint16(at, tag, little);
        view.setUint16(at + 2, 3, little);
        view.setUint32(at + 4, 1, little);
        view.setUint16(at + 8, value, little);
      }
      block.set(encoder.encode("GPS-41.76"), 40);
      return block;
    };
    for (const little of [true, false]) {
      const content = bytesOf("Exif\0\0", exif(little));
      const turned = bytesOf(plain.slice(0, 2), [0xff, 0xe1, 0, content.length + 2], content, plain.slice(2));
      const stripped = stripImage(turned, "image/jpeg")?.bytes ?? new Uint8Array();
      const at = textOf(stripped).indexOf("Exif");
      expect(orientationOf(stripped.subarray(at, at + 40))).toBe(6);
      expect(textOf(stripped)).not.toContain("GPS");
      expect(jpeg.decode(stripped).data).toEqual(jpeg.decode(plain).data);
      expect(stripImage(stripped, "image/jpeg")?.bytes).toEqual(stripped);

      const chunk = (name: string, content: Uint8Array | number[]) =>
        bytesOf([0, 0, 0, content.length], name, content, [0, 0, 0, 0]);
      const png = bytesOf(
        [0x89, 80, 78, 71, 13, 10, 26, 10],
        chunk("IHDR", [0, 0, 0, 9, 0, 0, 0, 5, 8, 2, 0, 0, 0]),
        chunk("eXIf", exif(little)),
        chunk("IDAT", [1, 2]),
        chunk("IEND", []),
      );
      const drawn = stripImage(png, "image/png")?.bytes ?? new Uint8Array();
      const named = textOf(drawn).indexOf("eXIf");
      expect(orientationOf(drawn.subarray(named + 4))).toBe(6);
      expect(textOf(drawn)).not.toContain("GPS");
      expect(stripImage(drawn, "image/png")?.bytes).toEqual(drawn);

      const riff = (name: string, body: Uint8Array | number[]) => bytesOf(name, [body.length, 0, 0, 0], body);
      const body = bytesOf(
        "WEBP",
        riff("VP8X", [0x2c, 0, 0, 0, 9, 0, 0, 4, 0, 0]),
        riff("VP8 ", [0, 0]),
        riff("EXIF", exif(little)),
        riff("XMP ", [67, 68]),
      );
      const webp = stripImage(bytesOf("RIFF", [body.length, 0, 0, 0], body), "image/webp")?.bytes;
      const found = textOf(webp ?? new Uint8Array()).indexOf("EXIF");
      expect(webp?.[20]).toBe(0x08);
      expect(orientationOf(webp?.subarray(found + 8) ?? new Uint8Array())).toBe(6);
      expect(textOf(webp ?? new Uint8Array())).not.toMatch(/GPS|XMP/);
    }
  });

  it("SVG: refuses the file; arbitrary bytes never throw", () => {
    expect(strippableTypeOf(encoder.encode("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toBeUndefined();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom("image/jpeg", "image/png", "image/webp"),
        (noise, type) => {
          const start =
            type === "image/jpeg"
              ? [0xff, 0xd8]
              : type === "image/png"
                ? [0x89, 80, 78, 71, 13, 10, 26, 10]
                : [82, 73, 70, 70, 9, 0, 0, 0, 87, 69, 66, 80];
          stripImage(bytesOf(start, noise), type);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("PDFs", () => {
  const pdf = (...parts: (string | Uint8Array)[]) => bytesOf("%PDF-1.7\n", ...parts, "\n%%EOF\n");
  const packed = (text: string) => zlibSync(encoder.encode(text));

  it("are accepted without active content", () => {
    expect(pdfProblem(pdf("1 0 obj <</Type /Catalog /OpenAction [3 0 R /Fit]>> endobj"))).toBeUndefined();
    expect(
      pdfProblem(
        pdf(
          "5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n",
          packed("1 0 <</Type /Page>>"),
          "\nendstream endobj",
        ),
      ),
    ).toBeUndefined();
    expect(
      pdfProblem(
        pdf(
          "6 0 obj <</Subtype /Image /Filter /DCTDecode>> stream\n",
          new Uint8Array(5000).fill(47),
          "\nendstream endobj",
        ),
      ),
    ).toBeUndefined();
  });

  it.each([
    ["a script", "1 0 obj <</S /JavaScript /JS (app.alert(1))>> endobj"],
    ["a script with an escaped name", "1 0 obj <</S /J#61vaScript /J#53 (x)>> endobj"],
    ["a launch", "1 0 obj <</S /Launch /F (cmd.exe)>> endobj"],
    ["an embedded file", "1 0 obj <</Type /EmbeddedFile>> endobj"],
    ["encryption", "trailer <</Encrypt 5 0 R>>"],
    ["a form that submits data", "<</S /SubmitForm /F (http://x.example)>>"],
  ])("with %s are refused", (_, text) => {
    expect(pdfProblem(pdf(text))).toBeTypeOf("string");
  });

  it("with active content in an object stream are refused, even if its boundaries are disguised", () => {
    const hidden = packed("1 0 <</S /JavaScript /JS (x)>>");
    expect(
      pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\r\n", hidden, "\nendstream")),
    ).toContain("active content");
    expect(
      pdfProblem(
        pdf(
          "% stream\n5 0 obj <</X (obj) /Type /Obj#53tm /Filter [/FlateDecode] /Y (obj)>> stream\n",
          hidden,
          "\nendstream",
        ),
      ),
    ).toContain("active content");
    expect(pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /LZWDecode>> stream\nxx\nendstream"))).toContain(
      "cannot be checked",
    );
    expect(pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter 7 0 R>> stream\nxx\nendstream"))).toContain(
      "cannot be checked",
    );
    expect(
      pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\nnoise\nendstream")),
    ).toContain("cannot be checked");
  });

  it("with active content after empty blocks or behind a predictor are refused", () => {
    const whole = packed("1 0 <</S /JavaScript /JS (x)>>");
    // Empty stored blocks after the header, longer than any chunk that is read at once.
    const nothing = Array.from({ length: 20_000 }, () => [0, 0, 0, 0xff, 0xff]).flat();
    const hidden = bytesOf(whole.slice(0, 2), nothing, whole.slice(2));
    expect(
      pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n", hidden, "\nendstream")),
    ).toContain("active content");
    const cut = bytesOf(packed("1 0 <</Type /Page>>").slice(0, -4), "\nendstream ", nothing);
    expect(
      pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n", cut, "\nendstream")),
    ).toContain("cannot be checked");
    expect(
      pdfProblem(
        pdf(
          "5 0 obj <</Type /ObjStm /Filter /FlateDecode /DecodeParms <</Predictor 12>>>> stream\n",
          packed("1 0 <</Type /Page>>"),
          "\nendstream",
        ),
      ),
    ).toContain("cannot be checked");
  });

  it("that are decompression bombs are refused", () => {
    const bomb = zlibSync(new Uint8Array(20 * 1024 * 1024));
    expect(
      pdfProblem(pdf("5 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n", bomb, "\nendstream")),
    ).toContain("too large to check");
  });
});
