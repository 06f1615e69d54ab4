import { useEffect, useSyncExternalStore } from "react";
import type { AgencyOption } from "#app/entities/search/agencies.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { createListeners } from "#app/lib/listeners.ts";
import type { SearchOutcome } from "./form/run.ts";

type ArrivedSet = { readonly id: string; readonly count: number };

/** A search of this tab. Its results can be opened while it runs, so it must survive the change from form to results. */
export type LiveSearch = {
  /** Distinguishes the searches of this tab. */
  readonly key: string;
  readonly startedAt: number;
  readonly sources: readonly SourceStatus[];
  /**
   * Its result sets in the order of their arrival; each has all reads of the one before. The last one of a finished
   * search is complete.
   */
  readonly sets: readonly ArrivedSet[];
  readonly state: "running" | "done" | "cancelled" | "failed";
};

/** The code that calls the server. Lazy-loaded, to keep the first load small. */
const searching = () => import("./form/run.ts");

// The state of this browser tab. The server renders without it.
const listeners = createListeners();
/** The search of each result set that this tab has heard of. */
const bySet = new Map<string, LiveSearch>();
let latest: LiveSearch | undefined;
let controller: AbortController | undefined;
let started = 0;
/** The number of screens that show the running search. */
let holders = 0;

/** How long the statuses of agencies are collected before they are shown: a thousand agencies send two each at once. */
const STATUSES_SHOWN_AFTER_MS = 100;

/** Returns the search that a result set belongs to, if this tab ran it; undefined until hydration. */
export function useLiveSearchOf(resultId: string): LiveSearch | undefined {
  const read = () => bySet.get(resultId);
  return useSyncExternalStore(listeners.subscribe, read, () => undefined);
}

/** Returns the search that this tab started last. */
export function useLatestSearch(): LiveSearch | undefined {
  const read = () => latest;
  return useSyncExternalStore(listeners.subscribe, read, () => undefined);
}

/** Returns whether two result sets belong to one search of this tab. */
export function areOfOneSearch(a: string, b: string): boolean {
  const search = bySet.get(a);
  return search !== undefined && search === bySet.get(b);
}

/** Loads the code of a search early. */
export function prepareSearch(): void {
  searching().catch(() => {});
}

/** Runs a search; a running one is canceled. Never throws. */
export async function startSearch(
  request: SearchRequest,
  options: readonly AgencyOption[],
): Promise<SearchOutcome> {
  cancelSearch();
  const abort = new AbortController();
  controller = abort;
  const parts = await searching().catch(() => undefined);
  if (!parts) return { kind: "failed" };
  const number = ++started;
  let search: LiveSearch = {
    key: `search-${number}`,
    startedAt: Date.now(),
    sources: parts.waitingSources(options),
    sets: [],
    state: "running",
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    clearTimeout(waiting);
    waiting = undefined;
    for (const { id } of search.sets) bySet.set(id, search);
    if (number === started) latest = search;
    listeners.notify();
  };
  const change = (changes: Partial<LiveSearch>) => {
    search = { ...search, ...changes };
    show();
  };
  change({});
  const outcome = await parts.runSearch({
    request,
    signal: abort.signal,
    wantsPartial: true,
    onProgress: (progress) => {
      if (progress.type === "partial") return change({ sets: withPartialSet(search.sets, progress) });
      search = { ...search, sources: parts.applyProgress(search.sources, progress) };
      waiting ??= setTimeout(show, STATUSES_SHOWN_AFTER_MS);
    },
  });
  if (outcome.kind === "done") {
    const { resultId: id, count } = outcome;
    change({ sets: [...search.sets, { id, count }], state: "done" });
  } else change({ state: outcome.kind === "cancelled" ? "cancelled" : "failed" });
  return outcome;
}

/**
 * Returns the sets with one more, unless it has fewer reads than the last: the number of reads on screen never
 * decreases.
 */
export function withPartialSet(
  sets: readonly ArrivedSet[],
  { resultId, count }: { resultId: string; count: number },
): readonly ArrivedSet[] {
  const last = sets.at(-1);
  return last && count < last.count ? sets : [...sets, { id: resultId, count }];
}

/** Cancels the running search, if there is one. */
export function cancelSearch(): void {
  controller?.abort();
}

/** While a screen shows the search it may run; when the last one closes, the search is canceled. */
export function useHoldSearch(): void {
  useEffect(() => {
    holders++;
    return () => {
      holders--;
      // The next screen may already show it.
      setTimeout(() => {
        if (holders === 0) cancelSearch();
      });
    };
  }, []);
}
