import type { SortKey } from "./sort.ts";

/** A column of the table. What it is called stands once, here. */
export type TableColumn = {
  key: SortKey;
  label: string;
  width: number;
  /** Where rows are tall and words may wrap, so that the images fit beside them. */
  tight: number;
  least: number;
  /** Takes what the window has to spare. */
  grows?: true;
};

/** In the order of the specification (section 2, /results). As they come, all of them fit a laptop's 1366 pixels. */
const TABLE_COLUMNS: readonly TableColumn[] = [
  { key: "program", label: "Program", width: 82, tight: 68, least: 48 },
  { key: "plate", label: "Plate", width: 130, tight: 104, least: 100 },
  { key: "state", label: "State", width: 56, tight: 52, least: 48 },
  { key: "make", label: "Make", width: 104, tight: 92, least: 64 },
  { key: "color", label: "Color", width: 92, tight: 88, least: 64 },
  { key: "bodyType", label: "Body Type", width: 110, tight: 84, least: 64 },
  { key: "agency", label: "Agency", width: 142, tight: 100, least: 80, grows: true },
  { key: "camera", label: "Camera", width: 162, tight: 100, least: 80, grows: true },
  { key: "time", label: "Timestamp", width: 192, tight: 108, least: 96 },
  { key: "vehicleImage", label: "Vehicle Image", width: 100, tight: 100, least: 96 },
  { key: "plateImage", label: "Plate Image", width: 92, tight: 92, least: 84 },
];

export const DENSITIES = ["compact", "medium", "full"] as const;
export type Density = (typeof DENSITIES)[number];

/** Row heights in CSS pixels; in full the vehicle is 360x203, in both larger ones the plate is 120 wide. */
export const ROW_HEIGHT: Record<Density, number> = { compact: 36, medium: 56, full: 212 };
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

/** How a user has arranged the table. */
export type TableLayout = {
  density: Density;
  order: readonly SortKey[];
  hidden: readonly SortKey[];
  widths: Partial<Record<SortKey, number>>;
};

export const DEFAULT_LAYOUT: TableLayout = {
  density: "full",
  order: TABLE_COLUMNS.map((column) => column.key),
  hidden: [],
  widths: {},
};

const BY_KEY = new Map(TABLE_COLUMNS.map((column) => [column.key, column]));

export function columnOf(key: SortKey): TableColumn {
  return BY_KEY.get(key) as TableColumn;
}

/** The columns that are shown, in their order, with the width that each has. */
export function shownColumns(layout: TableLayout): TableColumn[] {
  return layout.order
    .filter((key) => !layout.hidden.includes(key))
    .map((key) => {
      const column = columnOf(key);
      const box = key === "vehicleImage" ? VEHICLE_BOX : key === "plateImage" ? PLATE_BOX : undefined;
      const least = box
        ? Math.max(column.least, (box[layout.density]?.width ?? 0) + CELL_PADDING)
        : column.least;
      const width = layout.widths[key] ?? (layout.density === "full" ? column.tight : column.width);
      return { ...column, least, width: Math.max(least, width) };
    });
}

/** The columns as tracks of a CSS grid: of those that grow, the ones whose width nobody has chosen share the rest. */
export function tracksOf(columns: readonly TableColumn[], layout: TableLayout): string {
  const growing = columns.filter((column) => column.grows && layout.widths[column.key] === undefined);
  const grows = (column: TableColumn) =>
    growing.length > 0 ? growing.includes(column) : column === columns.at(-1);
  return columns
    .map((column) => (grows(column) ? `minmax(${column.width}px, 1fr)` : `${column.width}px`))
    .join(" ");
}

/** A layout with a column so wide, within what it can bear. */
export function withWidth(layout: TableLayout, key: SortKey, width: number): TableLayout {
  const within = Math.round(Math.min(Math.max(width, columnOf(key).least), WIDEST));
  return { ...layout, widths: { ...layout.widths, [key]: within } };
}

/** Shows or hides a column; the plate, and so at least one column, always stays. */
export function withShown(layout: TableLayout, key: SortKey, shown: boolean): TableLayout {
  if (key === "plate") return layout;
  const others = layout.hidden.filter((hidden) => hidden !== key);
  return { ...layout, hidden: shown ? others : [...others, key] };
}

/** Moves a column by so many places among all columns. */
export function withMoved(layout: TableLayout, key: SortKey, by: number): TableLayout {
  const order = layout.order.filter((other) => other !== key);
  const at = Math.min(Math.max(layout.order.indexOf(key) + by, 0), order.length);
  order.splice(at, 0, key);
  return { ...layout, order };
}

/** A layout as it was remembered, mended where it is from another version or damaged. */
export function parseLayout(text: string | null): TableLayout {
  let value: Partial<Record<keyof TableLayout, unknown>>;
  try {
    value = (JSON.parse(text ?? "{}") ?? {}) as typeof value;
  } catch {
    return DEFAULT_LAYOUT;
  }
  const keys = (list: unknown) =>
    Array.isArray(list) ? [...new Set(list.filter((key): key is SortKey => BY_KEY.has(key)))] : [];
  const known = keys(value.order);
  const order = [...known, ...DEFAULT_LAYOUT.order.filter((key) => !known.includes(key))];
  const widths = Object.entries(value.widths ?? {}).filter(
    ([key, width]) => BY_KEY.has(key as SortKey) && Number.isFinite(width),
  );
  let layout: TableLayout = {
    density: DENSITIES.find((density) => density === value.density) ?? DEFAULT_LAYOUT.density,
    order,
    hidden: keys(value.hidden).filter((key) => key !== "plate"),
    widths: {},
  };
  for (const [key, width] of widths) layout = withWidth(layout, key as SortKey, width as number);
  return layout;
}
