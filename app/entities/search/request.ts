/** The schema of POST /search-data. In a separate file because most screens need no schema. */

import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import { clientText, optionalField, optionalFlag } from "#app/lib/json/values.ts";
import { numberText } from "#app/lib/number-text.ts";
import { visibleText } from "#app/lib/text.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import { isNoState, jurisdictionOf } from "./jurisdiction.ts";
import {
  alphabetProblem,
  hasOnlySeparators,
  isLongPlatePattern,
  PLATE_PATTERN_MAX_LENGTH,
  parsePlatePattern,
} from "./plate.ts";
import { PURPOSES } from "./purpose.ts";
import { MAX_AGENCIES, type SightingQuery, VEHICLE_MARKS } from "./query.ts";
import { SEARCHED_MAKES, VEHICLE_BODY_TYPES, VEHICLE_COLORS } from "./vehicle.ts";
import { colorText, makeText } from "./vehicle-text.ts";

/** One of the words of the search form, in any case. `textOf` knows its other spellings. */
const choice = (values: readonly string[], what: string, textOf = (value: string) => value.trim()) => {
  const words = new Map(values.map((value) => [value.toLowerCase(), value]));
  const wordOf = (value: string) =>
    words.get(value.trim().toLowerCase()) ?? words.get(textOf(value).toLowerCase());
  return clientText(
    z.pipe(
      z.string().check(
        z.refine((value) => value.trim() === "" || wordOf(value) !== undefined, {
          error: `Unknown ${what}.`,
        }),
      ),
      z.transform((value: string) => wordOf(value) ?? ""),
    ),
  );
};

const isInstant = (value: string) =>
  !/^\d{4}-\d\d-\d\d$/.test(value) && timeOf(value, { zone: "UTC", edge: "start" }) !== undefined;

/** An end of the range: a time of day is required, so that no one searches hours that they did not mean. */
const instant = z.string({ error: MESSAGES.searchRequired }).check(
  z.trim(),
  z.refine((value) => value !== "", { error: MESSAGES.searchRequired, abort: true }),
  z.refine(isInstant, { error: "Start and end must be ISO times." }),
);

/** A case number as it is stored and compared: pasted ones often have invisible characters. */
export const CaseNumber = clientText(
  z.pipe(
    z.string().check(z.trim(), z.maxLength(64, "A case number has at most 64 characters.")),
    z.transform(visibleText),
  ),
);

const TOO_MANY_AGENCIES = `Select at most ${numberText(MAX_AGENCIES)} agencies.`;
/** The filters of a search that asks for no vehicle mark. */
export const NO_MARKS = { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false };

/** The body of POST /search-data (specification sections 3, 5 and 7), for the browser's form and the server. */
export const SearchRequest = z.object({
  plate: clientText(
    z.string().check(
      z.trim(),
      z.refine((value) => !isLongPlatePattern(value), {
        error: `A plate has at most ${PLATE_PATTERN_MAX_LENGTH} characters.`,
        abort: true,
      }),
      z.refine((value) => parsePlatePattern(value) !== undefined && !hasOnlySeparators(value), {
        error: "A plate has letters, digits, * and ? only.",
        abort: true,
      }),
      z.refine((value) => alphabetProblem(value) === undefined, {
        error: ({ input }) => alphabetProblem(String(input)),
      }),
    ),
  ),
  /** Odin's addition: also plates that resemble `plate`. Optional, so that other searches are recorded as before. */
  look_alikes: optionalField(z.boolean("look_alikes is true or false.")),
  plate_state: clientText(
    z.pipe(
      z.string().check(
        z.refine((value) => isNoState(value) || jurisdictionOf(value) !== undefined, {
          error: "Unknown state.",
          abort: true,
        }),
      ),
      z.transform((value: string) => jurisdictionOf(value) ?? ""),
    ),
  ),
  vehicle_color: choice(
    VEHICLE_COLORS.map((color) => color.name),
    "color",
    colorText,
  ),
  vehicle_make: choice(SEARCHED_MAKES, "make", makeText),
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
  confirmation: optionalField(z.string().check(z.trim(), z.maxLength(200))),
  supervisor: optionalField(
    z.string().check(z.trim(), z.maxLength(120, "A supervisor's name has at most 120 characters.")),
  ),
  start_time: instant,
  end_time: instant,
  agencies: z
    .array(z.string().check(z.minLength(1), z.maxLength(300)), { error: "Select at least one agency." })
    .check(z.minLength(1, "Select at least one agency."), z.maxLength(MAX_AGENCIES, TOO_MANY_AGENCIES)),
  filters: z.pipe(
    z.nullish(
      z.object({
        top_rack: optionalFlag,
        back_rack: optionalFlag,
        bumper_stickers: optionalFlag,
        window_stickers: optionalFlag,
      }),
    ),
    z.transform((marks) => marks ?? NO_MARKS),
  ),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

/** Returns the last millisecond of a range: reads are shown without fractions of a second, so its end includes its second. */
export function lastMoment({ end_time }: { end_time: string }): number {
  const end = Date.parse(end_time);
  return end % SECOND === 0 ? end + SECOND - 1 : end;
}

/** Returns the query of a valid request. The end of the range is at most `now`. */
export function queryOf(request: SearchRequest, now: number): SightingQuery {
  return {
    plate: parsePlatePattern(request.plate) ?? { kind: "any" },
    ...(request.look_alikes && { lookAlikes: true }),
    plateState: request.plate_state,
    color: VEHICLE_COLORS.find(({ name }) => name === request.vehicle_color)?.name ?? "",
    make: SEARCHED_MAKES.find((make) => make === request.vehicle_make) ?? "",
    bodyType: VEHICLE_BODY_TYPES.find((type) => type === request.vehicle_body_type) ?? "",
    marks: VEHICLE_MARKS.map((mark) => mark.key).filter((key) => request.filters[key]),
    from: Date.parse(request.start_time),
    to: Math.min(lastMoment(request), now),
  };
}

/** The posted fields of the search form: lists of bounded texts by name, parsed by fields.ts. */
export const SearchFields = z.record(
  z.string().check(z.maxLength(40)),
  z.array(z.string().check(z.maxLength(4000))).check(z.maxLength(MAX_AGENCIES, TOO_MANY_AGENCIES)),
);

/** The posted plate of "Search this plate". The search itself checks it. */
export const PlateOnly = z.object({ plate: z.string().check(z.maxLength(200)) });
export type PlateOnly = z.infer<typeof PlateOnly>;
