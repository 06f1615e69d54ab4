import { describe, expect, it } from "vitest";
import { plainLines, SLUG, slugsOf, TransparencyPage } from "#app/entities/oversight/transparency-page.ts";
import { percentWords, statisticWords } from "#app/entities/oversight/transparency-words.ts";

const PAGE = { slug: "hartford-pd", introduction: "Hello.", contact: "pd@example.gov" };

const problemOf = (changes: object) =>
  TransparencyPage.safeParse({ ...PAGE, ...changes }).error?.issues[0]?.message;

describe("the settings of the page", () => {
  it("are without spaces at their ends", () => {
    const spaced = { slug: " hartford-pd ", introduction: " Hello.\n", contact: "\tpd@example.gov " };
    expect(TransparencyPage.parse(spaced)).toEqual(PAGE);
    expect(TransparencyPage.parse({ ...PAGE, introduction: "", contact: "" })).toMatchObject({
      introduction: "",
      contact: "",
    });
  });

  it.each([
    [{ slug: undefined }, "Choose an address."],
    [{ slug: " " }, "Choose an address."],
    [{ slug: "x".repeat(80) }, undefined],
    [{ slug: "x".repeat(81) }, "An address has at most 80 characters."],
    [{ introduction: "x".repeat(1000) }, undefined],
    [{ introduction: "x".repeat(1001) }, "An introduction has at most 1000 characters."],
    [{ contact: "x".repeat(200) }, undefined],
    [{ contact: "x".repeat(201) }, "A contact has at most 200 characters."],
  ])("with %j have the problem: %s", (changes, problem) => {
    expect(problemOf(changes)).toBe(problem);
  });
});

describe("an address", () => {
  it.each([
    ["hartford", true],
    ["new-haven-2", true],
    ["", false],
    ["-hartford", false],
    ["hartford-", false],
    ["new--haven", false],
    ["Hartford", false],
    ["new haven", false],
    ["hartford\n", false],
  ])("%j has the form of one: %s", (address, valid) => {
    expect(SLUG.test(address)).toBe(valid);
  });

  it.each<[name: string, id: string, slugs: string[]]>([
    ["Avon", "a", ["avon"]],
    ["Avon PD", "a", ["avon-pd"]],
    ["Town of Avon", "a", ["town-of-avon", "town-of"]],
    ["O'Brien’s P.D.", "a", ["obriens-pd"]],
    ["Côte\tÑandú", "a", ["cote-nandu"]],
    ["Unit 7 & 8", "a", ["unit-7-8", "unit-7"]],
    ["警察", "Ab_9", ["agency-ab-9", "agency-ab"]],
    ["", "", ["agency"]],
  ])("for %j, with the ID %j, may be one of %j", (name, id, slugs) => {
    expect(slugsOf({ id, name })).toEqual(slugs);
  });

  it("is cut after 80 characters, without a hyphen at its end, and offered once", () => {
    const long = "x".repeat(79);
    expect(slugsOf({ id: "a", name: `${long} y z` })).toEqual([long]);
    expect(slugsOf({ id: "a", name: `x ${long}` })).toEqual([`x-${"x".repeat(78)}`]);
    expect(slugsOf({ id: "a", name: `${"x".repeat(78)} y z` })).toEqual([`${"x".repeat(78)}-y`]);
  });
});

describe("an introduction", () => {
  it.each([
    ["One.\rTwo.\r\nThree.", "One.\nTwo.\nThree."],
    ["One.\n\nTwo.", "One.\n\nTwo."],
    ["One.\n\n\nTwo.\n\n\n\n\nThree.", "One.\n\nTwo.\n\nThree."],
    ["\n One.  \n  Two. \n", "One.\nTwo."],
    ["One.\n \u200b \nTwo.", "One.\n\nTwo."],
    ["", ""],
  ])("%j is shown as %j", (text, shown) => {
    expect(plainLines(text)).toBe(shown);
  });
});

describe("a statistic in words", () => {
  it.each([
    ["<5", "<5"],
    [0, "0"],
    [1234567, "1,234,567"],
    [{ low: 1, high: 4 }, "1–4"],
    [{ low: 999, high: 1002 }, "999–1,002"],
    [{ low: 1002, high: 1002 }, "1,002"],
  ] as const)("of %j is %s", (value, words) => {
    expect(statisticWords(value)).toBe(words);
  });

  it.each([
    [null, "–"],
    [{ low: 0, high: 0 }, "0%"],
    [{ low: 93, high: 98 }, "93–98%"],
  ])("of the share %j is %s", (share, words) => {
    expect(percentWords(share)).toBe(words);
  });
});
