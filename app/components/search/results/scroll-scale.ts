/**
 * Scrolling through more rows than a browser can stack: Firefox ends a scroll box at 17.5 million pixels, Chrome at
 * 33 million divided by the zoom. Above this height the box is shorter than its rows. Small steps (wheel, keys,
 * touch) still move pixel by pixel; long ones (the thumb, Home, End) are mapped in proportion, so that the ends of
 * the box are the ends of the list.
 */
export const TALLEST_BOX = 8_000_000;

export type ScrollGeometry = {
  rows: number;
  rowHeight: number;
  /** Height of what is seen of the rows. */
  viewport: number;
};

/** The height that the scroll box is given. */
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

/** Where the box's scrollbar stands when the list stands at a position. */
export function scrollOf(position: number, geometry: ScrollGeometry): number {
  const end = ends(geometry);
  if (end.position === 0) return 0;
  return within((position / end.position) * end.scroll, end.scroll);
}

/** Where the list stands when the scrollbar was put somewhere. */
export function positionOf(scroll: number, geometry: ScrollGeometry): number {
  const end = ends(geometry);
  if (end.scroll === 0) return 0;
  return within((scroll / end.scroll) * end.position, end.position);
}

export type Scrolled = { scroll: number; position: number };

/** Where the list stands after the scrollbar moved. */
export function afterScroll(before: Scrolled, scroll: number, geometry: ScrollGeometry): Scrolled {
  const end = ends(geometry);
  if (end.scroll === end.position) return { scroll, position: within(scroll, end.position) };
  const step = scroll - before.scroll;
  const isLong = Math.abs(step) > geometry.viewport;
  const position = isLong ? positionOf(scroll, geometry) : within(before.position + step, end.position);
  return { scroll, position };
}

/**
 * The rows to draw at a position: first included, last excluded, some more at both ends. As many at every position,
 * so that each row drawn before has one to follow it.
 */
export function rowsAt(position: number, geometry: ScrollGeometry, overscan: number) {
  const { rows, rowHeight, viewport } = geometry;
  const drawn = Math.min(rows, Math.ceil(viewport / rowHeight) + 1 + 2 * overscan);
  const first = within(Math.floor(position / rowHeight) - overscan, rows - drawn);
  return { first, last: first + drawn };
}

/** Rows drawn, first included, last excluded, and what to add to a row's index to have the key of its element. */
export type Drawn = { first: number; last: number; keyOffset: number };

/**
 * Elements keep their rows while most of them stay on screen. After a jump each shows another row in the place where
 * it stands: to write other words into elements costs a third of taking them out and putting them in.
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

/** The nearest position at which a row is wholly seen. */
export function positionToShow(row: number, position: number, geometry: ScrollGeometry): number {
  const { rowHeight, viewport } = geometry;
  const top = row * rowHeight;
  const end = ends(geometry).position;
  if (top < position || rowHeight > viewport) return within(top, end);
  if (top + rowHeight > position + viewport) return within(top + rowHeight - viewport, end);
  return within(position, end);
}
