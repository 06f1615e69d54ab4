// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the table roles from elements with a grid layout
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA grid pattern on a real table
import {
  type ClipboardEvent,
  type CSSProperties,
  memo,
  type RefObject,
  type UIEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useHydrating } from "#app/components/ui/hydration.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { SERVER_ZONE } from "#app/components/ui/local-time.tsx";
import { at } from "#app/lib/at.ts";
import { withoutFormula } from "#app/lib/text.ts";
import { EarlyKeysScript, useEarlyKeys } from "./early-keys.tsx";
import { NothingPasses, PrintedReads } from "./notices.tsx";
import { SightingRow } from "./row.tsx";
import { isSelected } from "./selection.ts";
import { type ResultsState, type ResultsStore, useResults } from "./state.ts";
import {
  CARD_HEIGHT,
  cardColumns,
  ROW_HEIGHT,
  scaled,
  shownColumns,
  type TableLayout,
  tracksOf,
} from "./table-columns.ts";
import { HEAD_HEIGHT, SightingTableHead } from "./table-head.tsx";
import { type ReadListHandle, useReadList } from "./use-read-list.ts";
import { useTextScale } from "./use-scroll-window.ts";
import { sortLabel } from "./view-controls.tsx";

export type SightingTableProps = {
  store: ResultsStore;
  handle: RefObject<ReadListHandle>;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  onOpen: (row: number) => void;
};

const SELECT_WIDTH = 40;

/** A virtualized grid for any number of rows; only the rows on screen are rendered. */
export const SightingTable = memo(function SightingTable(props: SightingTableProps) {
  const { store, handle, layout, onLayout, onOpen } = props;
  const { columns, isPartial, view, selection, current, grown } = useResults(store, (state) => state);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const hydrating = useHydrating();
  // The first rows are hydrated in the zone in which the server rendered them.
  const [firstZone] = useState(hydrating ? SERVER_ZONE : undefined);
  const { density, shown, keys, rowHeight, headHeight, style } = useTableShape(layout, isPartial);
  const { seen, indexes, reachable, copiedRow, handlers } = useReadList({
    store,
    handle,
    box,
    body,
    perLine: 1,
    lineHeight: rowHeight,
    headHeight,
    onOpen,
  });
  useEarlyKeys(body);
  // Elements are reused for other rows, which is cheaper than new ones.
  const heldKey = useHeldKeys({ columns, current, grown });
  const keyOf = (index: number, row: number) => heldKey(row) ?? index + seen.keyOffset;

  /** Pins cells only while the table is scrolled sideways: pinned cells slow down every scroll. */
  function onScroll(event: UIEvent<HTMLDivElement>) {
    event.currentTarget.toggleAttribute("data-aside", event.currentTarget.scrollLeft > 0);
    seen.onScroll();
  }

  function topOf(index: number) {
    // The row may be beyond the end of the box if the box is shorter than its rows.
    return Math.min(Math.max(index * rowHeight + seen.shift, 0), Math.max(0, seen.height - rowHeight));
  }

  return (
    <div
      ref={box}
      onScroll={onScroll}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain [overflow-anchor:none] print:overflow-visible"
    >
      <EarlyKeysScript />
      <PrintedReads printed={indexes.length} found={view.length} />
      <table
        role="grid"
        aria-rowcount={isPartial ? -1 : view.length + 1}
        aria-colcount={shown.length + 1}
        aria-multiselectable="true"
        data-density={density}
        aria-busy={isPartial || undefined}
        style={style}
        onCopy={copyCells}
        className="block max-sm:min-w-0! print:min-w-0!"
      >
        <caption className="sr-only">
          Search results. Arrow keys move, Enter opens, Space selects, Shift extends the selection.
        </caption>
        <SightingTableHead store={store} columns={shown} layout={layout} onLayout={onLayout} />
        <tbody
          ref={body}
          role="rowgroup"
          className="relative block box-border print:h-auto! print:pt-0!"
          style={{ height: seen.height, paddingTop: Math.max(0, seen.first * rowHeight + seen.shift) }}
          {...handlers}
          onFocus={handlers.onFocus}
          onMouseOver={(event) => event.target instanceof Element && showFullText(event.target)}
        >
          {indexes.map((index) => {
            const row = at(view, index);
            return (
              <SightingRow
                key={keyOf(index, row)}
                columns={columns}
                row={row}
                index={index}
                top={index >= seen.first && index < seen.last ? undefined : topOf(index)}
                keys={keys}
                density={density}
                selected={isSelected(selection, row)}
                current={row === current}
                reachable={index === reachable}
                copied={copiedRow === row}
                hasTools={seen.isSettled}
                zone={isPartial ? firstZone : undefined}
                images={isPartial ? (index === 0 ? "first" : "none") : "queued"}
              />
            );
          })}
        </tbody>
      </table>
      {view.length === 0 && <NothingPasses store={store} />}
      <LiveRegion>{copiedRow === undefined ? "" : "Plate copied"}</LiveRegion>
      <SortOrder store={store} />
    </div>
  );
});

/**
 * Announces a new order: screen readers do not announce the changed `aria-sort` of the column whose button has the
 * focus.
 */
function SortOrder({ store }: { store: ResultsStore }) {
  const sort = useResults(store, (state) => state.sort);
  const [first] = useState(sort);
  return <LiveRegion>{sort === first ? "" : `Sorted: ${sortLabel(sort.key, sort.descending)}`}</LiveRegion>;
}

