import { describe, expect, test } from "vitest";
import { areaIn, convoyIn, placesIn } from "#app/entities/search/investigate/fields.ts";

const common = {
  justification: ["Burglaries on Main Street"],
  case_number: ["26-1"],
  purpose: ["warrant"],
  plate_state: ["CT"],
  agencies: ["rekor-1", "camera-1"],
};
const read = {
  justification: "Burglaries on Main Street",
  case_number: "26-1",
  purpose: "warrant",
  plate_state: "CT",
  agencies: ["rekor-1", "camera-1"],
};
const timesOf = (place: number) => ({
  [`p${place}_start`]: ["2026-11-20T10:00"],
  [`p${place}_end`]: ["2026-11-20T11:30"],
});
const camera = (place: number) => ({
  [`p${place}_kind`]: ["cameras"],
  [`p${place}_cameras`]: ["axis:1"],
  ...timesOf(place),
});
const two = { ...common, ...camera(0), ...camera(1) };
const start_time = "2026-11-20T15:00:00.000Z";
const end_time = "2026-11-20T16:30:00.000Z";
const ZONE = "America/New_York";

describe("the area of a place", () => {
  test("is a circle or a box as typed", () => {
    const circle = {
      p1_kind: ["box", "circle"],
      p1_latitude: [" 41.7 "],
      p1_longitude: ["-72.6"],
      p1_radius_miles: ["0.5"],
      p0_latitude: ["1"],
      p1_north: ["42"],
    };
    expect(areaIn(circle, 1)).toEqual({
      kind: "circle",
      latitude: "41.7",
      longitude: "-72.6",
      radius_miles: "0.5",
    });
    const box = {
      p0_kind: ["box"],
      p0_north: ["42"],
      p0_south: ["41"],
      p0_west: ["-73"],
      p0_latitude: ["1"],
    };
    expect(areaIn(box, 0)).toEqual({ kind: "box", north: "42", south: "41", east: "", west: "-73" });
  });

  test("is missing if only its kind or a radius is given", () => {
    expect(areaIn({ p0_kind: ["circle"], p0_radius_miles: ["1"] }, 0)).toBeUndefined();
    expect(areaIn({ p0_kind: ["circle"], p0_latitude: [" "] }, 0)).toBeUndefined();
    expect(areaIn({ p0_kind: ["box"] }, 0)).toBeUndefined();
    expect(areaIn({ p0_kind: ["cameras"] }, 0)).toBeUndefined();
    expect(areaIn({}, 0)).toBeUndefined();
    expect(areaIn({ p0_kind: ["circle"], p0_longitude: ["-72"] }, 0)).toMatchObject({
      latitude: "",
      longitude: "-72",
    });
  });

  test("is a list of cameras otherwise", () => {
    const cameras = { p0_cameras: ["axis:1", "rekor:2"] };
    expect(areaIn(cameras, 0)).toEqual({ kind: "cameras", cameras: ["axis:1", "rekor:2"] });
    expect(areaIn({ ...cameras, p0_kind: ["circle"] }, 0)).toBeUndefined();
  });
});

