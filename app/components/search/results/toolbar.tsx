import { Link } from "@remix-run/react";
import { FileArchive, FileText, SearchX, SlidersHorizontal, TriangleAlert, X } from "lucide-react";
import { useRef, useState } from "react";
import { listed } from "#app/components/search/form/describe.ts";
import { PlateTools } from "#app/components/search/plate-tools.tsx";
import { minutesText } from "#app/components/search/sighting/text.ts";
import { incompletePrograms, unfinishedPrograms } from "#app/components/search/sources.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { useDebouncedText } from "#app/components/ui/use-debounced-text.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SourceStatuses } from "./source-statuses.tsx";
import { type ResultsStore, useResults } from "./state.ts";
import type { TableLayout } from "./table-columns.ts";
import { type ResultsTab, SelectAll, SortSelect, TableControls, ViewTabs } from "./view-controls.tsx";

// Lazy-loaded, to keep the first load small: nothing is selected until then.
const ExportActions = lazyPart(
  async () => (await import("#app/components/exports/actions.tsx")).ExportActions,
);

export type ResultsToolbarProps = {
  summary: ResultSummary;
  /** More reads will arrive; the bar below shows which agencies have not answered. */
  isGrowing: boolean;
  wasCanceled: boolean;
  now: number;
  /** Null until the rows are loaded. */
  store: ResultsStore | null;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  tab: ResultsTab;
  onTab: (tab: ResultsTab) => void;
  /** Whether the tabs have a panel; not if the results could not be loaded. */
  hasPanel: boolean;
  /** The plate that was searched, in canonical form; "" if none was. */
  searched: string;
  /** Shows the track of a plate on the map. */
  onTrack: (plate: string) => void;
  onLeaveFilter: () => void;
};

/** Two lines of controls. On a phone, one line that expands to show the rest. */
export function ResultsToolbar(props: ResultsToolbarProps) {
  const {
    summary,
    isGrowing,
    wasCanceled,
    now,
    store,
    layout,
    onLayout,
    tab,
    onTab,
    hasPanel,
    searched,
    onTrack,
    onLeaveFilter,
  } = props;
  const [unfolded, setUnfolded] = useState(false);
  const fold = unfolded ? "max-sm:order-1" : "max-sm:hidden";
  const loaded = summary.count > 0 ? store : null;
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-raised px-4 py-2.5 max-[85rem]:gap-x-2 max-sm:px-3 max-sm:py-1.5">
      <h1 className="text-lg font-semibold max-sm:sr-only">Search Results</h1>
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 max-sm:flex-1 max-sm:flex-col">
        {store ? (
          <Counts store={store} isSpoken={tab !== "map"} />
        ) : (
          <p className="text-base text-muted">{counted(summary.count, "read")}</p>
        )}
        <Age summary={summary} now={now} />
      </div>
      {loaded && tab !== "map" && (
        <div className={cx("flex gap-1.5", fold)}>
          <PlateTools store={loaded} searched={searched} onTrack={onTrack} />
        </div>
      )}
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
      <ViewTabs value={tab} onSelect={onTab} hasPanel={hasPanel} />
      <FoldButton
        isIncomplete={!isGrowing && incompletePrograms(summary.statuses).length > 0}
        unfolded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      />
      <div className={cx("flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 sm:contents", fold)}>
        {summary.count > 0 &&
          (store ? (
            <FilterBar store={store} onLeave={onLeaveFilter} />
          ) : (
            // As wide as the filter, so that the layout does not shift.
            <Skeleton className="h-control-sm w-80 max-w-full" />
          ))}
        {!isGrowing && <SourceStatuses statuses={summary.statuses} />}
        {loaded && tab !== "map" && (
          <div className={cx("ms-auto flex items-center gap-3 max-sm:ms-0", tab === "table" && "sm:hidden")}>
            <SelectAll store={loaded} />
            <SortSelect store={loaded} />
          </div>
        )}
        {loaded && tab === "table" && <TableControls layout={layout} onLayout={onLayout} />}
      </div>
      {!isGrowing && (
        <UnfinishedNotice summary={summary} wasCanceled={wasCanceled} className="max-sm:order-1" />
      )}
      {summary.truncated && <TruncatedNotice />}
    </header>
  );
}

export function TruncatedNotice() {
  return (
    <p className="inline-flex w-full items-center gap-1 text-sm text-warn max-sm:order-1">
      <TriangleAlert aria-hidden="true" className="size-4" />
      There are too many reads to keep. Narrow the search to see the rest.
    </p>
  );
}

/** The appearance of the export buttons while their code loads. */
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

/** Warns that a set has only the reads that had arrived when its search ended. Renders nothing for a complete set. */
export function UnfinishedNotice(props: {
  summary: ResultSummary;
  wasCanceled?: boolean;
  className?: string;
}) {
  const { summary, wasCanceled = false, className } = props;
  const missing = unfinishedPrograms(summary.statuses);
  if (missing.length === 0) return null;
  const names = listed(missing);
  return (
    <p className={cx("flex w-full items-start gap-1.5 text-sm text-warn", className)}>
      <TriangleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
      <span>
        {wasCanceled ? "The search was canceled." : "The search did not finish here."} These are the reads
        that had arrived; {names} had not finished.
      </span>
    </p>
  );
}

/** Returns the URL of the search form, filled in with a previous search. */
export function refineAddress(id: string): string {
  return `/search?refine=${encodeURIComponent(id)}`;
}

/** The number of reads. On the map, the time slider announces the number of those shown. */
function Counts({ store, isSpoken }: { store: ResultsStore; isSpoken: boolean }) {
  const total = useResults(store, (state) => state.columns.count);
  const shown = useResults(store, (state) => state.view.length);
  const selected = useResults(store, (state) => state.selection.count);
  const words =
    shown === total ? counted(total, "read") : `${numberText(shown)} of ${counted(total, "read")}`;
  const settled = useDebouncedText(words);
  // Announces only changes, including a change back to the number with which the page starts.
  const [first] = useState(words);
  const hasChanged = useRef(false);
  hasChanged.current ||= settled !== first;
  return (
    <>
      <p className="max-w-full truncate text-base text-muted">
        <span className="text-text">{words}</span>
        {selected > 0 && `, ${numberText(selected)} selected`}
      </p>
      <LiveRegion>{isSpoken && hasChanged.current ? settled : ""}</LiveRegion>
    </>
  );
}

function Age({ summary, now }: { summary: ResultSummary; now: number }) {
  return (
    <p className="text-sm text-muted max-sm:text-xs">
      <span className="max-[85rem]:sr-only">Found {minutesText(now - summary.createdAt)} ago. </span>
      Expires in {minutesText(summary.expiresAt - now)}.
    </p>
  );
}

/** Shown while at least one read is selected. */
export function SelectionBar({ store }: { store: ResultsStore }) {
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
          <Button size="sm" variant="ghost" icon={<X />} onClick={store.clearSelection}>
            Clear selection
          </Button>
        </div>
      )}
    </>
  );
}
