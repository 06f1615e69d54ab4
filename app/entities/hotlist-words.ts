/** Words of hotlist files in ours: states, dates, priorities, makes and colors as exports of many systems write them. */

import { visibleText } from "#app/lib/text.ts";
import { type EntryFields, type Priority, parseEntryState } from "./hotlist.ts";
import { US_STATES, VEHICLE_COLORS } from "./vehicle.ts";

/** An entry of a file. `expires` is ISO, or empty where the file says nothing. */
export type FileRow = { entry: EntryFields; expires: string };
export type RowRead =
  | { row: FileRow; problem?: undefined }
  | { row?: undefined; problem: string; plate: string };

export const COLOR_NAMES = VEHICLE_COLORS.map(({ name }) => name);

/** Our word for a text, or none. */
export function known(words: readonly string[], text: string): string {
  const lower = text.toLowerCase();
  return text === "" ? "" : (words.find((word) => word.toLowerCase() === lower) ?? "");
}

/** Undefined where a text is no priority. */
export function priorityOf(text: string): Priority | undefined {
  switch (text.toLowerCase()) {
    case "":
    case "normal":
    case "medium":
    case "med":
      return "normal";
    case "high":
      return "high";
    case "low":
      return "low";
    default:
      return undefined;
  }
}

const STATE_NAMES = new Map<string, string>(
  US_STATES.map(({ code, name }) => [name.toLowerCase().replaceAll(" ", ""), code]),
);

/** `CT`, Rekor's `us-ct`, Flock's `new_york`, or a name; undefined where it is none of these. */
export function stateOf(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^(us|ca|mx)-/, "")
    .replace(/[\s_-]/g, "");
  return STATE_NAMES.get(plain) ?? parseEntryState(plain);
}

/** A date as ISO text, empty where there is none, undefined where it is no date of a calendar. */
export function dateOf(text: string): string | undefined {
  if (text === "") return "";
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const compact = /^(\d{4})(\d\d)(\d\d)$/.exec(text);
  const iso = american
    ? `${american[3]}-${american[1]?.padStart(2, "0")}-${american[2]?.padStart(2, "0")}`
    : compact
      ? `${compact[1]}-${compact[2]}-${compact[3]}`
      : text;
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(iso)) return undefined;
  const at = Date.parse(iso.includes(" ") ? iso.replace(" ", "T") : iso);
  // Date.parse takes 31 February for 3 March.
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  if (!Number.isFinite(at) || !Number.isFinite(day.getTime())) return undefined;
  if (day.toISOString().slice(0, 10) !== iso.slice(0, 10)) return undefined;
  return iso.length === 10
    ? new Date(day.getTime() + 35 * 60 * 60 * 1000).toISOString()
    : new Date(at).toISOString();
}

export function refused(problem: string, plate: string): RowRead {
  return { problem, plate: visibleText(plate).slice(0, 40) };
}