describe("the form of many places", () => {
  test("becomes a request", () => {
    const vehicle = { vehicle_color: ["White"], vehicle_make: ["Ford"], vehicle_body_type: ["SUV"] };
    const { request } = placesIn({ ...two, ...vehicle, at_least: ["2"], p1_name: [" Store "] }, ZONE);
    const area = { kind: "cameras", cameras: ["axis:1"] };
    expect(request).toEqual({
      ...read,
      vehicle_color: "White",
      vehicle_make: "Ford",
      vehicle_body_type: "SUV",
      at_least: 2,
      places: [
        { name: "", area, start_time, end_time },
        { name: "Store", area, start_time, end_time },
      ],
    });
    expect(placesIn(two, ZONE).request?.at_least).toBe(2);
    expect(placesIn({ ...two, at_least: ["3"], ...camera(2) }, ZONE).request?.at_least).toBe(3);
  });

  test("needs two places, and a third if any of it is filled in", () => {
    const problems = (fields: Record<string, string[]>) => placesIn({ ...common, ...fields }, ZONE).problems;
    expect(Object.keys(problems({}) ?? {})).toEqual([
      "p0_area",
      "p0_start",
      "p0_end",
      "p1_area",
      "p1_start",
      "p1_end",
    ]);
    const only = (name: string, value: string) => Object.keys(problems({ ...two, [name]: [value] }) ?? {});
    expect(only("p2_cameras", "axis:2")).toEqual(["p2_start", "p2_end"]);
    expect(only("p2_start", "2026-11-20T10:00")).toEqual(["p2_area", "p2_end"]);
    expect(only("p2_end", "2026-11-20T10:00")).toEqual(["p2_area", "p2_start"]);
    expect(only("p2_name", "Store")).toEqual([]);
    expect(only("p5_start", "2026-11-20T10:00")).toEqual([]);
  });

  test("names a place after one that was left out by its number in the form", () => {
    const names = (fields: Record<string, string[]>) =>
      placesIn({ ...two, ...fields }, ZONE).request?.places.map(({ name }) => name);
    expect(names({ ...camera(2), ...camera(3) })).toEqual(["", "", "", ""]);
    expect(names({ ...camera(3), ...camera(4), p4_name: ["Store"] })).toEqual(["", "", "Place 4", "Store"]);
  });

  test("has the first problem of each field, without the name of the field in its text", () => {
    const circle = {
      p0_kind: ["circle"],
      p0_latitude: ["95"],
      p0_longitude: ["-72"],
      p0_radius_miles: ["1"],
    };
    const box = { p1_kind: ["box"], p1_north: ["41"], p1_south: ["42"], p1_east: ["10"], p1_west: ["0"] };
    expect(
      placesIn({ ...two, ...circle, ...box, at_least: ["1.5"], case_number: [] }, ZONE).problems,
    ).toEqual({
      at_least: "A whole number from 2 to the number of places.",
      p0_area: "A latitude is a number from -90 to 90.",
      p1_area: "A box's north must be above its south, and its east right of its west.",
      case_number: "A case number is required for place and convoy searches.",
    });
  });

  test("is refused for a time that clocks skip, at the start or the end", () => {
    const skipped = "02:30 does not exist on 2026-03-08: clocks skip that hour.";
    const spring = ["2026-03-08T02:30"];
    expect(placesIn({ ...two, p0_start: ["2026-03-08T01:30"], p0_end: spring }, ZONE).problems).toEqual({
      p0_end: skipped,
    });
    expect(placesIn({ ...two, p1_start: spring, p1_end: ["2026-03-08T03:30"] }, ZONE).problems).toEqual({
      p1_start: skipped,
    });
    expect(
      placesIn({ ...two, p0_start: spring, p0_end: ["2026-03-08T03:30"] }, "UTC").problems,
    ).toBeUndefined();
  });
});

describe("the form of a convoy", () => {
  const convoy = {
    ...common,
    plate: [" ab 123 "],
    start_time: ["2026-11-20T10:00"],
    end_time: ["2026-11-20T11:30"],
  };

  test("becomes a request", () => {
    const defaults = { ...read, plate: "AB123", start_time, end_time, minutes: 2, at_least: 3 };
    expect(convoyIn(convoy, ZONE).request).toEqual(defaults);
    const { request, named } = convoyIn({ ...convoy, minutes: ["5"], at_least: ["4"] }, ZONE);
    expect(request).toEqual({ ...defaults, minutes: 5, at_least: 4 });
    expect(named?.({ plate: "Unknown", start_time: "Late" })).toEqual({
      plate: "Unknown",
      start_time: "Late",
    });
  });

  test("ends at the second occurrence of a repeated hour", () => {
    const fall = { ...convoy, start_time: ["2026-11-01T01:00"], end_time: ["2026-11-01T01:30"] };
    expect(convoyIn(fall, ZONE).request).toMatchObject({
      start_time: "2026-11-01T05:00:00.000Z",
      end_time: "2026-11-01T06:30:00.000Z",
    });
  });

  test("has its problems by field", () => {
    const bad = { ...convoy, plate: ["AB*"], minutes: ["0"], end_time: ["2026-02-31T10:00"], agencies: [] };
    expect(convoyIn(bad, ZONE).problems).toEqual({
      plate: "Enter a whole plate. Patterns with * or ? match more than one vehicle.",
      minutes: "A whole number from 1 to 30.",
      end_time: "Start and end must be ISO times.",
      agencies: "Select at least one agency.",
    });
    const skipped = { ...convoy, start_time: ["2026-03-08T01:30"], end_time: ["2026-03-08T02:30"] };
    expect(Object.keys(convoyIn(skipped, ZONE).problems ?? {})).toEqual(["end_time"]);
  });
});
