import type { Tone } from "#app/components/ui/tones.ts";
import {
  isSettled,
  SOURCE_PROGRAMS,
  type SourceProgram,
  type SourceStatus,
} from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import { counted, numberText } from "#app/lib/number-text.ts";

export type ProgramProgress = {
  program: SourceProgram;
  sources: SourceStatus[];
  settled: number;
  reads: number;
  /** Number of agencies that failed or were skipped. They must not look as if they had found nothing. */
  unanswered: number;
};

/** Returns the sources by program, in the order of SOURCE_PROGRAMS, without programs that are not searched. */
export function byProgram(sources: readonly SourceStatus[]): ProgramProgress[] {
  return SOURCE_PROGRAMS.map((program) => {
    const ofProgram = sources.filter((source) => source.program === program);
    return {
      program,
      sources: ofProgram,
      settled: ofProgram.filter(isSettled).length,
      reads: ofProgram.reduce((sum, source) => sum + source.reads, 0),
      unanswered: ofProgram.filter((source) => source.state === "failed" || source.state === "unsupported")
        .length,
    };
  }).filter((progress) => progress.sources.length > 0);
}

/** Returns the progress of a program in words. An agency without an answer never counts as having found nothing. */
export function programWords({ sources, settled, reads, unanswered }: ProgramProgress): string {
  const answered = settled - unanswered;
  const gaps = unanswered > 0 ? `, ${numberText(unanswered)} without an answer` : "";
  const found = answered > 0 || reads > 0 ? ` · ${counted(reads, "read")}` : "";
  return `${numberText(answered)} of ${numberText(sources.length)} answered${gaps}${found}`;
}

/** Returns the mark of a program in a running search: complete, in part, or still without an answer. */
export function programLook({ sources, settled, unanswered }: ProgramProgress) {
  const state = settled < sources.length ? "asking" : unanswered > 0 ? "failed" : "ok";
  return { ...LOOKS[state], pulsing: state === "asking" };
}

/** Returns what a screen reader announces: each program once it has finished. */
export function announcement(programs: readonly ProgramProgress[]): string {
  return programs
    .filter(({ settled, sources }) => settled === sources.length)
    .map((progress) => `${progress.program}: ${programWords(progress)}.`)
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

/** Returns how a running search shows the state of one agency: a mark and words. */
export function sourceLook(source: SourceStatus) {
  return {
    ...LOOKS[source.state],
    pulsing: source.state === "asking" || source.state === "slow",
    words: runningWords(source),
  };
}

/** Returns how a finished search shows the same state. An agency that was still waiting or asking is a warning. */
export function settledLook(source: SourceStatus) {
  const { tone, shape } = LOOKS[source.state];
  return { shape, tone: isSettled(source) ? tone : "warn", words: settledWords(source) } as const;
}

function runningWords({ state, reads, truncated, message }: SourceStatus): string {
  const found = counted(reads, "read");
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
      return "Canceled";
  }
}

const SETTLED_WORDS = {
  slow: "Did not answer in time",
  waiting: "Not searched",
  asking: "Did not finish",
  failed: "Failed",
  unsupported: "Filter not supported",
  cancelled: "Canceled",
};

function settledWords({ state, reads }: SourceStatus): string {
  return state === "ok" ? counted(reads, "read") : SETTLED_WORDS[state];
}

/** The outcome of a finished search for a program as a whole: `ok` only if every agency answered. */
export type ProgramOutcome = { kind: "ok" | "partly" | "failed"; text: string };

const REASONS = {
  ok: "",
  slow: "too slow",
  failed: "failed",
  unsupported: "filter unsupported",
  cancelled: "canceled",
  waiting: "not searched",
  asking: "not finished",
};

/** Returns the text of a program's chip. A program that failed never appears to have found nothing. */
export function programOutcome(statuses: readonly SourceStatus[]): ProgramOutcome {
  const incomplete = statuses.filter((status) => status.state !== "ok");
  const reads = statuses.reduce((sum, status) => sum + status.reads, 0);
  if (incomplete.length === 0) return { kind: "ok", text: counted(reads, "read") };
  const other = at(incomplete, 0);
  const reason = REASONS[other.state];
  if (incomplete.length === statuses.length && reads === 0) {
    const why = statuses.length === 1 && other.message ? `${reason}: ${other.message}` : reason;
    return { kind: "failed", text: why };
  }
  return {
    kind: "partly",
    text: `${counted(reads, "read")}, ${numberText(incomplete.length)} of ${numberText(statuses.length)} agencies ${reason}`,
  };
}

/** Returns the statuses with the agencies that did not answer first: among a thousand they would be hard to find. */
export function unansweredFirst(statuses: readonly SourceStatus[]): SourceStatus[] {
  return statuses.toSorted((a, b) => Number(a.state === "ok") - Number(b.state === "ok"));
}

/** Returns the programs with at least one agency that did not answer. */
export function incompletePrograms(statuses: readonly SourceStatus[]): SourceProgram[] {
  return SOURCE_PROGRAMS.filter((program) =>
    statuses.some((status) => status.program === program && status.state !== "ok"),
  );
}

/** Returns the programs with an agency that was still searched when the reads were stored. */
export function unfinishedPrograms(statuses: readonly SourceStatus[]): SourceProgram[] {
  return SOURCE_PROGRAMS.filter((program) =>
    statuses.some((status) => status.program === program && !isSettled(status)),
  );
}
