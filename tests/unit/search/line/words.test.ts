import { describe, expect, it } from "vitest";
import { agencyGroups } from "#app/entities/search/agencies.ts";
import { clearForm, type SearchForm } from "#app/entities/search/form.ts";
import { fillForm } from "#app/entities/search/line/fill.ts";
import { parseLine, withoutPiece } from "#app/entities/search/line/parse.ts";
import { lineVocabulary, phraseKey } from "#app/entities/search/line/vocabulary.ts";

/** A Friday, 14:03 in the agency's zone. */
const NOW = Date.parse("2026-11-20T19:03:07Z");
const WALL = "2026-11-20T14:03:07";
const ZONE = "America/New_York";

const groups = agencyGroups({
  rekor: [
    { id: "key-1", agency: "Hartford Police Department" },
    { id: "key-2", agency: "Lincoln Police Department" },
    { id: "key-3", agency: "One Two Three Four Five Six Seven Eight" },
    { id: "key-4", agency: "Nine One Two Three Four Five Six Seven Eight" },
  ],
  axon: [],
  axis: [
    { id: "axis-1", agency_name: "Hartford PD", integrations: [{ identifier: "cam-7a" }] },
    { id: "axis-2", agency_name: "Kent County Sheriff's Office", integrations: [{ identifier: "cam-7b" }] },
    { id: "axis-3", agency_name: "Troy Public Safety", integrations: [] },
    { id: "axis-4", agency_name: "Friday Harbor Police Department", integrations: [] },
    { id: "axis-5", agency_name: "In Town Police", integrations: [] },
    { id: "axis-6", agency_name: "Land Rover Police", integrations: [] },
  ],
});
const PLACES = "Boston|42.3|-71\nKent County|41.7|-73.4";
const vocabulary = lineVocabulary(groups, PLACES);
const parse = (line: string) => parseLine(line, vocabulary, WALL);
const problems = (line: string) => parse(line).flatMap(({ problem }) => problem ?? []);

