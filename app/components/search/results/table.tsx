// biome-ignore-all lint/a11y/noRedundantRoles: browsers take the roles of a table from what is laid out as a grid
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

/** A grid of any number of rows of which only those on screen are drawn. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another width is no other row
  const keys = useMemo(() => shown.map((column) => column.key), [order]);

  // Elements are used again for other rows, which is cheaper than new ones; but the row with the focus, and the one
  // that had it a moment ago, keep their own, so that the focus never slips to another read.
  const held = useRef<readonly number[]>([]);
  if (current !== null && held.current[0] !== current) held.current = [current, ...held.current.slice(0, 1)];
  const keyOf = (index: number, row: number) =>
    held.current.includes(row) ? `row ${row}` : index + seen.keyOffset;

  const place = current === null ? -1 : (places[current] ?? -1);
  const indexes: number[] = [];
  for (let i = seen.first; i < seen.last; i++) indexes.push(i);
  // The row that has the focus stays drawn wherever it is: the focus would fall to the page with it.
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
  // By the next frame the row is drawn, however far it was, and has an element of its own.
  function focusRow(row: number) {
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus({ preventScroll: true }),
    );
  }
  useImperativeHandle(handle, () => ({ focus: () => goTo(Math.max(place, 0)) }));
  useHotkey("j", () => goTo(place + 1));
  useHotkey("k", () => goTo(place < 0 ? 0 : place - 1));

  // Moves from outside (the map, the detail) bring the row into sight; another order starts at its top.
  const { showRow, isReady } = seen;
  const at = useRef(place);
  at.current = place;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the order that changes the place
  useEffect(() => showRow(0), [sort, showRow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row that is current counts, not where it stands
  useEffect(() => {
    if (isReady && at.current >= 0) showRow(at.current);
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
    else if (event.key === "Enter" && place >= 0) onOpen(current as number);
    else if (event.key === "c" && place >= 0) copyPlate(current as number);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function toggleCurrent() {
    const row = place >= 0 ? current : view[reachable];
    if (row !== null && row !== undefined) store.toggle(row);
  }

  function onClick(event: MouseEvent) {
    const target = event.target as Element;
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

  /** Pinned cells come off the page only while there is something beneath them: each costs at every scroll. */
  function onScroll(event: UIEvent<HTMLDivElement>) {
    event.currentTarget.toggleAttribute("data-aside", event.currentTarget.scrollLeft > 0);
    seen.onScroll();
  }

  const width = shown.reduce((sum, column) => sum + column.width, SELECT_WIDTH);
  const style = {
    "--columns": `${SELECT_WIDTH}px ${tracksOf(shown, layout)}`,
    "--row-height": `${height}px`,
    minWidth: width,
  } as CSSProperties;

  function topOf(index: number) {
    // Far away, and perhaps beyond the end of a box that is shorter than its rows.
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
          Reads that were found. Arrows move, Enter opens, Space selects, Shift extends the selection.
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
          onMouseOver={(event) => hintAt(event.target as Element)}
          onFocus={(event) => {
            const row = event.target.getAttribute("data-row");
            if (row === null || current !== null) return;
            // A press is answered when it is released: a row that were drawn anew in between would lose the click.
            if (!event.target.matches(":focus-visible")) return;
            store.setCurrent(Number(row));
            focusRow(Number(row));
          }}
        >
          {indexes.map((index) => {
            const row = view[index] as number;
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
          title="No read passes the filter."
          actions={<Button onClick={store.clearFilter}>Show all</Button>}
          className="sticky start-0"
        >
          The reads are still here.
        </EmptyState>
      )}
      <LiveRegion>{copied ? "Plate copied" : ""}</LiveRegion>
    </div>
  );
});

/** Words that do not fit are told in full when the pointer rests on them. */
function hintAt(target: Element) {
  const cell = target.closest<HTMLElement>("[data-words]");
  if (!cell) return;
  const isCut = cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight + 1;
  cell.title = isCut ? (cell.textContent ?? "") : "";
}
