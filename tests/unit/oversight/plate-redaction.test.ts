import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactPlates } from "#app/entities/oversight/plate-redaction.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";

/** A plate as typed in the search field: anything that the search accepts. */
const plateCharacter = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."ABCDEFGHJKLMNPRSTUVWXYZ0123456789abcxyz") },
  { weight: 2, arbitrary: fc.constantFrom(..."- .·•*?\u00A0") },
  { weight: 1, arbitrary: fc.constantFrom(..."ÄéßẞİıſΣςñＡ３Ж漢각\u1112\u1161") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
);
const acceptedPlate = fc
  .string({ unit: plateCharacter, minLength: 1, maxLength: 24 })
  .filter((plate) => parsePlatePattern(plate) !== undefined);

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "Stolen ", " seen at Main St.\n", "(", "\\", "$&", "]", "[redacted]", "\ud800"),
);

/** Spellings of one plate: letter case, and spaces or dashes between its characters. */
const spelling = fc.record({
  between: fc.constantFrom("", " ", "-", " - ", "\u2011", "\u2013", "·", ".", "\n", "\u200b", "\u00a0"),
  lower: fc.boolean(),
});

/** Letters and digits in upper case, computed independently of the code under test. */
const plain = (text: string) =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "");

const withoutMarks = (text: string) => text.split("[redacted]");

describe("redaction for public records", () => {
  it.each(["AB-123", "AB 123", "AB_123", "A.B·1", "AB*12?", "\\", "[", "(", "{1}", "AB\n12"])(
    "does not throw for the plate %j",
    (plate) => {
      expect(redactPlates(`Look for ${plate} now`, plate)).toMatch(/^Look for .* now$/s);
    },
  );

  it("never throws and never leaves a plate that the search accepts, in any spelling", () => {
    fc.assert(
      fc.property(anyText, acceptedPlate, anyText, spelling, (before, plate, after, { between, lower }) => {
        const typed = Array.from(lower ? plate.toLowerCase() : plate).join(between);
        const result = redactPlates(before + typed + after, plate);
        const known = plain(plate);
        if (known.length < 2 || /[^ -~]/.test(plate)) return;
        for (const part of withoutMarks(result)) {
          // Punctuation such as a comma separates words, so it is not a spelling of one plate.
          for (const word of part.split(/[^\p{L}\p{N}\s\p{Pd}\p{M}\p{Cf}_.·•*?]/u))
            expect(plain(word)).not.toContain(known);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("finds plates with letters beyond A to Z in either case and with combining accents", () => {
    for (const [plate, text] of [
      ["ÄÖ12", "äö12"],
      ["ÄÖÜ", "a\u0308 o\u0308-u\u0308"],
      ["ßAB", "SSAB"],
      ["ẞXY", "ßxy"],
      ["İZMİR", "i̇zmi̇r"],
      ["ＡＢＣ", "abc"],
      ["ΑΣ", "ας"],
      ["각나", "각 나".normalize("NFD")],
    ] as const)
      expect(redactPlates(`x (${text})`, plate), plate).toMatch(/^x \(\[redacted\]\p{M}?\)$/u);
  });

  it("replaces the plate and nothing else", () => {
    const words = fc.array(
      fc.constantFrom("stolen", "vehicle", "on", "Main", "Street,", "at", "2026", "–", "12"),
      {
        maxLength: 8,
      },
    );
    const plate = fc.stringMatching(/^[QXZ]{2,3}[- ]?[QXZ]{2,3}$/);
    fc.assert(
      fc.property(words, plate, words, (before, typed, after) => {
        const [head, tail] = [before.join(" "), after.join(" ")];
        const expected = `${redactPlates(`${head} (`, "")}[redacted]${redactPlates(`) ${tail}`, "")}`;
        expect(redactPlates(`${head} (${typed.toLowerCase()}) ${tail}`, typed)).toBe(expected);
      }),
    );
    expect(redactPlates("Stolen vehicle on Main Street, second look", "ABC123")).toBe(
      "Stolen vehicle on Main Street, second look",
    );
    expect(redactPlates("A person", "A")).toBe("A person");
  });

  it.each([
    ["ABC 123 and AB-12345", "[redacted] and [redacted]"],
    ["plates abc123, 123-ABC and 1234567", "plates [redacted], [redacted] and [redacted]"],
    ["During 2026, two cars at 12 Main", "During 2026, two cars at 12 Main"],
    ["Case HPD-2026-118", "Case [redacted]"],
  ])("redacts text shaped like a plate: %s", (text, expected) => {
    expect(redactPlates(text, "")).toBe(expected);
  });

  it("takes time linear in the length of the text", () => {
    const length = 200_000;
    const started = performance.now();
    const redact = (unit: string, plate: string) => redactPlates(unit.repeat(length / unit.length), plate);
    for (const unit of ["A", "A-", "1", "1 ", "-", " ", "A1 ", "*", "AB-"]) redact(unit, "A*?1");
    redact("A", "A".repeat(20));
    redact("AB-", "ABAB");
    redact("1 ", "11");
    // A quadratic scan of one of them takes a minute.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
