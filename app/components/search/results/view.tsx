import { useLocation, useNavigate, useSearchParams } from "@remix-run/react";
import { Map as MapIcon, Table2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { LazyMapView, LazySmallMap } from "#app/components/map/lazy.tsx";
import { useAddress } from "#app/components/map/use-address.ts";
import { PlateTools } from "#app/components/search/plate-tools.tsx";
import { SightingDetail } from "#app/components/search/sighting/detail.tsx";
import { createImageSource, ImageSourceContext } from "#app/components/search/sighting/read-image.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { rowAt } from "#app/entities/search/result-columns.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { ResultsEmpty, ResultsFailed, ResultsLoading, ResultsPurged } from "./notices.tsx";
import type { ResultsStore } from "./state.ts";
import { SightingTable, type SightingTableHandle } from "./table.tsx";
import { DEFAULT_LAYOUT, parseLayout, type TableLayout } from "./table-columns.ts";
import { ResultsToolbar, SelectionBar } from "./toolbar.tsx";
import { useResultColumns } from "./use-columns.ts";
import { useNow } from "./use-now.ts";

export type ResultsViewProps = {
  summary: ResultSummary;
  /** What can be done with the selection. */
  selectionActions?: (store: ResultsStore) => ReactNode;
};

/** The results of one search: toolbar, table, detail. The open read is in the URL, so that it can be shared. */
export function ResultsView({ summary, selectionActions }: ResultsViewProps) {
  const { load, retry, drop } = useResultColumns(summary);
  const now = useNow();
  const [layout, setLayout] = useTableLayout();
  const table = useRef<SightingTableHandle>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drop does the same in every render
  const images = useMemo(() => createImageSource(summary.id, drop), [summary.id]);
  const { read, open, move, close } = useOpenRead(summary);
  const [tab, setTab] = useState<ResultsTab>("table");
  const [tracked, setTracked] = useState<string | null>(null);
  const searched = normalizePlate(summary.request.plate);
  const address = useAddress(summary.id, read);
  const store = load.state === "ready" ? load.store : null;

  // The table follows the open read, and takes the focus back when the detail closes.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (read !== undefined) store?.setCurrent(read);
    else if (wasOpen.current) table.current?.focus();
    wasOpen.current = read !== undefined;
  }, [read, store]);

  const purged = load.state === "purged" || (now !== undefined && now >= summary.expiresAt);
  if (purged) return <ResultsPurged id={summary.id} />;

  return (
    <ImageSourceContext.Provider value={images}>
      <div className="flex h-[calc(100dvh-var(--spacing-bar))] min-h-128 flex-col">
        <ResultsToolbar
          summary={summary}
          now={now}
          store={store}
          layout={layout}
          onLayout={setLayout}
          views={
            <>
              <ViewTabs value={tab} onSelect={setTab} />
              {store && tab !== "map" && (
                <PlateTools
                  store={store}
                  searched={searched}
                  onTrack={(plate) => {
                    setTracked(plate);
                    setTab("map");
                  }}
                />
              )}
            </>
          }
          hasTable={tab === "table"}
          onLeaveFilter={() => table.current?.focus()}
        />
        {load.state === "loading" && <ResultsLoading />}
        {load.state === "failed" && <ResultsFailed message={load.message} onRetry={retry} />}
        {store && (
          <>
            <div
              role="tabpanel"
              id={TAB_PANEL}
              aria-labelledby={`results-tab-${tab}`}
              className="flex min-h-0 flex-1 flex-col"
            >
              {summary.count === 0 ? (
                <ResultsEmpty summary={summary} />
              ) : tab === "map" ? (
                <LazyMapView
                  store={store}
                  onOpen={open}
                  searched={searched}
                  plate={tracked}
                  onPlate={setTracked}
                />
              ) : (
                <SightingTable ref={table} store={store} layout={layout} onLayout={setLayout} onOpen={open} />
              )}
            </div>
            <SelectionBar store={store}>{selectionActions?.(store)}</SelectionBar>
          </>
        )}
        {store && read !== undefined && (
          <SightingDetail
            store={store}
            summary={summary}
            row={read}
            onMove={move}
            onClose={close}
            address={address}
            map={<LazySmallMap {...rowAt(store.get().columns, read)} />}
          />
        )}
      </div>
    </ImageSourceContext.Provider>
  );
}

