import type { AgencyOption } from "#app/entities/search/agencies.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";

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
