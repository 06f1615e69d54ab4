import { describe, expect, it } from "vitest";
import { matchingPresets } from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";
import { NewAxonIntegration } from "#app/entities/integrations/settings.ts";
import { acceptsGzip } from "#app/http/file-answer.ts";
import { parseSentJson } from "#app/lib/json/parse.ts";
import { JSON_MAX_CONTAINERS, JSON_MAX_DEPTH, jsonShapeWatch } from "#app/lib/json/shape.ts";
import {
  compareNames,
  repairedText,
  textProblem,
  truncated,
  visibleLines,
  visibleText,
  withoutEnd,
} from "#app/lib/text.ts";
import { routePatterns } from "../../../workers/route-patterns.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

it.each([
  ["ABC 123", "ABC 123"],
  ["ABC  123", "ABC  123"],
  [" ABC", "ABC"],
  ["ABC ", "ABC"],
  ["a\nb", "a b"],
  ["a\r\nb\tc", "a b c"],
  ["a\rb", "ab"],
  ["a\u200bb\u00ad", "ab"],
  ["Straße 🚓", "Straße 🚓"],
  ["\uE000x\u{E01EF}\u2800", "x"],
  ["~!", "~!"],
  ["\u007fa", "a"],
])("the visible part of %j is %j", (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

it("the visible lines are trimmed, with one empty line at most between two", () => {
  expect(visibleLines(" a \r b\r\n\u200b\n\n\nc\n")).toBe("a\nb\n\nc");
  expect(visibleLines("a\n\nb")).toBe("a\n\nb");
});

it.each([
  ["a\u0007b", "contains a control character (U+0007)", "contains a control character (U+0007)"],
  ["\u009f", "contains a control character (U+009F)", "contains a control character (U+009F)"],
  ["a\rb", "contains a line break", undefined],
  ["a\nb", "contains a line break", undefined],
  ["a\tb", "contains a control character (U+0009)", undefined],
  ["\t a\r\n", undefined, undefined],
  [
    "\ud800",
    "contains half of a surrogate pair, which is not a character",
    "contains half of a surrogate pair, which is not a character",
  ],
])("%j as a line: %j; as lines: %j", (text, line, lines) => {
  expect(textProblem(text, { lines: false })).toBe(line);
  expect(textProblem(text, { lines: true })).toBe(lines);
});

it("characters are removed only at the end of a text", () => {
  expect(["--a-b- -", "ab", "- -", ""].map((text) => withoutEnd(text, /[\s-]/))).toEqual([
    "--a-b",
    "ab",
    "",
    "",
  ]);
});

// If the time grew with the square of the length, each of these would take minutes.
describe("a long run of one character that is not at the end", () => {
  const LONG = 500_000;
  const within = (character: string) => `a${character.repeat(LONG)}b`;

  it("is text, also with a control character after it", () => {
    expect(textProblem(within(" "), { lines: false })).toBeUndefined();
    expect(textProblem(within("\t"), { lines: true })).toBeUndefined();
    expect(textProblem(`${within(" ")}\u0007 `, { lines: false })).toBe(
      "contains a control character (U+0007)",
    );
  });

  it("in Accept-Encoding separates nothing", () => {
    const accepts = (value: string) =>
      acceptsGzip(new Request("https://odin.test/", { headers: { "accept-encoding": value } }));
    expect(accepts(`${within(" ")}, gzip ; q=0.5`)).toBe(true);
    expect(accepts(`${within("\t")}, gzip ; q=0`)).toBe(false);
  });

  it("in a cell of a hotlist is not the word that a layout needs", () => {
    const presetsOf = (reason: string) => {
      const line = `AB1234,2026,PC,CT,1,${reason},CT0000000`;
      return matchingPresets(readFileStart(new TextEncoder().encode(line), true).sample);
    };
    expect(presetsOf("b - -")).toEqual(["iowa"]);
    expect(presetsOf(`B${"-".repeat(60_000)}x`)).toEqual([]);
  });

  it("in a partner ID is too long", () => {
    const parsed = NewAxonIntegration.safeParse({
      client_id: "client",
      secret_id: "abcdefghijkl",
      partner_id: `${"-".repeat(LONG)}/`,
      base_url: "https://agency.evidence.example",
    });
    expect(parsed.error?.issues[0]?.message).toBe("At most 400 characters.");
  });

  it("in a path matches no route", () => {
    expect(routePatterns({ root: { path: "a" } })(`/${within("/")}`)).toBe("unmatched");
  });
});

it("a repaired text has a mark for each character that cannot be stored", () => {
  expect(repairedText("a\u0000\ud800\u0085b\r\n\tc")).toBe("a\ufffd\ufffd\ufffdb\r\n\tc");
});

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["🚓🚓", 3, "🚓🚓"],
  ["🚓🚓", 2, "🚓🚓"],
  ["🚓🚓🚓", 2, "🚓…"],
  ["ab", 1, "…"],
])("%j cut to %d characters is %j", (text, length, cut) => {
  expect(truncated(text, length)).toBe(cut);
});

