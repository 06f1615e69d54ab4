import { Link } from "@remix-run/react";
import {
  ArrowDown,
  ArrowUp,
  Columns3,
  FileArchive,
  FileText,
  LayoutGrid,
  Map as MapIcon,
  RotateCcw,
  Rows2,
  Rows3,
  Rows4,
  SearchX,
  SlidersHorizontal,
  Table2,
  TriangleAlert,
  X,
} from "lucide-react";
import { type KeyboardEvent, lazy, type ReactNode, useState } from "react";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { minutesText, numberText, readsText } from "#app/components/search/sighting/text.ts";
import { incompletePrograms } from "#app/components/search/sources.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { at } from "#app/lib/at.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SORT_KEYS, type SortKey, startsDescending } from "./sort.ts";
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

// Lazy-loaded, to keep the first load small: until then nothing is selected.
const ExportActions = lazy(async () => ({
  default: (await import("#app/components/exports/actions.tsx")).ExportActions,
}));

const DENSITY_OPTIONS = [
  { value: "compact", label: "Compact rows", icon: <Rows4 aria-hidden="true" /> },
  { value: "medium", label: "Rows with small images", icon: <Rows3 aria-hidden="true" /> },
  { value: "full", label: "Rows with full images", icon: <Rows2 aria-hidden="true" /> },
] as const satisfies readonly { value: Density; label: string; icon: ReactNode }[];

export type ResultsTab = "table" | "gallery" | "map";

const TABS = [
  { value: "table", label: "Table View", icon: <Table2 aria-hidden="true" /> },
  { value: "gallery", label: "Gallery View", icon: <LayoutGrid aria-hidden="true" /> },
  { value: "map", label: "Map View", icon: <MapIcon aria-hidden="true" /> },
] as const satisfies readonly { value: ResultsTab; label: string; icon: ReactNode }[];

/** The id of the panel that the tabs control. */
export const TAB_PANEL = "results-panel";

export function tabId(tab: ResultsTab): string {
  return `results-tab-${tab}`;
}

export type ResultsToolbarProps = {
  summary: ResultSummary;
  now: number;
  /** Null until the rows are loaded. */
  store: ResultsStore | null;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  tab: ResultsTab;
  onTab: (tab: ResultsTab) => void;
  onLeaveFilter: () => void;
};

/** Two lines of controls. On a phone one line, which unfolds to the rest. */
export function ResultsToolbar(props: ResultsToolbarProps) {
  const { summary, now, store, layout, onLayout, tab, onTab, onLeaveFilter } = props;
  const [unfolded, setUnfolded] = useState(false);
  const fold = unfolded ? "max-sm:order-1" : "max-sm:hidden";
  const loaded = summary.count > 0 ? store : null;
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-raised px-4 py-2.5 max-sm:gap-x-2 max-sm:px-3 max-sm:py-1.5">
      <h1 className="text-lg font-semibold max-sm:sr-only">Search Results</h1>
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 max-sm:flex-1 max-sm:flex-col">
        {store ? (
          <Counts store={store} />
        ) : (
          <p className="text-base text-muted">{readsText(summary.count)}</p>
        )}
        <Age summary={summary} now={now} />
      </div>
      <div className={cx("ms-auto flex flex-wrap gap-1.5", fold, "max-sm:w-full")}>
        {summary.count > 0 &&
          (loaded ? (
            <LazySlot fallback={<ExportButtons />}>
              <ExportActions summary={summary} store={loaded} />
            </LazySlot>
          ) : (
            <ExportButtons />
          ))}
        <Link to={refineAddress(summary.id)} className={buttonClass("secondary", "sm")}>
          Refine Previous Search
        </Link>
      </div>
      <div className="w-full max-sm:hidden" />
      <ViewTabs value={tab} onSelect={onTab} />
      <FoldButton
        isIncomplete={incompletePrograms(summary.statuses).length > 0}
        unfolded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      />
      <div className={cx("flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 sm:flex-1", fold)}>
        {summary.count > 0 &&
          (store ? (
            <FilterBar store={store} onLeave={onLeaveFilter} />
          ) : (
            // As wide as the filter, so that the layout does not shift.
            <Skeleton className="h-control-sm w-80 max-w-full" />
          ))}
        <SourceStatuses statuses={summary.statuses} />
        {loaded && tab !== "map" && (
          <div className={cx("ms-auto flex items-center gap-3 max-sm:ms-0", tab === "table" && "sm:hidden")}>
            <SelectAll store={loaded} />
            <SortSelect store={loaded} />
          </div>
        )}
        {loaded && tab === "table" && (
          <div className="ms-auto flex items-center gap-1.5 max-sm:hidden">
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
        <p className="inline-flex w-full items-center gap-1 text-sm text-warn max-sm:order-1">
          <TriangleAlert aria-hidden="true" className="size-4" />
          There are too many reads to keep. Narrow the search to see the rest.
        </p>
      )}
    </header>
  );
}

