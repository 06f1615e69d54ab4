import { useEffect, useState } from "react";
import { decodeColumns } from "#app/entities/result-columns.ts";
import { createResultsStore, type ResultsStore } from "./results-state.ts";

export type ResultsLoad =
  | { state: "loading" }
  | { state: "ready"; store: ResultsStore }
  | { state: "failed"; message: string }
  | { state: "purged" };

/** Fetches a result's columns, which the browser keeps while the set lives. `retry` asks again; `drop` lets them go. */
export function useResultColumns(id: string): { load: ResultsLoad; retry: () => void; drop: () => void } {
  const [load, setLoad] = useState<ResultsLoad>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the same request again
  useEffect(() => {
    const abort = new AbortController();
    setLoad({ state: "loading" });
    fetchStore(id, abort.signal).then(setLoad, (error: unknown) => {
      if (abort.signal.aborted) return;
      const damaged = error instanceof TypeError && error.message.includes("result set");
      setLoad({
        state: "failed",
        message: damaged ? "The results came back damaged." : "The results could not be fetched.",
      });
    });
    return () => abort.abort();
  }, [id, attempt]);

  return {
    load,
    retry: () => setAttempt((count) => count + 1),
    drop: () => setLoad({ state: "purged" }),
  };
}

async function fetchStore(id: string, signal: AbortSignal): Promise<ResultsLoad> {
  const answer = await fetch(`/results/${encodeURIComponent(id)}/columns`, { signal });
  if (answer.status === 410 || answer.status === 404) return { state: "purged" };
  if (answer.status === 401) {
    location.assign("/");
    return { state: "loading" };
  }
  if (!answer.ok) return { state: "failed", message: "The results could not be fetched." };
  const columns = decodeColumns(new Uint8Array(await answer.arrayBuffer()));
  return { state: "ready", store: createResultsStore(columns) };
}
