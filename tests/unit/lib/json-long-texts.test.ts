import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readExportBody } from "#app/http/export-body.ts";
import { emptyLongTexts } from "#app/lib/json/long-texts.ts";

const LIMIT = 20;

/** The same value with every string above the limit emptied, by the length of its JSON. */
function shortened(value: unknown): unknown {
  const text = (one: string) => (Buffer.byteLength(JSON.stringify(one)) - 2 > LIMIT ? "" : one);
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), shortened(one)]));
}

/** Bytes in chunks that may end anywhere, also within characters and escapes. */
function* pieces(bytes: Uint8Array, cuts: readonly number[]) {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to);
    from = to;
  }
}

describe("a JSON text with long strings", () => {
  it("has these strings emptied and is otherwise the same, wherever its chunks end", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "binary", maxDepth: 4 }),
        fc.string({ unit: fc.constantFrom('"', "\\", "a", "é", "\n", "𝄞"), maxLength: 40 }),
        fc.array(fc.nat(500)),
        (value, escaped, cuts) => {
          const whole = { value, escaped, [escaped]: 1 };
          const bytes = new TextEncoder().encode(JSON.stringify(whole));
          const filter = emptyLongTexts(LIMIT);
          const out = [...pieces(bytes, cuts)].map((piece) => filter(piece).slice());
          expect(JSON.parse(Buffer.concat(out).toString())).toEqual(
            JSON.parse(JSON.stringify(shortened(whole))),
          );
        },
      ),
    );
  });
});

describe("the body of an export", () => {
  const requestOf = (bytes: Uint8Array, cuts: readonly number[]) => {
    const parts = pieces(bytes, cuts);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value } = parts.next();
        if (value) controller.enqueue(value);
        else controller.close();
      },
    });
    const headers = { "content-type": "application/json; charset=utf-8" };
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
    return new Request("https://odin.test/export-pdf", init);
  };

  it("is refused if its texts are escapes, of which a megabyte takes the parser a third of a second", async () => {
    const records = (count: number) => {
      const text = `"${"\\u0041".repeat(2000)}"`;
      const written = Array.from({ length: count }, () => `{"note":${text}}`).join();
      return new TextEncoder().encode(`{"justification":"Why","records":[${written}]}`);
    };
    expect((await readExportBody(requestOf(records(5), []))).records).toHaveLength(5);
    await expect(readExportBody(requestOf(records(300), []))).rejects.toThrow("too many values");
  });

  it("is read the same in any chunks: only identifying fields are kept, images of any size are not", async () => {
    const image = (length: number) => `data:image/jpeg;base64,${"A".repeat(length)}`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(200_000), { maxLength: 5 }),
        fc.nat(60_000),
        async (cameras, cuts, length) => {
          const records = cameras.map((camera_name) => ({
            plate: "AB1",
            vehicle_image_data_uri: image(length),
            camera_name,
            map_data_uri: image(10),
            timestamp: null,
          }));
          const sent = { records, other: { records: [1] }, justification: "Why", case_number: " 26-1 " };
          const bytes = new TextEncoder().encode(`\uFEFF${JSON.stringify(sent)}\n`);
          const read = await readExportBody(requestOf(bytes, cuts));
          expect(read).toMatchObject({ justification: "Why", case_number: "26-1" });
          expect(read.records).toEqual(
            cameras.map((camera) => ({
              plate: "AB1",
              timestamp: "",
              camera_name: camera.trim() === "N/A" ? "" : camera.trim(),
              agency: "",
              source_program: "",
            })),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
