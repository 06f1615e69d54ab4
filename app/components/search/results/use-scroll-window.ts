import {
  type RefObject,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import {
  afterScroll,
  boxHeight,
  type Drawn,
  drawnNext,
  lastPosition,
  positionToShow,
  rowsAt,
  type Scrolled,
  type ScrollGeometry,
  scrollOf,
} from "./scroll-scale.ts";
import { textScale } from "./table-columns.ts";

const OVERSCAN = 4;
/** Scrolling has stopped after this time without a scroll event. */
const SETTLE_MS = 120;

export type ScrollWindow = {
  first: number;
  last: number;
  /** Row index + `keyOffset` is the key of the row's element. */
  keyOffset: number;
  /** Pixels to add to a row's top to place it in the box; constant while scrolling in small steps. */
  shift: number;
  height: number;
  onScroll: () => void;
  showRow: (index: number) => void;
  /** Returns the position in the list, in pixels. */
  position: () => number;
  moveTo: (position: number) => void;
  /** How many rows fit in the box. */
  page: number;
  /** Whether the box has been measured. */
  isReady: boolean;
  /** Whether scrolling has stopped, so that rows and controls outside the view may be rendered. */
  isSettled: boolean;
};

/**
 * Returns the size of the user's text relative to the usual size, as a factor: 1 until the browser is asked at the
 * first render.
 */
export function useTextScale(): number {
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => setScale(textScale()), []);
  return scale;
}

/**
 * Returns which rows of a fixed height a scroll box shows, for any number of rows. `unmeasured` is the number of rows
 * to render before the box is measured.
 */
export function useScrollWindow(
  box: RefObject<HTMLElement>,
  size: { rows: number; rowHeight: number; headHeight: number; unmeasured?: number },
): ScrollWindow {
  // By default nothing is rendered before the box is measured: measuring later would lay out all rows twice.
  const { rows, rowHeight, headHeight, unmeasured = 0 } = size;
  const viewport = useViewport(box, headHeight);
  const isReady = viewport > 0;
  // At the start and after a jump, only visible rows are rendered; the overscan follows when scrolling stops.
  const [overscan, setOverscan] = useState(0);
  const [scrolled, setScrolled] = useState<Scrolled>({ scroll: 0, position: 0 });
  const at = useRef(scrolled);
  const geometry: ScrollGeometry = { rows, rowHeight, viewport };
  const latest = useRef(geometry);
  latest.current = geometry;
  const before = useRef(geometry);
  const drawn = useRef<Drawn>();

  const move = useCallback((next: Scrolled) => {
    at.current = next;
    setScrolled(next);
  }, []);

  const put = useCallback(
    (position: number) => {
      const scroll = Math.round(scrollOf(position, latest.current));
      move({ scroll, position });
      if (box.current) {
        box.current.scrollTop = scroll;
        at.current = { ...at.current, scroll: box.current.scrollTop };
      }
    },
    [box, move],
  );

  /** Renders the overscan and corrects the scrollbar when scrolling has stopped. */
  const settleSoon = useSettling(isReady, () => {
    startTransition(() => setOverscan(OVERSCAN));
    const proper = scrollOf(at.current.position, geometry);
    const isShort = boxHeight(geometry) < rows * rowHeight;
    if (isShort && Math.abs(proper - at.current.scroll) > 1) put(at.current.position);
  });

  // A new row size keeps the row at the top; a new filter limits the position to the new length.
  useLayoutEffect(() => {
    const previous = before.current;
    before.current = { rows, rowHeight, viewport: latest.current.viewport };
    if (previous.rowHeight === rowHeight && previous.rows === rows) return;
    const top = (at.current.position / previous.rowHeight) * rowHeight;
    put(Math.min(top, lastPosition(latest.current)));
  }, [rows, rowHeight, put]);

  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const scroll = element.scrollTop;
    if (scroll === at.current.scroll) return;
    const next = afterScroll(at.current, scroll, latest.current);
    const isJump = Math.abs(next.position - at.current.position) > latest.current.viewport / 2;
    // Synchronously: one frame later the box would be empty for a moment.
    flushSync(() => {
      move(next);
      if (isJump) setOverscan(0);
    });
    settleSoon();
  }, [box, move, settleSoon]);

  const showRow = useCallback(
    (index: number) => {
      const position = positionToShow(index, at.current.position, latest.current);
      if (position !== at.current.position) put(position);
    },
    [put],
  );

  const position = Math.min(scrolled.position, lastPosition(geometry));
  drawn.current = isReady
    ? drawnNext(drawn.current?.last ? drawn.current : undefined, rowsAt(position, geometry, overscan))
    : { first: 0, last: unmeasured, keyOffset: 0 };
  return {
    ...drawn.current,
    shift: scrolled.scroll - position,
    height: boxHeight(geometry),
    onScroll,
    showRow,
    position: () => at.current.position,
    moveTo: put,
    page: Math.max(1, Math.floor(viewport / rowHeight)),
    isReady,
    isSettled: overscan > 0,
  };
}

/** Returns the height in which the box shows rows, in pixels; 0 until it is measured. */
function useViewport(box: RefObject<HTMLElement>, headHeight: number): number {
  const [viewport, setViewport] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setViewport(Math.max(1, element.clientHeight - headHeight));
    // A transition keeps the page responsive while the first rows render.
    startTransition(measure);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, headHeight]);
  return viewport;
}

/** Returns a function to call at each scroll event: after the last, and once the box is ready, `onSettled` is called. */
function useSettling(isReady: boolean, onSettled: () => void): () => void {
  const latest = useRef(onSettled);
  latest.current = onSettled;
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const settleSoon = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(), SETTLE_MS);
  }, []);
  useEffect(() => {
    if (isReady) settleSoon();
    return () => clearTimeout(timer.current);
  }, [isReady, settleSoon]);
  return settleSoon;
}
