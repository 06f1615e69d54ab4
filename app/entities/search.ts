import * as z from "zod/mini";
import { DAY, HOUR } from "#app/lib/dates.ts";
import { visibleText } from "#app/lib/text.ts";
import { MESSAGES } from "./messages.ts";
import { type PlatePattern, parsePlatePattern } from "./plate.ts";
import {
  US_STATES,
  type UsStateCode,
  VEHICLE_BODY_TYPES,
  VEHICLE_COLORS,
  VEHICLE_MAKES,
  type VehicleBodyType,
  type VehicleColor,
  type VehicleMake,
} from "./vehicle.ts";

export const SOURCE_PROGRAMS = ["Rekor", "Axon", "Axis"] as const;
export type SourceProgram = (typeof SOURCE_PROGRAMS)[number];

/** Marks that some programs can search for (specification section 3, filters). */
export const VEHICLE_MARKS = [
  { key: "top_rack", label: "Top rack" },
  { key: "back_rack", label: "Back rack" },
  { key: "bumper_stickers", label: "Bumper stickers" },
  { key: "window_stickers", label: "Window stickers" },
] as const;
export type VehicleMark = (typeof VEHICLE_MARKS)[number]["key"];

/** The quick time ranges, default the second (specification sections 4 and 9). */
export const RANGE_PRESETS = [
  { key: "1h", label: "1 Hour", span: HOUR },
  { key: "24h", label: "24 Hours", span: DAY },
  { key: "7d", label: "7 Days", span: 7 * DAY },
  { key: "30d", label: "30 Days", span: 30 * DAY },
  { key: "90d", label: "90 Days", span: 90 * DAY },
] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number]["key"];
export const DEFAULT_RANGE: RangePreset = "24h";

/** The preset that a range equals exactly, if any (specification section 4). */
export function presetOf(start: number, end: number): RangePreset | undefined {
  return RANGE_PRESETS.find((preset) => preset.span === end - start)?.key;
}

/** Most agencies that one search may name. */
export const MAX_AGENCIES = 500;

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
  z.refine((value) => /^\d{4}-\d\d-\d\dT/.test(value) && Number.isFinite(Date.parse(value)), {
    error: "Start and end must be ISO times.",
  }),
);

/** The call of POST /search-data (specification sections 3, 5 and 7), for the browser's form and the server alike. */
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
  plate_state: choice(
    US_STATES.map((state) => state.code),
    "state",
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
  case_number: z._default(z.string().check(z.trim(), z.maxLength(64)), ""),
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

/** How far beyond now an end may lie: "until the end of today" and a client's clock that is ahead are honest. */
const FUTURE_TOLERANCE = DAY;

/**
 * What is wrong with a range, in the user's words, or undefined. `limitDays` is the agency's policy;
 * the largest preset is always 90 days.
 */
export function rangeProblem(range: { start: number; end: number; now: number; limitDays: number }) {
  const { start, end, now, limitDays } = range;
  if (!Number.isFinite(start) || !Number.isFinite(end)) return MESSAGES.searchRequired;
  if (end <= start) return "The end of the range must be after its start.";
  if (start > now || end > now + FUTURE_TOLERANCE) return "The range lies in the future.";
  if (end - start > limitDays * DAY)
    return `Your agency searches at most ${limitDays} ${limitDays === 1 ? "day" : "days"} at once.`;
  return undefined;
}

/** What is wrong with a case number, in the user's words, or undefined; whether one is needed is the agency's policy. */
export function caseNumberProblem(caseNumber: string, required: boolean): string | undefined {
  if (!required || visibleText(caseNumber) !== "") return undefined;
  return "Your agency asks for a case number with every search.";
}

/** A search as the programs are asked it: parsed, canonical, times in milliseconds. */
export type SightingQuery = {
  plate: PlatePattern;
  plateState: UsStateCode | "";
  color: VehicleColor | "";
  make: VehicleMake | "";
  bodyType: VehicleBodyType | "";
  marks: VehicleMark[];
  from: number;
  to: number;
};

/** The query of a request whose schema and range hold. */
export function queryOf(request: SearchRequest, now: number): SightingQuery {
  return {
    plate: parsePlatePattern(request.plate) ?? { kind: "any" },
    plateState: request.plate_state as UsStateCode | "",
    color: request.vehicle_color as VehicleColor | "",
    make: request.vehicle_make as VehicleMake | "",
    bodyType: request.vehicle_body_type as VehicleBodyType | "",
    marks: VEHICLE_MARKS.map((mark) => mark.key).filter((key) => request.filters[key]),
    from: Date.parse(request.start_time),
    to: Math.min(Date.parse(request.end_time), now),
  };
}

/** A filter that a program cannot apply, named as the status shows it. */
export type SearchFilter = "state" | "color" | "make" | "body type" | VehicleMark;

/**
 * How one agency of one program answered. `failed` and `refused` never read as "no results";
 * `unsupported` names filters that the program cannot apply: with one of these it is not asked at all.
 */
export type SourceStatus = {
  sourceId: string;
  program: SourceProgram;
  agency: string;
  state: "waiting" | "asking" | "slow" | "ok" | "failed" | "unsupported" | "cancelled";
  reads: number;
  /** More reads exist than were fetched. */
  truncated: boolean;
  /** Why it failed, or what it does not support; in words for the user. */
  message: string;
  milliseconds: number;
};

/** The agency groups of the search form, in the shapes of the three calls that feed them (specification section 3). */
export type RekorAgency = { id: string; agency: string };
export type AxonAgency = { agency_name: string; base_url: string };
export type AxisAgency = { id: string; agency_name: string; integrations: { identifier: string }[] };
export type SearchableAgencies = { rekor: RekorAgency[]; axon: AxonAgency[]; axis: AxisAgency[] };

/** The line of a search that runs, one JSON object a line, when the caller accepts `application/x-ndjson`. */
export type SearchProgress =
  | { type: "started"; sources: SourceStatus[] }
  | { type: "status"; source: SourceStatus }
  | { type: "done"; resultId: string; count: number }
  | { type: "failed"; message: string };
