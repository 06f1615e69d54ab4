import { describe, expect, it } from "vitest";
import { ConvoyRequest, PlacesRequest, PlaceText } from "#app/entities/search/investigate/request.ts";

const times = { start_time: "2026-11-20T15:00:00Z", end_time: "2026-11-20T16:00:00Z" };
const common = { justification: "Burglaries", case_number: "26-1", agencies: ["a"] };
const cameras = { kind: "cameras", cameras: ["axis:1"] };
const circle = { kind: "circle", latitude: 41, longitude: -72, radius_miles: 1 };
const box = { kind: "box", north: 41.5, south: 41, east: -72, west: -72.5 };
const place = { area: cameras, ...times };

type Parsed = { error?: { issues: readonly { message: string }[] } };
const problemsOf = ({ error }: Parsed) => error?.issues.map(({ message }) => message) ?? [];
const places = (part: object) => PlacesRequest.safeParse({ ...common, places: [place, place], ...part });
const area = (area: unknown) => problemsOf(places({ places: [place, { ...times, area }] }));
const convoy = (part: object) => ConvoyRequest.safeParse({ ...common, ...times, plate: "ABC123", ...part });

describe("an area", () => {
  const latitude = "A latitude is a number from -90 to 90.";
  const longitude = "A longitude is a number from -180 to 180.";
  const radius = "radius_miles: a circle has a radius of 0.05 to 25 miles.";
  const order = "area: a box's north must be above its south, and its east right of its west.";
  const size = "area: a box is at most about 50 miles wide and high.";
  it.each<[object, string[]]>([
    [circle, []],
    [{ ...circle, latitude: "41.5", radius_miles: "0.05" }, []],
    [{ ...circle, latitude: 90, longitude: 180, radius_miles: 25 }, []],
    [{ ...circle, latitude: -90, longitude: -180 }, []],
    [{ ...circle, latitude: 90.1 }, [latitude]],
    [{ ...circle, latitude: -90.1 }, [latitude]],
    [{ ...circle, latitude: "" }, [latitude]],
    [{ ...circle, longitude: 180.1 }, [longitude]],
    [{ ...circle, longitude: -180.1 }, [longitude]],
    [{ ...circle, radius_miles: 0.04 }, [radius]],
    [{ ...circle, radius_miles: 25.1 }, [radius]],
    [{ ...circle, radius_miles: "one" }, [radius]],
    [box, []],
    [{ ...box, north: 90.5, south: 90 }, [latitude]],
    [{ ...box, north: -90, south: -90.5 }, [latitude]],
    [{ ...box, east: 180.5, west: 180 }, [longitude]],
    [{ ...box, east: -180, west: -180.5 }, [longitude]],
    [{ ...box, north: 41 }, [order]],
    [{ ...box, east: -72.5 }, [order]],
    [{ ...box, north: 40, west: -70 }, [order]],
    [{ ...box, north: 41.75 }, []],
    [{ ...box, north: 41.76 }, [size]],
    [{ ...box, west: -73.04 }, []],
    [{ ...box, west: -73.06 }, [size]],
    [cameras, []],
    [{ kind: "cameras", cameras: [] }, ["cameras: pick at least one camera."]],
    [{ kind: "cameras" }, ["cameras: pick at least one camera."]],
    [{ kind: "cameras", cameras: Array.from({ length: 100 }, String) }, []],
    [
      { kind: "cameras", cameras: Array.from({ length: 101 }, String) },
      ["cameras: pick at most 100 cameras."],
    ],
    [{ kind: "star" }, ["area: draw a circle or a box, or pick cameras."]],
  ])("%j: %j", (value, problems) => {
    expect(area(value)).toEqual(problems);
  });

  it("has cameras with ids of 1 to 300 characters", () => {
    const camera = (id: string) => area({ kind: "cameras", cameras: [id] }).length;
    expect([camera(""), camera("x"), camera("x".repeat(300)), camera("x".repeat(301))]).toEqual([1, 0, 0, 1]);
  });
});

describe("a search of many places", () => {
  it("has two to five places", () => {
    const count = (length: number) => problemsOf(places({ places: Array.from({ length }, () => place) }));
    const message = "places: give 2 to 5 places.";
    expect([1, 2, 5, 6].map(count)).toEqual([[message], [], [], [message]]);
    expect(problemsOf(places({ places: null }))).toEqual([message]);
  });

  it("asks for two places at least, as a whole number", () => {
    const least = (at_least: unknown) => problemsOf(places({ at_least }));
    const message = "at_least: a whole number from 2 to the number of places.";
    expect([1, 2, "5", 6, 2.5].map(least)).toEqual([[message], [], [], [message], [message]]);
    expect(places({}).data?.at_least).toBe(2);
  });

  it("has names of places of at most 60 characters, trimmed", () => {
    const named = (name: string) => places({ places: [{ ...place, name }, place] });
    expect(named(` ${"x".repeat(60)} `).data?.places.map(({ name }) => name)).toEqual(["x".repeat(60), ""]);
    expect(problemsOf(named("x".repeat(61)))).toEqual(["name: at most 60 characters."]);
  });
});

describe("a convoy search", () => {
  const short = "plate: enter a whole plate of at least 3 characters.";
  const long = "plate: a plate has letters and digits only, at most 15.";
  const pattern = "plate: enter a whole plate. Patterns with * or ? match more than one vehicle.";
  it.each([
    ["AB1", []],
    ["ab-1", []],
    ["A".repeat(15), []],
    ["AB", [short]],
    ["A--B", [short]],
    ["A".repeat(16), [long]],
    ["ABC\u0007", [long]],
    ["ABC*", [pattern]],
    ["A?", [pattern]],
    ["\u0410BC", ["plate: The plate mixes letters of two alphabets that look alike. Type it again."]],
    [
      "\u0410\u0412\u0421",
      ["plate: The plate has Cyrillic or Greek letters that look like A to Z. Type it again."],
    ],
    [undefined, ["plate: enter the plate of one vehicle."]],
  ])("for the plate %j: %j", (plate, problems) => {
    expect(problemsOf(convoy({ plate }))).toEqual(problems);
  });

  it("has the plate in its canonical form, two minutes and three cameras by default", () => {
    expect(convoy({ plate: " ab-c 1" }).data).toMatchObject({ plate: "ABC1", minutes: 2, at_least: 3 });
  });

  it("has limits of its minutes and cameras", () => {
    const minutes = (value: unknown) => problemsOf(convoy({ minutes: value }));
    const cameras = (value: unknown) => problemsOf(convoy({ at_least: value }));
    const [late, few] = [
      "minutes: a whole number from 1 to 30.",
      "at_least: a whole number of cameras from 2 to 20.",
    ];
    expect([0, 1, "30", 31, 1.5, "x"].map(minutes)).toEqual([[late], [], [], [late], [late], [late]]);
    expect([1, 2, 20, 21].map(cameras)).toEqual([[few], [], [], [few]]);
  });
});

it.each([
  [" Avon ", []],
  ["Avo", []],
  ["Av ", ["Enter an address or a town."]],
  [1, ["Enter an address or a town."]],
  ["x".repeat(200), []],
  ["x".repeat(201), ["An address has at most 200 characters."]],
])("the text of a place, %j: %j", (text, problems) => {
  expect(problemsOf(PlaceText.safeParse({ text }))).toEqual(problems);
});
