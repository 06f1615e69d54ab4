import { useEffect, useRef, useState } from "react";
import type { AgencyOption } from "#app/entities/search/agencies.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import type { SearchOutcome } from "./run.ts";

export type RunningSearch = {
  sources: readonly SourceStatus[];
  startedAt: number;
  /** The number of reads, set when the search is complete and the results are opening. */
  opening?: number;
};

/** The code that calls the server. Lazy-loaded, to keep the first load small. */
const searching = () => import("./run.ts");

/** Runs at most one search at a time; leaving the screen cancels it. */
export function useSearch(onOutcome: (outcome: SearchOutcome) => void) {
  const [running, setRunning] = useState<RunningSearch>();
  const controller = useRef<AbortController>();

  useEffect(() => {
    searching().catch(() => {});
    return () => controller.current?.abort();
  }, []);

  async function start(request: SearchRequest, options: readonly AgencyOption[]) {
    if (controller.current) return;
    const abort = new AbortController();
    controller.current = abort;
    const outcome = await run(abort.signal, request, options);
    controller.current = undefined;
    if (outcome.kind === "done") setRunning((last) => last && { ...last, opening: outcome.count });
    else setRunning(undefined);
    onOutcome(outcome);
  }

  async function run(
    signal: AbortSignal,
    request: SearchRequest,
    options: readonly AgencyOption[],
  ): Promise<SearchOutcome> {
    const parts = await searching().catch(() => undefined);
    if (!parts) return { kind: "failed" };
    const { runSearch, applyProgress, waitingSources } = parts;
    setRunning({ sources: waitingSources(options), startedAt: Date.now() });
    return runSearch({
      request,
      signal,
      onProgress: (progress) =>
        setRunning((last) => last && { ...last, sources: applyProgress(last.sources, progress) }),
    });
  }

  return { running, start, cancel: () => controller.current?.abort() };
}
