import { expect, test } from "vitest";
import { agencyGroups } from "#app/entities/search/agencies.ts";
import { convoyIn, type Fields, placesIn } from "#app/entities/search/investigate/fields.ts";
import { convoyFilled, placesFilled } from "#app/entities/search/investigate/fill.ts";
import { ConvoyRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";

const zone = "America/New_York";
const groups = agencyGroups({
  rekor: [
    { id: "rekor-1", agency: "Manchester" },
    { id: "rekor-2", agency: "Berlin" },
  ],
  axon: [],
  axis: [{ id: "axis-1", agency_name: "Hartford", integrations: [{ identifier: "camera-1" }] }],
});
const times = { start_time: "2026-11-20T15:00:00.000Z", end_time: "2026-11-20T16:30:00.000Z" };
const common = {
  justification: "Burglaries on Main Street",
  case_number: "26-1",
  purpose: "investigation",
  plate_state: "CT",
  agencies: ["rekor-2", "camera-1"],
};
const commonValues = {
  case_number: ["26-1"],
  purpose: ["investigation"],
  plate_state: ["CT"],
  agencies: ["rekor-2", "axis-1"],
};

test("the form of many places is filled with an earlier request, without its justification", () => {
  const request = PlacesRequest.parse({
    ...common,
    places: [
      {
        name: "Store",
        area: { kind: "circle", latitude: 41.7, longitude: -72.6, radius_miles: 0.5 },
        ...times,
      },
      { area: { kind: "box", north: 41.8, south: 41.7, east: -72.5, west: -72.6 }, ...times },
      { name: "Bridge", area: { kind: "cameras", cameras: ["axis:1", "rekor:2"] }, ...times },
    ],
    at_least: 3,
    vehicle_color: "White",
    vehicle_make: "Ford",
    vehicle_body_type: "SUV",
  });
  const filled = placesFilled(request, { groups, zone });
  const clocks = { start: ["2026-11-20T10:00"], end: ["2026-11-20T11:30"] };
  expect(filled.values).toEqual({
    ...commonValues,
    at_least: ["3"],
    vehicle_color: ["White"],
    vehicle_make: ["Ford"],
    vehicle_body_type: ["SUV"],
    p0_name: ["Store"],
    p0_kind: ["circle"],
    p0_latitude: ["41.7"],
    p0_longitude: ["-72.6"],
    p0_radius_miles: ["0.5"],
    p0_start: clocks.start,
    p0_end: clocks.end,
    p1_name: [""],
    p1_kind: ["box"],
    p1_north: ["41.8"],
    p1_south: ["41.7"],
    p1_east: ["-72.5"],
    p1_west: ["-72.6"],
    p1_start: clocks.start,
    p1_end: clocks.end,
    p2_name: ["Bridge"],
    p2_kind: ["cameras"],
    p2_cameras: ["axis:1", "rekor:2"],
    p2_start: clocks.start,
    p2_end: clocks.end,
  });
  const [start, end] = [Date.UTC(2026, 10, 20, 15), Date.UTC(2026, 10, 20, 16, 30)];
  expect(filled.times).toEqual({
    p0_start: start,
    p0_end: end,
    p1_start: start,
    p1_end: end,
    p2_start: start,
    p2_end: end,
  });
  // The form sends the same request again.
  const fields: Fields = {
    ...filled.values,
    justification: [common.justification],
    agencies: common.agencies,
  };
  expect(placesIn(fields, zone).request).toEqual(request);
});

test("the form of a convoy is filled with an earlier request, without its justification", () => {
  const request = ConvoyRequest.parse({ ...common, ...times, plate: "ab-123", minutes: 5, at_least: 4 });
  const filled = convoyFilled(request, { groups, zone });
  expect(filled).toEqual({
    values: {
      ...commonValues,
      plate: ["AB123"],
      minutes: ["5"],
      at_least: ["4"],
      start_time: ["2026-11-20T10:00"],
      end_time: ["2026-11-20T11:30"],
    },
    times: { start_time: Date.UTC(2026, 10, 20, 15), end_time: Date.UTC(2026, 10, 20, 16, 30) },
  });
  const fields: Fields = {
    ...filled.values,
    justification: [common.justification],
    agencies: common.agencies,
  };
  expect(convoyIn(fields, zone).request).toEqual(request);
});

test("a search of some cameras of an agency is filled with these cameras, not with the agency", () => {
  const integrations = ["camera-1", "camera-2", "camera-3"].map((identifier) => ({ identifier }));
  const many = agencyGroups({
    rekor: [],
    axon: [],
    axis: [{ id: "axis-1", agency_name: "Hartford", integrations }],
  });
  const filled = (agencies: string[]) => {
    const request = ConvoyRequest.parse({ ...common, ...times, agencies, plate: "AB123" });
    return convoyFilled(request, { groups: many, zone }).values.agencies;
  };
  expect(filled(["camera-1", "camera-3", "gone"])).toEqual(["camera-1", "camera-3"]);
  expect(filled(["camera-1", "camera-2", "camera-3"])).toEqual(["axis-1"]);
  expect(filled(["axis-1"])).toEqual(["axis-1"]);
});
