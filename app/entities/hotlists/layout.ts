/**
 * Layouts of hotlist files as data: the meaning of each column or span of characters. Presets, recognized headings and
 * the mappings that agencies save all use this shape. Pure, safe in the browser.
 */

import type { Utf16 } from "#app/lib/files/records.ts";
import type { EntryFields } from "./entry.ts";
import type { CodeTable } from "./ncic.ts";

/** Fields that a column or a span of characters can have, in the order shown on screens. */
export const LAYOUT_FIELDS = [
  { value: "plate", label: "Plate" },
  { value: "state", label: "State" },
  { value: "reason", label: "Reason" },
  { value: "notes", label: "Notes" },
  { value: "caseNumber", label: "Case number" },
  { value: "expiry", label: "Expires" },
  { value: "effective", label: "Effective from" },
  { value: "make", label: "Make" },
  { value: "model", label: "Model" },
  { value: "year", label: "Vehicle year" },
  { value: "color", label: "Color" },
  { value: "body", label: "Body type" },
  { value: "plateType", label: "Plate type" },
  { value: "priority", label: "Priority" },
  { value: "match", label: "Match strategy" },
  { value: "info", label: "Other, added to notes" },
] as const;
export type LayoutField = (typeof LAYOUT_FIELDS)[number]["value"];

/** A position in a line. Characters count from zero, `to` is exclusive, negative numbers count from the end. */
export type Place = { column?: number | undefined; from?: number | undefined; to?: number | undefined };

export type LayoutPart = Place & {
  field: LayoutField;
  /** The column and everything after it. */
  rest?: boolean | undefined;
  /** Starts after the first of these texts; the part is empty if none occurs. */
  after?: string[] | undefined;
  /** Ends before the first of these texts; the part is empty if none occurs. */
  before?: string[] | undefined;
  /** Ends before the first digit. */
  beforeDigit?: boolean | undefined;
  /** One word of the value by index. Words are separated by single spaces. */
  word?: number | undefined;
  /** The part applies only if another place has one of these values, or contains a text. */
  when?: (Place & { is?: string[] | undefined; contains?: string | undefined }) | undefined;
  /** A constant that replaces the value. */
  text?: string | undefined;
  prefix?: string | undefined;
  /** The value is a code of this table. */
  codes?: CodeTable | undefined;
  /** Label of an `info` part in the notes. */
  label?: string | undefined;
};

/** The characters that may separate the columns of a line. */
export const DELIMITERS = [
  { value: ",", label: "Comma" },
  { value: ";", label: "Semicolon" },
  { value: "\t", label: "Tab" },
  { value: "|", label: "Vertical bar" },
  { value: ":", label: "Colon" },
  { value: " ", label: "Space" },
] as const;
export type Delimiter = (typeof DELIMITERS)[number]["value"];

/** The order of month and day in dates with slashes or dashes that begin with one of them. */
export const DATE_ORDERS = [
  { value: "mdy", label: "Month/day/year" },
  { value: "dmy", label: "Day/month/year" },
] as const;
export type DateOrder = (typeof DATE_ORDERS)[number]["value"];

export type HotlistLayout = {
  kind: "delimited" | "fixed";
  /** Null if the kind is fixed. */
  delimiter: Delimiter | null;
  /** Number of leading lines that are not entries. */
  header: number;
  /** If several parts have the same field, the first that is not empty counts. */
  parts: LayoutPart[];
  /** Number of headings. The text of further cells is kept in the notes: it belongs to a value with delimiters. */
  width?: number | undefined;
  /** Defaults for rows without their own state or reason. */
  state?: string | undefined;
  reason?: string | undefined;
  /** Header and footer lines begin with one of these texts. */
  skip?: string[] | undefined;
  /** The file follows NCIC: its state codes, and zero for the letter O. */
  ncic?: boolean | undefined;
  dates?: DateOrder | undefined;
  /** A row without a reason is rejected. */
  reasonNeeded?: boolean | undefined;
  reasonMax?: number | undefined;
  /** Shorter lines are rejected. */
  minLength?: number | undefined;
  /** The heading line of the file that a mapping was saved for. Files with the same line are recognized. */
  headings?: string[] | undefined;
};

/** Returns whether a layout has a reason column or a reason for all rows. */
export function givesReason({ parts, reason }: Pick<HotlistLayout, "parts" | "reason">): boolean {
  return Boolean(reason) || parts.some(({ field }) => field === "reason");
}

/** Returns the entry of a row, with the listed values of the fields for which its file has no columns. */
export function filledFrom(listed: EntryFields, entry: EntryFields, layout: HotlistLayout): EntryFields {
  const has = (...fields: LayoutField[]) => layout.parts.some(({ field }) => fields.includes(field));
  // Text without a column of its own becomes notes, and codes of the reason may set the priority.
  const hasNotes = has("notes", "info", "plateType") || entry.notes !== "";
  return {
    ...entry,
    stateRequired: listed.stateRequired,
    ...(!givesReason(layout) && { reason: listed.reason }),
    ...(!hasNotes && { notes: listed.notes }),
    ...(!has("caseNumber") && { caseNumber: listed.caseNumber }),
    ...(!has("match") && !layout.ncic && { matchPolicy: listed.matchPolicy }),
    ...(!has("make") && { make: listed.make }),
    ...(!has("color") && { color: listed.color }),
    ...(!has("body", "plateType") && { bodyType: listed.bodyType }),
    ...(!has("priority") && entry.priority === "normal" && { priority: listed.priority }),
  };
}

/** Limits of the mappings that an agency saves. */
export const MAPPING_NAME_MAX = 60;
export const MAPPINGS_MAX = 100;
export const LAYOUT_PARTS_MAX = 200;
export const LAYOUT_HEADER_MAX = 20;

/** A mapping that an agency has saved. */
export type SavedMapping = { id: string; name: string; layout: HotlistLayout; created_at: string };

/** The layout that an import reads its file with. `format` is null until the start of the file has been read. */
export type FileLayout = {
  layout: HotlistLayout;
  /** Name of the layout: a preset or a saved mapping. */
  label: string;
  /** Headings of a recognized heading line whose columns are not read. */
  ignored?: string[] | undefined;
  format: { newline: "\n" | "\r"; encoding?: Utf16 | undefined } | null;
};
