import { Link } from "@remix-run/react";
import {
  ArrowDown,
  ArrowUp,
  Columns3,
  RotateCcw,
  Rows2,
  Rows3,
  Rows4,
  SearchX,
  TriangleAlert,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import { ExportActions } from "#app/components/exports/actions.tsx";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { minutesText, numberText, readsText } from "#app/components/search/sighting/text.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SourceStatuses } from "./source-statuses.tsx";
import { type ResultsStore, useResults } from "./state.ts";
import {
  columnOf,
  DEFAULT_LAYOUT,
  type Density,
  type TableLayout,
  withMoved,
  withShown,
} from "./table-columns.ts";

const DENSITY_OPTIONS = [
  { value: "compact", label: "Compact rows", icon: <Rows4 aria-hidden="true" /> },
  { value: "medium", label: "Rows with small images", icon: <Rows3 aria-hidden="true" /> },
  { value: "full", label: "Rows with full images", icon: <Rows2 aria-hidden="true" /> },
] as const satisfies readonly { value: Density; label: string; icon: ReactNode }[];

export type ResultsToolbarProps = {
  summary: ResultSummary;
  now: number | undefined;
  /** Null until the rows are loaded. */
  store: ResultsStore | null;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  /** Table View and Map View. */
  views?: ReactNode;
  /** Whether the table is shown, so that row size and columns apply. */
  hasTable: boolean;
  onLeaveFilter: () => void;
};

export function ResultsToolbar({ summary, now, store, views, hasTable, ...rest }: ResultsToolbarProps) {
  const { layout, onLayout, onLeaveFilter } = rest;
  return (
    <header className="flex flex-col gap-2 border-b border-line bg-raised px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h1 className="text-lg font-semibold">Search Results</h1>
        {store ? (
          <Counts store={store} />
        ) : (
          <p className="text-base text-muted">{readsText(summary.count)}</p>
        )}
        <Age summary={summary} now={now} />
        <div className="ms-auto flex flex-wrap gap-1.5 max-sm:contents">
          {store && summary.count > 0 && (
            <span className="flex gap-1.5 max-sm:flex-wrap max-sm:order-2 max-sm:w-full max-sm:[&>button>svg]:hidden">
              <ExportActions summary={summary} store={store} />
            </span>
          )}
          <Link
            to={refineAddress(summary.id)}
            className={cx(buttonClass("secondary", "sm"), "max-sm:ms-auto")}
          >
            <span>
              Refine<span className="max-sm:sr-only"> Previous Search</span>
            </span>
          </Link>
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {views}
        {summary.count > 0 &&
          (store ? (
            <FilterBar store={store} onLeave={onLeaveFilter} />
          ) : (
            // As wide as the filter, so that the layout does not shift.
            <Skeleton className="h-control-sm w-80 max-w-full" />
          ))}
        <SourceStatuses statuses={summary.statuses} />
        {store && summary.count > 0 && hasTable && (
          <div className="ms-auto flex items-center gap-1.5">
            <Segmented
              label="Row size"
              size="sm"
              iconOnly
              options={DENSITY_OPTIONS}
              value={layout.density}
              onSelect={(density) => onLayout({ ...layout, density })}
            />
            <ColumnChooser layout={layout} onChange={onLayout} />
          </div>
        )}
      </div>
      {summary.truncated && (
        <p className="inline-flex items-center gap-1 text-sm text-warn">
          <TriangleAlert aria-hidden="true" className="size-4" />
          There are too many reads to keep. Narrow the search to see the rest.
        </p>
      )}
    </header>
  );
}

/** Returns the URL of the search form, filled in with a previous search. */
export function refineAddress(id: string): string {
  return `/search?refine=${encodeURIComponent(id)}`;
}

function Counts({ store }: { store: ResultsStore }) {
  const total = useResults(store, (state) => state.columns.count);
  const shown = useResults(store, (state) => state.view.length);
  const selected = useResults(store, (state) => state.selection.count);
  return (
    <p className="text-base text-muted">
      <span className="text-text">
        {shown === total ? readsText(total) : `${numberText(shown)} of ${readsText(total)}`}
      </span>
      {selected > 0 && `, ${numberText(selected)} selected`}
    </p>
  );
}

function Age({ summary, now }: { summary: ResultSummary; now: number | undefined }) {
  if (now === undefined) return <Skeleton className="h-4 w-56" />;
  const age = minutesText(now - summary.createdAt);
  return (
    <p className="text-sm text-muted max-sm:order-1 max-sm:w-full">
      Found {age} ago. Expires in {minutesText(summary.expiresAt - now)}.
    </p>
  );
}

export type SelectionBarProps = {
  store: ResultsStore;
  /** What can be done with the selection. */
  children?: ReactNode;
};

/** Shown while at least one read is selected. */
export function SelectionBar({ store, children }: SelectionBarProps) {
  const selected = useResults(store, (state) => state.selection.count);
  const selectedInView = useResults(store, (state) => state.selectedInView);
  const total = useResults(store, (state) => state.columns.count);
  const words = `${numberText(selected)} of ${numberText(total)} selected`;
  const hidden = selected - selectedInView;
  return (
    <>
      <LiveRegion>{selected > 0 ? words : ""}</LiveRegion>
      {selected > 0 && (
        <div
          role="toolbar"
          aria-label="Selected reads"
          className="flex flex-wrap items-center gap-2 border-t border-line-strong bg-accent-soft px-4 py-2"
        >
          <p className="font-medium">{words}</p>
          {hidden > 0 && (
            <p className="inline-flex items-center gap-1 text-sm text-warn">
              <SearchX aria-hidden="true" className="size-4" />
              {numberText(hidden)} hidden by the filter
            </p>
          )}
          {/* Not on the right: toasts appear there, and stay after a failure. */}
          <Button size="sm" variant="ghost" icon={<X />} onClick={store.clearSelection}>
            Clear selection
          </Button>
          {children}
        </div>
      )}
    </>
  );
}

type ColumnChooserProps = { layout: TableLayout; onChange: (layout: TableLayout) => void };

/** Selects the columns of the table and their order. */
function ColumnChooser({ layout, onChange }: ColumnChooserProps) {
  return (
    <Panel
      title="Columns"
      align="end"
      className="w-72"
      label={
        <>
          <Columns3 aria-hidden="true" />
          Columns
        </>
      }
    >
      <ul className="flex flex-col">
        {layout.order.map((key, index) => {
          const { label } = columnOf(key);
          return (
            <li key={key} className="flex items-center gap-1">
              <Checkbox
                className="flex-1"
                label={label}
                checked={!layout.hidden.includes(key)}
                disabled={key === "plate"}
                onCheckedChange={(shown) => onChange(withShown(layout, key, shown))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} up`}
                icon={<ArrowUp />}
                disabled={index === 0}
                onClick={() => onChange(withMoved(layout, key, -1))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} down`}
                icon={<ArrowDown />}
                disabled={index === layout.order.length - 1}
                onClick={() => onChange(withMoved(layout, key, 1))}
              />
            </li>
          );
        })}
      </ul>
      <Button
        size="sm"
        className="mt-2 w-full"
        icon={<RotateCcw />}
        onClick={() => onChange({ ...DEFAULT_LAYOUT, density: layout.density })}
      >
        Reset columns
      </Button>
    </Panel>
  );
}
