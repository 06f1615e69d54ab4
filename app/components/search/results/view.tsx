import { useLocation, useNavigate, useSearchParams } from "@remix-run/react";
import {
  lazy,
  type ReactNode,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { LazyMapView, LazySmallMap } from "#app/components/map/lazy.tsx";
import { useAddress } from "#app/components/map/use-address.ts";
import { SightingDetail } from "#app/components/search/sighting/detail.tsx";
import { createImageSource, ImageSourceContext } from "#app/components/search/sighting/read-image.tsx";
import { warmTimes } from "#app/components/search/sighting/text.ts";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import { rowAt } from "#app/entities/search/result-columns.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { ResultsEmpty, ResultsFailed, ResultsLoading, ResultsPurged } from "./notices.tsx";
import { createResultsStore, type ResultsStore } from "./state.ts";
import { SightingTable } from "./table.tsx";
import { DEFAULT_LAYOUT, parseLayout, type TableLayout, withoutMatches } from "./table-columns.ts";
import { ResultsToolbar, SelectionBar } from "./toolbar.tsx";
import { useNow } from "./use-now.ts";
import type { ReadListHandle } from "./use-read-list.ts";
import { type ResultsTab, TAB_PANEL, tabId } from "./view-controls.tsx";

export type ResultsViewProps = {
  summary: OpenedSummary;
  /** What can be done with the selection. */
  selectionActions?: (store: ResultsStore) => ReactNode;
};

/** A result set with its first rows: encoded columns in base64, "" if there are none. `now` is the server's time. */
type OpenedSummary = ResultSummary & { firstRows: string; now: number };

// Lazy-loaded when it is opened, to keep the first load small.
const SightingGallery = lazy(() => import("./gallery.tsx"));

/** The results of one search: toolbar, reads, detail. The open read is in the URL, so that it can be shared. */
export function ResultsView({ summary, selectionActions }: ResultsViewProps) {
  const { load, retry, drop } = useResultColumns(summary);
  const now = useNow(summary.now) ?? summary.now;
  const [kept, setLayout] = useTableLayout();
  const layout = useMemo(
    () => (summary.request.look_alikes ? kept : withoutMatches(kept)),
    [kept, summary.request.look_alikes],
  );
  const list = useRef<ReadListHandle>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drop does the same in every render
  const images = useMemo(() => createImageSource(summary.id, drop), [summary.id]);
  const { read, open, move, close } = useOpenRead(summary);
  const [tab, setTab] = useState<ResultsTab>("table");
  const [tracked, setTracked] = useState<string | null>(null);
  const searched = normalizePlate(summary.request.plate);
  const showTrack = (plate: string) => {
    setTracked(plate);
    setTab("map");
  };
  const address = useAddress(summary.id, read);
  const store = load.state === "ready" ? load.store : null;
  const shown = load.state === "loading" ? load.first : store;
  // The controls show a choice at once; the reads follow without blocking the page.
  const shownTab = useDeferredValue(tab);
  const shownLayout = useDeferredValue(layout);

  // The list follows the open read, and takes the focus back when the detail closes.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (read !== undefined) store?.setCurrent(read);
    else if (wasOpen.current) list.current?.focus();
    wasOpen.current = read !== undefined;
  }, [read, store]);

  if (load.state === "purged" || now >= summary.expiresAt) return <ResultsPurged id={summary.id} />;

  return (
    <ImageSourceContext.Provider value={images}>
      <div className="flex h-[calc(100dvh-var(--spacing-bar))] min-h-128 flex-col">
        <ResultsToolbar
          summary={summary}
          now={now}
          store={store}
          layout={layout}
          onLayout={setLayout}
          tab={tab}
          onTab={setTab}
          searched={searched}
          onTrack={showTrack}
          onLeaveFilter={() => list.current?.focus()}
        />
        {load.state === "failed" ? (
          <ResultsFailed message={load.message} onRetry={retry} />
        ) : (
          <div
            role="tabpanel"
            id={TAB_PANEL}
            aria-labelledby={tabId(tab)}
            className="flex min-h-0 flex-1 flex-col"
          >
            {summary.count === 0 ? (
              <ResultsEmpty summary={summary} />
            ) : !shown || (shown !== store && shownTab !== "table") ? (
              <ResultsLoading />
            ) : shownTab === "map" ? (
              <LazyMapView
                store={shown}
                onOpen={open}
                searched={searched}
                plate={tracked}
                onPlate={setTracked}
              />
            ) : shownTab === "gallery" ? (
              <LazySlot fallback={<ResultsLoading />}>
                <SightingGallery ref={list} store={shown} onOpen={open} />
              </LazySlot>
            ) : (
              <SightingTable
                ref={list}
                store={shown}
                layout={shownLayout}
                onLayout={setLayout}
                onOpen={open}
              />
            )}
          </div>
        )}
        {store && <SelectionBar store={store}>{selectionActions?.(store)}</SelectionBar>}
        {store && read !== undefined && (
          <SightingDetail
            store={store}
            summary={summary}
            row={read}
            onMove={move}
            onClose={close}
            address={address}
            map={<LazySmallMap {...rowAt(store.get().columns, read)} />}
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

type ResultsLoad =
  | { state: "loading"; first: ResultsStore | null }
  | { state: "ready"; store: ResultsStore }
  | { state: "failed"; message: string }
  | { state: "purged" };

/** Fetches the columns of a result, which the browser caches. `retry` fetches again; `drop` marks the result as purged. */
function useResultColumns({ id, placesAt, firstRows }: OpenedSummary): {
  load: ResultsLoad;
  retry: () => void;
  drop: () => void;
} {
  const [first] = useState(() =>
    firstRows === "" ? null : createResultsStore(decodeColumns(fromBase64(firstRows)), { isPartial: true }),
  );
  const [load, setLoad] = useState<ResultsLoad>({ state: "loading", first });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt repeats the same request
  useEffect(() => {
    const abort = new AbortController();
    setLoad((before) => (before.state === "loading" ? before : { state: "loading", first }));
    fetchStore({ id, placesAt, signal: abort.signal, first }).then(
      (next) => startTransition(() => setLoad(next)),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const damaged = error instanceof TypeError && error.message.includes("result set");
        setLoad({
          state: "failed",
          message: damaged ? "The results are damaged." : "The results could not be loaded.",
        });
      },
    );
    return () => abort.abort();
  }, [id, placesAt, attempt]);

  return {
    load,
    retry: () => setAttempt((count) => count + 1),
    drop: () => setLoad({ state: "purged" }),
  };
}

type ColumnsRequest = { id: string; placesAt: number; signal: AbortSignal; first: ResultsStore | null };

async function fetchStore({ id, placesAt, signal, first }: ColumnsRequest): Promise<ResultsLoad> {
  // The browser caches by URL; correcting a camera location changes the URL.
  const version = placesAt === 0 ? "" : `?places=${placesAt}`;
  // Fetched directly: the response is binary columns.
  const request = fetch(`/results/${encodeURIComponent(id)}/columns${version}`, { signal });
  warmTimes();
  const answer = await request;
  if (answer.status === 410 || answer.status === 404) return { state: "purged" };
  if (answer.status === 401) sessionHasEnded();
  if (!answer.ok) return { state: "failed", message: "The results could not be loaded." };
  const columns = decodeColumns(new Uint8Array(await answer.arrayBuffer()));
  return { state: "ready", store: createResultsStore(columns, { before: first?.get() }) };
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
  // Stable, so that opening a read does not render the list again.
  const open = useCallback(
    (to: number) => {
      opened.current = true;
      setAhead({ read: to });
      navigate(addressOf(summary.id, to), { preventScrollReset: true });
    },
    [navigate, summary.id],
  );
  return {
    read: ahead ? ahead.read : row,
    open,
    move: (to: number) => {
      setAhead({ read: to });
      // If the entry of the opened read is not in the URL yet, this one is added instead.
      navigate(addressOf(summary.id, to), { replace: isInAddress(), preventScrollReset: true });
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

function addressOf(id: string, read: number): string {
  return `/results?id=${encodeURIComponent(id)}&read=${read}`;
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
  return [layout, change];
}
