/**
 * Figures that an agency may publish, and the rule that keeps single acts out of them. Pure, safe in the browser.
 *
 * A count of acts from one to four is shown as `<5`. Every total, share and span is computed from what is shown and from
 * nothing else, a hidden count taken to be anything from one to four: so no sum, difference or share lets anybody derive
 * a hidden one. Where something is hidden, a total is therefore a span.
 */

import * as z from "zod/mini";
import { DISPOSITIONS, type Disposition, shareCorrect } from "#app/entities/alerts/hit.ts";
import { PURPOSES, type Purpose } from "#app/entities/search/purpose.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { monthAfter, monthOf, monthStart, monthsFrom } from "#app/lib/time/months.ts";

/**
 * Full months that a page shows. The running one is not shown: who looks at its count twice would see the single acts in
 * between.
 */
const STATISTICS_MONTHS = 12;
/** Counts of acts below this and above nought are hidden. */
const FEW_BELOW = 5;
export const FEW = "<5";
/** How long what still changes is shown before it is counted again. */
export const STATISTICS_FRESH_MS = HOUR;
/** How long after its end a month is counted for good: what was under way at midnight is written by then. */
const SETTLED_MS = HOUR;

export type PurposeCode = Purpose | "";
/** The purposes as the tables list them; the last stands for searches that named none. */
export const PURPOSE_CODES: readonly PurposeCode[] = [...PURPOSES.map(({ code }) => code), ""];

/** A code as the figures count it: those that no list has are "not stated". */
export function knownPurpose(code: string): PurposeCode {
  return PURPOSE_CODES.find((known) => known === code) ?? "";
}

export type DispositionCounts<T> = Record<Disposition, T>;

const count = z.int().check(z.gte(0));

/**
 * What happened in a month, exactly. Kept by the server, never shown as it is. What an older version kept and this one
 * cannot read is counted again.
 */
export const MonthCounts = z.object({
  searches: z.array(z.object({ purpose: z.string(), count, withCase: count })),
  refused: count,
  /** People who searched. */
  searchers: count,
  exports: count,
  hits: count,
  /** Hits that somebody judged in the month, whenever they came. */
  judged: z.object({ correct: count, "wrong-state": count, misread: count, dismissed: count }),
  purges: count,
});
export type MonthCounts = z.infer<typeof MonthCounts>;

/** Searches that the daily review found, how many of them were decided on, how many as a violation. */
const ReviewCounts = z.object({ findings: count, reviewed: count, violations: count });
export type ReviewCounts = z.infer<typeof ReviewCounts>;

/** What an agency has now. */
export const NowCounts = z.object({
  cameras: count,
  /** Reads of its own cameras that Odin keeps. */
  reads: count,
  retention_days: count,
  hotlist_entries: count,
  holds: count,
  /** Names of the agencies that may search its reads or are alerted of them. */
  shared_with: z.array(z.string()),
  /** Findings of the review by the month in which they were made: they are decided on later than that. */
  reviews: z.record(z.string(), ReviewCounts),
});
export type NowCounts = z.infer<typeof NowCounts>;

