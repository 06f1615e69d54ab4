/**
 * Largest height of a scroll box in pixels. Browsers limit it: Firefox to 17.5 million pixels, Chrome to 33 million
 * divided by the zoom. Above this height the box is shorter than its rows. Small steps (wheel, keys, touch) still move
 * pixel by pixel; long ones (the thumb, Home, End) are scaled, so that the ends of the box match the ends of the list.
 */
export const TALLEST_BOX = 8_000_000;

export type ScrollGeometry = {
  rows: number;
  rowHeight: number;
  /** Height of the visible part, in pixels. */
  viewport: number;
};

/** Returns the height of the scroll box in pixels. */
export function boxHeight({ rows, rowHeight }: ScrollGeometry): number {
  return Math.min(rows * rowHeight, TALLEST_BOX);
}

function ends(geometry: ScrollGeometry) {
  return {
    scroll: Math.max(0, boxHeight(geometry) - geometry.viewport),
    position: Math.max(0, geometry.rows * geometry.rowHeight - geometry.viewport),
  };
}

function within(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

/** Returns the last position in the list, which shows its end. */
export function lastPosition(geometry: ScrollGeometry): number {
  return ends(geometry).position;
}

/** Returns the scroll offset of the box for a position in the list. */
export function scrollOf(position: number, geometry: ScrollGeometry): number {
  const end = ends(geometry);
  if (end.position === 0) return 0;
  return within((position / end.position) * end.scroll, end.scroll);
}

/** Returns the position in the list for a scroll offset of the box. */
export function positionOf(scroll: number, geometry: ScrollGeometry): number {
  const end = ends(geometry);
  if (end.scroll === 0) return 0;
  return within((scroll / end.scroll) * end.position, end.position);
}

export type Scrolled = { scroll: number; position: number };

/** Returns the position in the list after the scroll offset changed. */
export function afterScroll(before: Scrolled, scroll: number, geometry: ScrollGeometry): Scrolled {
  const end = ends(geometry);
  if (end.scroll === end.position) return { scroll, position: within(scroll, end.position) };
  const step = scroll - before.scroll;
  const isLong = Math.abs(step) > geometry.viewport;
  const position = isLong ? positionOf(scroll, geometry) : within(before.position + step, end.position);
  return { scroll, position };
}

/**
 * Returns the rows to render at a position: `first` inclusive, `last` exclusive, with overscan at both ends. The count is
 * the same at every position, so that elements can be reused.
 */
export function rowsAt(position: number, geometry: ScrollGeometry, overscan: number) {
  const { rows, rowHeight, viewport } = geometry;
  const drawn = Math.min(rows, Math.ceil(viewport / rowHeight) + 1 + 2 * overscan);
  const first = within(Math.floor(position / rowHeight) - overscan, rows - drawn);
  return { first, last: first + drawn };
}

/** Rendered rows, `first` inclusive, `last` exclusive. Row index + `keyOffset` is the key of the row's element. */
export type Drawn = { first: number; last: number; keyOffset: number };

/**
 * Returns the next rendered rows. Elements keep their rows while most of them stay on screen. After a jump, each element is
 * reused in place for another row: replacing text costs a third of removing and inserting elements.
 */
export function drawnNext(
  before: Drawn | undefined,
  { first, last }: { first: number; last: number },
): Drawn {
  if (!before) return { first, last, keyOffset: 0 };
  const kept = Math.min(last, before.last) - Math.max(first, before.first);
  const isJump = kept < (last - first) / 2;
  return { first, last, keyOffset: isJump ? before.keyOffset + before.first - first : before.keyOffset };
}

/** Returns the nearest position at which a row is fully visible. */
export function positionToShow(row: number, position: number, geometry: ScrollGeometry): number {
  const { rowHeight, viewport } = geometry;
  const top = row * rowHeight;
  const end = ends(geometry).position;
  if (top < position || rowHeight > viewport) return within(top, end);
  if (top + rowHeight > position + viewport) return within(top + rowHeight - viewport, end);
  return within(position, end);
}
