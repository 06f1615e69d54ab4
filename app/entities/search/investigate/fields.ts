// The forms of place and convoy searches as HTML forms send them, by name; used by the browser and the server.

import type * as z from "zod/mini";
import { momentAt, skippedText } from "#app/entities/search/form.ts";
import { placeName } from "#app/entities/search/investigate/answer.ts";
import {
  CASE_NUMBER_REQUIRED,
  ConvoyRequest,
  MAX_PLACES,
  PlacesRequest,
} from "#app/entities/search/investigate/request.ts";
import { isoTime } from "#app/lib/time/dates.ts";

export type Fields = Readonly<Record<string, readonly string[]>>;

/** The kinds of places of the form. */
export const AREA_KINDS = [
  { value: "cameras", label: "Cameras" },
  { value: "circle", label: "Circle" },
  { value: "box", label: "Box" },
] as const;
export type AreaKind = (typeof AREA_KINDS)[number]["value"];

/** The fields of a circle: its center in degrees, and its radius in miles. */
export const CIRCLE_FIELDS = ["latitude", "longitude", "radius_miles"] as const;
/** The fields of a box, all in degrees. */
export const BOX_FIELDS = ["north", "south", "east", "west"] as const;

/** Returns the name of a field of a place, counted from 0. */
export function placeField(place: number, name: string): string {
  return `p${place}_${name}`;
}

const last = (fields: Fields, name: string) => fields[name]?.at(-1)?.trim() ?? "";

/** Returns the area of a place as typed, or undefined if nothing was. */
export function areaIn(fields: Fields, place: number): Record<string, unknown> | undefined {
  const kind = last(fields, placeField(place, "kind"));
  if (kind === "circle" || kind === "box") {
    const names = kind === "circle" ? CIRCLE_FIELDS : BOX_FIELDS;
    const values = names.map((name) => [name, last(fields, placeField(place, name))] as const);
    const isEmpty = values.every(([name, value]) => name === "radius_miles" || value === "");
    return isEmpty ? undefined : { kind, ...Object.fromEntries(values) };
  }
  const cameras = fields[placeField(place, "cameras")] ?? [];
  return cameras.length === 0 ? undefined : { kind: "cameras", cameras };
}

type Problems = Record<string, string>;

type Checked<T> =
  /** `named` returns the names of the form's fields for problems that the server found in the request. */
  | { request: T; named: (problems: Problems) => Problems; problems?: undefined }
  | { request?: undefined; named?: undefined; problems: Problems };

/** Returns the request of the form of many places, or a problem per field. Places without any entry are left out. */
export function placesIn(fields: Fields, zone: string | undefined): Checked<PlacesRequest> {
  const numbers: number[] = [];
  const skipped: Problems = {};
  const places: unknown[] = [];
  for (let i = 0; i < MAX_PLACES; i++) {
    const area = areaIn(fields, i);
    const [start, end] = [last(fields, placeField(i, "start")), last(fields, placeField(i, "end"))];
    if (i >= 2 && area === undefined && start === "" && end === "") continue;
    // A place after an omitted one keeps its number in the form.
    const unnamed = i === places.length ? "" : placeName({ name: "" }, i);
    numbers.push(i);
    Object.assign(skipped, skippedIn(fields, [placeField(i, "start"), placeField(i, "end")], zone));
    places.push({
      name: last(fields, placeField(i, "name")) || unnamed,
      area,
      start_time: timeIn(start, "start", zone),
      end_time: timeIn(end, "end", zone),
    });
  }
  const input = {
    ...common(fields),
    places,
    at_least: last(fields, "at_least") || undefined,
    vehicle_color: last(fields, "vehicle_color"),
    vehicle_make: last(fields, "vehicle_make"),
    vehicle_body_type: last(fields, "vehicle_body_type"),
  };
  return check(PlacesRequest, input, {
    skipped,
    named: (problems) => fieldProblems(problems, numbers),
  });
}

/** Returns the request of the convoy form, or a problem per field. */
export function convoyIn(fields: Fields, zone: string | undefined): Checked<ConvoyRequest> {
  const input = {
    ...common(fields),
    plate: last(fields, "plate"),
    start_time: timeIn(last(fields, "start_time"), "start", zone),
    end_time: timeIn(last(fields, "end_time"), "end", zone),
    minutes: last(fields, "minutes") || undefined,
    at_least: last(fields, "at_least") || undefined,
  };
  return check(ConvoyRequest, input, {
    skipped: skippedIn(fields, ["start_time", "end_time"], zone),
    named: (problems) => problems,
  });
}

/**
 * Returns problems by the names of the form's fields, from those by fields of the request. A field of the form, such as
 * the area of a place, may have several.
 */
function fieldProblems(problems: Problems, numbers: readonly number[]): Problems {
  const byField = Map.groupBy(Object.entries(problems), ([path]) => {
    const [, index, field = ""] = /^places\.(\d+)\.(\w+)/.exec(path) ?? [];
    if (index === undefined) return path;
    return placeField(numbers[Number(index)] ?? Number(index), field.replace("_time", ""));
  });
  return Object.fromEntries(
    [...byField].map(([field, found]) => [
      field,
      [...new Set(found.map(([, message]) => message))].join(" "),
    ]),
  );
}

function common(fields: Fields) {
  return {
    justification: last(fields, "justification"),
    case_number: last(fields, "case_number"),
    purpose: last(fields, "purpose"),
    plate_state: last(fields, "plate_state"),
    agencies: fields.agencies ?? [],
  };
}

/** Returns the ISO time of a picker; an empty or impossible one stays as it is and is refused by the schema. */
function timeIn(text: string, edge: "start" | "end", zone: string | undefined): string {
  const { at } = momentAt(text, edge, zone);
  return at === undefined ? text : isoTime(at);
}

/** Returns a problem for each of these fields that has a time of the hour that clocks skip in spring. */
function skippedIn(fields: Fields, names: readonly string[], zone: string | undefined): Problems {
  const skipped = names.filter((name) => momentAt(last(fields, name), "start", zone).oddity === "never");
  return Object.fromEntries(skipped.map((name) => [name, skippedText(last(fields, name))]));
}

function check<S extends z.ZodMiniType>(
  schema: S,
  input: { case_number: string; [field: string]: unknown },
  { skipped, named }: { skipped: Problems; named: (problems: Problems) => Problems },
): Checked<z.infer<S>> {
  const parsed = schema.safeParse(input);
  const isNamed = input.case_number !== "";
  if (parsed.success && isNamed && Object.keys(skipped).length === 0) return { request: parsed.data, named };
  const problems: Problems = isNamed ? {} : { case_number: CASE_NUMBER_REQUIRED };
  for (const { path, message } of parsed.error?.issues ?? [])
    problems[path.join(".")] ??= message.replace(/^[a-z_]+: ./, (start) => start.slice(-1).toUpperCase());
  return { problems: { ...named(problems), ...skipped } };
}
