// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the table roles from elements with a grid layout
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA grid pattern on a real table
import { FilterX } from "lucide-react";
import {
  type CSSProperties,
  forwardRef,
  type KeyboardEvent,
  type MouseEvent,
  type UIEvent,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { useCopy } from "#app/components/ui/use-copy.ts";
import { wordAt } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { SightingRow } from "./row.tsx";
import { isSelected } from "./selection.ts";
import { type ResultsStore, useResults } from "./state.ts";
import { ROW_HEIGHT, shownColumns, type TableLayout, tracksOf } from "./table-columns.ts";
import { HEAD_HEIGHT, SightingTableHead } from "./table-head.tsx";
import { useScrollWindow } from "./use-scroll-window.ts";

export type SightingTableProps = {
  store: ResultsStore;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  onOpen: (row: number) => void;
};

export type SightingTableHandle = { focus: () => void };

const SELECT_WIDTH = 40;

/** A virtualized grid for any number of rows; only the rows on screen are rendered. */
export const SightingTable = forwardRef<SightingTableHandle, SightingTableProps>(function SightingTable(
  { store, layout, onLayout, onOpen },
  handle,
) {
  const { columns, view, places, selection, current, sort } = useResults(store, (state) => state);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { copied, copy } = useCopy();
  const [copiedRow, setCopiedRow] = useState<number>();
  const height = ROW_HEIGHT[layout.density];
  const seen = useScrollWindow(box, { rows: view.length, rowHeight: height, headHeight: HEAD_HEIGHT });
  const shown = useMemo(() => shownColumns(layout), [layout]);
  const order = shown.map((column) => column.key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of width does not change the rows
  const keys = useMemo(() => shown.map((column) => column.key), [order]);

  // Elements are reused for other rows, which is cheaper than new ones. The focused row and the previously focused row
  // keep their own elements, so that the focus never moves to another read.
  const held = useRef<readonly number[]>([]);
  if (current !== null && held.current[0] !== current) held.current = [current, ...held.current.slice(0, 1)];
  const keyOf = (index: number, row: number) =>
    held.current.includes(row) ? `row ${row}` : index + seen.keyOffset;

  const place = current === null ? -1 : (places[current] ?? -1);
  const indexes: number[] = [];
  for (let i = seen.first; i < seen.last; i++) indexes.push(i);
  // The focused row is always rendered: removing it would lose the focus.
  if (place >= 0 && (place < seen.first || place >= seen.last)) indexes.push(place);
  const reachable = place >= 0 ? place : seen.first;

  function goTo(index: number, extend = false) {
    const at = Math.min(Math.max(index, 0), view.length - 1);
    const row = view[at];
    if (row === undefined) return;
    seen.showRow(at);
    if (extend) store.selectTo(row);
    else store.setCurrent(row);
    focusRow(row);
  }
  // By the next frame the row is rendered and has its own element.
  function focusRow(row: number) {
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus({ preventScroll: true }),
    );
  }
  useImperativeHandle(handle, () => ({ focus: () => goTo(Math.max(place, 0)) }));
  useHotkey("j", () => goTo(place + 1));
  useHotkey("k", () => goTo(place < 0 ? 0 : place - 1));

  // Moves from outside (the map, the detail) scroll the row into view; a new sort order starts at its top.
  const { showRow, isReady } = seen;
  const latestPlace = useRef(place);
  latestPlace.current = place;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the sort order changes
  useEffect(() => showRow(0), [sort, showRow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the current row changes, not its position
  useEffect(() => {
    if (isReady && latestPlace.current >= 0) showRow(latestPlace.current);
  }, [current, isReady, showRow]);

  function copyPlate(row: number) {
    const plate = wordAt(columns, "plate", row);
    if (plate === "") return;
    setCopiedRow(row);
    void copy(plate);
  }

  function onKeyDown(event: KeyboardEvent) {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "a" && !event.shiftKey) store.selectAll(true);
    else if (command || event.altKey) return;
    else if (event.key === "ArrowDown") goTo(place + 1, event.shiftKey);
    else if (event.key === "ArrowUp") goTo(place - 1, event.shiftKey);
    else if (event.key === "j") goTo(place + 1);
    else if (event.key === "k") goTo(place - 1);
    else if (event.key === "PageDown") goTo(place + seen.page, event.shiftKey);
    else if (event.key === "PageUp") goTo(place - seen.page, event.shiftKey);
    else if (event.key === "Home") goTo(0, event.shiftKey);
    else if (event.key === "End") goTo(view.length - 1, event.shiftKey);
    else if (event.key === " " && event.shiftKey && current !== null) store.selectTo(current);
    else if (event.key === " ") toggleCurrent();
    else if (event.key === "Enter" && current !== null && place >= 0) onOpen(current);
    else if (event.key === "c" && current !== null && place >= 0) copyPlate(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function toggleCurrent() {
    const row = place >= 0 ? current : view[reachable];
    if (row !== null && row !== undefined) store.toggle(row);
  }

  function onClick(event: MouseEvent) {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const row = Number(target.closest("[data-row]")?.getAttribute("data-row") ?? Number.NaN);
    if (Number.isNaN(row)) return;
    focusRow(row);
    if (event.shiftKey) store.selectTo(row);
    else if (event.ctrlKey || event.metaKey || target.closest("[data-select]")) store.toggle(row);
    else if (target.closest("[data-copy]")) copyPlate(row);
    else if (getSelection()?.isCollapsed !== false) {
      store.setCurrent(row);
      onOpen(row);
    }
  }

  /** Pins cells only while the table is scrolled sideways: pinned cells slow down every scroll. */
  function onScroll(event: UIEvent<HTMLDivElement>) {
    event.currentTarget.toggleAttribute("data-aside", event.currentTarget.scrollLeft > 0);
    seen.onScroll();
  }

  const width = shown.reduce((sum, column) => sum + column.width, SELECT_WIDTH);
  const style: CSSProperties & Record<`--${string}`, string> = {
    "--columns": `${SELECT_WIDTH}px ${tracksOf(shown, layout)}`,
    "--row-height": `${height}px`,
    minWidth: width,
  };

  function topOf(index: number) {
    // The row may be beyond the end of a box that is shorter than its rows.
    return Math.min(Math.max(index * height + seen.shift, 0), Math.max(0, seen.height - height));
  }

  return (
    <div
      ref={box}
      onScroll={onScroll}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain [overflow-anchor:none]"
    >
      <table
        role="grid"
        aria-rowcount={view.length + 1}
        aria-colcount={shown.length + 1}
        aria-multiselectable="true"
        data-density={layout.density}
        style={style}
        className="block"
      >
        <caption className="sr-only">
          Search results. Arrow keys move, Enter opens, Space selects, Shift extends the selection.
        </caption>
        <SightingTableHead store={store} columns={shown} layout={layout} onLayout={onLayout} />
        <tbody
          ref={body}
          role="rowgroup"
          className="relative block box-border"
          style={{ height: seen.height, paddingTop: Math.max(0, seen.first * height + seen.shift) }}
          onKeyDown={onKeyDown}
          onClick={onClick}
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          onMouseOver={(event) => event.target instanceof Element && showFullText(event.target)}
          onFocus={(event) => {
            const row = event.target.getAttribute("data-row");
            if (row === null || current !== null) return;
            // Pointer focus is ignored: rendering the row between press and release would lose the click.
            if (!event.target.matches(":focus-visible")) return;
            store.setCurrent(Number(row));
            focusRow(Number(row));
          }}
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
                density={layout.density}
                selected={isSelected(selection, row)}
                current={row === current}
                reachable={index === reachable}
                copied={copied && copiedRow === row}
                hasTools={seen.isSettled}
              />
            );
          })}
        </tbody>
      </table>
      {view.length === 0 && (
        <EmptyState
          icon={<FilterX />}
          title="No reads match the filter."
          actions={<Button onClick={store.clearFilter}>Show all</Button>}
          className="sticky start-0"
        >
          Clear the filter to show all reads.
        </EmptyState>
      )}
      <LiveRegion>{copied ? "Plate copied" : ""}</LiveRegion>
    </div>
  );
});

/** Adds a tooltip with the full text to cells that are cut off. */
function showFullText(target: Element) {
  const cell = target.closest<HTMLElement>("[data-words]");
  if (!cell) return;
  const isCut = cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight + 1;
  cell.title = isCut ? (cell.textContent ?? "") : "";
}
