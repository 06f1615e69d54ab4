/** The requests of POST /search-places and POST /search-convoy. */

import * as z from "zod/mini";
import { alphabetProblem, normalizePlate } from "#app/entities/search/plate.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { wholeNumberFrom } from "#app/lib/json/values.ts";
import { numberFromText } from "#app/lib/number-text.ts";

const LEAST_PLACES = 2;
/** Maximum number of places in one search. */
export const MAX_PLACES = 5;
/** The largest radius of a circle, in miles. */
export const MAX_RADIUS_MILES = 25;
/** Widest box, in degrees: about 50 miles from north to south. */
const MAX_BOX_DEGREES = 0.75;
const MAX_CAMERAS = 100;
/** The longest time between the reads of two vehicles that a convoy search may allow, in minutes. */
export const MAX_MINUTES = 30;
/** The message for a search without a case number. */
export const CASE_NUMBER_REQUIRED = "A case number is required for place and convoy searches.";

const number = (least: number, most: number, error: string) =>
  z.pipe(
    z.transform(numberFromText),
    z.number(error).check(z.refine((value) => value >= least && value <= most, { error })),
  );

const LATITUDE = "A latitude is a number from -90 to 90.";
const LONGITUDE = "A longitude is a number from -180 to 180.";
const RADIUS = `radius_miles: a circle has a radius of 0.05 to ${MAX_RADIUS_MILES} miles.`;

const Circle = z.object({
  kind: z.literal("circle"),
  latitude: number(-90, 90, LATITUDE),
  longitude: number(-180, 180, LONGITUDE),
  radius_miles: number(0.05, MAX_RADIUS_MILES, RADIUS),
});

const Box = z
  .object({
    kind: z.literal("box"),
    north: number(-90, 90, LATITUDE),
    south: number(-90, 90, LATITUDE),
    east: number(-180, 180, LONGITUDE),
    west: number(-180, 180, LONGITUDE),
  })
  .check(
    z.refine(({ north, south, east, west }) => north > south && east > west, {
      error: "area: a box's north must be above its south, and its east right of its west.",
    }),
    z.refine(
      ({ north, south, east, west }) =>
        north - south <= MAX_BOX_DEGREES && east - west <= MAX_BOX_DEGREES * 1.4,
      { error: "area: a box is at most about 50 miles wide and high." },
    ),
  );

const Cameras = z.object({
  kind: z.literal("cameras"),
  cameras: z
    .array(z.string().check(z.minLength(1), z.maxLength(300)), {
      error: "cameras: pick at least one camera.",
    })
    .check(
      z.minLength(1, "cameras: pick at least one camera."),
      z.maxLength(MAX_CAMERAS, `cameras: pick at most ${MAX_CAMERAS} cameras.`),
    ),
});

const Place = z.object({
  name: z._default(z.string().check(z.trim(), z.maxLength(60, "name: at most 60 characters.")), ""),
  area: z.discriminatedUnion("kind", [Circle, Box, Cameras], {
    error: "area: draw a circle or a box, or pick cameras.",
  }),
  start_time: SearchRequest.shape.start_time,
  end_time: SearchRequest.shape.end_time,
});
export type PlaceRequest = z.infer<typeof Place>;

const PLACES = `places: give ${LEAST_PLACES} to ${MAX_PLACES} places.`;
const { justification, purpose, agencies, plate_state, vehicle_color, vehicle_make, vehicle_body_type } =
  SearchRequest.shape;

const reason = {
  justification,
  case_number: SearchRequest.shape.case_number,
  purpose,
  agencies,
};

export const PlacesRequest = z.object({
  places: z
    .array(Place, { error: PLACES })
    .check(z.minLength(LEAST_PLACES, PLACES), z.maxLength(MAX_PLACES, PLACES)),
  at_least: z._default(
    wholeNumberFrom(
      LEAST_PLACES,
      MAX_PLACES,
      `at_least: a whole number from ${LEAST_PLACES} to the number of places.`,
    ),
    LEAST_PLACES,
  ),
  plate_state,
  vehicle_color,
  vehicle_make,
  vehicle_body_type,
  ...reason,
});
export type PlacesRequest = z.infer<typeof PlacesRequest>;

/** Shorter texts are part of too many plates to be one vehicle's. */
const LEAST_PLATE = 3;
const MAX_PLATE = 15;

export const ConvoyRequest = z.object({
  plate: z.pipe(
    z.string("plate: enter the plate of one vehicle.").check(
      z.refine((value) => !/[*?]/.test(value), {
        error: "plate: enter a whole plate. Patterns with * or ? match more than one vehicle.",
        abort: true,
      }),
      z.refine((value) => normalizePlate(value).length >= LEAST_PLATE, {
        error: `plate: enter a whole plate of at least ${LEAST_PLATE} characters.`,
        abort: true,
      }),
      z.refine((value) => normalizePlate(value).length <= MAX_PLATE && !/\p{Cc}/u.test(value), {
        error: "plate: a plate has letters and digits only, at most 15.",
      }),
      z.refine((value) => alphabetProblem(value) === undefined, {
        error: ({ input }) => `plate: ${alphabetProblem(String(input))}`,
      }),
    ),
    z.transform(normalizePlate),
  ),
  plate_state,
  start_time: SearchRequest.shape.start_time,
  end_time: SearchRequest.shape.end_time,
  minutes: z._default(
    wholeNumberFrom(1, MAX_MINUTES, `minutes: a whole number from 1 to ${MAX_MINUTES}.`),
    2,
  ),
  at_least: z._default(wholeNumberFrom(2, 20, "at_least: a whole number of cameras from 2 to 20."), 3),
  ...reason,
});
export type ConvoyRequest = z.infer<typeof ConvoyRequest>;

/** The body of POST /map/find-place. */
export const PlaceText = z.object({
  text: z
    .string("Enter an address or a town.")
    .check(
      z.trim(),
      z.minLength(3, "Enter an address or a town."),
      z.maxLength(200, "An address has at most 200 characters."),
    ),
});
