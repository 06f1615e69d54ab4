import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useCopy } from "#app/components/ui/copy-button.tsx";
import { useHotkey } from "#app/components/ui/keys/single-keys.ts";
import { type ResultColumns, wordAt } from "#app/entities/search/result-columns.ts";
import { type ResultsState, type ResultsStore, useResults } from "./state.ts";
import { type ScrollWindow, useScrollWindow } from "./use-scroll-window.ts";

/** What the results view calls on the table and the gallery. */
export type ReadListHandle = {
  focus: () => void;
  /** Returns the row that stays where it is on screen when more reads arrive; undefined without reads. */
  anchorRow: () => number | undefined;
  goToTop: () => void;
};

type ReadListOptions = {
  store: ResultsStore;
  handle: RefObject<ReadListHandle>;
  box: RefObject<HTMLElement>;
  /** Contains the elements of the reads, each with its row in `data-row`. */
  body: RefObject<HTMLElement>;
  /** Reads side by side in one line: 1 in the table. */
  perLine: number;
  lineHeight: number;
  headHeight: number;
  onOpen: (row: number) => void;
};

/** Scrolling, keyboard, pointer and selection of a virtualized list of reads, shared by the table and the gallery. */
export function useReadList(options: ReadListOptions) {
  const { store, handle, box, body, perLine, lineHeight, headHeight, onOpen } = options;
  const state = useResults(store, (state) => state);
  const { columns, isPartial, view, places, current } = state;
  const { copiedRow, copyPlate } = useCopiedPlate(columns);
  const lines = Math.ceil(view.length / perLine);
  const seen = useScrollWindow(box, {
    rows: lines,
    rowHeight: lineHeight,
    headHeight,
    // The server renders the first rows; otherwise nothing is rendered before the box is measured.
    unmeasured: isPartial ? lines : 0,
  });

  const place = current === null ? -1 : (places[current] ?? -1);
  const line = place < 0 ? -1 : Math.floor(place / perLine);
  const indexes: number[] = [];
  for (let i = seen.first; i < seen.last; i++) indexes.push(i);
  // The focused read is always rendered: removing it would lose the focus.
  if (line >= 0 && (line < seen.first || line >= seen.last)) indexes.push(line);
  const reachable = place >= 0 ? place : seen.first * perLine;
  const anchorRow = useSteadyScroll({ state, line, seen, perLine, lineHeight });

  function goTo(index: number, extend = false) {
    const at = Math.min(Math.max(index, 0), view.length - 1);
    const row = view[at];
    if (row === undefined) return;
    seen.showRow(Math.floor(at / perLine));
    if (extend) store.selectTo(row);
    else store.setCurrent(row);
    focusRow(row);
  }
  // React renders the read, which then has its own element, in a microtask. By the next frame, another key may be pressed.
  function focusRow(row: number) {
    queueMicrotask(() =>
      body.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus({ preventScroll: true }),
    );
  }
  useHotkey("j", () => goTo(place + 1));
  useHotkey("k", () => goTo(place < 0 ? 0 : place - 1));
  useImperativeHandle(handle, () => ({
    focus: () => goTo(Math.max(place, 0)),
    anchorRow,
    goToTop: () => goTo(0),
  }));

  return {
    seen,
    /** Lines to render. */
    indexes,
    /** The position of the one read in the tab order. */
    reachable,
    /** The row whose plate was just copied. */
    copiedRow,
    handlers: readHandlers({
      store,
      state,
      perLine,
      page: seen.page * perLine,
      goTo,
      focusRow,
      copyPlate,
      onOpen,
    }),
  };
}

type ReadHandlers = Pick<ReadListOptions, "store" | "perLine" | "onOpen"> & {
  state: ResultsState;
  /** Reads on a screen. */
  page: number;
  goTo: (index: number, extend?: boolean) => void;
  focusRow: (row: number) => void;
  copyPlate: (row: number) => void;
};

