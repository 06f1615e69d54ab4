import { useEffect, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { warmTimes } from "#app/components/search/sighting/text.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import { createResultsStore, type ResultsStore } from "./state.ts";

export type ResultsLoad =
  | { state: "loading" }
  | { state: "ready"; store: ResultsStore }
  | { state: "failed"; message: string }
  | { state: "purged" };

type Asked = { id: string; placesAt: number; signal: AbortSignal };

/** Fetches a result's columns, which the browser keeps while the set lives. `retry` asks again; `drop` lets them go. */
export function useResultColumns({ id, placesAt }: { id: string; placesAt: number }): {
  load: ResultsLoad;
  retry: () => void;
  drop: () => void;
} {
  const [load, setLoad] = useState<ResultsLoad>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the same request again
  useEffect(() => {
    const abort = new AbortController();
    setLoad({ state: "loading" });
    fetchStore({ id, placesAt, signal: abort.signal }).then(setLoad, (error: unknown) => {
      if (abort.signal.aborted) return;
      const damaged = error instanceof TypeError && error.message.includes("result set");
      setLoad({
        state: "failed",
        message: damaged ? "The results came back damaged." : "The results could not be fetched.",
      });
    });
    return () => abort.abort();
  }, [id, placesAt, attempt]);

  return {
    load,
    retry: () => setAttempt((count) => count + 1),
    drop: () => setLoad({ state: "purged" }),
  };
}

async function fetchStore({ id, placesAt, signal }: Asked): Promise<ResultsLoad> {
  // Kept by the browser under its address, which a correction of a camera makes another one.
  const version = placesAt === 0 ? "" : `?places=${placesAt}`;
  // Fetched directly: the answer is binary columns.
  const coming = fetch(`/results/${encodeURIComponent(id)}/columns${version}`, { signal });
  warmTimes();
  const answer = await coming;
  if (answer.status === 410 || answer.status === 404) return { state: "purged" };
  if (answer.status === 401) sessionHasEnded();
  if (!answer.ok) return { state: "failed", message: "The results could not be fetched." };
  const columns = decodeColumns(new Uint8Array(await answer.arrayBuffer()));
  return { state: "ready", store: createResultsStore(columns) };
}
