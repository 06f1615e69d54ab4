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
  /** Fewest and most columns of a delimited line. */
  columns?: [least: number, most: number];
  checks: Check[];
};

export const at = (field: LayoutPart["field"], column: number): LayoutPart => ({ field, column });
export const span = (field: LayoutPart["field"], from: number, to?: number): LayoutPart => ({
  field,
  from,
  to,
});
export const info = (label: string, place: Place): LayoutPart => ({ field: "info", label, ...place });

/** Consecutive columns from `first` on. An array is the label of an `info` part. */
export const columnsFrom = (
  first: number,
  ...fields: (LayoutPart["field"] | [label: string])[]
): LayoutPart[] =>
  fields.map((field, n) =>
    typeof field === "string" ? at(field, first + n) : info(field[0], { column: first + n }),
  );

export const fixed = (parts: LayoutPart[], more: Partial<HotlistLayout> = {}): HotlistLayout => ({
  kind: "fixed",
  delimiter: null,
  header: 0,
  parts,
  reasonNeeded: true,
  ...more,
});
export const csv = (parts: LayoutPart[], more: Partial<HotlistLayout> = {}): HotlistLayout => ({
  kind: "delimited",
  delimiter: ",",
  header: 0,
  parts,
  reasonNeeded: true,
  ...more,
});
