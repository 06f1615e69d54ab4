import { startTransition, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { callApi } from "#app/components/forms/api.ts";
import { type LiveSearch, useLiveSearchOf } from "#app/components/search/live.ts";
import { warmTimes } from "#app/components/search/sighting/text.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import type { ResultColumns } from "#app/entities/search/result-columns.ts";
import { RESULTS_PURGED, type ResultSummary } from "#app/entities/search/result-set.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { counted } from "#app/lib/number-text.ts";
import { createResultsStore, type ResultsStore } from "./state.ts";
import type { ReadListHandle } from "./use-read-list.ts";
import type { ResultsTab } from "./view-controls.tsx";

/** A result set with its first rows: encoded columns in base64, "" if there are none. `now` is the server's time. */
export type OpenedSummary = ResultSummary & { firstRows: string; now: number };

type Load =
  | { state: "loading"; first: ResultsStore | null }
  | { state: "ready"; store: ResultsStore }
  | { state: "failed"; message: string }
  | { state: "gone"; message: string };

/** The set on screen: its summary, its reads, and the current row numbers of reads from earlier sets of the search. */
type Shown = {
  summary: ResultSummary;
  load: Load;
  rowsOf: ReadonlyMap<string, Int32Array>;
};

/** Reads that arrived while others were on screen. */
export type Arrival = {
  added: number;
  total: number;
  /** The number of added reads above those on screen. */
  above: number;
};

/** How the reads are shown: the tab, and the plate whose track the map shows. */
type ResultsChoice = { tab: ResultsTab; tracked: string | null };

export type ShownResultSet = ReturnType<typeof useResultSet>;

/**
 * The reads of a result set. While the search runs in this tab, the reads of its newer sets replace them as they
 * arrive, and the state of the view stays: filter, sort order, selection, scroll position and focus.
 */
export function useResultSet(
  opened: OpenedSummary,
  { list, tab }: { list: { current: ReadListHandle | null }; tab: ResultsTab },
) {
  const live = useLiveSearchOf(opened.id);
  const newest = newestOf(live, opened.id);
  const [first] = useState(() => firstRowsOf(opened));
  const { shown, setShown, choice, setChoice } = useLeftReads(opened, { first, tab });
  const latest = useRef(shown);
  latest.current = shown;
  const [arrival, setArrival] = useState<Arrival>();
  /** Why newly arrived reads cannot be shown yet; "" if nothing is wrong. */
  const [problem, setProblem] = useState("");
  const [attempt, setAttempt] = useState(0);
  // The opened set is loaded first, because the URL may name any of its reads.
  const [isLoaded, setIsLoaded] = useState(shown.load.state === "ready");
  const wanted = isLoaded ? newest : opened.id;
  const placesAt = wanted === opened.id ? opened.placesAt : 0;

  useFetch(wanted === opened.id ? opened : wanted, {
    version: `${wanted} ${placesAt} ${attempt}`,
    onStart() {
      setProblem("");
      setShown((before) =>
        before.load.state === "failed" ? { ...before, load: { state: "loading", first } } : before,
      );
    },
    onDone: take,
    onError: (error) => fail(messageOf(error)),
  });

  function take(fetched: Fetched) {
    const { load, summary } = latest.current;
    if (fetched.state === "failed") return fail("The results could not be loaded.");
    if (fetched.state === "ready")
      return load.state === "ready" ? renew(load.store, fetched) : begin(storeOf(load), fetched);
    if (load.state === "ready" && newest !== summary.id)
      return fail("The reads that arrived have been purged.");
    drop(fetched.message);
  }

  /** Replaces the reads on screen with the reason why they may no longer be shown. */
  function drop(message = RESULTS_PURGED) {
    setShown((before) => ({ ...before, load: { state: "gone", message } }));
  }

  function fail(message: string) {
    // The reads on screen stay.
    if (latest.current.load.state === "ready") return setProblem(message);
    setShown((before) => ({ ...before, load: { state: "failed", message } }));
  }

  /** Shows the reads of the opened set in place of its first rows. */
  function begin(firstRows: ResultsStore | null, { summary, columns }: FetchedReads) {
    const { rowsOf } = latest.current;
    const replace = () => {
      const store = createResultsStore(columns, { before: firstRows?.get() });
      startTransition(() => {
        setShown({ summary, load: { state: "ready", store }, rowsOf });
        setIsLoaded(true);
      });
    };
    replace();
    // The first rows stay on screen meanwhile. Any action on them restarts the transition.
    firstRows?.subscribe(replace);
  }

  /**
   * Replaces the reads on screen with those of a newer set of the search, or with the same ones with corrected places.
   */
  function renew(before: ResultsStore, { summary, columns }: FetchedReads) {
    const { summary: previous, rowsOf } = latest.current;
    const store = createResultsStore(columns, { before: before.get() });
    const next: Shown = {
      summary,
      load: { state: "ready", store },
      rowsOf: withRows(rowsOf, { id: previous.id, rows: store.get().grown?.rows }),
    };
    if (previous.id === summary.id) return setShown(next);
    // Runs immediately, so that nothing that the user does meanwhile is lost.
    const above = rowsAbove({ store, before, row: list.current?.anchorRow() });
    const hadFocus = isListFocused();
    flushSync(() => {
      setShown(next);
      setArrival({ added: summary.count - previous.count, total: summary.count, above });
    });
    if (hadFocus && !isListFocused()) list.current?.focus();
  }

  const isLoadingMore = newest !== shown.summary.id && problem === "";
  return {
    ...shown,
    ...choice,
    choose: (change: Partial<ResultsChoice>) => setChoice((before) => ({ ...before, ...change })),
    live,
    arrival,
    forgetArrival: () => setArrival(undefined),
    problem,
    /** The search continues, or its last reads are being loaded. */
    isGrowing: live?.state === "running" || (live?.state === "done" && isLoadingMore),
    retry: () => setAttempt((count) => count + 1),
    drop,
    rowNow: (id: string, row: number) => rowNow(shown, id, row),
  };
}

/** The reads that were left last, so that a user who returns has the same filter, sort order, selection and view. */
let left: { id: string; store: ResultsStore; choice: ResultsChoice } | undefined;

/** The state of the reads on screen. It starts as the reads were left, or with the first rows and the given tab. */
function useLeftReads(
  opened: OpenedSummary,
  { first, tab }: { first: ResultsStore | null; tab: ResultsTab },
) {
  const back = left?.id === opened.id ? left : undefined;
  const [shown, setShown] = useState<Shown>({
    summary: opened,
    load: back ? { state: "ready", store: back.store } : { state: "loading", first },
    rowsOf: new Map(),
  });
  const [choice, setChoice] = useState<ResultsChoice>(back?.choice ?? { tab, tracked: null });
  const latest = useRef({ shown, choice });
  latest.current = { shown, choice };
  useEffect(() => {
    left = undefined;
    return () => {
      const { shown, choice } = latest.current;
      const { summary, load } = shown;
      if (load.state === "ready") left = { id: summary.id, store: load.store, choice };
    };
  }, []);
  return { shown, setShown, choice, setChoice };
}

/** Returns the row that a read of any set of the search has on screen. */
function rowNow({ summary, rowsOf }: Shown, id: string, row: number): number | undefined {
  if (id === summary.id) return row < summary.count ? row : undefined;
  const now = rowsOf.get(id)?.[row] ?? -1;
  return now < 0 ? undefined : now;
}

function firstRowsOf({ firstRows }: OpenedSummary): ResultsStore | null {
  if (firstRows === "") return null;
  return createResultsStore(decodeColumns(fromBase64(firstRows)), { isPartial: true });
}

/** The newest set of the search. Sets of a search that this tab did not run have no newer one. */
function newestOf(live: LiveSearch | undefined, id: string): string {
  return live?.sets.at(-1)?.id ?? id;
}

function storeOf(load: Load): ResultsStore | null {
  if (load.state === "ready") return load.store;
  return load.state === "loading" ? load.first : null;
}

/** Adds the rows of the previous set, and renumbers those of the sets before it; unchanged if it had the same reads. */
function withRows(
  rowsOf: Shown["rowsOf"],
  { id, rows }: { id: string; rows: Int32Array | undefined },
): Shown["rowsOf"] {
  if (!rows) return rowsOf;
  const renumbered = new Map<string, Int32Array>();
  for (const [older, olderRows] of rowsOf)
    renumbered.set(
      older,
      olderRows.map((row) => rows[row] ?? -1),
    );
  return renumbered.set(id, rows);
}

function rowsAbove(input: { store: ResultsStore; before: ResultsStore; row: number | undefined }): number {
  const { store, before, row } = input;
  if (row === undefined) return 0;
  const now = store.get().grown?.rows[row] ?? -1;
  const [from, to] = [before.get().places[row] ?? -1, store.get().places[now] ?? -1];
  return from < 0 || to < 0 ? 0 : Math.max(0, to - from);
}

function isListFocused(): boolean {
  return Boolean(document.activeElement?.closest("[role=grid] [data-row]"));
}

/** Returns the announcement of newly arrived reads. */
export function arrivalWords({ added, total }: Arrival, isOver: boolean): string {
  const found =
    added === 0
      ? "No more reads were found."
      : `${counted(added, "read")} added, ${counted(total, "read")} in all.`;
  return isOver ? `The search has finished. ${found}` : found;
}

/** Fetches a set again whenever `version` changes. Answers for an earlier version are ignored. */
function useFetch(
  set: ResultSummary | string,
  input: {
    version: string;
    onStart: () => void;
    onDone: (fetched: Fetched) => void;
    onError: (error: unknown) => void;
  },
): void {
  const { version, onStart, onDone, onError } = input;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new version repeats the request
  useEffect(() => {
    const abort = new AbortController();
    onStart();
    fetchSet(set, abort.signal).then(
      (fetched) => !abort.signal.aborted && onDone(fetched),
      (error: unknown) => !abort.signal.aborted && onError(error),
    );
    return () => abort.abort();
  }, [version]);
}

type FetchedReads = { state: "ready"; summary: ResultSummary; columns: ResultColumns };
type Fetched = FetchedReads | { state: "failed" } | { state: "gone"; message?: string };

/** Fetches the columns of a set, which the browser caches, and its summary if only its id is known. */
async function fetchSet(set: ResultSummary | string, signal: AbortSignal): Promise<Fetched> {
  if (typeof set !== "string") return fetchColumns(set, signal);
  const answer = await callApi<ResultSummary>(`/results/${encodeURIComponent(set)}/summary`, { signal });
  if (answer.ok) return fetchColumns(answer.value, signal);
  if (answer.status === 410) return { state: "gone", message: answer.message };
  return { state: answer.status === 404 ? "gone" : "failed" };
}

async function fetchColumns(summary: ResultSummary, signal: AbortSignal): Promise<Fetched> {
  const { id, placesAt } = summary;
  // The browser caches by URL; correcting a camera location changes the URL.
  const version = placesAt === 0 ? "" : `?places=${placesAt}`;
  // Fetched directly: the response is binary columns.
  const request = fetch(`/results/${encodeURIComponent(id)}/columns${version}`, { signal });
  warmTimes();
  const answer = await request;
  if (answer.status === 410)
    return { state: "gone", message: textIn(await answer.json().catch(() => undefined), "message") };
  if (answer.status === 404) return { state: "gone" };
  if (answer.status === 401) sessionHasEnded();
  if (!answer.ok) return { state: "failed" };
  return { state: "ready", summary, columns: decodeColumns(new Uint8Array(await answer.arrayBuffer())) };
}

function messageOf(error: unknown): string {
  const isDamaged = error instanceof TypeError && error.message.includes("result set");
  return isDamaged ? "The results are damaged." : "The results could not be loaded.";
}