/** How far the audit log was verified: rows that were, and the time of the last one. */
export const AuditCheck = z.object({
  position: count,
  rowAt: z.nullable(z.number()),
  intact: z.boolean(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;

/** A count as it is shown. */
export type Shown = number | typeof FEW;
/** What a number may be: exact where both are the same. */
export type Span = { low: number; high: number };

/** Hides a count that could point to single acts. Nought says that there was none, and is shown. */
export function shown(count: number): Shown {
  return count > 0 && count < FEW_BELOW ? FEW : count;
}

export function spanOf(value: Shown): Span {
  return value === FEW ? { low: 1, high: FEW_BELOW - 1 } : { low: value, high: value };
}

function sumOf(spans: readonly Span[]): Span {
  return spans.reduce((sum, { low, high }) => ({ low: sum.low + low, high: sum.high + high }), {
    low: 0,
    high: 0,
  });
}

/**
 * The percent of judged hits that were right, as hit quality is computed everywhere (dismissed ones count neither way);
 * null where it cannot be told or nobody judged any.
 */
function qualityOf(judged: DispositionCounts<Span>): Span | null {
  const share = (right: "low" | "high", wrong: "low" | "high") =>
    shareCorrect({
      counts: {
        correct: judged.correct[right],
        "wrong-state": judged["wrong-state"][wrong],
        misread: judged.misread[wrong],
        dismissed: 0,
      },
    });
  const [low, high] = [share("low", "high"), share("high", "low")];
  return low === null || high === null ? null : { low: Math.round(low * 100), high: Math.round(high * 100) };
}

/** A part in percent of a whole that is shown; where it, or what is beside it, is hidden, the span that it lies in. */
function percentOf(part: number, whole: number): Span {
  const percent = (count: number) => Math.round((count / whole) * 100);
  const rest = spanOf(shown(whole - part));
  const { low, high } =
    shown(part) === FEW ? spanOf(FEW) : { low: whole - rest.high, high: whole - rest.low };
  return { low: percent(low), high: percent(high) };
}

export type PublishedMonth = {
  month: string;
  searches: Span;
  by_purpose: { purpose: PurposeCode; count: Shown }[];
  /** Percent of searches that named a case, of those purposes whose count is shown; null where none is. */
  with_case_number: Span | null;
  refused: Shown;
  searchers: Shown;
  exports: Shown;
  hits: Shown;
  judged: DispositionCounts<Shown>;
  hit_quality: Span | null;
  purges: number;
  reviews: Record<keyof ReviewCounts, Shown>;
};

/** The months together. */
export type PublishedYear = {
  months: number;
  searches: Span;
  by_purpose: { purpose: PurposeCode; count: Span }[];
  refused: Span;
  exports: Span;
  hits: Span;
  judged: DispositionCounts<Span>;
  hit_quality: Span | null;
};

export type PublishedNow = Omit<NowCounts, "holds" | "reviews"> & { holds: Shown };

/** A page of figures as the public sees it: there is nothing in it that may not be shown. */
export type PublishedStatistics = {
  agency: string;
  introduction: string;
  contact: string;
  /** When the newest of it was counted. */
  as_of: number;
  now: PublishedNow;
  /** The months together. */
  year: PublishedYear;
  /** Newest first. */
  months: PublishedMonth[];
  audit: (AuditCheck & { checked_at: number }) | null;
};

export function dispositionsOf<T>(of: (disposition: Disposition) => T): DispositionCounts<T> {
  return Object.fromEntries(DISPOSITIONS.map(({ value }) => [value, of(value)])) as DispositionCounts<T>;
}

/** What of a month may be shown. */
export function publishMonth(input: {
  month: string;
  counts: MonthCounts;
  reviews?: ReviewCounts | undefined;
}): PublishedMonth {
  const { month, counts, reviews } = input;
  const exact = PURPOSE_CODES.map((purpose) => {
    const own = counts.searches.filter((one) => knownPurpose(one.purpose) === purpose);
    const sum = (of: "count" | "withCase") => own.reduce((total, one) => total + one[of], 0);
    return { purpose, count: shown(sum("count")), withCase: sum("withCase") };
  });
  const open = exact.flatMap(({ count, withCase }) => (count === FEW ? [] : [{ count, withCase }]));
  const asked = open.reduce((total, { count }) => total + count, 0);
  const withCase = open.reduce((total, one) => total + one.withCase, 0);
  const judged = dispositionsOf((disposition) => shown(counts.judged[disposition]));
  return {
    month,
    searches: sumOf(exact.map(({ count }) => spanOf(count))),
    by_purpose: exact.map(({ purpose, count }) => ({ purpose, count })),
    with_case_number: asked === 0 ? null : percentOf(withCase, asked),
    refused: shown(counts.refused),
    searchers: shown(counts.searchers),
    exports: shown(counts.exports),
    hits: shown(counts.hits),
    judged,
    hit_quality: qualityOf(dispositionsOf((disposition) => spanOf(judged[disposition]))),
    purges: counts.purges,
    reviews: {
      findings: shown(reviews?.findings ?? 0),
      reviewed: shown(reviews?.reviewed ?? 0),
      violations: shown(reviews?.violations ?? 0),
    },
  };
}

/** What an agency has now, as it may be shown. */
export function publishNow({ reviews: _, holds, ...counts }: NowCounts): PublishedNow {
  return { ...counts, holds: shown(holds) };
}

/** The months together, from what is shown of each. */
export function publishYear(months: readonly PublishedMonth[]): PublishedYear {
  const sum = (of: (month: PublishedMonth) => Span) => sumOf(months.map(of));
  const judged = dispositionsOf((disposition) => sum((month) => spanOf(month.judged[disposition])));
  return {
    months: months.length,
    searches: sum((month) => month.searches),
    by_purpose: PURPOSE_CODES.map((purpose, at) => ({
      purpose,
      count: sum((month) => spanOf(month.by_purpose[at]?.count ?? 0)),
    })),
    refused: sum((month) => spanOf(month.refused)),
    exports: sum((month) => spanOf(month.exports)),
    hits: sum((month) => spanOf(month.hits)),
    judged,
    hit_quality: qualityOf(judged),
  };
}

/** The months of a page, oldest first: those that are over and that the agency was there for. */
export function monthsShown({ now, since }: { now: number; since: number }): string[] {
  const running = monthOf(now - SETTLED_MS);
  const earliest = monthStart(running, -STATISTICS_MONTHS);
  return monthsFrom(monthOf(Math.max(since, earliest)), monthAfter(running, -1));
}

/** Whether a month's counts stand for good: it was over when they were made. */
export function isSettled({ month, countedAt }: { month: string; countedAt: number }): boolean {
  return countedAt >= monthStart(month, 1) + SETTLED_MS;
}
