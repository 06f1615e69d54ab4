// Fills the forms of place and convoy searches with an earlier request, without its justification.

import { type AgencyGroup, chosenOptions, selectionOf, stateOf } from "#app/entities/search/agencies.ts";
import { BOX_FIELDS, CIRCLE_FIELDS, placeField } from "#app/entities/search/investigate/fields.ts";
import type { ConvoyRequest, PlaceRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { fieldTime } from "#app/lib/time/wall-clock.ts";

export type FilledFields = {
  /** Values by the name of the field; times in the given zone. */
  values: Record<string, string[]>;
  /** The same times in milliseconds since 1970, for viewers in another zone. */
  times: Record<string, number>;
};

type Context = { groups: readonly AgencyGroup[]; zone: string };

/** Returns the fields of the form of many places. */
export function placesFilled(request: PlacesRequest, context: Context): FilledFields {
  const { at_least, vehicle_color, vehicle_make, vehicle_body_type } = request;
  const times: Record<string, number> = {};
  const values = commonValues(request, context);
  Object.assign(values, {
    at_least: [String(at_least)],
    vehicle_color: [vehicle_color],
    vehicle_make: [vehicle_make],
    vehicle_body_type: [vehicle_body_type],
  });
  for (const [i, place] of request.places.entries()) {
    values[placeField(i, "name")] = [place.name];
    values[placeField(i, "kind")] = [place.area.kind];
    Object.assign(values, areaValues(i, place));
    times[placeField(i, "start")] = Date.parse(place.start_time);
    times[placeField(i, "end")] = Date.parse(place.end_time);
  }
  return withTimes(values, times, context.zone);
}

/** Returns the fields of the convoy form. */
export function convoyFilled(request: ConvoyRequest, context: Context): FilledFields {
  const values = {
    ...commonValues(request, context),
    plate: [request.plate],
    minutes: [String(request.minutes)],
    at_least: [String(request.at_least)],
  };
  const times = { start_time: Date.parse(request.start_time), end_time: Date.parse(request.end_time) };
  return withTimes(values, times, context.zone);
}

function commonValues(
  { case_number, purpose, agencies, plate_state }: PlacesRequest | ConvoyRequest,
  { groups }: Context,
): Record<string, string[]> {
  const selected = selectionOf(groups, { agencies });
  return {
    case_number: [case_number],
    purpose: [purpose],
    plate_state: [plate_state],
    // An agency of which only some cameras were searched is not widened to all of them.
    agencies: chosenOptions(groups, selected).flatMap((option) =>
      stateOf([option], selected) === true
        ? [option.key]
        : option.identifiers.filter((id) => selected.has(id)),
    ),
  };
}

function areaValues(i: number, { area }: PlaceRequest): Record<string, string[]> {
  if (area.kind === "cameras") return { [placeField(i, "cameras")]: area.cameras };
  const numbers =
    area.kind === "circle"
      ? CIRCLE_FIELDS.map((name) => [name, area[name]] as const)
      : BOX_FIELDS.map((name) => [name, area[name]] as const);
  return Object.fromEntries(numbers.map(([name, value]) => [placeField(i, name), [String(value)]]));
}

function withTimes(
  values: Record<string, string[]>,
  times: Record<string, number>,
  zone: string,
): FilledFields {
  const texts = Object.entries(times).map(([name, at]): [string, string[]] => [name, [fieldTime(at, zone)]]);
  return { values: { ...values, ...Object.fromEntries(texts) }, times };
}
