import { useLocation, useNavigate, useNavigation, useSearchParams } from "@remix-run/react";
import {
  type RefObject,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { LazyMapView, LazySmallMap } from "#app/components/map/lazy.tsx";
import { useAddress } from "#app/components/map/use-address.ts";
import { SightingDetail } from "#app/components/search/sighting/detail.tsx";
import { createImageSource, ImageSourceContext } from "#app/components/search/sighting/read-image.tsx";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { rowAt } from "#app/entities/search/result-columns.ts";
import { RESULTS_PURGED } from "#app/entities/search/result-set.ts";
import { ResultsEmpty, ResultsFailed, ResultsGone, ResultsLoading } from "./notices.tsx";
import type { ResultsStore } from "./state.ts";
import { SightingTable } from "./table.tsx";
import { DEFAULT_LAYOUT, parseLayout, type TableLayout, withoutMatches } from "./table-columns.ts";
import { ResultsToolbar, SelectionBar } from "./toolbar.tsx";
import { useAvailability } from "./use-availability.ts";
import { useNow } from "./use-now.ts";
import type { ReadListHandle } from "./use-read-list.ts";
import { arrivalWords, type OpenedSummary, type ShownResultSet, useResultSet } from "./use-result-set.ts";
import { type ResultsTab, TAB_PANEL, TABS, tabId } from "./view-controls.tsx";

export type ResultsViewProps = {
  summary: OpenedSummary;
  /** The actions on the selection. */
};

// Lazy-loaded when they are used, to keep the first load small.
const SightingGallery = lazyPart(async () => (await import("./gallery.tsx")).SightingGallery);
const LiveBar = lazyPart(async () => (await import("./live-bar.tsx")).LiveBar);

/**
 * The open read, from the URL. Opening adds a history entry, so that Back closes the detail; moving to a neighbor replaces
 * it. The screen does not wait for the URL, so that fast key presses each count. The URL may still name an earlier set of
 * the search: then the same read is open under its number in the shown set, and the URL follows.
 */
function useOpenRead({ summary: { id }, rowNow }: Pick<ShownResultSet, "summary" | "rowNow">) {
  const [query] = useSearchParams();
  const { key } = useLocation();
  const navigate = useNavigate();
  const { state } = useNavigation();
  const opened = useRef(false);
  /** The user's actions that are not in the URL yet, with the set to which their row numbers belong. */
  const [ahead, setAhead] = useState<{ id: string; read: number | undefined } | null>(null);
  const rowOf = (act: NonNullable<typeof ahead>) =>
    act.read === undefined ? undefined : rowNow(act.id, act.read);
  const readInUrl = readIn(query, rowNow);
  const read = ahead ? rowOf(ahead) : readInUrl;
  // A new navigation cancels a pending one, so the new URL may still be that of the previous action.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every history entry
  useEffect(() => setAhead((act) => (act && rowOf(act) !== readInUrl ? act : null)), [key]);
  // Going back from an entry that was never rendered does not change the key.
  const latest = useRef(rowNow);
  latest.current = rowNow;
  useEffect(() => {
    const follow = () => setAhead({ id, read: readIn(new URLSearchParams(location.search), latest.current) });
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [id]);
  // Not while another navigation is pending, which this one would cancel.
  const isBehind = query.get("id") !== id && ahead === null && state === "idle";
  useEffect(() => {
    if (isBehind) navigate(addressOf(id, read), { replace: true, preventScrollReset: true });
  }, [isBehind, id, read, navigate]);
  // Stable, so that opening a read does not render the list again.
  const open = useCallback(
    (to: number) => {
      opened.current = true;
      setAhead({ id, read: to });
      navigate(addressOf(id, to), { preventScrollReset: true });
    },
    [navigate, id],
  );
  return {
    read,
    open,
    move: (to: number) => {
      setAhead({ id, read: to });
      // If the entry of the opened read is not in the URL yet, this one is added instead.
      navigate(addressOf(id, to), { replace: isInAddress(), preventScrollReset: true });
    },
    close: () => {
      setAhead({ id, read: undefined });
      if (opened.current && isInAddress()) navigate(-1);
      else navigate(addressOf(id), { replace: true, preventScrollReset: true });
      opened.current = false;
    },
  };
}

function addressOf(id: string, read?: number): string {
  return `/results?id=${encodeURIComponent(id)}${read === undefined ? "" : `&read=${read}`}`;
}

/** Returns the row of the read that a URL opens; undefined if there is none in this result. */
function readIn(query: URLSearchParams, rowNow: ShownResultSet["rowNow"]): number | undefined {
  const text = query.get("read") ?? "";
  return /^\d{1,7}$/.test(text) ? rowNow(query.get("id") ?? "", Number(text)) : undefined;
}

/** Reads the browser's URL, since the last render may be behind it. */
function isInAddress(): boolean {
  return new URLSearchParams(location.search).has("read");
}

/** The results of one search: toolbar, reads, detail. The open read and the tab are in the URL. */
export function ResultsView({ summary: opened }: ResultsViewProps) {
  const list = useRef<ReadListHandle>(null);
  const [query] = useSearchParams();
  const set = useResultSet(opened, { list, tab: tabIn(query) });
  const { summary, load, live, arrival, isGrowing, retry, drop, tab, tracked, choose } = set;
  useTabAddress(tab);
  const now = useNow(opened.now) ?? opened.now;
  const [layout, setLayout] = useTableLayout(summary.request.look_alikes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drop does the same in every render
  const images = useMemo(() => createImageSource(summary.id, drop), [summary.id]);
  const { read, open, move, close } = useOpenRead(set);
  const searched = normalizePlate(summary.request.plate);
  const showTrack = (plate: string) => choose({ tab: "map", tracked: plate });
  const store = load.state === "ready" ? load.store : null;
  const openRead = store && read !== undefined ? rowAt(store.get().columns, read) : undefined;
  const address = useAddress(summary.id, openRead);
  const shown = load.state === "loading" ? load.first : store;
  // The controls show a choice immediately; the reads follow without blocking the page.
  const shownTab = useDeferredValue(tab);
  const shownLayout = useDeferredValue(layout);

  useListFollowing(list, store, read);

  useAvailability(summary.id, drop);

  if (load.state === "gone") return <ResultsGone id={summary.id} message={load.message} />;
  if (now >= summary.expiresAt) return <ResultsGone id={summary.id} message={RESULTS_PURGED} />;

  return (
    <ImageSourceContext.Provider value={images}>
      <div className="flex h-[calc(100dvh-var(--spacing-bar))] min-h-128 flex-col print:h-auto">
        <ResultsToolbar
          summary={summary}
          isGrowing={isGrowing}
          wasCanceled={live?.state === "cancelled"}
          now={now}
          store={store}
          layout={layout}
          onLayout={setLayout}
          tab={tab}
          onTab={(next) => choose({ tab: next })}
          hasPanel={load.state !== "failed"}
          searched={searched}
          onTrack={showTrack}
          onLeaveFilter={() => list.current?.focus()}
        />
        {live && (
          <LazySlot>
            <LiveBar set={set} live={live} list={list} />
          </LazySlot>
        )}
        <LiveRegion>{arrival ? arrivalWords(arrival, live?.state === "done") : ""}</LiveRegion>
        {load.state === "failed" ? (
          <ResultsFailed message={load.message} onRetry={retry} />
        ) : (
          <div
            role="tabpanel"
            id={TAB_PANEL}
            aria-labelledby={tabId(tab)}
            className="flex min-h-0 flex-1 flex-col"
          >
            <ShownReads
              {...{ summary, tracked, searched, list }}
              store={shown}
              isPartial={shown !== store}
              tab={shownTab}
              layout={shownLayout}
              onLayout={setLayout}
              onOpen={open}
              onPlate={(plate) => choose({ tracked: plate })}
            />
          </div>
        )}
        {store && <SelectionBar store={store} />}
        {store && read !== undefined && (
          <SightingDetail
            store={store}
            summary={summary}
            row={read}
            onMove={move}
            onClose={close}
            address={address}
            map={openRead && <LazySmallMap {...openRead} />}
            onTrack={(plate) => {
              close();
              showTrack(plate);
            }}
          />
        )}
      </div>
    </ImageSourceContext.Provider>
  );
}

type ShownReadsProps = Pick<ShownResultSet, "summary" | "tab" | "tracked"> & {
  /** The reads; null while none are loaded. */
  store: ResultsStore | null;
  /** These are the first reads only, which the table alone shows. */
  isPartial: boolean;
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  list: RefObject<ReadListHandle>;
  onOpen: (row: number) => void;
  searched: string;
  onPlate: (plate: string | null) => void;
};

/** The reads as a table, as images or on a map. */
function ShownReads(props: ShownReadsProps) {
  const { summary, store, isPartial, tab, layout, onLayout, list, onOpen, searched, tracked, onPlate } =
    props;
  if (summary.count === 0) return <ResultsEmpty summary={summary} />;
  if (!store || (isPartial && tab !== "table")) return <ResultsLoading />;
  if (tab === "map")
    return (
      <LazyMapView store={store} onOpen={onOpen} searched={searched} plate={tracked} onPlate={onPlate} />
    );
  if (tab === "gallery")
    return (
      <LazySlot fallback={<ResultsLoading />}>
        <SightingGallery handle={list} store={store} onOpen={onOpen} />
      </LazySlot>
    );
  return <SightingTable handle={list} store={store} layout={layout} onLayout={onLayout} onOpen={onOpen} />;
}

/** The list follows the open read, and gets the focus back when the detail closes. */
function useListFollowing(
  list: RefObject<ReadListHandle>,
  store: ResultsStore | null,
  read: number | undefined,
): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (read !== undefined) store?.setCurrent(read);
    else if (wasOpen.current) list.current?.focus();
    wasOpen.current = read !== undefined;
  }, [read, store, list]);
}

