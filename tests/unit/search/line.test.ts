import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agencyGroups, chosenOptions } from "#app/entities/search/agencies.ts";
import { clearForm } from "#app/entities/search/form.ts";
import { fillForm } from "#app/entities/search/line/fill.ts";
import { type Piece, parseLine, withoutPiece } from "#app/entities/search/line/parse.ts";
import { lineVocabulary } from "#app/entities/search/line/vocabulary.ts";
import { PLACES } from "#app/entities/search/map/places.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";

const ZONE = "America/New_York";
/** A Friday, 14:03 in the agency's zone. */
const NOW = Date.parse("2026-11-20T19:03:07Z");
const WALL = "2026-11-20T14:03:07";

const groups = agencyGroups({
  rekor: [
    { id: "key-1", agency: "Hartford Police Department" },
    { id: "key-2", agency: "Lincoln Police Department" },
  ],
  axon: [{ id: "axon-1", agency_name: "New Haven Police Department", base_url: "https://nh.example" }],
  axis: [
    { id: "axis-1", agency_name: "Hartford Police Department", integrations: [{ identifier: "cam-7a" }] },
    { id: "axis-2", agency_name: "Connecticut State Police", integrations: [] },
  ],
});
const vocabulary = lineVocabulary(groups, PLACES);

const parse = (line: string) => parseLine(line, vocabulary, WALL);
const fill = (line: string, form = clearForm()) => fillForm(form, parse(line), { now: NOW, zone: ZONE });
/** `kind: label` of what is understood, and `?words` of what is not. */
const told = (line: string) =>
  parse(line).flatMap(({ words, meaning, problem }) =>
    meaning ? [`${meaning.kind}: ${meaning.label}`] : problem ? [`?${words.join(" ")}`] : [],
  );
const range = (line: string) => {
  const { preset, start, end } = fill(line);
  return preset ?? `${start.text} ${end.text}`;
};

