/** The parts of the sentences of the audit log. Pure. */

import { presetOf, RANGE_PRESETS, VEHICLE_MARKS } from "#app/entities/search/query.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { capitalized, visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, localTime, MINUTE } from "#app/lib/time/dates.ts";
import type { AuditRow } from "./audit-filter.ts";

/** The fields of a row that a sentence can name. */
export type Fields = Record<string, unknown>;

/**
 * The parts of a sentence: the row, its details, and both states of a change. `zone` is undefined for the viewer's
 * zone.
 */
export type AuditFacts = {
  row: Pick<AuditRow, "outcome" | "object" | "plate" | "timestamp">;
  detail: Fields;
  before: Fields;
  after: Fields;
  zone: string | undefined;
};

export type Sentence = (facts: AuditFacts) => string;

const LONGEST = 300;

/** Returns a value as visible text; "" for values that no sentence shows. */
export function text(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "string") return "";
  const line = visibleText(value.replace(/\s+/g, " "));
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Returns the fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
}

/** Returns the name of the service account in a row's details, or "". */
export function serviceAccountIn(detail: Fields): string {
  return text(fieldsOf(detail.service_account).name);
}

/** Returns the parts that are not empty, separated by commas. */
export function list(parts: readonly string[]): string {
  return parts.filter(Boolean).join(", ");
}

/** `3 users`; "" if the value is neither a number nor a list. */
export function count(value: unknown, one: string, many?: string): string {
  const number = Array.isArray(value) ? value.length : value;
  return typeof number === "number" ? counted(number, one, many) : "";
}

/** Returns the words and a value that follows them, or nothing without the value. */
export function follows(words: string, value: string): string {
  return value && ` ${words} ${value}`;
}

/** Returns a colon and the reason, problem or answer in a row's details, the first that is there; "" without any. */
export function reasonOf({ detail }: AuditFacts): string {
  const reason = text(detail.reason) || text(detail.problem) || text(detail.answer);
  return reason && `: ${reason}`;
}

/**
 * A sentence in the form of its outcome: `Added user x`, `Tried to add user x: ...`, `Failed to add user x: ...`. `act`
 * is its infinitive; `rest` completes it.
 */
export function did(act: string, rest: (facts: AuditFacts) => string = () => ""): Sentence {
  return (facts) => {
    const { outcome } = facts.row;
    if (outcome === "ok") return `${pastTense(act)}${rest(facts)}`;
    return `${outcome === "refused" ? "Tried" : "Failed"} to ${act}${rest(facts)}${reasonOf(facts)}`;
  };
}

const IRREGULAR: Record<string, string> = {
  map: "Mapped",
  reset: "Reset",
  scan: "Scanned",
  set: "Set",
  stop: "Stopped",
  withdraw: "Withdrew",
};

/** Returns an act in the past tense: `add agency` -> `Added agency`. */
function pastTense(act: string): string {
  const [verb = "", ...rest] = act.split(" ");
  const past = capitalized(verb).replace(/e$|(?<=[^aeiou])y$|$/, (end) => (end === "y" ? "ied" : "ed"));
  return [IRREGULAR[verb] ?? past, ...rest].join(" ");
}

/** `plate ABC123 (CT), silver Ford SUV, 7 days, 13 agencies`. */
export function searchWords({ row, detail, zone }: AuditFacts): string {
  const query = fieldsOf(detail.query);
  const state = text(query.plate_state);
  const vehicle = ["vehicle_color", "vehicle_make", "vehicle_body_type"].map((key) => text(query[key]));
  const marks = fieldsOf(query.filters);
  const alike = query.look_alikes === true ? " and look-alikes" : "";
  return ` ${list([
    row.plate ? `plate ${row.plate}${alike}${state && ` (${state})`}` : list(["any plate", state]),
    vehicle.filter(Boolean).join(" "),
    ...VEHICLE_MARKS.map(({ key, label }) => (marks[key] === true ? label.toLowerCase() : "")),
    rangeWords(query, { searchedAt: Date.parse(row.timestamp), zone }),
    count(detail.agency_count, "agency", "agencies") || count(detail.agencies, "source"),
  ])}`;
}

/** Searches usually end when they are made; other ends are named. */
const NOW_MS = 15 * MINUTE;

/** `7 days`, or `7 days until 2026-10-03 14:00:00 EDT`; "" without a range. */
export function rangeWords(query: Fields, input: { searchedAt: number; zone: string | undefined }): string {
  const [start, end] = [Date.parse(text(query.start_time)), Date.parse(text(query.end_time))];
  if (!(end > start)) return "";
  const until = Math.abs(end - input.searchedAt) > NOW_MS && localTime(end, input.zone);
  return `${spanWords(start, end)}${until ? ` until ${until}` : ""}`;
}

function spanWords(start: number, end: number): string {
  const preset = RANGE_PRESETS.find(({ key }) => key === presetOf(start, end));
  if (preset) return preset.label.toLowerCase();
  const span = end - start;
  if (span >= 2 * DAY) return count(Math.round(span / DAY), "day");
  return span >= 2 * HOUR
    ? count(Math.round(span / HOUR), "hour")
    : count(Math.ceil(span / MINUTE), "minute");
}

/** Returns a stored time in words; "" without one. */
export function timeWords(value: unknown, zone: string | undefined): string {
  return typeof value === "number" ? (localTime(value, zone) ?? "") : "";
}

/** ` (3 jobs)`, or the channel and the reason. */
export function failedJobs({ detail }: AuditFacts): string {
  const jobs = count(detail.jobs, "job");
  return jobs ? ` (${jobs})` : follows("of channel", list([text(detail.channel), text(detail.reason)]));
}

/** ` of 12 records (PDF)`. */
export function exportWords({ detail }: AuditFacts): string {
  const kind = text(detail.kind).toUpperCase();
  return `${follows("of", count(detail.records, "record"))}${kind && ` (${kind})`}`;
}

/** The kinds of second factors and sign-ins in words. */
export const FACTORS: Record<string, string> = {
  totp: "an authenticator app",
  passkey: "a passkey",
  "recovery code": "a recovery code",
  password: "the password",
  "single sign-on": "single sign-on",
};

/** ` with a passkey`. */
export function factorWords({ detail }: AuditFacts): string {
  return follows("with", FACTORS[text(detail.kind)] ?? "");
}
