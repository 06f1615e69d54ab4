import { useEffect, useRef, useState } from "react";
import {
  cancelSearch,
  prepareSearch,
  startSearch,
  useHoldSearch,
  useLatestSearch,
} from "#app/components/search/live.ts";
import type { AgencyOption } from "#app/entities/search/agencies.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import type { SearchOutcome } from "./run.ts";
import { useStayed } from "./use-stayed.ts";

export type RunningSearch = {
  sources: readonly SourceStatus[];
  startedAt: number;
  /** The number of reads that can be shown before the search is complete. */
  soFar?: number;
  /** The number of reads, set when the results are opening. */
  opening?: number;
};

/** Runs at most one search at a time. Leaving the screen cancels it, unless the results so far are opened. */
export function useSearch(onOutcome: (outcome: SearchOutcome) => void) {
  const latest = useLatestSearch();
  const [isOpen, setIsOpen] = useState(false);
  const [opening, setOpening] = useState<number>();
  const isBusy = useRef(false);
  /** The results so far are opening: the results screen shows how the search ends. */
  const isHandedOver = useRef(false);
  useHoldSearch();
  useStayed(opening !== undefined, () => {
    isHandedOver.current = false;
    setOpening(undefined);
  });
  useEffect(() => {
    // The user came Back from the results of a search that still runs.
    cancelSearch();
    prepareSearch();
  }, []);

  async function start(request: SearchRequest, options: readonly AgencyOption[]) {
    if (isBusy.current) return;
    isBusy.current = true;
    setIsOpen(true);
    // Loaded while the programs are searched, so that the first reads are shown immediately.
    import("#app/components/search/results/view.tsx").catch(() => {});
    const outcome = await startSearch(request, options);
    isBusy.current = false;
    if (isHandedOver.current) return;
    if (outcome.kind === "done") setOpening(outcome.count);
    else setIsOpen(false);
    onOutcome(outcome);
  }

  const newest = latest?.sets.at(-1);
  const isShown = isOpen && latest !== undefined && (latest.state === "running" || opening !== undefined);
  const running: RunningSearch | undefined = isShown
    ? { sources: latest.sources, startedAt: latest.startedAt, soFar: newest?.count, opening }
    : undefined;

  return {
    running,
    start,
    cancel: () => {
      if (!isHandedOver.current) cancelSearch();
    },
    /** Returns the id of the newest result set, which the caller opens; the search continues. */
    handOver: (): string | undefined => {
      if (!newest) return undefined;
      isHandedOver.current = true;
      setOpening(newest.count);
      return newest.id;
    },
  };
}