/** Returns the handlers of keys and of the pointer. */
function readHandlers({ store, state, perLine, page, goTo, focusRow, copyPlate, onOpen }: ReadHandlers) {
  const { view, places, current } = state;

  function onKeyDown(event: KeyboardEvent) {
    const { key, shiftKey } = event;
    const command = event.ctrlKey || event.metaKey;
    // A screen reader can move the focus to any read.
    const row = rowOf(event.target) ?? current ?? -1;
    const place = places[row] ?? -1;
    const to = placeAfter(key, { place, perLine, page, count: view.length });
    if (command && key.toLowerCase() === "a" && !shiftKey) store.selectAll(true);
    else if (command || event.altKey) return;
    else if (to !== undefined) goTo(to, shiftKey);
    else if (key === "j") goTo(place + 1);
    else if (key === "k") goTo(place - 1);
    else if (place < 0) return;
    else if (key === " " && shiftKey) store.selectTo(row);
    else if (key === " ") store.toggle(row);
    else if (key === "Enter") onOpen(row);
    else if (key === "c") copyPlate(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onClick(event: MouseEvent) {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const row = rowOf(target);
    if (row === undefined) return;
    focusRow(row);
    if (event.shiftKey) store.selectTo(row);
    else if (event.ctrlKey || event.metaKey || target.closest("[data-select]")) store.toggle(row);
    else if (target.closest("[data-copy]")) copyPlate(row);
    else if (getSelection()?.isCollapsed !== false) {
      store.setCurrent(row);
      onOpen(row);
    }
  }

  function onFocus(event: FocusEvent) {
    const row = event.target.getAttribute("data-row");
    if (row === null || current !== null) return;
    // Pointer focus is ignored: rendering the read between press and release would lose the click.
    if (!event.target.matches(":focus-visible")) return;
    store.setCurrent(Number(row));
    focusRow(Number(row));
  }

  return {
    onKeyDown,
    onClick,
    onFocus,
    onMouseDown: (event: MouseEvent) => event.shiftKey && event.preventDefault(),
  };
}

type SteadyScroll = Pick<ReadListOptions, "perLine" | "lineHeight"> & {
  state: ResultsState;
  /** The line of the current read; -1 for none. */
  line: number;
  seen: ScrollWindow;
};

/**
 * Scrolls so that reads stay in view: the anchor keeps its place on screen when more reads arrive, and a read that
 * becomes the current one elsewhere is shown. Returns a function that returns the row of the anchor.
 */
function useSteadyScroll({ state, line, seen, perLine, lineHeight }: SteadyScroll) {
  const { columns, view, places, current, sort, grown } = state;
  const { showRow, isReady, position, moveTo, page } = seen;
  const anchorOf = (list: AnchoredList) =>
    anchorPlace(list, { first: Math.floor(position() / lineHeight), page, perLine });

  /** The row that was last scrolled into view. */
  const followed = useRef<number | null>();
  const last = useRef(state);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = state;
    if (before.columns === columns || grown?.from !== before.columns) return;
    followed.current = current;
    const anchor = anchorOf(before);
    const place = places[grown.rows[before.view[anchor] ?? -1] ?? -1] ?? -1;
    const lines = Math.floor(place / perLine) - Math.floor(anchor / perLine);
    if (place >= 0) moveTo(position() + lines * lineHeight);
  });

  // Moves from outside (the map, the detail) scroll the read into view; a new sort order starts at its top.
  const latestLine = useRef(line);
  latestLine.current = line;
  const sorted = useRef(sort);
  useEffect(() => {
    if (sorted.current !== sort) showRow(0);
    sorted.current = sort;
  }, [sort, showRow]);
  // Does not run when only its position changes.
  useEffect(() => {
    if (!isReady || followed.current === current) return;
    followed.current = current;
    if (latestLine.current >= 0) showRow(latestLine.current);
  }, [current, isReady, showRow]);

  return () => view[anchorOf(state)];
}

type AnchoredList = Pick<ResultsState, "view" | "places" | "current">;

/**
 * Returns the place of the read that stays in place when more arrive: the current one if it is visible, or else the
 * first. `first` is the first visible line, `page` the number of lines that fit.
 */
export function anchorPlace(
  { view, places, current }: AnchoredList,
  { first, page, perLine }: { first: number; page: number; perLine: number },
): number {
  const place = current === null ? -1 : (places[current] ?? -1);
  const line = Math.floor(place / perLine);
  const isVisible = place >= 0 && line >= first && line <= first + page;
  return isVisible ? place : Math.min(first * perLine, view.length - 1);
}

/** Returns the row of the read that contains an element. */
function rowOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest("[data-row]")?.getAttribute("data-row") : null;
  return typeof row === "string" ? Number(row) : undefined;
}

/** Copies plates. The row whose plate was copied last is marked for a moment. */
function useCopiedPlate(columns: ResultColumns) {
  const { copied, copy } = useCopy();
  const [last, setLast] = useState<{ columns: ResultColumns; row: number }>();
  return {
    // With other columns, the rows are other reads.
    copiedRow: copied && last?.columns === columns ? last.row : undefined,
    copyPlate: (row: number) => {
      const plate = wordAt(columns, "plate", row);
      if (plate === "") return;
      setLast({ columns, row });
      void copy(plate);
    },
  };
}

/** Returns the place that a key leads to, which may be outside the list; undefined for other keys. */
function placeAfter(
  key: string,
  { place, perLine, page, count }: { place: number; perLine: number; page: number; count: number },
): number | undefined {
  if (key === "ArrowDown") return place < 0 ? 0 : place + perLine;
  if (key === "ArrowUp") return place - perLine;
  if (key === "ArrowRight" && perLine > 1) return place + 1;
  if (key === "ArrowLeft" && perLine > 1) return place - 1;
  if (key === "PageDown") return place + page;
  if (key === "PageUp") return place - page;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
