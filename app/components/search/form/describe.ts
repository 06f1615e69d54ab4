import { type AgencyGroup, chosenOptions } from "#app/entities/search/agencies.ts";
import type { SearchForm } from "#app/entities/search/form.ts";
import { jurisdictionName } from "#app/entities/search/jurisdiction-names.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import {
  RANGE_PRESETS,
  type SearchFilter,
  type SourceProgram,
  VEHICLE_MARKS,
} from "#app/entities/search/query.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, type VehicleBodyType } from "#app/entities/search/vehicle.ts";
import { counted } from "#app/lib/number-text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";

const PLURALS: Record<VehicleBodyType, string> = {
  "sedan-standard": "sedans",
  "sedan-convertible": "convertibles",
  "sedan-wagon": "station wagons",
  "sedan-sports": "sports cars",
  "sedan-compact": "compact cars",
  SUV: "SUVs",
  "truck-standard": "trucks",
  "tractor-trailer": "tractor-trailers",
  "van-full": "full-size vans",
  "van-mini": "minivans",
  Motorcycle: "motorcycles",
};

/** Returns the search in one phrase: `7 days, 14 agencies, silver or gray SUVs`. */
export function describeSearch(form: SearchForm, groups: readonly AgencyGroup[]): string {
  const agencies = chosenOptions(groups, form.selected).length;
  const where = agencies === 0 ? "no agency selected" : counted(agencies, "agency", "agencies");
  return `${describeRange(form)}, ${where}, ${describeVehicles(form)}`;
}

function describeRange({ preset, start, end }: SearchForm): string {
  const range = RANGE_PRESETS.find(({ key }) => key === preset);
  if (range) return range.label.toLowerCase();
  if (start.at === undefined || end.at === undefined) return "no date range";
  if (end.at <= start.at) return "an empty date range";
  return `${duration(end.at - start.at)} up to ${end.text.replace("T", " ")}`;
}

/** Returns a span of milliseconds in its two largest units: `2 days 3 hours`. */
export function duration(span: number): string {
  const units: [number, string][] = [
    [DAY, "day"],
    [HOUR, "hour"],
    [MINUTE, "minute"],
    [SECOND, "second"],
  ];
  const first = units.findIndex(([length]) => span >= length);
  if (first < 0) return "0 seconds";
  const parts: string[] = [];
  let remaining = span;
  for (const [length, name] of units.slice(first, first + 2)) {
    const count = Math.floor(remaining / length);
    remaining -= count * length;
    if (count > 0) parts.push(counted(count, name));
  }
  return parts.join(" ");
}

function describeVehicles(form: SearchForm): string {
  const body = VEHICLE_BODY_TYPES.find((type) => type === form.bodyType);
  const plural = body === undefined ? "vehicles" : PLURALS[body];
  const adjectives = [form.color.toLowerCase().replace("/", " or "), form.make].filter(Boolean);
  const traits = [describePlate(form), ...markNames(form)].filter(Boolean);
  if (adjectives.length === 0 && traits.length === 0 && form.bodyType === "") return "all vehicles";
  const noun = [...adjectives, plural].join(" ");
  return traits.length === 0 ? noun : `${noun} with ${listed(traits)}`;
}

function describePlate({ plate, lookAlikes, plateState }: SearchForm): string {
  const pattern = parsePlatePattern(plate) ?? { kind: "any" as const };
  const state = jurisdictionName(plateState);
  const noun = state ? `${/^[AEIOU]/.test(state) ? "an" : "a"} ${state} plate` : "a plate";
  const others = lookAlikes ? " or a look-alike" : "";
  if (pattern.kind === "contains") return `${noun} containing ${pattern.text}${others}`;
  if (pattern.kind === "pattern") return `${noun} like ${pattern.text}${others}`;
  return state ? noun : "";
}

function markNames({ marks }: SearchForm): string[] {
  return VEHICLE_MARKS.filter(({ key }) => marks.includes(key)).map(({ label }) => label.toLowerCase());
}

const REKOR_ONLY: ReadonlySet<string> = new Set(
  VEHICLE_COLORS.filter((color) => color.rekorOnly).map((color) => color.name),
);

/** Returns the filters that a program cannot apply. The server checks again; a test keeps both rules the same. */
export function unsupportedBy(
  program: SourceProgram,
  { color, marks }: Pick<SearchForm, "color" | "marks">,
): SearchFilter[] {
  return [
    ...(REKOR_ONLY.has(color) && program !== "Rekor" ? (["color"] as const) : []),
    ...(program === "Axon" ? [] : VEHICLE_MARKS.map(({ key }) => key).filter((key) => marks.includes(key))),
  ];
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction = "and"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}
