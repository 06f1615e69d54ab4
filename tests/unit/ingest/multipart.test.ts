import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMultipart } from "#app/lib/files/multipart.ts";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const TYPE = "multipart/form-data; boundary=XX";
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
    [TYPE, "XX"],
    ['Multipart/Form-Data;Boundary="XX"', "XX"],
    ["multipart/form-data; charset=utf-8; boundary=XX; x=1", "XX"],
    ['multipart/form-data; boundary="a b:c=d/e?f"', "a b:c=d/e?f"],
    ['multipart/form-data; boundary="a\\"b"', 'a"b'],
  ])("have the boundary of %s", (type, boundary) => {
    expect(partsOf(`--${boundary}|${EVENT}||{}|--${boundary}--|`, type)).toEqual([["event", "", "{}"]]);
  });

  it.each([
    ["text before the first boundary", `preamble|--XX|${EVENT}||{}|--XX--|`],
    ["an empty line before it", `|--XX|${EVENT}||{}|--XX--|`],
    ["text after the last one", `--XX|${EVENT}||{}|--XX--|bye`],
    ["no line end after it", `--XX|${EVENT}||{}|--XX--`],
    ["spaces after boundaries", `--XX \t|${EVENT}||{}|--XX-- |`],
    [
      "other headers, in any case",
      `--XX|content-type: application/json|CONTENT-disposition:form-data;NAME=event||{}|--XX--`,
    ],
    ["a header of two lines", `--XX|Content-Disposition: form-data;| name="event"||{}|--XX--`],
  ])("are found with %s", (_, form) => {
    for (const newline of ["\r\n", "\n"])
      expect(partsOf(form, TYPE, newline), JSON.stringify(newline)).toEqual([["event", "", "{}"]]);
  });

  it("keep their bytes, also those that look like a boundary", () => {
    const bytes = "\xff\xd8 --XX\r\n--XXX\r\n--X\r\n\r\n\n--XX-\r\0";
    expect(partsOf(`--XX|Content-Disposition: form-data; name="image"||${bytes}|--XX--`)).toEqual([
      ["image", "", bytes],
    ]);
  });

  it.each([
    ['name="image"; filename="a.jpg"', ["image", "a.jpg"]],
    ['filename="a;b \\"name=c\\".jpg"; name="image"', ["image", 'a;b "name=c".jpg']],
    ["name=image; filename=a.jpg", ["image", "a.jpg"]],
    ['name="image"', ["image", ""]],
    ['name="\xe2\x82\xac"', ["€", ""]],
  ])("have the names of %s", (names, expected) => {
    expect(partsOf(`--XX|Content-Disposition: form-data; ${names}||x|--XX--`)).toEqual([[...expected, "x"]]);
  });

  it.each([
    ["no boundary in the type", "multipart/form-data", `--XX|${EVENT}||{}|--XX--`],
    ["no boundary in the body", TYPE, "nothing"],
    ["no last boundary: it was cut off", TYPE, `--XX|${EVENT}||{}|`],
    ["a cut-off boundary", TYPE, `--XX|${EVENT}||{}|--X`],
    ["headers that do not end", TYPE, `--XX|${EVENT}|--XX--`],
  ])("cannot be read with %s", (_, type, form) => {
    expect(() => partsOf(form, type)).toThrow(TypeError);
  });

  it("are those with a name", () => {
    expect(partsOf(`--XX|Content-Type: text/plain||x|--XX|${EVENT}||{}|--XX||y|--XX--`)).toEqual([
      ["event", "", "{}"],
    ]);
    expect(partsOf("--XX--|")).toEqual([]);
    expect(partsOf(`--XX|${EVENT}|||--XX--`)).toEqual([["event", "", ""]]);
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
          parts.map(({ name, file, bytes }) => ({ name, fileName: file ?? "blob", bytes })),
        );
      }),
    );
  });
});
