import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PlateTable } from "#app/components/search/investigate/plate-table.tsx";
import {
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
  const html = renderToStaticMarkup(createElement(PlateTable, { answer }));
  expect(html.match(/<img[^>]*>/g)?.map((tag) => /src="([^"]*)"/.exec(tag)?.[1])).toEqual([
    "/proxy-rekor-image?image_uuid=0123456789abcdef.0.v",
    "/rekor/cropped-plate?image_uuid=0123456789abcdef.1.p",
  ]);
});
