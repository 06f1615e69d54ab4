import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMultipart } from "#app/lib/files/multipart.ts";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const TYPE = "multipart/form-data; boundary=QQ";
/** Returns the parts of a form whose lines are separated by "|". */
const partsOf = (form: string, type = TYPE, newline = "\r\n") =>
  readMultipart(bytesOf(form.replaceAll("|", newline)), type).map(({ name, fileName, bytes }) => [
    name,
    fileName,
    Buffer.from(bytes).toString("latin1"),
  ]);
const EVENT = 'Content-Disposition: form-data; name="event"';

describe("the parts of a form", () => {
  it.each([
    [TYPE, "QQ"],
    ['Multipart/Form-Data;Boundary="QQ"', "QQ"],
    ["multipart/form-data; charset=utf-8; boundary=QQ; x=1", "QQ"],
    ['multipart/form-data; boundary="a b:c=d/e?f"', "a b:c=d/e?f"],
    ['multipart/form-data; boundary="a\\"b"', 'a"b'],
  ])("have the boundary of %s", (type, boundary) => {
    expect(partsOf(`--${boundary}|${EVENT}||{}|--${boundary}--|`, type)).toEqual([["event", "", "{}"]]);
  });

  it.each([
    ["text before the first boundary", `preamble|--QQ|${EVENT}||{}|--QQ--|`],
    ["an empty line before it", `|--QQ|${EVENT}||{}|--QQ--|`],
    ["text after the last one", `--QQ|${EVENT}||{}|--QQ--|bye`],
    ["no line end after it", `--QQ|${EVENT}||{}|--QQ--`],
    ["spaces after boundaries", `--QQ \t|${EVENT}||{}|--QQ-- |`],
    [
      "other headers, in any case",
      `--QQ|content-type: application/json|CONTENT-disposition:form-data;NAME=event||{}|--QQ--`,
    ],
    ["a header of two lines", `--QQ|Content-Disposition: form-data;| name="event"||{}|--QQ--`],
  ])("are found with %s", (_, form) => {
    for (const newline of ["\r\n", "\n"])
      expect(partsOf(form, TYPE, newline), JSON.stringify(newline)).toEqual([["event", "", "{}"]]);
  });

  it("keep their bytes, also those that look like a boundary", () => {
    const bytes = "\xff\xd8 --QQ\r\n--QQQ\r\n--Q\r\n\r\n\n--QQ-\r\0";
    expect(partsOf(`--QQ|Content-Disposition: form-data; name="image"||${bytes}|--QQ--`)).toEqual([
      ["image", "", bytes],
    ]);
  });

  it.each([
    ['name="image"; filename="a.jpg"', ["image", "a.jpg"]],
    ['filename="a;b \\"name=c\\".jpg"; name="image"', ["image", 'a;b "name=c".jpg']],
    ["name=image; filename=a.jpg", ["image", "a.jpg"]],
    ['name="image"', ["image", ""]],
    ["name=image; filename*=utf-8''pla%C3%A7a.jpg", ["image", "plaça.jpg"]],
    ["name=image; filename=\"=?utf-8?B?cGxhw6dh?=\"; filename*=UTF-8'ca'pla%C3%A7a", ["image", "plaça"]],
    ["name=image; filename=a.jpg; filename*=iso-8859-1''pla%E7a.jpg", ["image", "a.jpg"]],
    ["name=image; filename*=utf-8''%E7", ["image", "utf-8''%E7"]],
    ['name="\xe2\x82\xac"', ["€", ""]],
  ])("have the names of %s", (names, expected) => {
    expect(partsOf(`--QQ|Content-Disposition: form-data; ${names}||x|--QQ--`)).toEqual([[...expected, "x"]]);
  });

  it.each([
    ['name="file"; filename="a.csv"', true],
    ['name="file"; filename=""', true],
    ["name=file; filename=", true],
    ['name="file"', false],
    ["name=file; filename*=utf-8''a.csv", true],
  ])("are files if they have a file name: %s", (names, isFile) => {
    const form = `--QQ\r\nContent-Disposition: form-data; ${names}\r\n\r\nx\r\n--QQ--`;
    expect(readMultipart(bytesOf(form), TYPE)).toMatchObject([{ name: "file", isFile }]);
  });

  it("are at most as many as the caller allows, with those that have no name", () => {
    const form = bytesOf(`--QQ\r\n${EVENT}\r\n\r\n{}\r\n--QQ\r\n\r\nx\r\n--QQ--`);
    expect(readMultipart(form, TYPE, 2)).toHaveLength(1);
    expect(() => readMultipart(form, TYPE, 1)).toThrow(RangeError);
  });

  it.each([
    ["no boundary in the type", "multipart/form-data", `--QQ|${EVENT}||{}|--QQ--`],
    ["no boundary in the body", TYPE, "nothing"],
    ["no last boundary: it was cut off", TYPE, `--QQ|${EVENT}||{}|`],
    ["a cut-off boundary", TYPE, `--QQ|${EVENT}||{}|--Q`],
    ["headers that do not end", TYPE, `--QQ|${EVENT}|--QQ--`],
  ])("cannot be read with %s", (_, type, form) => {
    expect(() => partsOf(form, type)).toThrow(TypeError);
  });

  it("are those with a name", () => {
    expect(partsOf(`--QQ|Content-Type: text/plain||x|--QQ|${EVENT}||{}|--QQ||y|--QQ--`)).toEqual([
      ["event", "", "{}"],
    ]);
    expect(partsOf("--QQ--|")).toEqual([]);
    expect(partsOf(`--QQ|${EVENT}|||--QQ--`)).toEqual([["event", "", ""]]);
  });

  it.each([
    ["base64", "/9jg\r\n4A==\r\n", "\xff\xd8\xe0\xe0"],
    ["BASE64 ", "e30=", "{}"],
    ["base64", "\xff\xd8 not encoded", "\xff\xd8 not encoded"],
    ["base64", '{"a": 1}', '{"a": 1}'],
    ["base64", "", ""],
    ["quoted-printable", "{=22a=22: =\r\n1}\r\n=C3=a9", '{"a": 1}\r\n\xc3\xa9'],
    ["quoted-printable", "{} =ZZ =4", "{} =ZZ =4"],
    ["quoted-printable", "\xff\xd8 =41", "\xff\xd8 =41"],
    ["binary", "e30=", "e30="],
    ["8bit", "=41", "=41"],
  ])("are decoded if they are encoded as %s: %j", (encoding, sent, content) => {
    const headers = `${EVENT}|Content-Transfer-Encoding: ${encoding}`;
    expect(partsOf(`--QQ|${headers}||${sent}|--QQ--`)).toEqual([["event", "", content]]);
  });

  it("are those that the platform reads", async () => {
    const part = fc.record({
      name: fc.stringMatching(/^[a-z ;=]{1,8}$/),
      file: fc.option(fc.stringMatching(/^[a-z ;=]{1,8}$/)),
      bytes: fc.uint8Array({ maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
        const form = new FormData();
        for (const { name, file, bytes } of parts) form.append(name, new Blob([bytes]), file ?? "blob");
        const body = new Response(form);
        const type = body.headers.get("content-type") ?? "";
        const read = readMultipart(new Uint8Array(await body.arrayBuffer()), type);
        expect(read).toEqual(
          parts.map(({ name, file, bytes }) => ({ name, fileName: file ?? "blob", isFile: true, bytes })),
        );
      }),
    );
  });
});