describe("the pieces of a line", () => {
  it("are separated by spaces, commas and semicolons", () => {
    expect(parse("  honda,;red\t ct ;8b4\n,").map(({ words }) => words)).toEqual([
      ["honda"],
      ["red"],
      ["ct"],
      ["8b4"],
    ]);
    expect(parse(" , ")).toEqual([]);
  });

  it("end at 300 characters", () => {
    const filler = "a ".repeat(149);
    expect(parse(`${filler}ct honda`).at(-1)).toEqual({
      words: ["ct"],
      meaning: { kind: "state", label: "Connecticut", value: "CT" },
    });
    expect(parse(`${filler}8b45`).at(-1)?.words).toEqual(["8b"]);
  });

  it("leave the other words when one is removed", () => {
    const pieces = parse("red honda cr v yesterday");
    expect(pieces[1] && withoutPiece(pieces, pieces[1])).toBe("red cr v yesterday");
  });

  it.each([
    ["8b4", "8B4"],
    ["8?", "8?"],
    ["a*", "A*"],
    ["?", "?"],
    ["20199", "20199"],
    ["12019", "12019"],
    ["2026-11-201", "202611201"],
    ["1899", "1899"],
    ["2100", "2100"],
    ["12026-11-20", "12026 11 20"],
    ["plate abc", "ABC"],
    ["PLATE 2019", "2019"],
  ])("%j has a plate", (line, plate) => {
    const text = plate.replaceAll(" ", "");
    expect(parse(line)).toEqual([
      { words: line.split(" "), meaning: { kind: "plate", label: text, plate: text } },
    ]);
  });

  it.each([
    ["asdf", "Not understood. For a plate, write “plate asdf”."],
    ["8", "Not understood."],
    ["*", "Not understood."],
    ["ab'c", "Not understood."],
    ["1999", "Model years cannot be searched. For a plate, write “plate 1999”."],
    ["2019", "Model years cannot be searched. For a plate, write “plate 2019”."],
    ["2026-02-30", "There is no such date."],
    ["in", undefined],
    ["plate", undefined],
    ["plate a", undefined],
    ["plate *", "Not understood."],
    ["me", "Not understood. For a plate, write “plate me”."],
    ["or", "Not understood. For a plate, write “plate or”."],
    ["boston", "No agency is named Boston."],
    ["lincoln", "This may be make or agency. Write “make lincoln”."],
    ["lincoln red", "This may be make or agency. Write “make lincoln”."],
    ["Land Rover", "This may be make or agency. Write “make Land Rover”."],
    ["honda toyota", "Another make comes before it."],
    ["red blue", "Another color comes before it."],
    ["suv truck", "Another body comes before it."],
    ["ct ny", "Another state comes before it."],
    ["8b4 9c5", "Another plate comes before it."],
    ["yesterday today", "Another time comes before it."],
    ["evening morning", "Another time comes before it."],
    ["last week evening", "Another time comes before it."],
    ["yesterday last week", "Another time comes before it."],
    ["evening since monday", "Another time comes before it."],
    ["last week last month", "Another time comes before it."],
    ["last week red", undefined],
    ["yesterday evening", undefined],
    ["evening yesterday", undefined],
    ["top rack back rack", undefined],
    ["hartford troy", undefined],
  ])("of %j have the problem %j", (line, problem) => {
    expect(problems(line)).toEqual(problem === undefined ? [] : [problem]);
  });

  it("have the kind that the word before them says", () => {
    const labels = (line: string) => parse(line).map(({ words, meaning }) => [words.length, meaning?.label]);
    expect(labels("make lincoln")).toEqual([[2, "Lincoln"]]);
    expect(labels("agency lincoln police department")).toEqual([[4, "Lincoln Police Department"]]);
    expect(labels("State in")).toEqual([[2, "Indiana"]]);
    expect(labels("make lincoln police department")[0]).toEqual([2, "Lincoln"]);
    expect(labels("in town")).toEqual([[2, "In Town Police"]]);
    expect(labels("make red")).toEqual([
      [1, undefined],
      [1, "Red"],
    ]);
    expect(labels("IN")).toEqual([[1, "Indiana"]]);
    expect(labels("ME")).toEqual([[1, "Maine"]]);
    expect(labels("color")).toEqual([[1, undefined]]);
  });

  it("are the longest that mean something", () => {
    const lengths = (line: string) => parse(line).map(({ words, meaning }) => [meaning?.kind, words.length]);
    expect(lengths("friday harbor")).toEqual([["agency", 2]]);
    expect(lengths("friday red")).toEqual([
      ["time", 1],
      ["color", 1],
    ]);
    expect(lengths("station wagon")).toEqual([["body", 2]]);
  });

  it("have at most eight words that name something", () => {
    const longest = (line: string) => parse(line)[0]?.words.length;
    expect(longest("one two three four five six seven eight")).toBe(8);
    expect(longest("nine one two three four five six seven eight")).toBe(1);
  });
});

