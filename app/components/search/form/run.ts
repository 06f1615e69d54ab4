import { MESSAGES } from "#app/entities/messages.ts";
import type { AgencyOption } from "#app/entities/search/agencies.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";
import { jsonLines } from "#app/lib/json/lines.ts";
import { fieldIn, parseJson, textIn } from "#app/lib/json/parse.ts";

export type SearchOutcome =
  | { kind: "done"; resultId: string; count: number }
  /** The server rejected the request; the message belongs to one field. */
  | { kind: "refused"; message: string; problems?: Record<string, string> }
  | { kind: "signed-out" }
  | { kind: "failed"; reference?: string }
  | { kind: "cancelled" };

/** Runs one search and reports every progress message. Never throws; aborting the signal cancels. */
export async function runSearch(input: {
  /** The endpoint; /search-data by default. */
  path?: string;
  request: object;
  signal: AbortSignal;
  /** Whether results are also stored as they arrive, one set per program that has answered. */
  wantsPartial?: boolean;
  onProgress: (progress: SearchProgress) => void;
}): Promise<SearchOutcome> {
  const { path = "/search-data", request, signal, wantsPartial = false, onProgress } = input;
  try {
    // Fetched directly: the answer is a stream of progress.
    const response = await fetch(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/x-ndjson",
        ...(wantsPartial && { "odin-partial-results": "yes" }),
      },
      body: JSON.stringify(request),
      signal,
    });
    if (response.status === 401) return { kind: "signed-out" };
    if (!response.ok || !response.body) return await refusal(response);
    for await (const line of jsonLines(response.body)) {
      if (!isProgress(line)) break;
      const progress = line;
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
  const reference = response.headers.get("x-request-id");
  if (response.status < 400 || response.status >= 500)
    return { kind: "failed", ...(reference !== null && { reference }) };
  const body = parseJson(await response.text());
  return {
    kind: "refused",
    message: textIn(body, "message") || MESSAGES.searchFailed,
    problems: problemsIn(body),
  };
}

/** Returns the problem of each field that an answer names. */
function problemsIn(body: unknown): Record<string, string> {
  const named = fieldIn(body, "problems");
  if (typeof named !== "object" || named === null) return {};
  return Object.fromEntries(Object.entries(named).map(([field, text]) => [field, String(text)]));
}

function isProgress(value: unknown): value is SearchProgress {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Returns the initial status of every selected agency, before the first message from the server. */
export function waitingSources(options: readonly AgencyOption[]): SourceStatus[] {
  return options.map(({ key, program, name }) => ({
    sourceId: key,
    program,
    agency: name,
    state: "waiting",
    reads: 0,
    truncated: false,
    message: "",
    milliseconds: 0,
  }));
}

/** Returns the sources updated with one progress message. */
export function applyProgress(
  sources: readonly SourceStatus[],
  progress: SearchProgress,
): readonly SourceStatus[] {
  if (progress.type === "started") return progress.sources;
  if (progress.type !== "status") return sources;
  const { source } = progress;
  return sources.map((one) =>
    one.program === source.program && one.sourceId === source.sourceId ? source : one,
  );
}
