import { readsText } from "#app/components/search/sighting/text.ts";
import { SOURCE_PROGRAMS, type SourceProgram, type SourceStatus } from "#app/entities/search/query.ts";

/** The outcome of a program: `ok` only if every agency answered. */
export type ProgramOutcome = { kind: "ok" | "partly" | "failed"; text: string };

const REASONS = {
  slow: "too slow",
  failed: "failed",
  unsupported: "filter unsupported",
  cancelled: "cancelled",
  waiting: "not searched",
  asking: "not finished",
} satisfies Record<Exclude<SourceStatus["state"], "ok">, string>;

/** Returns the text of a program's chip. A failed program is never reported as having no reads. */
export function programOutcome(statuses: readonly SourceStatus[]): ProgramOutcome {
  let answered = 0;
  let reason: string | undefined;
  let message = "";
  for (const status of statuses) {
    if (status.state === "ok") answered++;
    else if (reason === undefined) {
      reason = REASONS[status.state];
      message = status.message;
    }
  }
  const reads = statuses.reduce((sum, status) => sum + status.reads, 0);
  if (reason === undefined) return { kind: "ok", text: readsText(reads) };
  if (answered === 0 && reads === 0) {
    const text = statuses.length === 1 && message ? `${reason}: ${message}` : reason;
    return { kind: "failed", text };
  }
  const missing = statuses.length - answered;
  return { kind: "partly", text: `${readsText(reads)}, ${missing} of ${statuses.length} agencies ${reason}` };
}

/** Returns the programs with at least one agency that did not answer. */
export function incompletePrograms(statuses: readonly SourceStatus[]): SourceProgram[] {
  return SOURCE_PROGRAMS.filter((program) =>
    statuses.some((status) => status.program === program && status.state !== "ok"),
  );
}