describe("a search typed in one line", () => {
  it("fills in the form", () => {
    const form = fill("silver honda suv ct 8b4 new haven yesterday evening");
    expect(form).toMatchObject({
      color: "Silver/Gray",
      make: "Honda",
      bodyType: "SUV",
      plateState: "CT",
      plate: "8B4",
      preset: undefined,
      start: { text: "2026-11-19T17:00:00" },
      end: { text: "2026-11-19T22:00:00" },
    });
    expect(chosenOptions(groups, form.selected).map(({ key }) => key)).toEqual(["axon-1"]);
    expect(form.justification).toBe("");
  });

  it("recognizes every option of the form, by its label and by everyday words", () => {
    for (const { name } of VEHICLE_COLORS) expect(fill(`color ${name}`).color).toBe(name);
    for (const make of VEHICLE_MAKES) expect(fill(`make ${make}`).make).toBe(make);
    for (const body of VEHICLE_BODY_TYPES) expect(fill(`body ${body}`).bodyType).toBe(body);
    expect(fill("GREY chevy pickup truck, top rack with bumper stickers")).toMatchObject({
      color: "Silver/Gray",
      make: "Chevrolet",
      bodyType: "truck-standard",
      marks: ["top_rack", "bumper_stickers"],
    });
    expect(fill("new york").plateState).toBe("NY");
    expect(fill("harley-davidson land rover").make).toBe("Harley-Davidson");
  });

  it("selects agencies by name, program and camera, in every program that has the name", () => {
    const keys = (line: string) => chosenOptions(groups, fill(line).selected).map(({ key }) => key);
    expect(keys("hartford")).toEqual(["key-1", "axis-1"]);
    expect(keys("Hartford Police Department")).toEqual(["key-1", "axis-1"]);
    expect(keys("axis")).toEqual(["axis-1", "axis-2"]);
    expect(keys("connecticut state police axon")).toEqual(["axon-1", "axis-2"]);
    expect([...fill("cam-7a").selected]).toEqual(["cam-7a"]);
  });

  it.each([
    ["last 24 hours", "24h"],
    ["past week", "7d"],
    ["last 3 days", "2026-11-17T14:03:07 2026-11-20T14:03:07"],
    ["since monday", "2026-11-16T00:00:00 2026-11-20T14:03:07"],
    ["today", "2026-11-20T00:00:00 2026-11-21T00:00:00"],
    ["saturday", "2026-11-14T00:00:00 2026-11-15T00:00:00"],
    ["last friday", "2026-11-13T00:00:00 2026-11-14T00:00:00"],
    ["last night", "2026-11-19T22:00:00 2026-11-20T05:00:00"],
    ["nov 2 after 9pm", "2026-11-02T21:00:00 2026-11-03T00:00:00"],
    ["12/24 between 8:30am and 10am", "2025-12-24T08:30:00 2025-12-24T10:00:00"],
    ["2026-11-01 11pm-1am", "2026-11-01T23:00:00 2026-11-02T01:00:00"],
    ["evening", "2026-11-19T17:00:00 2026-11-19T22:00:00"],
    ["morning", "2026-11-20T05:00:00 2026-11-20T12:00:00"],
    ["around 8pm yesterday", "2026-11-19T19:30:00 2026-11-19T20:30:00"],
    ["3 days ago", "2026-11-17T00:00:00 2026-11-18T00:00:00"],
    ["2 weeks", "2026-11-06T14:03:07 2026-11-20T14:03:07"],
    ["30 minutes", "2026-11-20T13:33:07 2026-11-20T14:03:07"],
    ["2 november", "2026-11-02T00:00:00 2026-11-03T00:00:00"],
    ["nov 2 2025", "2025-11-02T00:00:00 2025-11-03T00:00:00"],
    ["yesterday between 5 and 6pm", "2026-11-19T17:00:00 2026-11-19T18:00:00"],
    ["yesterday 11-1am", "2026-11-19T23:00:00 2026-11-20T01:00:00"],
    ["yesterday 10 to 12pm", "2026-11-19T10:00:00 2026-11-19T12:00:00"],
    ["yesterday before midnight", "2026-11-19T00:00:00 2026-11-20T00:00:00"],
    ["last 24h", "24h"],
    ["past 48hrs", "2026-11-18T14:03:07 2026-11-20T14:03:07"],
    ["last 30 min", "2026-11-20T13:33:07 2026-11-20T14:03:07"],
    ["last two days", "2026-11-18T14:03:07 2026-11-20T14:03:07"],
    ["three days ago", "2026-11-17T00:00:00 2026-11-18T00:00:00"],
    ["nov 10 to nov 12", "2026-11-10T00:00:00 2026-11-13T00:00:00"],
    ["11/10-11/12", "2026-11-10T00:00:00 2026-11-13T00:00:00"],
    ["between monday and yesterday", "2026-11-16T00:00:00 2026-11-20T00:00:00"],
    ["from 11/18 8am until 11/19 9:30pm", "2026-11-18T08:00:00 2026-11-19T21:30:00"],
    ["8pm nov 18 to 2am on nov 19", "2026-11-18T20:00:00 2026-11-19T02:00:00"],
    ["from nov 18 2026 at 8 am through nov 19 2026 at midnight", "2026-11-18T08:00:00 2026-11-20T00:00:00"],
    ["dec 30 to jan 2", "2025-12-30T00:00:00 2026-01-03T00:00:00"],
    ["last weekend", "2026-11-14T00:00:00 2026-11-16T00:00:00"],
    ["weekend", "2026-11-14T00:00:00 2026-11-16T00:00:00"],
  ])("reads %j as a range", (line, wanted) => {
    expect(told(line).some((one) => one.startsWith("?"))).toBe(false);
    expect(range(line)).toBe(wanted);
  });

  it.each([
    ["honda toyota", "?toyota"],
    ["8b4 9c5", "?9c5"],
    ["yesterday today", "?today"],
    ["last week yesterday", "?yesterday"],
    ["van", "?van"],
    ["asdf", "?asdf"],
    ["2019", "?2019"],
    ["31/31", "?31/31"],
    ["2026-02-30", "?2026-02-30"],
    ["boston", "?boston"],
    ["lincoln", "?lincoln"],
    ["ab;1'--", "?1'--"],
    // Words that contain digits, as plates do, but mean something else.
    ["2 hours ago", "?2 hours ago"],
    ["feb 29", "?feb 29"],
    ["may 2026", "?may 2026"],
    ["next friday", "?next friday"],
    ["between 5 and 6", "?between 5"],
    ["13pm", "?13pm"],
    ["before 25:00", "?25:00"],
    ["rav4", "?rav4"],
    ["ford F-150", "?F-150"],
    ["case 26-1044", "?case 26-1044"],
    ["exit 12", "?exit 12"],
    ["i-95", "?i-95"],
    ["9th", "?9th"],
    ["decatur 12", "?decatur"],
    ["ABC 123", "?ABC 123"],
    ["nov 12 to nov 10", "?nov 10"],
    ["nov 19 8am to nov 25 9am", "?nov 25"],
    ["this weekend", "?this weekend"],
    ["plate starts", "?starts"],
  ])("marks the words of %j that it does not understand, and does not guess", (line, wanted) => {
    expect(told(line)).toContain(wanted);
  });

  it.each([
    ["plate starts with AB", "AB*"],
    ["plates that begin with ab", "AB*"],
    ["starting with 8b", "8B*"],
    ["tag number ending in 45", "*45"],
    ["plates ending 45", "*45"],
    ["ends with 45", "*45"],
    ["plate starts with AB ends with 12", "AB*12"],
    ["starting with 8b and ending in 45", "8B*45"],
    ["license plate contains B4", "B4"],
    ["plate with 8B4", "8B4"],
    ["license plate ?B12", "?B12"],
    ["plate number AB-123", "AB123"],
    ["partial plate 8b4", "8B4"],
    ["partial abc", "ABC"],
  ])("reads %j as the plate %s", (line, plate) => {
    expect(told(line)).toEqual([`plate: ${plate}`]);
    expect(parse(line)).toHaveLength(1);
    expect(fill(line).plate).toBe(plate);
  });

  it("takes no plate from words about plates", () => {
    expect(told("plate with bumper stickers")).toEqual(["mark: Bumper stickers"]);
    for (const line of [
      "plate",
      "plate number",
      "partial plate",
      "license plate number",
      "plate starts with",
      "plate ending in",
    ])
      expect(told(line).join(), line).not.toContain("plate:");
  });

  it("suggests how to write ambiguous words", () => {
    expect(parse("van")[0]?.problem).toBe("Several body types are vans. Write “minivan” or “full size van”.");
    for (const text of ["minivan", "full size van"]) expect(told(text)[0]).toMatch(/^body: van-/);
    expect(parse("ABC 123")[0]?.problem).toBe("Not understood. For a plate, write “plate ABC123”.");
    expect(parse("lincoln")[0]?.problem).toBe("This may be make or agency. Write “make lincoln”.");
    expect(told("make lincoln")).toEqual(["make: Lincoln"]);
    expect(told("agency lincoln")).toEqual(["agency: Lincoln Police Department"]);
    expect(parse("boston")[0]?.problem).toBe("No agency is named Boston.");
    expect(told("plate abc")).toEqual(["plate: ABC"]);
    expect(told("nov 2 1234")).toEqual(["time: nov 2", "plate: 1234"]);
    expect(told("plate rav4")).toEqual(["plate: RAV4"]);
    expect(told("in or me")).toEqual(["?or", "?me"]);
    expect(told("OR")).toEqual(["state: Oregon"]);
  });

  const word = fc.oneof(
    fc.constantFrom(
      ..."silver honda suv ct 8b4 new haven yesterday evening last 3 days at 9pm plate make boston lincoln van or starts with ends in nov 10 to 12 weekend partial abc 123".split(
        " ",
      ),
    ),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  const line = fc.array(word, { maxLength: 14 }).map((words) => words.join(" "));

  it("never throws, assigns every word once, and gives the same search when written again", () => {
    fc.assert(
      fc.property(line, (text) => {
        const pieces = parse(text);
        const words = (all: readonly Piece[]) => all.flatMap((piece) => piece.words);
        expect(words(pieces)).toEqual(
          text
            .slice(0, 300)
            .split(/[\s,;]+/u)
            .filter(Boolean),
        );
        expect(parse(words(pieces).join(" "))).toEqual(pieces);
        for (const { meaning, problem } of pieces) expect(meaning && problem).toBeUndefined();
      }),
    );
  });

  it("fills in the same form again, and removing a piece removes only its words", () => {
    fc.assert(
      fc.property(line, fc.nat(20), (text, place) => {
        const form = fill(text);
        expect(fill(text, form)).toEqual(form);
        const pieces = parse(text);
        const removed = pieces[place];
        if (removed)
          expect(withoutPiece(pieces, removed).split(" ").filter(Boolean)).toHaveLength(
            pieces.flatMap(({ words }) => words).length - removed.words.length,
          );
      }),
    );
  });
});
