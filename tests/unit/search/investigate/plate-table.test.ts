import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ownRowsOfPlate, PlateTable, rowsOfPlate } from "#app/components/search/investigate/plate-table.tsx";
import {
  CONVOY_WARNING,
  type ConvoyAnswer,
  type EvidenceRead,
  PLACES_WARNING,
  type PlacesAnswer,
} from "#app/entities/search/investigate/answer.ts";

const read = (row: number, image: EvidenceRead["image"]): EvidenceRead => ({
  row,
  plate: "AB12345",
  state: "CT",
  at: Date.parse("2026-11-20T15:00:00Z"),
  camera: "Main Street",
  agency: "Berlin",
  program: "Rekor",
  latitude: null,
  longitude: null,
  has_image: image !== null,
  image,
});
const answer: PlacesAnswer = {
  tool: "places",
  result_id: "0123456789abcdef",
  created_at: 0,
  expires_at: 0,
  reads: [read(0, "vehicle"), read(1, "plate"), read(2, null)],
  reads_gathered: 3,
  sources: [],
  plates_found: 1,
  notes: [],
  warning: PLACES_WARNING,
  request: {
    places: [],
    at_least: 2,
    plate_state: "",
    vehicle_color: "",
    vehicle_make: "",
    vehicle_body_type: "",
    case_number: "26-1",
    purpose: "",
    agencies: [],
  },
  plates: [
    {
      plate: "AB12345",
      states: ["CT"],
      vehicle: "",
      log10_chance: -3,
      left_out: 0,
      expected_by_chance: 1,
      places: [{ place: 0, rows: [0, 1, 2] }],
    },
  ],
};

test("each read shows the picture that it has: the vehicle, or else the plate", () => {
  const html = renderToStaticMarkup(createElement(PlateTable, { answer, page: 1 }));
  expect(html.match(/<img[^>]*>/g)?.map((tag) => /src="([^"]*)"/.exec(tag)?.[1])).toEqual([
    "/proxy-rekor-image?image_uuid=0123456789abcdef.0.v",
    "/rekor/cropped-plate?image_uuid=0123456789abcdef.1.p",
  ]);
});

test("a plate of a convoy has its own reads on the timeline, not those of the given plate beside it", () => {
  const { plates: _, request: __, ...head } = answer;
  const pair = (anchor_row: number, row: number) => ({ anchor_row, row, seconds: 40 });
  const convoy: ConvoyAnswer = {
    ...head,
    tool: "convoy",
    warning: CONVOY_WARNING,
    request: {
      plate: "THIEF1",
      plate_state: "",
      start_time: "2026-11-20T00:00:00.000Z",
      end_time: "2026-11-21T00:00:00.000Z",
      minutes: 2,
      at_least: 2,
      case_number: "26-1",
      purpose: "",
      agencies: [],
    },
    anchor_rows: [0, 2],
    plates: [
      {
        plate: "FRIEND2",
        states: [],
        vehicle: "",
        log10_chance: -3,
        left_out: 0,
        cameras: 2,
        trips: 1,
        pairs_found: 2,
        expected_pairs: 0.1,
        lift: 20,
        pairs: [pair(0, 1), pair(2, 3)],
      },
    ],
  };
  expect([...ownRowsOfPlate(convoy, 0)]).toEqual([1, 3]);
  expect([...rowsOfPlate(convoy, 0)].sort()).toEqual([0, 1, 2, 3]);
  expect([...ownRowsOfPlate(answer, 0)]).toEqual([0, 1, 2]);
});