/**
 * The open read, from the URL. Opening adds a history entry, so that Back closes the detail; moving to a neighbor replaces
 * it. The screen does not wait for the URL, so that fast key presses each count.
 */
function useOpenRead(summary: ResultSummary) {
  const [query] = useSearchParams();
  const { key } = useLocation();
  const navigate = useNavigate();
  const opened = useRef(false);
  const row = readIn(query, summary);
  const [ahead, setAhead] = useState<{ read: number | undefined } | null>(null);
  // A new navigation cancels a pending one; once the URL changes, it is up to date.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every history entry
  useEffect(() => setAhead(null), [key]);
  // Going back from an entry that was never rendered does not change the key.
  useEffect(() => {
    const follow = () => setAhead({ read: readIn(new URLSearchParams(location.search), summary) });
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [summary]);
  const address = (to: number) => `/results?id=${encodeURIComponent(summary.id)}&read=${to}`;
  return {
    read: ahead ? ahead.read : row,
    open: (to: number) => {
      opened.current = true;
      setAhead({ read: to });
      navigate(address(to), { preventScrollReset: true });
    },
    move: (to: number) => {
      setAhead({ read: to });
      // If the entry of the opened read is not in the URL yet, this one is added instead.
      navigate(address(to), { replace: isInAddress(), preventScrollReset: true });
    },
    close: () => {
      setAhead({ read: undefined });
      if (opened.current && isInAddress()) navigate(-1);
      else
        navigate(`/results?id=${encodeURIComponent(summary.id)}`, {
          replace: true,
          preventScrollReset: true,
        });
      opened.current = false;
    },
  };
}

/** Returns the read that a URL opens; undefined if there is none in this result. */
function readIn(query: URLSearchParams, { id, count }: ResultSummary): number | undefined {
  const text = query.get("read") ?? "";
  return query.get("id") === id && /^\d{1,7}$/.test(text) && Number(text) < count ? Number(text) : undefined;
}

/** Reads the browser's URL, since the last render may be behind it. */
function isInAddress(): boolean {
  return new URLSearchParams(location.search).has("read");
}

const KEY = "odin-results-table";

/** The user's layout of the table, stored in this browser. */
function useTableLayout(): [TableLayout, (layout: TableLayout) => void] {
  const [layout, setLayout] = useState(DEFAULT_LAYOUT);
  useEffect(() => {
    try {
      const kept = localStorage.getItem(KEY);
      const isNarrow = matchMedia("(max-width: 40rem)").matches;
      // On a phone, full images are off screen, and their rows would look tall and empty.
      setLayout(kept === null && isNarrow ? { ...DEFAULT_LAYOUT, density: "medium" } : parseLayout(kept));
    } catch {
      // Storage may be blocked; then the layout is not stored.
    }
  }, []);
  return [
    layout,
    (next) => {
      setLayout(next);
      try {
        localStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // Storage may be blocked; then the layout is not stored.
      }
    },
  ];
}

type ResultsTab = "table" | "map";

const TABS = [
  { value: "table", label: "Table View", icon: <Table2 aria-hidden="true" /> },
  { value: "map", label: "Map View", icon: <MapIcon aria-hidden="true" /> },
] as const;

const TAB_PANEL = "results-panel";

/** The tabs Table View and Map View, which control the panel with the id TAB_PANEL. */
function ViewTabs({ value, onSelect }: { value: ResultsTab; onSelect: (tab: ResultsTab) => void }) {
  function move(event: KeyboardEvent<HTMLElement>) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const other = value === "table" ? "map" : "table";
    onSelect(other);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab=${other}]`)?.focus();
  }
  return (
    <div role="tablist" aria-label="View" className="flex gap-1" onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={`results-tab-${tab.value}`}
          data-tab={tab.value}
          aria-selected={tab.value === value}
          aria-controls={TAB_PANEL}
          tabIndex={tab.value === value ? 0 : -1}
          className={cx(
            "inline-flex min-h-control-sm items-center gap-1.5 border-b-2 px-2 text-base font-medium [&_svg]:size-4",
            tab.value === value ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
          )}
          onClick={() => onSelect(tab.value)}
        >
          {tab.icon}
          {tab.label}
        </button>
      ))}
    </div>
  );
}
