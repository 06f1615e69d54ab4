import { MESSAGES } from "#app/entities/messages.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import type { JurisdictionCode } from "./jurisdiction-names.ts";
import type { PlatePattern } from "./plate.ts";
import type { VehicleBodyType, VehicleColor, VehicleMake } from "./vehicle.ts";

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
  plateState: JurisdictionCode | "";
  color: VehicleColor | "";
  make: VehicleMake | "";
  bodyType: VehicleBodyType | "";
  marks: VehicleMark[];
  from: number;
  to: number;
};

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
type RekorAgency = { id: string; agency: string };
export type AxonAgency = { agency_name: string; base_url: string };
type AxisAgency = { id: string; agency_name: string; integrations: { identifier: string }[] };
export type SearchableAgencies = { rekor: RekorAgency[]; axon: AxonAgency[]; axis: AxisAgency[] };

/** The line of a search that runs, one JSON object a line, when the caller accepts `application/x-ndjson`. */
export type SearchProgress =
  | { type: "started"; sources: SourceStatus[] }
  | { type: "status"; source: SourceStatus }
  | { type: "done"; resultId: string; count: number }
  | { type: "failed"; message: string };
