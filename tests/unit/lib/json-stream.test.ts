import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonWithList } from "#app/lib/json/stream.ts";

async function* pagesOf(pages: unknown[][]) {
  for (const page of pages) yield page;
}

describe("a JSON object with a streamed list", () => {
  it("is the same object for any fields and pages", async () => {
    const head = fc.dictionary(
      fc.string().filter((key) => key !== "list" && key !== "__proto__"),
      fc.jsonValue(),
    );
    const pages = fc.array(fc.array(fc.jsonValue(), { maxLength: 3 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(head, pages, async (fields, lists) => {
        const stream = jsonWithList({ head: fields, name: "list", pages: pagesOf(lists) });
        const text = await new Response(stream).text();
        const whole = JSON.stringify({ ...fields, list: lists.flat() });
        expect(JSON.parse(text)).toEqual(JSON.parse(whole));
      }),
    );
  });

  it("leaves out fields without a value, and writes nothing else", async () => {
    const textOf = (head: Record<string, unknown>, ...pages: unknown[][]) =>
      new Response(jsonWithList({ head, name: "list", pages: pagesOf(pages) })).text();
    expect(await textOf({ a: undefined, b: null, c: "x" }, [1], [], [2, "3"])).toBe(
      '{"b":null,"c":"x","list":[1,2,"3"]}',
    );
    expect(await textOf({}, [])).toBe('{"list":[]}');
    expect(await textOf({ a: 1 })).toBe('{"a":1,"list":[]}');
  });

  it("may be canceled if its pages have nothing to close", async () => {
    const pages = { next: async () => ({ value: [1], done: false }) };
    const stream = jsonWithList({ head: {}, name: "list", pages });
    await expect(stream.cancel()).resolves.toBeUndefined();
  });

  it("reads no page before it is requested, and none after it is canceled", async () => {
    const asked: number[] = [];
    let ended = false;
    async function* pages() {
      try {
        for (let page = 0; page < 100; page++) {
          asked.push(page);
          yield [page];
        }
      } finally {
        ended = true;
      }
    }
    const reader = jsonWithList({ head: {}, name: "list", pages: pages() }).getReader();
    await reader.read();
    await reader.cancel();
    expect(asked.length).toBeLessThan(4);
    expect(ended).toBe(true);
  });

  it("fails if a page fails, instead of ending as if it were complete", async () => {
    async function* pages() {
      yield [1];
      throw new Error("the database is gone");
    }
    const stream = jsonWithList({ head: { a: 1 }, name: "list", pages: pages() });
    await expect(new Response(stream).text()).rejects.toThrow();
  });
});
