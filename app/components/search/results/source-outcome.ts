import { readsText } from "#app/components/search/sighting/text.ts";
import { SOURCE_PROGRAMS, type SourceProgram, type SourceStatus } from "#app/entities/search/query.ts";

/** How a program as a whole answered: `ok` only where every agency did. */
export type ProgramOutcome = { kind: "ok" | "partly" | "failed"; text: string };

const REASONS = {
  slow: "too slow",
  failed: "failed",
  unsupported: "filter unsupported",
  cancelled: "cancelled",
  waiting: "not asked",
  asking: "not finished",
} as const;

/** The words of a program's chip. A program that failed is never said to have found nothing. */
export function programOutcome(statuses: readonly SourceStatus[]): ProgramOutcome {
  const answered = statuses.filter((status) => status.state === "ok");
  const reads = statuses.reduce((sum, status) => sum + status.reads, 0);
  if (answered.length === statuses.length) return { kind: "ok", text: readsText(reads) };
  const other = statuses.find((status) => status.state !== "ok") as SourceStatus;
  const reason = REASONS[other.state as keyof typeof REASONS];
  if (answered.length === 0 && reads === 0) {
    const why = statuses.length === 1 && other.message ? `${reason}: ${other.message}` : reason;
    return { kind: "failed", text: why };
  }
  const missing = statuses.length - answered.length;
  return { kind: "partly", text: `${readsText(reads)}, ${missing} of ${statuses.length} agencies ${reason}` };
}

/** The programs of which not every agency answered. */
export function silentPrograms(statuses: readonly SourceStatus[]): SourceProgram[] {
  return SOURCE_PROGRAMS.filter((program) =>
    statuses.some((status) => status.program === program && status.state !== "ok"),
  );
}
