import type * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import type * as answers from "#app/entities/search/answers/search.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import type { JurisdictionCode } from "./jurisdiction-names.ts";
import type { PlatePattern } from "./plate.ts";
import type { VehicleBodyType, VehicleColor, VehicleMake } from "./vehicle.ts";

/** The camera programs (specification section 9). */
export const SOURCE_PROGRAMS = ["Rekor", "Axon", "Axis"] as const;
export type SourceProgram = (typeof SOURCE_PROGRAMS)[number];
type Mapped<List extends readonly unknown[], T> = { readonly [Index in keyof List]: T };
/** One for each program, in the order of SOURCE_PROGRAMS. */
export type PerProgram<T> = Mapped<typeof SOURCE_PROGRAMS, T>;

/** Vehicle features that some programs can search for (specification section 3, filters). */
export const VEHICLE_MARKS = [
  { key: "top_rack", label: "Top rack" },
  { key: "back_rack", label: "Back rack" },
  { key: "bumper_stickers", label: "Bumper stickers" },
  { key: "window_stickers", label: "Window stickers" },
] as const;
export type VehicleMark = (typeof VEHICLE_MARKS)[number]["key"];

/** The quick time ranges; the default is the second (specification sections 4 and 9). */
export const RANGE_PRESETS = [
  { key: "1h", label: "1 Hour", span: HOUR },
  { key: "24h", label: "24 Hours", span: DAY },
  { key: "7d", label: "7 Days", span: 7 * DAY },
  { key: "30d", label: "30 Days", span: 30 * DAY },
  { key: "90d", label: "90 Days", span: 90 * DAY },
] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number]["key"];
/** The range of a new search (specification section 9). */
export const DEFAULT_RANGE: RangePreset = "24h";

/** Returns the preset that has exactly the span of a range, if any (specification section 4). */
export function presetOf(start: number, end: number): RangePreset | undefined {
  return RANGE_PRESETS.find((preset) => preset.span === end - start)?.key;
}

/**
 * Maximum number of strings by which a search may name its agencies: documented clients list each camera of an Axis
 * agency.
 */
export const MAX_AGENCIES = 5000;
/** With more strings than this, an agency with all of its cameras is named and stored by its id. */
export const LISTED_AGENCIES = 500;

/**
 * Returns what is wrong with a range, as text for the user, or undefined. `limitDays` is the agency's policy; the
 * largest preset is always 90 days. The end may be in the future: a search ends now at the latest (`queryOf`).
 */
export function rangeProblem(range: { start: number; end: number; now: number; limitDays: number }) {
  const { start, end, now, limitDays } = range;
  if (!Number.isFinite(start) || !Number.isFinite(end)) return MESSAGES.searchRequired;
  if (end <= start) return "The end of the range must be after its start.";
  if (start > now) return "The range is in the future.";
  // In fall one day of the calendar has 25 hours, so the same number of calendar days is an hour longer.
  if (end - start > limitDays * DAY + HOUR)
    return `Your agency searches at most ${limitDays} ${limitDays === 1 ? "day" : "days"} at once.`;
  return undefined;
}

/**
 * Returns what is wrong with a case number, as text for the user, or undefined. The agency's policy may require one.
 */
export function caseNumberProblem(caseNumber: string, required: boolean): string | undefined {
  if (!required || visibleText(caseNumber) !== "") return undefined;
  return "Your agency requires a case number for every search.";
}

/** A search as sent to the programs: parsed and canonical, times in milliseconds. */
export type SightingQuery = {
  plate: PlatePattern;
  /** Also plates that resemble the pattern (look-alikes.ts). */
  lookAlikes?: boolean;
  plateState: JurisdictionCode | "";
  color: VehicleColor | "";
  make: VehicleMake | "";
  bodyType: VehicleBodyType | "";
  marks: VehicleMark[];
  from: number;
  to: number;
};

/** A filter that a program cannot apply, as the status shows it. */
export type SearchFilter = "state" | "color" | "make" | "body type" | VehicleMark;

/**
 * The state of one agency of one program in a search. `failed` and `cancelled` never read as "no results";
 * `unsupported` means that the program cannot apply one of the filters and was not asked.
 */
export type SourceStatus = z.infer<typeof answers.SourceStatus>;

const RUNNING: ReadonlySet<SourceStatus["state"]> = new Set(["waiting", "asking", "slow"]);

/** Returns whether no more reads will come from an agency, because it answered, failed or was not asked. */
export function isSettled(source: SourceStatus): boolean {
  return !RUNNING.has(source.state);
}

/** The agency groups of the search form, in the shapes of the three calls that feed them (specification section 3). */
type RekorAgency = { id: string; agency: string };
export type AxonAgency = { agency_name: string; base_url: string };
type AxisAgency = { id: string; agency_name: string; integrations: { identifier: string }[] };
export type SearchableAgencies = { rekor: RekorAgency[]; axon: AxonAgency[]; axis: AxisAgency[] };

/** A line of a running search (`application/x-ndjson`), one JSON object each. */
export type SearchProgress =
  | { type: "started"; sources: SourceStatus[] }
  | { type: "status"; source: SourceStatus }
  /** Results so far, as a separate result set; only for callers that requested them. */
  | { type: "partial"; resultId: string; count: number }
  | { type: "done"; resultId: string; count: number }
  | { type: "failed"; message: string };
