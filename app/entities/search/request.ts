/** The schema of POST /search-data. In a file of its own because most screens need no schema. */

import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import { visibleText } from "#app/lib/text.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import { jurisdictionOf } from "./jurisdiction.ts";

import { parsePlatePattern } from "./plate.ts";
import { PURPOSES } from "./purpose.ts";
import { MAX_AGENCIES, type SightingQuery, VEHICLE_MARKS } from "./query.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "./vehicle.ts";

const choice = (values: readonly string[], what: string) =>
  z._default(
    z.string().check(
      z.refine((value) => value === "" || values.includes(value), {
        error: `Unknown ${what}.`,
        abort: true,
      }),
    ),
    "",
  );

const instant = z.string().check(
  z.refine((value) => value !== "", { error: MESSAGES.searchRequired, abort: true }),
  z.refine((value) => value[10] === "T" && timeOf(value, { zone: "UTC", edge: "start" }) !== undefined, {
    error: "Start and end must be ISO times.",
  }),
);

/** A case number as it is stored and compared: pasted ones often have invisible characters. */
export const CaseNumber = z._default(
  z.pipe(z.string().check(z.trim(), z.maxLength(64)), z.transform(visibleText)),
  "",
);

/** The body of POST /search-data (specification sections 3, 5 and 7), for the browser's form and the server. */
export const SearchRequest = z.object({
  plate: z._default(
    z.string().check(
      z.trim(),
      z.refine((value) => parsePlatePattern(value) !== undefined, {
        error: "A plate has letters, digits, * and ? only.",
      }),
    ),
    "",
  ),
  /** Odin's addition: also plates that resemble `plate`. Optional, so that other searches are recorded as before. */
  look_alikes: z.optional(z.boolean("look_alikes is true or false.")),
  plate_state: z._default(
    z.pipe(
      z.string().check(
        z.refine((value) => value.trim() === "" || jurisdictionOf(value) !== undefined, {
          error: "Unknown state.",
          abort: true,
        }),
      ),
      z.transform((value: string) => jurisdictionOf(value) ?? ""),
    ),
    "",
  ),
  vehicle_color: choice(
    VEHICLE_COLORS.map((color) => color.name),
    "color",
  ),
  vehicle_make: choice(VEHICLE_MAKES, "make"),
  vehicle_body_type: choice(VEHICLE_BODY_TYPES, "body type"),
  justification: z.string({ error: MESSAGES.searchRequired }).check(
    z.maxLength(2000, "A justification has at most 2,000 characters."),
    z.refine((value) => visibleText(value) !== "", { error: MESSAGES.searchRequired }),
  ),
  case_number: CaseNumber,
  purpose: choice(
    PURPOSES.map((purpose) => purpose.code),
    "purpose",
  ),
  /** Only for a justification that names a prohibited purpose: the typed phrase, and who approved the search. */
  confirmation: z.optional(z.string().check(z.trim(), z.maxLength(200))),
  supervisor: z.optional(
    z.string().check(z.trim(), z.maxLength(120, "A supervisor's name has at most 120 characters.")),
  ),
  start_time: z.pipe(z.string({ error: MESSAGES.searchRequired }), instant),
  end_time: z.pipe(z.string({ error: MESSAGES.searchRequired }), instant),
  agencies: z
    .array(z.string().check(z.minLength(1), z.maxLength(300)), { error: "Select at least one agency." })
    .check(
      z.minLength(1, "Select at least one agency."),
      z.maxLength(MAX_AGENCIES, `Select at most ${MAX_AGENCIES} agencies.`),
    ),
  filters: z._default(
    z.object({
      top_rack: z._default(z.boolean(), false),
      back_rack: z._default(z.boolean(), false),
      bumper_stickers: z._default(z.boolean(), false),
      window_stickers: z._default(z.boolean(), false),
    }),
    { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
  ),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

/** Returns the query of a valid request. The end of the range is at most `now`. */
export function queryOf(request: SearchRequest, now: number): SightingQuery {
  return {
    plate: parsePlatePattern(request.plate) ?? { kind: "any" },
    ...(request.look_alikes && { lookAlikes: true }),
    plateState: request.plate_state,
    color: VEHICLE_COLORS.find(({ name }) => name === request.vehicle_color)?.name ?? "",
    make: VEHICLE_MAKES.find((make) => make === request.vehicle_make) ?? "",
    bodyType: VEHICLE_BODY_TYPES.find((type) => type === request.vehicle_body_type) ?? "",
    marks: VEHICLE_MARKS.map((mark) => mark.key).filter((key) => request.filters[key]),
    from: Date.parse(request.start_time),
    to: Math.min(Date.parse(request.end_time), now),
  };
}

/** The posted fields of the search form: lists of bounded texts by name, parsed by fields.ts. */
export const SearchFields = z.record(
  z.string().check(z.maxLength(40)),
  z
    .array(z.string().check(z.maxLength(4000)))
    .check(z.maxLength(MAX_AGENCIES * 4, `Select at most ${MAX_AGENCIES} agencies.`)),
);

/** The posted plate of "Search this plate". The search itself checks it. */
export const PlateOnly = z.object({ plate: z.string().check(z.maxLength(200)) });
export type PlateOnly = z.infer<typeof PlateOnly>;
