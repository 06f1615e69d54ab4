import type { Tone } from "#app/components/ui/tones.ts";
import { REVIEW_KINDS, type ReviewKind, VERDICTS, type Verdict } from "#app/entities/oversight/review.ts";
import { COUNTED_TO } from "#app/entities/oversight/review-calls.ts";
import { numberText } from "#app/lib/number-text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";

export const KIND_TONES: Record<ReviewKind, Tone> = {
  prohibited: "hit",
  repeated: "warn",
  vague: "warn",
  breadth: "warn",
  hours: "accent",
  sample: "neutral",
};

export const VERDICT_TONES: Record<Verdict, Tone> = {
  "in-order": "ok",
  explained: "accent",
  violation: "hit",
};

export function kindLabel(kind: ReviewKind): string {
  return REVIEW_KINDS.find(({ value }) => value === kind)?.label ?? kind;
}

export function verdictLabel(verdict: Verdict): string {
  return VERDICTS.find(({ value }) => value === verdict)?.label ?? verdict;
}

/** Returns `7`, or `1,000+` at the counting limit. */
export function countWords(count: number): string {
  return `${numberText(count)}${count >= COUNTED_TO ? "+" : ""}`;
}

/** Returns how long a finding has been open as text, in days of the calendar in a zone, by default the viewer's. */
export function openWords(since: number, now: number, zone?: string): string {
  const dayOf = (at: number) => Date.parse(wallClock(at, zone).slice(0, 10)) / DAY;
  const days = dayOf(now) - dayOf(since);
  if (days <= 0) return "since today";
  return days === 1 ? "for 1 day" : `for ${days} days`;
}