/** What the export buttons look like while their code loads. */
function ExportButtons() {
  return (
    <>
      <Button size="sm" icon={<FileText />} disabled>
        Export Selected to PDF
      </Button>
      <Button size="sm" icon={<FileArchive />} disabled>
        Export Selected to ZIP
      </Button>
    </>
  );
}

/** Shows and hides the rest of the toolbar on a phone, and warns if reads are missing from the results. */
function FoldButton(props: { isIncomplete: boolean; unfolded: boolean; onClick: () => void }) {
  const { isIncomplete, unfolded, onClick } = props;
  return (
    <button
      type="button"
      aria-expanded={unfolded}
      aria-label={`Filter, sort and export${isIncomplete ? ". Some agencies did not return complete results." : ""}`}
      className={cx(buttonClass("secondary", "sm"), "min-h-10 min-w-10 sm:hidden")}
      onClick={onClick}
    >
      {isIncomplete ? (
        <TriangleAlert aria-hidden="true" className="text-warn" />
      ) : (
        <SlidersHorizontal aria-hidden="true" />
      )}
    </button>
  );
}

function ViewTabs({ value, onSelect }: { value: ResultsTab; onSelect: (tab: ResultsTab) => void }) {
  function move(event: KeyboardEvent<HTMLElement>) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? TABS.length - 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const index = TABS.findIndex((tab) => tab.value === value);
    const other = at(TABS, (index + step) % TABS.length).value;
    onSelect(other);
    document.getElementById(tabId(other))?.focus();
  }
  return (
    <div role="tablist" aria-label="View" className="flex gap-1" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={tabId(tab.value)}
          aria-selected={tab.value === value}
          aria-controls={TAB_PANEL}
          tabIndex={tab.value === value ? 0 : -1}
          className={cx(
            "inline-flex min-h-control-sm items-center justify-center gap-1.5 border-b-2 px-2 text-base font-medium max-sm:min-h-10 max-sm:min-w-10 [&_svg]:size-4",
            tab.value === value ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
          )}
          onClick={() => onSelect(tab.value)}
        >
          {tab.icon}
          <span className="max-sm:sr-only">{tab.label}</span>
        </button>
      ))}
    </div>
  );
}

/** For views without a table head. */
function SelectAll({ store }: { store: ResultsStore }) {
  const shown = useResults(store, (state) => state.view.length);
  const selected = useResults(store, (state) => state.selectedInView);
  return (
    <Checkbox
      label="Select all"
      className="text-sm"
      checked={checkStateOf(selected, shown)}
      disabled={shown === 0}
      onCheckedChange={store.selectAll}
    />
  );
}

/** The sort order, for views without a table head. */
function SortSelect({ store }: { store: ResultsStore }) {
  const { key, descending } = useResults(store, (state) => state.sort);
  return (
    <Select
      controlSize="sm"
      aria-label="Sort"
      className="!w-44"
      value={`${key} ${descending}`}
      onChange={({ currentTarget }) => {
        const chosen = SORT_OPTIONS.find(({ value }) => value === currentTarget.value);
        if (chosen) store.setSort(chosen.sort);
      }}
    >
      {SORT_OPTIONS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}

const SORT_OPTIONS = [...SORT_KEYS]
  .sort((a, b) => Number(b === "time") - Number(a === "time"))
  .flatMap((key) =>
    [startsDescending(key), !startsDescending(key)].map((descending) => ({
      value: `${key} ${descending}`,
      label: sortLabel(key, descending),
      sort: { key, descending },
    })),
  );

function sortLabel(key: SortKey, descending: boolean): string {
  const { label } = columnOf(key);
  if (key === "time") return descending ? "Newest first" : "Oldest first";
  if (startsDescending(key)) return `${label} ${descending ? "first" : "last"}`;
  return `${label}, ${descending ? "Z to A" : "A to Z"}`;
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
    <p className="max-w-full truncate text-base text-muted">
      <span className="text-text">
        {shown === total ? readsText(total) : `${numberText(shown)} of ${readsText(total)}`}
      </span>
      {selected > 0 && `, ${numberText(selected)} selected`}
    </p>
  );
}

function Age({ summary, now }: { summary: ResultSummary; now: number }) {
  return (
    <p className="text-sm text-muted max-sm:text-xs">
      <span className="max-sm:sr-only">Found {minutesText(now - summary.createdAt)} ago. </span>
      Expires in {minutesText(summary.expiresAt - now)}.
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
