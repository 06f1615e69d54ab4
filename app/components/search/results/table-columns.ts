import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { SORT_KEYS, type SortKey } from "./sort.ts";

/**
 * A column of the table. Its label is defined only here. Widths are in CSS pixels of the usual text size, and grow with it:
 * a plate whose end is cut off looks like another plate.
 */
export type TableColumn = {
  key: SortKey;
  label: string;
  width: number;
  /** Width in tall rows, where text may wrap to leave room for the images. */
  tight: number;
  least: number;
  /** In rows with images, its text wraps at the tight width until the window has room for its whole width. */
  wraps?: true;
  /** Whether the column takes the remaining width. */
  grows?: true;
  /** The text of its cells, if it is not the stored word. Never broken inside a word. */
  text?: (read: ResultRow) => string;
  /** The class that places it on a phone's card. Columns without one are not on cards. */
  card?: string;
};

/** In the order of the specification (section 2, /results). With these widths, all columns fit a 1366-pixel laptop screen, and in medium rows 1280 pixels. */
const TABLE_COLUMNS: readonly TableColumn[] = [
  { key: "program", label: "Program", width: 82, tight: 68, least: 48, card: "max-sm:[grid-area:program]" },
  { key: "plate", label: "Plate", width: 130, tight: 104, least: 100, card: "max-sm:[grid-area:plate]" },
  { key: "match", label: "Match", width: 150, tight: 110, least: 80 },
  { key: "state", label: "State", width: 56, tight: 52, least: 48, card: "max-sm:[grid-area:state]" },
  { key: "make", label: "Make", width: 104, tight: 92, least: 64, text: (read) => makeText(read.make) },
  { key: "color", label: "Color", width: 92, tight: 88, least: 64, text: (read) => colorText(read.color) },
  {
    key: "bodyType",
    label: "Body Type",
    width: 110,
    tight: 94,
    least: 64,
    text: (read) => bodyTypeText(read.bodyType),
  },
  { key: "agency", label: "Agency", width: 142, tight: 91, least: 80, grows: true },
  {
    key: "camera",
    label: "Camera",
    width: 162,
    tight: 100,
    least: 80,
    grows: true,
    card: "max-sm:[grid-area:camera]",
  },
  {
    key: "time",
    label: "Timestamp",
    width: 208,
    tight: 108,
    least: 96,
    wraps: true,
    card: "max-sm:[grid-area:time]",
  },
  {
    key: "vehicleImage",
    label: "Vehicle Image",
    width: 100,
    tight: 100,
    least: 96,
    card: "max-sm:[grid-area:image]",
  },
  { key: "plateImage", label: "Plate Image", width: 92, tight: 92, least: 84 },
];

export const DENSITIES = ["compact", "medium", "full"] as const;
export type Density = (typeof DENSITIES)[number];

/**
 * Row heights in CSS pixels of the usual text size. Full rows do not grow with the text: they show the vehicle at
 * 360x203. Medium and full rows show the plate 120 wide.
 */
export const ROW_HEIGHT: Record<Density, number> = { compact: 36, medium: 56, full: 212 };
/** Height of a phone's card in CSS pixels of the usual text size. */
export const CARD_HEIGHT = 92;
const VEHICLE_BOX: Record<Density, { width: number; height: number } | null> = {
  compact: null,
  medium: { width: 85, height: 48 },
  full: { width: 360, height: 203 },
};
const PLATE_BOX: Record<Density, { width: number; height: number } | null> = {
  compact: null,
  medium: { width: 120, height: 48 },
  full: { width: 120, height: 60 },
};

const CELL_PADDING = 16;
const WIDEST = 900;

/** The user's layout of the table. */
export type TableLayout = {
  density: Density;
  order: readonly SortKey[];
  hidden: readonly SortKey[];
  widths: Partial<Record<SortKey, number>>;
};

export const DEFAULT_LAYOUT: TableLayout = {
  density: "medium",
  order: TABLE_COLUMNS.map((column) => column.key),
  hidden: [],
  widths: {},
};

const BY_KEY = new Map(TABLE_COLUMNS.map((column) => [column.key, column]));

export function columnOf(key: SortKey): TableColumn {
  const column = BY_KEY.get(key);
  if (!column) throw new RangeError(`There is no column "${key}".`);
  return column;
}

/** Returns the columns of a phone's card. */
export function cardColumns(): TableColumn[] {
  return TABLE_COLUMNS.filter((column) => column.card !== undefined);
}

