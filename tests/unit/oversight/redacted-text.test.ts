import { describe, expect, it } from "vitest";
import { redactPlates } from "#app/entities/oversight/plate-redaction.ts";

describe("the row's plate in a text", () => {
  it.each([
    ["(abc)", "([redacted])"],
    ["ABC", "[redacted]"],
    ["abc, ABC and Abc.", "[redacted], [redacted] and [redacted]."],
    ["abcabc", "[redacted][redacted]"],
    ["dabce", "d[redacted]e"],
    ["ab cd", "[redacted]d"],
    ["ab", "ab"],
    ["acb", "acb"],
    ["", ""],
  ])("%j is redacted: %j", (text, redacted) => {
    expect(redactPlates(text, "ABC")).toBe(redacted);
  });

  it("starts to be searched after the one before", () => {
    expect(redactPlates("ababab", "ABAB")).toBe("[redacted]ab");
  });

  it.each([" ", "  ", "\n", "\u00a0", "-", "\u2011", "\u2014", "_", ".", "\u00b7", "\u2022", "*", "?", "*?"])(
    "may have %j between its characters",
    (between) => {
      expect(redactPlates(`(a${between}b${between}c)`, "ABC")).toBe("([redacted])");
    },
  );

  it.each(["\u0301", "\u200b", "\u2060", "\ufe0f", "\u3164", "\u00ad"])(
    "may have the invisible character or accent %j between its characters",
    (between) => {
      expect(redactPlates(`(a${between}b${between}c)`, "ABC")).toBe("([redacted])");
    },
  );

  it.each([",", "/", ":", ";", "(", "+", "\0", "=", "🚗", "d", "1"])(
    "is not what has %j between its characters",
    (between) => {
      const text = `(a${between}b${between}c)`;
      expect(redactPlates(text, "ABC")).not.toContain("[redacted]c");
      expect(redactPlates(text, "ABC").startsWith("([redacted])")).toBe(between === "1");
    },
  );

  it.each([
    ["A", "A car", "A car"],
    ["*A*", "A car", "A car"],
    ["CA", "A car", "A [redacted]r"],
    ["*c?a*", "A car", "A [redacted]r"],
    ["", "A car", "A car"],
    ["-.", "A - car.", "A - car."],
  ])("is a plate or pattern of at least two characters: %j in %j", (plate, text, redacted) => {
    expect(redactPlates(text, plate)).toBe(redacted);
  });

  it("is redacted with whole characters, however many letters they stand for", () => {
    // The ligature fi stands for two letters; Deseret letters need two code units each.
    expect(redactPlates("(\ufb01x)", "FIX")).toBe("([redacted])");
    expect(redactPlates("(\ufb01x)", "IX")).toBe("([redacted])");
    expect(redactPlates("(x\ufb01)", "XF")).toBe("([redacted])");
    expect(redactPlates("a \u{10400}\u{10401} b", "\u{10428}\u{10429}")).toBe("a [redacted] b");
    expect(redactPlates("\u{10400} b", "\u{10400}")).toBe("\u{10400} b");
  });
});

describe("what looks like a plate", () => {
  it.each([
    ["A1", "A1"],
    ["A1B", "[redacted]"],
    ["1A2", "[redacted]"],
    ["A-1", "[redacted]"],
    ["AB?1*", "[redacted]"],
    ["ABC", "ABC"],
    ["AB-CD", "AB-CD"],
    ["12-4", "12-4"],
    ["Ä1Ö", "[redacted]"],
    ["A1,B2", "A1,B2"],
    ["on 10th street, A12", "on [redacted] street, [redacted]"],
  ])("has letters next to digits, three characters at least: %s reads %s", (text, redacted) => {
    expect(redactPlates(text, "")).toBe(redacted);
  });

  it.each([
    ["A 12", "A 12"],
    ["A 123", "[redacted]"],
    ["ABC 12345", "[redacted]"],
    ["ABC 123456", "ABC [redacted]"],
    ["ABCD 123", "ABCD 123"],
    ["ABC  123", "ABC  123"],
    ["ABC/123", "ABC/123"],
    ["ABC\n123", "[redacted]"],
    ["12 ABC", "12 ABC"],
    ["123 A", "[redacted]"],
    ["12345 ABC", "[redacted]"],
    ["123 ABCD", "123 ABCD"],
    ["(ABC 123)", "([redacted])"],
  ])("is letters and digits in groups: %j reads %j", (text, redacted) => {
    expect(redactPlates(text, "")).toBe(redacted);
  });

  it.each([
    ["1234", "1234"],
    ["12345", "[redacted]"],
    ["12345678", "[redacted]"],
    ["123456789", "123456789"],
    ["1 2-3 4", "1 2-3 4"],
    ["1 2-3 4 5", "[redacted]"],
    ["12  345", "12  345"],
    ["1234.5", "1234.5"],
    ["1,234,567", "1,234,567"],
  ])("is five to eight digits, in groups or not: %s reads %s", (text, redacted) => {
    expect(redactPlates(text, "")).toBe(redacted);
  });
});