const KEY = "odin-results-table";

/** The user's layout of the table, stored in this browser; its column of matches is shown for look-alikes only. */
function useTableLayout(hasMatches = false): [TableLayout, (layout: TableLayout) => void] {
  const [layout, setLayout] = useState(DEFAULT_LAYOUT);
  useEffect(() => {
    try {
      const kept = localStorage.getItem(KEY);
      if (kept !== null) startTransition(() => setLayout(parseLayout(kept)));
    } catch {
      // Storage may be blocked; then the layout is not stored.
    }
  }, []);
  const change = useCallback((next: TableLayout) => {
    setLayout(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Storage may be blocked; then the layout is not stored.
    }
  }, []);
  const shown = useMemo(() => (hasMatches ? layout : withoutMatches(layout)), [layout, hasMatches]);
  return [shown, change];
}

const TAB_PARAMETER = "view";

/** Returns the tab that a URL names; the table if it names none. */
function tabIn(query: URLSearchParams): ResultsTab {
  return TABS.find(({ value }) => value === query.get(TAB_PARAMETER))?.value ?? "table";
}

/**
 * Keeps the tab in the URL, for a reload. It replaces the URL of the history entry itself: a navigation would cancel a
 * pending one, such as the opening of a read. Runs for every entry, because their URLs are made without the tab.
 */
function useTabAddress(tab: ResultsTab): void {
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every history entry
  useEffect(() => {
    const url = new URL(location.href);
    if (url.pathname !== "/results" || (url.searchParams.get(TAB_PARAMETER) ?? "table") === tab) return;
    if (tab === "table") url.searchParams.delete(TAB_PARAMETER);
    else url.searchParams.set(TAB_PARAMETER, tab);
    history.replaceState(history.state, "", url);
  }, [tab, key]);
}
