import { MESSAGES } from "#app/entities/messages.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { fieldTime, instantsAt } from "#app/lib/time/wall-clock.ts";
import { type AgencyGroup, type Selection, selectionOf } from "./agencies.ts";
import {
  DEFAULT_RANGE,
  presetOf,
  RANGE_PRESETS,
  type RangePreset,
  VEHICLE_MARKS,
  type VehicleMark,
} from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** One end of the range: the text of its picker, and the time it means. */
export type Moment = {
  text: string;
  /** Undefined if the text is not a time, or is a time that clocks skip. */
  at: number | undefined;
  /** Set if clocks show the time twice or never (daylight saving time). */
  oddity?: "twice" | "never";
};

/** The ends of a range of time. */
export const EDGES = ["start", "end"] as const;
export type Edge = (typeof EDGES)[number];

export type SearchForm = {
  plate: string;
  lookAlikes: boolean;
  plateState: string;
  color: string;
  make: string;
  bodyType: string;
  justification: string;
  caseNumber: string;
  purpose: string;
  /** The typed confirmation of a prohibited purpose, and the supervisor who approved it. */
  confirmation: string;
  supervisor: string;
  marks: readonly VehicleMark[];
  /** The active range button; its range ends at the time of the search, whatever the pickers show. */
  preset: RangePreset | undefined;
  start: Moment;
  end: Moment;
  selected: Selection;
};

const NO_MOMENT: Moment = { text: "", at: undefined };

/** Returns the empty form. The pickers stay empty until `onClock` sets the time. */
export function clearForm(): SearchForm {
  return {
    plate: "",
    lookAlikes: false,
    plateState: "",
    color: "",
    make: "",
    bodyType: "",
    justification: "",
    caseNumber: "",
    purpose: "",
    confirmation: "",
    supervisor: "",
    marks: [],
    preset: DEFAULT_RANGE,
    start: NO_MOMENT,
    end: NO_MOMENT,
    selected: new Set(),
  };
}

/** Returns the form for server rendering: presets move with the browser's clock, so only typed ranges are shown. */
export function inZone(form: SearchForm, zone: string): SearchForm {
  return form.preset ? { ...form, start: NO_MOMENT, end: NO_MOMENT } : onClock(form, 0, zone);
}

/**
 * Returns the form filled with an earlier request. The range is a preset, which ends now, if it has exactly the span of
 * one, unless `keepsRange`.
 */
export function refillForm(
  request: SearchRequest,
  groups: readonly AgencyGroup[],
  keepsRange = false,
): SearchForm {
  const start = Date.parse(request.start_time);
  const end = Date.parse(request.end_time);
  return {
    plate: request.plate.toUpperCase(),
    lookAlikes: request.look_alikes === true,
    plateState: request.plate_state,
    color: request.vehicle_color,
    make: request.vehicle_make,
    bodyType: request.vehicle_body_type,
    justification: request.justification,
    caseNumber: request.case_number,
    // Requests stored before purposes existed have none.
    purpose: request.purpose ?? "",
    // Every search is confirmed separately.
    confirmation: "",
    supervisor: "",
    marks: VEHICLE_MARKS.map((mark) => mark.key).filter((key) => request.filters[key]),
    preset: keepsRange ? undefined : presetOf(start, end),
    start: { text: "", at: start },
    end: { text: "", at: end },
    selected: selectionOf(groups, request),
  };
}

/** Returns the range of a preset ending now, in whole seconds so that the pickers can show it. */
export function presetRange(preset: RangePreset, now: number): { start: number; end: number } {
  const end = Math.floor(now / SECOND) * SECOND;
  const span = RANGE_PRESETS.find(({ key }) => key === preset)?.span ?? 0;
  return { start: end - span, end };
}

/** Returns the form at a time and zone: a preset moves with the time, a typed range does not. */
export function onClock(form: SearchForm, now: number, zone?: string): SearchForm {
  const show = (at: number): Moment => ({ text: fieldTime(at, zone), at });
  if (form.preset) {
    const range = presetRange(form.preset, now);
    return { ...form, start: show(range.start), end: show(range.end) };
  }
  const shown = (moment: Moment) =>
    moment.text === "" && moment.at !== undefined ? show(moment.at) : moment;
  return { ...form, start: shown(form.start), end: shown(form.end) };
}

/** Returns the form after a range button was pressed. */
export function withPreset(form: SearchForm, preset: RangePreset, now: number, zone?: string): SearchForm {
  return onClock({ ...form, preset }, now, zone);
}

/** Returns the time that a text means. If clocks show it twice, a range starts at the first and ends at the second. */
export function momentAt(text: string, edge: Edge, zone: string | undefined): Moment {
  const instants = instantsAt(text, zone);
  if (!instants) return { text, at: undefined };
  const at = edge === "start" ? instants[0] : instants.at(-1);
  if (instants.length === 1) return { text, at };
  return { text, at, oddity: instants.length === 0 ? "never" : "twice" };
}

/** Returns what is wrong with a time that clocks skip. */
export function skippedText(text: string): string {
  return `${text.slice(11)} does not exist on ${text.slice(0, 10)}: clocks skip that hour.`;
}

/** Returns the range that a search at this time would cover; undefined for a missing end. */
export function rangeOf(
  form: SearchForm,
  now: number,
): { start: number | undefined; end: number | undefined } {
  if (form.preset) return presetRange(form.preset, now);
  return { start: form.start.at, end: form.end.at };
}

export type FieldName =
  | "plate"
  | "justification"
  | "case_number"
  | "purpose"
  | "confirmation"
  | "supervisor"
  | "start"
  | "end"
  | "agencies"
  | "form";
export type Problems = Partial<Record<FieldName, string>>;

/** The problems of empty fields that every search needs (specification section 5). */
export const MISSING = {
  justification: "Enter a justification.",
  start: "Enter a start date and time.",
  end: "Enter an end date and time.",
} as const;

/** The fields in their order on the screen. */
const FIELD_ORDER: readonly FieldName[] = [
  "plate",
  "justification",
  "case_number",
  "purpose",
  "confirmation",
  "supervisor",
  "start",
  "end",
  "agencies",
  "form",
];

/** Returns the fields with problems, in their order on the screen. */
export function fieldsWithProblems(problems: Problems): FieldName[] {
  return FIELD_ORDER.filter((field) => problems[field]);
}

/**
 * Returns the message about a form's problems as a whole: the specification's text (section 5) if the justification or
 * the date range is missing.
 */
export function problemsMessage(problems: Problems): string {
  const { justification, start, end, form } = problems;
  if (justification === MISSING.justification || start === MISSING.start || end === MISSING.end)
    return MESSAGES.searchRequired;
  return form ?? (fieldsWithProblems(problems).length > 0 ? "The search was not started." : "");
}
