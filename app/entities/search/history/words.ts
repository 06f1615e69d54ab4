/** Describes a user's own searches in plain words. Pure. */

import { fieldsOf, list, rangeWords, text } from "#app/entities/oversight/audit-words.ts";
import { placeName } from "#app/entities/search/investigate/answer.ts";
import { compactPlate } from "#app/entities/search/plate.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { VEHICLE_MARKS } from "#app/entities/search/query.ts";
import { counted } from "#app/lib/number-text.ts";
import type { PastSearch, SearchTool } from "./past-search.ts";

/** The data that the words describe: the audit row of a search. */
export type SearchFacts = {
  tool: SearchTool;
  /** The plate as it was searched, in upper case. */
  plate: string;
  /** The request without its agencies. */
  query: Record<string, unknown>;
  /** Null in rows written before the number was recorded. */
  agencies: number | null;
  /** Milliseconds since 1970. */
  at: number;
  /** The zone of a range that did not end when the search was made. */
  zone: string;
};

/** Returns a search in one sentence: `Plate ABC*, silver Honda, 3 agencies, 7 days`. */
export function searchSentence({ tool, plate, query, agencies, at, zone }: SearchFacts): string {
  const where = agencies === null ? "" : counted(agencies, "agency", "agencies");
  const when = (range: Record<string, unknown>) => rangeWords(range, { searchedAt: at, zone });
  switch (tool) {
    case "search":
      return list([
        plateWords(plate, query),
        vehicleWords(query),
        ...VEHICLE_MARKS.map(({ key, label }) =>
          fieldsOf(query.filters)[key] === true ? label.toLowerCase() : "",
        ),
        where,
        when(query),
      ]);
    case "places": {
      const places = placesOf(query);
      const many = counted(places.length, "place");
      const names = places.map((place, i) => placeName({ name: text(place.name) }, i));
      return list([
        `Plates${stateWords(query)} in at least ${text(query.at_least)} of ${many} (${names.join(", ")})`,
        vehicleWords(query),
        where,
        when(wholeRange(places)),
      ]);
    }
    case "convoy":
      return list([
        `Vehicles traveling with plate ${plate}${stateWords(query)}`,
        `within ${counted(numberOf(query.minutes), "minute")} at ${text(query.at_least)} or more cameras`,
        where,
        when(query),
      ]);
  }
}

/**
 * Returns whether a search contains every word of a filter, in any of the texts that the screen shows; a plate also as it
 * may be typed, with hyphens or dots.
 */
export function hasWords(search: PastSearch, filter: string): boolean {
  const { what, name, justification, purpose, case_number: caseNumber } = search;
  const shown = [what, name, justification, purpose && purposeLabel(purpose), caseNumber];
  const searched = shown.join("\n").toLowerCase();
  const words = filter.toLowerCase().split(/\s+/);
  return words.every((word) => {
    const plate = compactPlate(word).toLowerCase();
    return searched.includes(word) || (plate !== "" && what.toLowerCase().includes(plate));
  });
}

function plateWords(plate: string, query: Record<string, unknown>): string {
  const alike = query.look_alikes === true ? " and look-alikes" : "";
  return plate === "" ? `Any plate${stateWords(query)}` : `Plate ${plate}${alike}${stateWords(query)}`;
}

function stateWords(query: Record<string, unknown>): string {
  const state = text(query.plate_state);
  return state && ` (${state})`;
}

/** `silver or gray Honda SUV`. */
function vehicleWords(query: Record<string, unknown>): string {
  const color = text(query.vehicle_color).toLowerCase().replace("/", " or ");
  return [color, text(query.vehicle_make), text(query.vehicle_body_type)].filter(Boolean).join(" ");
}

function placesOf(query: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(query.places) ? query.places.map(fieldsOf) : [];
}

/** Returns the range from the start of the first window to the end of the last. */
function wholeRange(places: readonly Record<string, unknown>[]): Record<string, unknown> {
  const starts = places.map((place) => text(place.start_time)).sort();
  const ends = places.map((place) => text(place.end_time)).sort();
  return { start_time: starts[0], end_time: ends.at(-1) };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
