/** The requests and responses of the review. */

import * as z from "zod/mini";
import { visibleText } from "#app/lib/text.ts";
import type * as answers from "./answers.ts";
import { REVIEW_KINDS, type ReviewKind, VERDICTS, type Verdict } from "./review.ts";

/** Lists of findings, each with its own order, newest first. */
export const REVIEW_STATES = [
  { value: "open", label: "Open" },
  { value: "overdue", label: "Open over 7 days" },
  { value: "decided", label: "Decided" },
  { value: "violations", label: "Violations" },
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number]["value"];

const one = <Value extends string>(values: readonly { value: Value }[], what: string) =>
  z.enum(
    values.map(({ value }) => value),
    `Unknown ${what}.`,
  );

export const ReviewFilter = z.object({
  state: z._default(one(REVIEW_STATES, "state"), "open"),
  kind: z._default(z.union([z.literal(""), one(REVIEW_KINDS, "kind")], "Unknown kind."), ""),
  user: z._default(z.string().check(z.trim(), z.maxLength(200)), ""),
});
export type ReviewFilter = z.infer<typeof ReviewFilter>;
/** The filter of the review when its screen opens: all open findings. */
export const NO_REVIEW_FILTER: ReviewFilter = { state: "open", kind: "", user: "" };

/** Returns the filter of the form without scripts: a button holds a state and, optionally, a kind. */
export function reviewFilterOf(fields: Record<string, string>) {
  if (fields.choice === undefined) return fields;
  const [state, kind = ""] = fields.choice.split(" ");
  return { ...fields, state, kind };
}

/** The last finding of a page, after which the next page starts. */
export const ReviewCursor = z.object({ at: z.int(), id: z.string().check(z.maxLength(200)) });
export type ReviewCursor = z.infer<typeof ReviewCursor>;

/** The body of POST /review/rows. */
export const ReviewPageRequest = z.object({
  filter: z._default(ReviewFilter, NO_REVIEW_FILTER),
  after: z.optional(z.nullable(ReviewCursor)),
});

/** The body of POST /review/examine: the user to continue after, "" to start. */
export const ExamineRequest = z.object({ after: z._default(z.string().check(z.maxLength(200)), "") });

const NOTE_REQUIRED = "Describe in a sentence what you found.";

/**
 * The body of POST /review/{id}/decide. `known` is the number of decisions that the user has seen, and `searches` the
 * number of the finding's searches, which may grow while it is open.
 */
export const ReviewDecision = z.object({
  verdict: one(VERDICTS, "verdict"),
  note: z.string(NOTE_REQUIRED).check(
    z.maxLength(2000, "A note has at most 2,000 characters."),
    z.refine((note) => visibleText(note).length >= 5, { error: NOTE_REQUIRED }),
  ),
  known: z.int("The number of known decisions is required."),
  searches: z.optional(z.int("The number of searches is a whole number.")),
});
export type ReviewDecision = z.infer<typeof ReviewDecision>;

/** A finding as the lists show it. */
export type ReviewRow = z.infer<typeof answers.ReviewRow>;

export type ReviewPage = { rows: ReviewRow[]; next: ReviewCursor | null };

/** Open findings. COUNTED_TO means that many or more. */
export type ReviewCounts = { kinds: Record<ReviewKind, number>; overdue: number };
/** Findings of a kind are counted up to this number. */
export const COUNTED_TO = 1_000;

/** A search of a finding: its row in the audit log, and the reason it was found. */
export type ReviewedSearch = z.infer<typeof answers.ReviewedSearch>;

export type DecisionMade = { number: number; verdict: Verdict; note: string; by_name: string; at: number };

export type ReviewDetail = ReviewRow & {
  /** The newest searches, at most EVIDENCE_SHOWN. */
  evidence: ReviewedSearch[];
  /** Newest first. */
  made: DecisionMade[];
  /** Why the viewer may not decide on it; "" if they may. */
  barred: string;
};
