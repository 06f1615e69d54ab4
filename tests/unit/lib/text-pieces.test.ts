import { describe, expect, it } from "vitest";
import { jsonArrayParts, jsonParts, textPieces } from "#app/lib/text-pieces.ts";

const PIECE = 64 * 1024;
/** Copies each piece, since they share a buffer. */
const piecesOf = (...parts: string[]) => Array.from(textPieces(parts), (piece) => Buffer.from(piece));
function* generated(...items: unknown[]) {
  yield* items;
}

describe("the pieces of a text", () => {
  it("are its bytes, in full pieces except for the last", () => {
    const parts = ["a".repeat(PIECE - 1), "bc", "", "d".repeat(2 * PIECE)];
    const pieces = piecesOf(...parts);
    expect(pieces.map(({ length }) => length)).toEqual([PIECE, PIECE, PIECE, 1]);
    expect(Buffer.concat(pieces).toString() === parts.join("")).toBe(true);
  });

  it("do not divide a character", () => {
    const text = `${"a".repeat(PIECE - 2)}é🚓z`;
    const pieces = piecesOf(text);
    expect(pieces.map(({ length }) => length)).toEqual([PIECE, 5]);
    expect(Buffer.concat(pieces).toString() === text).toBe(true);
    expect(piecesOf("a".repeat(PIECE - 3), "🚓").map(({ length }) => length)).toEqual([PIECE - 3, 4]);
  });

  it("do not exist for an empty text, and are never empty", () => {
    expect(piecesOf()).toEqual([]);
    expect(piecesOf("", "")).toEqual([]);
    expect(piecesOf("x".repeat(PIECE)).map(({ length }) => length)).toEqual([PIECE]);
  });
});

describe("a JSON text in parts", () => {
  it("has one item of a generated list per line, and other values as they are", () => {
    const object = {
      a: 1,
      reads: generated({ plate: "A" }, "b"),
      none: generated(),
      list: [1],
      nothing: null,
      text: "x",
    };
    expect([...jsonParts(object)].join("")).toBe(
      '{\n "a": 1,\n "reads": [\n{"plate":"A"},\n"b"\n],\n "none": [],\n "list": [\n 1\n],\n "nothing": null,\n "text": "x"\n}\n',
    );
  });

  it("may be a list", () => {
    expect([...jsonArrayParts([1, "a", null])].join("")).toBe('[\n1,\n"a",\nnull\n]');
    expect([...jsonArrayParts([])].join("")).toBe("[]");
  });
});