/** Returns the columns and the sizes of the table. Heights are in pixels and grow with the user's text size. */
function useTableShape(layout: TableLayout, isPartial: boolean) {
  // The server and the browser render the first rows alike, laid out by style sheets alone.
  const isPhone = useIsPhone() && !isPartial;
  const textScale = useTextScale();
  const density = isPhone ? "medium" : layout.density;
  const usualHeight = isPhone ? CARD_HEIGHT : ROW_HEIGHT[density];
  const shown = useMemo(() => (isPhone ? cardColumns() : shownColumns(layout)), [layout, isPhone]);
  const order = shown.map((column) => column.key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of width does not change the rows
  const keys = useMemo(() => shown.map((column) => column.key), [order]);
  const width = shown.reduce((sum, column) => sum + column.width, SELECT_WIDTH);
  const style: CSSProperties & Record<`--${string}`, string> = {
    "--columns": `${scaled(SELECT_WIDTH)} ${tracksOf(shown, layout)}`,
    "--row-height": density === "full" ? `${usualHeight}px` : scaled(usualHeight),
    "--card-height": scaled(CARD_HEIGHT),
    minWidth: scaled(width),
  };
  return {
    density,
    shown,
    keys,
    rowHeight: density === "full" ? usualHeight : usualHeight * textScale,
    headHeight: isPhone ? 0 : HEAD_HEIGHT * textScale,
    style,
  };
}

type Held = {
  columns: ResultsState["columns"] | null;
  rows: readonly { row: number; key: string }[];
  /** The number of keys that were issued. */
  issued: number;
};

/**
 * Returns the element keys of the focused row and of the previously focused one. They keep their own elements, also when
 * more reads arrive and change their numbers, so that the focus never moves to another read.
 */
function useHeldKeys(now: Pick<ResultsState, "columns" | "current" | "grown">) {
  const last = useRef<Held>({ columns: null, rows: [], issued: 0 });
  const held = heldAfter(last.current, now);
  useLayoutEffect(() => {
    last.current = held;
  });
  return (row: number) => held.rows.find((heldRow) => heldRow.row === row)?.key;
}

function heldAfter(last: Held, now: Pick<ResultsState, "columns" | "current" | "grown">): Held {
  const { columns, current, grown } = now;
  let { rows, issued } = last;
  if (last.columns !== columns) {
    const moved = grown && grown.from === last.columns ? grown.rows : undefined;
    rows = rows.map(({ row, key }) => ({ row: moved?.[row] ?? -1, key })).filter(({ row }) => row >= 0);
  }
  if (current !== null && rows[0]?.row !== current) {
    const heldBefore = rows.find(({ row }) => row === current);
    if (!heldBefore) issued++;
    const first = heldBefore ?? { row: current, key: `held ${issued}` };
    rows = [first, ...rows.filter((heldRow) => heldRow !== heldBefore).slice(0, 1)];
  }
  return { columns, rows, issued };
}

/** Narrower than Tailwind's `sm`, where rows become cards. */
const PHONE = "(width < 40rem)";

function watchPhone(listener: () => void): () => void {
  const query = matchMedia(PHONE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Returns whether the window is as narrow as a phone; false until hydration, since the server does not know. */
function useIsPhone(): boolean {
  return useSyncExternalStore(
    watchPhone,
    () => matchMedia(PHONE).matches,
    () => false,
  );
}

/** Adds a tooltip with the full text to cells that are cut off. */
function showFullText(target: Element) {
  const cell = target.closest<HTMLElement>("[data-words]");
  if (!cell) return;
  const isCut = cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight + 1;
  cell.title = isCut ? (cell.textContent ?? "") : "";
}

/**
 * Copies selected cells as lines with tabs between the cells, so that they can be pasted into a spreadsheet: with a
 * grid layout, browsers put each cell on a line of its own. A part of one cell, and text selected beyond the table, is
 * copied as usual.
 */
function copyCells(event: ClipboardEvent<HTMLTableElement>) {
  const selection = getSelection();
  const range = selection?.rangeCount ? selection.getRangeAt(0) : undefined;
  if (!range || !event.currentTarget.contains(range.commonAncestorContainer)) return;
  // Excludes the checkbox of the row, and cells that a phone does not show.
  const isCopied = (cell: HTMLTableCellElement) =>
    cell.cellIndex > 0 && cell.offsetWidth > 0 && range.intersectsNode(cell);
  const lines = [...event.currentTarget.rows]
    .map((row) => [...row.cells].filter(isCopied).map((cell) => selectedText(range, cell)))
    .filter((texts) => texts.some((text) => text !== ""));
  if (lines.flat().filter((text) => text !== "").length < 2) return;
  event.clipboardData.setData(
    "text/plain",
    lines.map((texts) => texts.map(withoutFormula).join("\t")).join("\n"),
  );
  event.preventDefault();
}

/** Returns the text of the part of a cell that is in a range, on one line. A triple click also reaches the next cell's start. */
function selectedText(range: Range, cell: HTMLTableCellElement): string {
  const part = range.cloneRange();
  if (!cell.contains(part.startContainer)) part.setStart(cell, 0);
  if (!cell.contains(part.endContainer)) part.setEnd(cell, cell.childNodes.length);
  return part.toString().replace(/\s+/g, " ").trim();
}