describe("the shape of a JSON text", () => {
  const isWithin = (text: string, limits = {}) => jsonShapeWatch(limits)(utf8(text));

  it("nests at most 32 deep, in objects and arrays", () => {
    expect([JSON_MAX_DEPTH, JSON_MAX_CONTAINERS]).toEqual([32, 250_000]);
    for (const [open, close] of [
      ["[", "]"],
      ["{", "}"],
    ] as const) {
      expect(isWithin(open.repeat(32))).toBe(true);
      expect(isWithin(open.repeat(33))).toBe(false);
      expect(isWithin((open + close).repeat(33))).toBe(true);
    }
  });

  it("has a limited number of containers and commas", () => {
    expect([isWithin("[][]", { containers: 2 }), isWithin("[]{}[]", { containers: 2 })]).toEqual([
      true,
      false,
    ]);
    expect([isWithin("[1,2,3]", { commas: 2 }), isWithin("[1,2,3,4]", { commas: 2 })]).toEqual([true, false]);
    expect([isWithin("[]".repeat(250_000)), isWithin("[]".repeat(250_001))]).toEqual([true, false]);
    expect(isWithin(",".repeat(300_000))).toBe(true);
  });

  it("is not that of its strings, with their escapes, wherever its chunks end", () => {
    const limits = { containers: 2, commas: 1 };
    const text = String.raw`["[[[,,,\"[,\\",{"\\\"[[":"]"}]`;
    expect(isWithin(text, limits)).toBe(true);
    expect(isWithin(text, { containers: 1 })).toBe(false);
    expect(isWithin(text, { commas: 0 })).toBe(false);
    for (let cut = 0; cut <= text.length; cut++) {
      const watch = jsonShapeWatch(limits);
      expect([watch(utf8(text.slice(0, cut))), watch(utf8(text.slice(cut)))]).toEqual([true, true]);
      const strict = jsonShapeWatch({ containers: 1 });
      expect(strict(utf8(text.slice(0, cut))) && strict(utf8(text.slice(cut)))).toBe(false);
    }
    expect(isWithin('"a" [[[', limits)).toBe(false);
    expect(isWithin(String.raw`["\",,,[[["]`, { containers: 1, commas: 0 })).toBe(true);
    expect(isWithin(String.raw`["\\",",,"]`, { commas: 1 })).toBe(true);
  });
});

describe("JSON from a sender", () => {
  it("is refused before parsing if its shape is not allowed", () => {
    const problem = { code: "bad_request", message: "The JSON nests too deep or holds too many values." };
    expect(() => parseSentJson(utf8("[".repeat(33)))).toThrow(expect.objectContaining(problem));
    expect(() => parseSentJson(utf8("[1,2]"), { commas: 0 })).toThrow(expect.objectContaining(problem));
    expect(parseSentJson(utf8("[1,2]"), { commas: 1 })).toEqual([1, 2]);
    expect(parseSentJson(utf8("{"))).toBeUndefined();
  });

  it("has its keys and strings repaired, however they were written, and long strings left alone", () => {
    const slash = String.fromCharCode(92);
    const sent = (inner: string) => parseSentJson(utf8(inner));
    expect(sent(`["a${slash}b", "a${slash}fb", "a${slash}u0001b", "a\u0085b", 1, null, true]`)).toEqual([
      "a\ufffd",
      "a\ufffdb",
      "a\ufffdb",
      "a\ufffdb",
      1,
      null,
      true,
    ]);
    expect(sent(`{"k${slash}u0007": {"x": ["${slash}u0007"]}}`)).toEqual({ "k\ufffd": { x: ["\ufffd"] } });
    const [short, long] = [9_999, 10_000].map((length) => `${"a".repeat(length)}${slash}u0007`);
    expect(sent(`["${short}", "${long}"]`)).toEqual([
      `${"a".repeat(9_999)}\ufffd`,
      `${"a".repeat(10_000)}\u0007`,
    ]);
  });
});

it("names are compared by the numbers in them", () => {
  const names = ["camera 10", "Camera 2", "Bridge", "camera 1"];
  expect(names.toSorted(compareNames)).toEqual(["Bridge", "camera 1", "Camera 2", "camera 10"]);
});
