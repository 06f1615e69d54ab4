import type { Tone } from "#app/components/ui/tones.ts";
import { SOURCE_PROGRAMS, type SourceProgram, type SourceStatus } from "#app/entities/search/query.ts";
import { counted } from "./describe.ts";

const RUNNING: ReadonlySet<SourceStatus["state"]> = new Set(["waiting", "asking", "slow"]);

function isSettled(source: SourceStatus): boolean {
  return !RUNNING.has(source.state);
}

export type ProgramProgress = {
  program: SourceProgram;
  sources: SourceStatus[];
  settled: number;
  reads: number;
  /** How many failed or were skipped; they must not be counted as "no reads". */
  unanswered: number;
};

/** Groups the sources by program, in the order of SOURCE_PROGRAMS, without programs that are not searched. */
export function byProgram(sources: readonly SourceStatus[]): ProgramProgress[] {
  return SOURCE_PROGRAMS.map((program) => {
    const own = sources.filter((source) => source.program === program);
    return {
      program,
      sources: own,
      settled: own.filter(isSettled).length,
      reads: own.reduce((sum, source) => sum + source.reads, 0),
      unanswered: own.filter((source) => source.state === "failed" || source.state === "unsupported").length,
    };
  }).filter((one) => one.sources.length > 0);
}

/** Describes the progress of a program. A source without an answer never counts as one without reads. */
export function programWords({ sources, settled, reads, unanswered }: ProgramProgress): string {
  const answered = settled - unanswered;
  const gaps = unanswered > 0 ? `, ${unanswered} without an answer` : "";
  const found = answered > 0 || reads > 0 ? ` · ${counted(reads, "read", "reads")}` : "";
  return `${answered} of ${sources.length} answered${gaps}${found}`;
}

/** Returns the screen reader announcement: only programs that have finished, to keep it short. */
export function announcement(programs: readonly ProgramProgress[]): string {
  return programs
    .filter((one) => one.settled === one.sources.length)
    .map((one) => `${one.program}: ${programWords(one)}.`)
    .join(" ");
}

const LOOKS: Record<SourceStatus["state"], { tone: Tone; shape: "full" | "ring" | "half" | "cross" }> = {
  waiting: { tone: "neutral", shape: "ring" },
  asking: { tone: "accent", shape: "half" },
  slow: { tone: "warn", shape: "half" },
  ok: { tone: "ok", shape: "full" },
  failed: { tone: "hit", shape: "cross" },
  unsupported: { tone: "warn", shape: "cross" },
  cancelled: { tone: "neutral", shape: "cross" },
};

/** Returns the status of one source as a symbol and as words. */
export function sourceLook(source: SourceStatus) {
  return {
    ...LOOKS[source.state],
    pulsing: source.state === "asking" || source.state === "slow",
    words: words(source),
  };
}

function words({ state, reads, truncated, message }: SourceStatus): string {
  const found = counted(reads, "read", "reads");
  switch (state) {
    case "waiting":
      return "Waiting";
    case "asking":
      return reads > 0 ? `Searching, ${found} so far` : "Searching";
    case "slow":
      return reads > 0 ? `Slow, ${found} so far` : "Slow to answer";
    case "ok":
      return truncated ? `${found}, more exist` : found;
    case "failed":
      return `Failed: ${message || "no answer"}`;
    case "unsupported":
      return `Skipped: ${message || "unsupported filter"}`;
    case "cancelled":
      return "Cancelled";
  }
}
