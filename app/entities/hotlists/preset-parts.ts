/** Building blocks of the preset tables: parts, layouts, and the checks that tell layouts apart. */

import type { HotlistLayout, LayoutPart, Place } from "./layout.ts";

export type Check = Place & {
  is:
    | "blank"
    | "filled"
    | "day"
    | "slashDate"
    | "yearOrBlank"
    | "ncicId"
    | "letter"
    | "fewCommas"
    | "code"
    | string[];
};

export type Preset = {
  layout: HotlistLayout;
  /** Minimum and maximum number of columns of a delimited line. */
  columns?: [least: number, most: number];
  checks: Check[];
};

/** Returns a part that is a column of a delimited line, counted from 0. */
export const at = (field: LayoutPart["field"], column: number): LayoutPart => ({ field, column });
/**
 * Returns a part that is a range of characters, counted from 0, up to `to` (exclusive) or the end of the line. Negative
 * numbers count from the end.
 */
export const span = (field: LayoutPart["field"], from: number, to?: number): LayoutPart => ({
  field,
  from,
  to,
});
/** Returns a part that is added to the notes under a label. */
export const info = (label: string, place: Place): LayoutPart => ({ field: "info", label, ...place });

/** Returns consecutive columns from `first` on. An array is the label of an `info` part. */
export const columnsFrom = (
  first: number,
  ...fields: (LayoutPart["field"] | [label: string])[]
): LayoutPart[] =>
  fields.map((field, n) =>
    typeof field === "string" ? at(field, first + n) : info(field[0], { column: first + n }),
  );

/**
 * Returns a layout of lines with fixed positions. Unless `more` overrides it, there is no heading line and every row
 * needs a reason.
 */
export const fixed = (parts: LayoutPart[], more: Partial<HotlistLayout> = {}): HotlistLayout => ({
  kind: "fixed",
  delimiter: null,
  header: 0,
  parts,
  reasonNeeded: true,
  ...more,
});
/**
 * Returns a layout of comma-separated lines. Unless `more` overrides it, there is no heading line and every row needs a
 * reason.
 */
export const csv = (parts: LayoutPart[], more: Partial<HotlistLayout> = {}): HotlistLayout => ({
  kind: "delimited",
  delimiter: ",",
  header: 0,
  parts,
  reasonNeeded: true,
  ...more,
});
