import { useSyncExternalStore } from "react";
import { serverTime } from "#app/components/forms/server-time.ts";
import { latestOnScale } from "#app/entities/ingest/read-time.ts";
import type { ResultColumns } from "#app/entities/search/result-columns.ts";
import { rowsAfter } from "#app/entities/search/result-growth.ts";
import { at } from "#app/lib/at.ts";
import { createListeners } from "#app/lib/listeners.ts";
import { filterOrder, isFiltering, NO_FILTER, passingRows, type ResultFilter } from "./filter.ts";
import {
  countSelected,
  emptySelection,
  isSelected,
  type Selection,
  selectedRows,
  withRows,
} from "./selection.ts";
import { defaultSort, type ResultSort, sortRows } from "./sort.ts";

/**
 * The view state of one result: filter, sort order, selection and current row, shared by the table, the map and the
 * detail. Terms: a row is the number of a read in the stored set, regardless of the order on screen; the view is the
 * list of rows that pass the filter, in the order of the table; a place is the position of a row in the view.
 */
export type ResultsState = {
  readonly columns: ResultColumns;
  /** Whether these are the first rows only, shown until all columns have arrived. */
  readonly isPartial: boolean;
  /** Reads later than this (epoch milliseconds) count as having no time, in the filter and on the map. */
  readonly latest: number;
  readonly filter: ResultFilter;
  readonly sort: ResultSort;
  /** One byte per row: 1 if it passes the filter. The map layers read this. */
  readonly pass: Uint8Array;
  /** Rows that pass, in the order of the table. */
  readonly view: Uint32Array;
  /** The position of each row in the view; -1 if it does not pass. */
  readonly places: Int32Array;
  readonly selection: Selection;
  /** How many rows of the view are selected. */
  readonly selectedInView: number;
  /** The row with the keyboard focus, highlighted on the map; null before the first move. */
  readonly current: number | null;
  /** The row at which a range selection starts. */
  readonly anchor: number | null;
  /** Whether anchor to current is a range selection that the next one replaces. */
  readonly isRange: boolean;
  /** The columns that the current ones replaced, and the current row of each of their reads. */
  readonly grown: { readonly from: ResultColumns; readonly rows: Int32Array } | null;
  /** The same object in all stores of one search. */
  readonly search: object;
};

export type ResultsStore = {
  get: () => ResultsState;
  subscribe: (listener: () => void) => () => void;
  setFilter: (change: Partial<ResultFilter>) => void;
  clearFilter: () => void;
  /** Sorts by a column. */
  setSort: (sort: ResultSort) => void;
  setCurrent: (row: number | null) => void;
  toggle: (row: number) => void;
  /** Selects from the anchor to this row in view order, replacing the previous range. */
  selectTo: (row: number) => void;
  /** Selects or clears all rows that pass the filter. */
  selectAll: (on: boolean) => void;
  clearSelection: () => void;
};

type StoreOptions = {
  latest?: number;
  isPartial?: boolean;
  /** The state of an earlier set of the same search: its filter, sort order, selection and current read stay. */
  before?: ResultsState;
};

export function createResultsStore(columns: ResultColumns, options: StoreOptions = {}): ResultsStore {
  const { latest = latestOnScale(serverTime()), isPartial = false, before } = options;
  const listeners = createListeners();
  const sort = before?.sort ?? defaultSort(columns);
  const filter = before?.filter ?? NO_FILTER;
  const grown = before ? { from: before.columns, rows: rowsAfter(before.columns, columns) } : null;
  const rowNow = (row: number | null | undefined) => {
    const now = row === null || row === undefined ? undefined : grown?.rows[row];
    return now === undefined || now < 0 ? null : now;
  };
  let order = sortRows(columns, sort);
  let state = viewed({
    columns,
    isPartial,
    latest,
    filter,
    sort,
    pass: passingRows(columns, { ...filter, latest }),
    selection: withRows(emptySelection(columns.count), selectedNow(before?.selection, grown?.rows), true),
    current: rowNow(before?.current),
    anchor: rowNow(before?.anchor),
    grown,
    search: before?.search ?? {},
  });

  /** Ends a range selection: in another view, other rows are between its ends. */
  function viewed(next: Omit<ResultsState, "view" | "places" | "selectedInView" | "isRange">): ResultsState {
    const view = isFiltering(next.filter) ? filterOrder(order, next.pass) : order;
    const places = new Int32Array(next.columns.count).fill(-1);
    for (let i = 0; i < view.length; i++) places[view[i] ?? 0] = i;
    return { ...next, isRange: false, view, places, selectedInView: countSelected(next.selection, view) };
  }
  function change(next: ResultsState) {
    state = next;
    listeners.notify();
  }
  function select(
    selection: Selection,
    moved: Partial<Pick<ResultsState, "anchor" | "current" | "isRange">> = {},
  ) {
    change({
      ...state,
      isRange: false,
      ...moved,
      selection,
      selectedInView: countSelected(selection, state.view),
    });
  }
  function between(a: number, b: number) {
    return state.view.subarray(Math.min(a, b), Math.max(a, b) + 1);
  }
  function setFilter(part: Partial<ResultFilter>) {
    const filter = { ...state.filter, ...part };
    change(viewed({ ...state, filter, pass: passingRows(columns, { ...filter, latest }) }));
  }

  return {
    get: () => state,
    subscribe: listeners.subscribe,
    setFilter,
    clearFilter: () => setFilter(NO_FILTER),
    setSort: (sort) => {
      order = sortRows(columns, sort);
      change(viewed({ ...state, sort }));
    },
    setCurrent: (row) => {
      if (row !== state.current || row !== state.anchor || state.isRange) {
        change({ ...state, current: row, anchor: row, isRange: false });
      }
    },
    toggle: (row) =>
      select(withRows(state.selection, [row], !isSelected(state.selection, row)), {
        anchor: row,
        current: row,
      }),
    selectTo: (row) => {
      const end = state.places[row] ?? -1;
      if (end < 0) return;
      const anchored = state.places[state.anchor ?? state.current ?? row] ?? -1;
      const start = anchored < 0 ? end : anchored;
      const before = state.isRange && state.current !== null ? (state.places[state.current] ?? -1) : -1;
      const kept = before < 0 ? state.selection : withRows(state.selection, between(start, before), false);
      const anchor = at(state.view, start);
      select(withRows(kept, between(start, end), true), { anchor, current: row, isRange: true });
    },
    selectAll: (on) => {
      if (!state.isPartial) select(withRows(state.selection, state.view, on));
    },
    clearSelection: () => select(emptySelection(columns.count), { anchor: null }),
  };
}

/** Returns the new rows of the selected reads, including those that the filter hides. */
function selectedNow(selection: Selection | undefined, rows: Int32Array | undefined): number[] {
  if (!selection || !rows || selection.count === 0) return [];
  const all = Uint32Array.from(rows, (_, row) => row);
  return selectedRows(selection, all)
    .map((row) => rows[row] ?? -1)
    .filter((row) => row >= 0);
}

/** Returns a part of the state; the component renders again only when that part changes. */
export function useResults<Part>(store: ResultsStore, part: (state: ResultsState) => Part): Part {
  const read = () => part(store.get());
  return useSyncExternalStore(store.subscribe, read, read);
}