describe("the vocabulary of a line", () => {
  const labels = (text: string) =>
    lineVocabulary(groups, PLACES)
      .phrases.get(text)
      ?.map(({ kind, label }) => `${kind}: ${label}`);

  it.each([
    ["Québec", "quebec"],
    ["O'Brien’s", "obriens"],
    ["St. Mary", "st mary"],
    ["Gold/Beige", "gold beige"],
    ["a--b__c", "a b c"],
    ["  X \t Y ", "x y"],
    ["-tail-", "tail"],
    ["Ｆｕｌｌ", "full"],
  ])("compares %j as %j", (text, key) => {
    expect(phraseKey(text)).toBe(key);
  });

  it.each([
    ["silver", ["color: Silver/Gray"]],
    ["silver gray", ["color: Silver/Gray"]],
    ["chevy", ["make: Chevrolet"]],
    ["station wagon", ["body: sedan-wagon"]],
    ["top rack", ["mark: Top rack"]],
    ["bumper sticker", ["mark: Bumper stickers"]],
    ["bumper stickers", ["mark: Bumper stickers"]],
    ["ct", ["state: Connecticut"]],
    ["connecticut", ["state: Connecticut"]],
    ["rekor", ["agency: All Rekor agencies"]],
    ["axis", ["agency: All Axis agencies"]],
    ["axon", undefined],
    ["all agencies", ["agency: All agencies"]],
    ["cam 7a", ["agency: Camera cam-7a"]],
    ["key 1", undefined],
    ["hartford police department", ["agency: Hartford Police Department"]],
    ["hartford pd", ["agency: Hartford PD"]],
    ["hartford", ["agency: Hartford Police Department, Hartford PD"]],
    ["kent county sheriffs office", ["agency: Kent County Sheriff's Office"]],
    ["kent county sheriffs", ["agency: Kent County Sheriff's Office"]],
    ["kent county", ["agency: Kent County Sheriff's Office"]],
    ["troy", ["agency: Troy Public Safety"]],
    ["boston", ["place: Boston"]],
    ["", undefined],
  ])("has for %j: %j", (text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it("searches one camera of an agency, or all agencies", () => {
    const { phrases } = lineVocabulary(groups, PLACES);
    const chosen = (text: string) =>
      phrases
        .get(text)
        ?.flatMap((entry) => (entry.kind === "agency" ? entry.options : []))
        .map(({ key, identifiers }) => [key, ...identifiers]);
    expect(chosen("cam 7a")).toEqual([["axis-1", "cam-7a"]]);
    expect(chosen("axis")?.map(([key]) => key)).toEqual([
      "axis-1",
      "axis-2",
      "axis-3",
      "axis-4",
      "axis-5",
      "axis-6",
    ]);
    expect(chosen("all agencies")).toHaveLength(10);
  });

  it("has no agencies and no places if none are known", () => {
    const empty = lineVocabulary(agencyGroups({ rekor: [], axon: [], axis: [] }), "");
    const kinds = new Set([...empty.phrases.values()].flat().map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["body", "color", "make", "mark", "state"]);
  });
});

describe("a form filled from a line", () => {
  const fill = (line: string, form: SearchForm = clearForm()) =>
    fillForm(form, parse(line), { now: NOW, zone: ZONE });

  it("keeps what the line does not name", () => {
    const form: SearchForm = {
      ...clearForm(),
      plate: "OLD1",
      make: "Honda",
      marks: ["top_rack"],
      selected: new Set(["key-2"]),
      preset: "7d",
    };
    expect(fill("", form)).toEqual(form);
    expect(fill("red back rack top rack", form)).toEqual({
      ...form,
      color: "Red",
      marks: ["top_rack", "back_rack"],
    });
    expect([...fill("troy hartford", form).selected]).toEqual(["axis-3", "key-1", "cam-7a"]);
  });

  it("has the preset of a span, or its start and end", () => {
    expect(fill("last 7 days")).toMatchObject({
      preset: "7d",
      start: { text: "2026-11-13T14:03:07" },
      end: { text: "2026-11-20T14:03:07" },
    });
    expect(fill("last 2 hours")).toMatchObject({
      preset: undefined,
      start: { text: "2026-11-20T12:03:07", at: NOW - 2 * 3_600_000 },
      end: { text: "2026-11-20T14:03:07", at: NOW },
    });
  });

  it("in the repeated hour starts at the first and ends at the second occurrence of a time", () => {
    const { start, end } = fill("2026-11-01 1:00-1:30am");
    expect(start).toMatchObject({ at: Date.parse("2026-11-01T05:00:00Z"), oddity: "twice" });
    expect(end).toMatchObject({ at: Date.parse("2026-11-01T06:30:00Z"), oddity: "twice" });
  });
});
