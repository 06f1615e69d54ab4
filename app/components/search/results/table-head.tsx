// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the table roles from elements with a grid layout
import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, memo, type PointerEvent, useRef } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import { PINNED_CELL } from "./row.tsx";
import { type SortKey, startsDescending } from "./sort.ts";
import { type ResultsStore, useResults } from "./state.ts";
import {
  scaled,
  type TableColumn,
  type TableLayout,
  textScale,
  withMoved,
  withWidth,
} from "./table-columns.ts";

/** In CSS pixels of the usual text size. */
export const HEAD_HEIGHT = 36;
const KEY_STEP = 16;

export type SightingTableHeadProps = {
  store: ResultsStore;
  columns: readonly TableColumn[];
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
};

/** The head of the table: select all, sort by click, resize by drag or Shift+arrows, move by Alt+arrows. */
export const SightingTableHead = memo(function SightingTableHead(props: SightingTableHeadProps) {
  const { store, columns, layout, onLayout } = props;
  const shown = useResults(store, (state) => state.view.length);
  const selected = useResults(store, (state) => state.selectedInView);
  const isPartial = useResults(store, (state) => state.isPartial);
  return (
    <thead role="rowgroup" className="sticky top-0 z-3 block max-sm:hidden">
      <tr
        role="row"
        aria-rowindex={1}
        style={{ height: scaled(HEAD_HEIGHT) }}
        className="grid grid-cols-(--columns) border-b border-line-strong bg-(--row) text-xs text-muted [--row:var(--color-sunken)]"
      >
        <th
          role="columnheader"
          scope="col"
          aria-colindex={1}
          className={cx("in-data-aside:start-0 in-data-aside:z-2 grid place-items-center", PINNED_CELL)}
        >
          <Checkbox
            aria-label="Select all results"
            checked={checkStateOf(selected, shown)}
            disabled={shown === 0 || isPartial}
            onCheckedChange={store.selectAll}
          />
        </th>
        {columns.map((column, at) => (
          <HeadCell key={column.key} {...{ store, column, at, layout, onLayout }} />
        ))}
      </tr>
    </thead>
  );
});

type HeadCellProps = Omit<SightingTableHeadProps, "columns"> & { column: TableColumn; at: number };

function HeadCell({ store, column, at, layout, onLayout }: HeadCellProps) {
  const sort = useResults(store, (state) => state.sort);
  const isSorted = sort.key === column.key;
  const direction = isSorted ? (sort.descending ? "descending" : "ascending") : "none";
  const Mark = sort.descending ? ArrowDown : ArrowUp;

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || (!event.shiftKey && !event.altKey)) return;
    event.preventDefault();
    if (event.altKey) onLayout(withMoved(layout, column.key, step));
    else onLayout(withWidth(layout, column.key, widthOf(event.currentTarget) + step * KEY_STEP));
  }

  return (
    <th
      role="columnheader"
      scope="col"
      aria-colindex={at + 2}
      aria-sort={direction}
      className={cx(
        "relative flex min-w-0 items-stretch",
        column.key === "plate" && cx("in-data-aside:start-10 in-data-aside:z-2", PINNED_CELL),
      )}
    >
      <button
        type="button"
        title={`Sort by ${column.label}. Shift+arrow keys change its width, Alt+arrow keys move it.`}
        className={cx(
          "flex min-w-0 flex-1 items-center gap-1 px-2 text-start font-semibold hover:text-text focus-visible:-outline-offset-2",
          isSorted && "text-text",
        )}
        onClick={() => store.setSort(nextSort(sort, column.key))}
        onKeyDown={onKeyDown}
      >
        <span className="line-clamp-2">{column.label}</span>
        {isSorted && <Mark aria-hidden="true" className="size-3.5 shrink-0" />}
      </button>
      <Grip onWidth={(width) => onLayout(withWidth(layout, column.key, width))} />
    </th>
  );
}

function nextSort(sort: { key: SortKey; descending: boolean }, key: SortKey) {
  if (sort.key === key) return { key, descending: !sort.descending };
  return { key, descending: startsDescending(key) };
}

/** Returns the current width of the column to which an element of the head belongs. It may exceed the minimum width. */
function widthOf(part: Element): number {
  return (part.closest("th")?.offsetWidth ?? 0) / textScale();
}

function Grip({ onWidth }: { onWidth: (width: number) => void }) {
  const start = useRef<{ x: number; width: number }>();
  function drag(event: PointerEvent<HTMLSpanElement>) {
    if (start.current) onWidth(start.current.width + (event.clientX - start.current.x) / textScale());
  }
  return (
    <span
      aria-hidden="true"
      className="absolute inset-y-0 end-0 z-1 w-2 cursor-col-resize touch-none border-e border-line hover:border-accent active:border-e-2 active:border-accent"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width: widthOf(event.currentTarget) };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onPointerCancel={() => {
        start.current = undefined;
      }}
    />
  );
}