/** A column as it is shown. `most` is the width to which it grows if its text would need that to stay on one line. */
export type ShownColumn = TableColumn & { most?: number };

/** Returns the visible columns in order, with their current widths. */
export function shownColumns(layout: TableLayout): ShownColumn[] {
  const { density } = layout;
  return layout.order
    .filter((key) => !layout.hidden.includes(key))
    .map((key) => {
      const column = columnOf(key);
      const box = key === "vehicleImage" ? VEHICLE_BOX : key === "plateImage" ? PLATE_BOX : undefined;
      const least = box ? Math.max(column.least, (box[density]?.width ?? 0) + CELL_PADDING) : column.least;
      const chosen = layout.widths[key];
      if (chosen === undefined && column.wraps && density === "medium")
        return { ...column, width: column.tight, most: column.width };
      const width = chosen ?? (density === "full" ? column.tight : column.width);
      return { ...column, least, width: Math.max(least, width) };
    });
}

/**
 * Returns the columns as CSS grid tracks. Spare width goes to text that would wrap first; growing columns without a
 * user-chosen width share the rest.
 */
export function tracksOf(columns: readonly ShownColumn[], layout: TableLayout): string {
  const growing = columns.filter((column) => column.grows && layout.widths[column.key] === undefined);
  const grows = (column: TableColumn) =>
    growing.length > 0 ? growing.includes(column) : column === columns.at(-1);
  return columns
    .map((column) => {
      const most = grows(column) ? "1fr" : column.most && scaled(column.most);
      return most ? `minmax(${scaled(column.width)}, ${most})` : scaled(column.width);
    })
    .join(" ");
}

const USUAL_TEXT = 16;

/** Returns a width or height as a CSS length that grows with the user's text size. */
export const scaled = (length: number) => `${length / USUAL_TEXT}rem`;

/** Returns the size of the user's text relative to the usual size, as a factor. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT;
}

/** Returns a layout with a column set to a width, limited to the allowed range. */
export function withWidth(layout: TableLayout, key: SortKey, width: number): TableLayout {
  const within = Math.round(Math.min(Math.max(width, columnOf(key).least), WIDEST));
  return { ...layout, widths: { ...layout.widths, [key]: within } };
}

/** Returns a layout with a column shown or hidden. The plate column is always shown. */
export function withShown(layout: TableLayout, key: SortKey, shown: boolean): TableLayout {
  if (key === "plate") return layout;
  const others = layout.hidden.filter((hidden) => hidden !== key);
  return { ...layout, hidden: shown ? others : [...others, key] };
}

/** Returns a layout with a column moved by a number of positions. */
export function withMoved(layout: TableLayout, key: SortKey, by: number): TableLayout {
  const order = layout.order.filter((other) => other !== key);
  const at = Math.min(Math.max(layout.order.indexOf(key) + by, 0), order.length);
  order.splice(at, 0, key);
  return { ...layout, order };
}

/** Returns a layout without the column of matches, which only a search with look-alikes has. */
export function withoutMatches(layout: TableLayout): TableLayout {
  return { ...layout, order: layout.order.filter((key) => key !== "match") };
}

/** Parses a stored layout. Replaces invalid or missing parts with defaults. */
export function parseLayout(text: string | null): TableLayout {
  const value: Partial<Record<keyof TableLayout, unknown>> = objectOf(parseJson(text ?? ""));
  const keys = (list: unknown) =>
    Array.isArray(list) ? [...new Set(list.filter((key): key is SortKey => BY_KEY.has(key)))] : [];
  const known = keys(value.order);
  const order = [...known];
  // A missing column is inserted after its predecessor in the default order.
  for (const [i, key] of DEFAULT_LAYOUT.order.entries())
    if (!order.includes(key)) order.splice(order.indexOf(DEFAULT_LAYOUT.order[i - 1] ?? key) + 1, 0, key);
  let layout: TableLayout = {
    density: DENSITIES.find((density) => density === value.density) ?? DEFAULT_LAYOUT.density,
    order,
    hidden: keys(value.hidden).filter((key) => key !== "plate"),
    widths: {},
  };
  const widths: Partial<Record<SortKey, unknown>> = objectOf(value.widths);
  for (const key of SORT_KEYS) {
    const width = widths[key];
    if (typeof width === "number" && Number.isFinite(width)) layout = withWidth(layout, key, width);
  }
  return layout;
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
