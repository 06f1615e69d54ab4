import { MESSAGES } from "#app/entities/messages.ts";
import type { SearchProgress } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { parseJson } from "#app/lib/json/parse.ts";

export type SearchOutcome =
  | { kind: "done"; resultId: string; count: number }
  /** The server would not: its words, for the field that they are about. */
  | { kind: "refused"; message: string }
  | { kind: "signed-out" }
  | { kind: "failed" }
  | { kind: "cancelled" };

/** Runs one search to its end and tells of every line on the way. Never throws; aborting the signal cancels. */
export async function runSearch(input: {
  request: SearchRequest;
  signal: AbortSignal;
  onProgress: (progress: SearchProgress) => void;
}): Promise<SearchOutcome> {
  const { request, signal, onProgress } = input;
  try {
    // Fetched directly: the answer is a stream of progress.
    const response = await fetch("/search-data", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body: JSON.stringify(request),
      signal,
    });
    if (response.status === 401) return { kind: "signed-out" };
    if (!response.ok || !response.body) return await refusal(response);
    for await (const line of ndjson(response.body)) {
      const progress = line as SearchProgress;
      if (progress.type === "done")
        return { kind: "done", resultId: progress.resultId, count: progress.count };
      if (progress.type === "failed") break;
      onProgress(progress);
    }
    return { kind: signal.aborted ? "cancelled" : "failed" };
  } catch {
    return { kind: signal.aborted ? "cancelled" : "failed" };
  }
}

async function refusal(response: Response): Promise<SearchOutcome> {
  if (response.status < 400 || response.status >= 500) return { kind: "failed" };
  const body = parseJson(await response.text()) as { message?: unknown } | null | undefined;
  const message = body?.message;
  return {
    kind: "refused",
    message: typeof message === "string" && message ? message : MESSAGES.searchFailed,
  };
}

/** The values of a stream of JSON lines, however its chunks are cut. Throws SyntaxError for a line that is not JSON. */
export async function* ndjson(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
      if (done) return;
    }
  } finally {
    // Leaving early hangs up, so that nothing is read for nobody.
    await reader.cancel().catch(() => {});
  }
}
