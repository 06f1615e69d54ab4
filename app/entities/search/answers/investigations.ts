/** Response schemas of the investigation endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { SourceStatus } from "#app/entities/search/answers/search.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

export const EvidenceRead = named(
  "EvidenceRead",
  z.object({
    row: z.number(),
    plate: z.string(),
    state: z.string(),
    at: z.number(),
    camera: z.string(),
    agency: z.string(),
    program: z.enum(["Rekor", "Axon", "Axis"]),
    latitude: z.nullable(z.number()),
    longitude: z.nullable(z.number()),
    has_image: z.boolean(),
    image: described(
      "The picture to show first: that of the vehicle, or else that of the plate; null without any.",
      z.nullable(z.enum(["vehicle", "plate"])),
    ),
  }),
  "A read of the evidence. `row` is its row in the result set.",
);

export const PickableCameras = named(
  "PickableCameras",
  z.object({
    cameras: z.array(
      z.object({
        id: described("Names the camera in the area of a place.", z.string()),
        sourceId: described(
          "The agency that returns its reads; null if any of the program may.",
          z.nullable(z.string()),
        ),
        readAs: described(
          "The camera's id in its reads, or its name if the program gives no id.",
          z.string(),
        ),
        name: z.string(),
        agency: z.string(),
        program: z.enum(["Rekor", "Axon", "Axis"]),
        latitude: z.nullable(z.number()),
        longitude: z.nullable(z.number()),
      }),
    ),
  }),
  "Cameras that a place of an investigation may name, by agency and name.",
);

/** What the answers of all investigations contain. */
const Investigation = z.object({
  result_id: z.string(),
  created_at: z.number(),
  expires_at: z.number(),
  reads: z.array(EvidenceRead),
  reads_gathered: described("Reads gathered from all sources to find them.", z.number()),
  sources: z.array(SourceStatus),
  plates_found: described("Plates that meet the condition; `plates` has the first of them.", z.number()),
  notes: described(
    "What was left out or cut, and what limits the answer, as sentences.",
    z.array(z.string()),
  ),
  warning: z.string(),
});

/** What the answers of all investigations say about a plate. */
const FoundPlate = z.object({
  plate: z.string(),
  states: described(
    "States that were read on it, most frequent first. Several may be several vehicles.",
    z.array(z.string()),
  ),
  vehicle: described("Color, make and body type as read most often.", z.string()),
  log10_chance: described("Base-10 logarithm of the chance of this evidence by coincidence.", z.number()),
  left_out: described("Evidence that is not listed because there is too much of it.", z.number()),
});

export const PlacesFound = named(
  "PlacesFound",
  z.extend(Investigation, {
    tool: z.literal("places"),
    request: z.object({
      agencies: z.array(z.string()),
      case_number: z.string(),
      places: z.array(
        z.object({
          name: z.string(),
          area: z.union([
            z.object({
              kind: z.literal("circle"),
              latitude: z.number(),
              longitude: z.number(),
              radius_miles: z.number(),
            }),
            z.object({
              kind: z.literal("box"),
              north: z.number(),
              south: z.number(),
              east: z.number(),
              west: z.number(),
            }),
            z.object({ kind: z.literal("cameras"), cameras: z.array(z.string()) }),
          ]),
          start_time: z.string(),
          end_time: z.string(),
        }),
      ),
      plate_state: z.string(),
      vehicle_color: z.string(),
      vehicle_make: z.string(),
      vehicle_body_type: z.string(),
      purpose: z.string(),
      at_least: z.number(),
    }),
    plates: z.array(
      z.extend(FoundPlate, {
        expected_by_chance: described("How many vehicles chance alone would yield.", z.number()),
        places: described(
          "Indexes of places, from 0, each with its reads, newest first.",
          z.array(z.object({ place: z.number(), rows: z.array(z.number()) })),
        ),
      }),
    ),
  }),
);

export const ConvoyFound = named(
  "ConvoyFound",
  z.extend(Investigation, {
    tool: z.literal("convoy"),
    request: z.object({
      minutes: z.number(),
      agencies: z.array(z.string()),
      case_number: z.string(),
      plate: z.string(),
      plate_state: z.string(),
      purpose: z.string(),
      start_time: z.string(),
      end_time: z.string(),
      at_least: z.number(),
    }),
    anchor_rows: described("Rows of the given plate's reads.", z.array(z.number())),
    plates: z.array(
      z.extend(FoundPlate, {
        cameras: z.number(),
        trips: z.number(),
        pairs_found: z.number(),
        expected_pairs: z.number(),
        lift: z.number(),
        pairs: described(
          "The given plate's read, the other plate's read, and the seconds from the first to the second.",
          z.array(z.object({ anchor_row: z.number(), row: z.number(), seconds: z.number() })),
        ),
      }),
    ),
  }),
);
