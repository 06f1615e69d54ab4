import { useEffect, useRef, useState } from "react";
import type { SourceStatus } from "#app/entities/search.ts";
import type { SearchRequest } from "#app/entities/search-request.ts";
import type { AgencyOption } from "./agency-options.ts";
import { runSearch, type SearchOutcome } from "./run-search.ts";
import { applyProgress, waitingSources } from "./search-progress.ts";

export type RunningSearch = {
  sources: readonly SourceStatus[];
  startedAt: number;
  /** Set once everything is in and the results are being opened. */
  opening?: number;
};

/** At most one search at a time; leaving the screen cancels it. */
export function useSearch(onOutcome: (outcome: SearchOutcome) => void) {
  const [running, setRunning] = useState<RunningSearch>();
  const controller = useRef<AbortController>();

  useEffect(() => () => controller.current?.abort(), []);

  async function start(request: SearchRequest, options: readonly AgencyOption[]) {
    if (controller.current) return;
    const mine = new AbortController();
    controller.current = mine;
    setRunning({ sources: waitingSources(options), startedAt: Date.now() });
    const outcome = await runSearch({
      request,
      signal: mine.signal,
      onProgress: (progress) =>
        setRunning((last) => last && { ...last, sources: applyProgress(last.sources, progress) }),
    });
    controller.current = undefined;
    if (outcome.kind === "done") setRunning((last) => last && { ...last, opening: outcome.count });
    else setRunning(undefined);
    onOutcome(outcome);
  }

  return { running, start, cancel: () => controller.current?.abort() };
}
