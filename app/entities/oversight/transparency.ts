/**
 * Transparency statistics, and the rule that hides single acts in them. Pure, safe in the browser. A count of acts from
 * one to four is shown as `<5`. Every total, share and span is computed only from shown values, with a hidden count
 * taken as anything from one to four, so that no sum, difference or share reveals a hidden count. A total with a hidden
 * part is therefore a span.
 */

import * as z from "zod/mini";
import { type Disposition, shareCorrect } from "#app/entities/alerts/hit.ts";
import { PURPOSES, type Purpose } from "#app/entities/search/purpose.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { monthAfter, monthOf, monthStart, monthsFrom } from "#app/lib/time/months.ts";
import type * as transparencyAnswers from "./transparency-answers.ts";

/**
 * Full months on a page. The current month is left out, because two views of its count would reveal the acts between
 * them.
 */
const STATISTICS_MONTHS = 12;
/** Counts of acts from 1 up to this, exclusive, are hidden. */
const FEW_BELOW = 5;
/** What is shown instead of a count from 1 to 4, which could reveal single acts. */
export const FEW = "<5";
/** How long current counts are shown before they are counted again. */
export const STATISTICS_FRESH_MS = HOUR;
/** How long after its end a month gets its final count: late rows are written by then. */
const SETTLED_MS = HOUR;

export type PurposeCode = Purpose | "";
/** The purposes in table order. The last one stands for searches without a purpose. */
export const PURPOSE_CODES: readonly PurposeCode[] = [...PURPOSES.map(({ code }) => code), ""];

/** Returns the code that statistics count a purpose under; unknown codes count as "not stated". */
export function knownPurpose(code: string): PurposeCode {
  return PURPOSE_CODES.find((known) => known === code) ?? "";
}

export type DispositionCounts<T> = Record<Disposition, T>;

const count = z.int().check(z.gte(0));

/**
 * Exact counts of a month. Stored on the server, never shown directly. Counts of an older version that do not parse are
 * counted again.
 */
export const MonthCounts = z.object({
  searches: z.array(z.object({ purpose: z.string(), count, withCase: count })),
  refused: count,
  /** Users who searched. */
  searchers: count,
  exports: count,
  /** Null, like `judged`, if the agency no longer kept all hits of the month when it was counted. */
  hits: z.nullable(count),
  /** Hits with a disposition set in the month, whenever they occurred. */
  judged: z.nullable(z.object({ correct: count, "wrong-state": count, misread: count, dismissed: count })),
  purges: count,
});
export type MonthCounts = z.infer<typeof MonthCounts>;

/** Findings of the daily review, those decided on, and those decided as violations. */
const ReviewCounts = z.object({ findings: count, reviewed: count, violations: count });
export type ReviewCounts = z.infer<typeof ReviewCounts>;

/** Current counts of an agency. */
export const NowCounts = z.object({
  cameras: count,
  /** Stored reads of its own cameras. */
  reads: count,
  retention_days: count,
  hotlist_entries: count,
  holds: count,
  /** Names of the agencies that may search its reads or get alerts from them. */
  shared_with: z.array(z.string()),
  /** Findings of the review by the month they were made in, because decisions come later. */
  reviews: z.record(z.string(), ReviewCounts),
});
export type NowCounts = z.infer<typeof NowCounts>;

/** Stored in place of a month's counts: why the records from which they are counted could not be read. */
export const CountFault = z.object({ fault: z.string() });
export type CountFault = z.infer<typeof CountFault>;

/** How far the audit log was verified: the number of rows, and the time of the last one. */
const AuditCheck = z.object({
  position: count,
  rowAt: z.nullable(z.number()),
  intact: z.boolean(),
});
export type AuditCheck = z.infer<typeof AuditCheck>;

/**
 * While rows are left, the stored counts keep their former time, or 0, so that the agency is due. `checkedAt` is then
 * the time of the last verification that is shown.
 */
export const StoredCheck = z.extend(AuditCheck, { checkedAt: z.optional(z.number()) });
export type StoredCheck = z.infer<typeof StoredCheck>;

/** A count as shown. */
export type Shown = number | typeof FEW;
/** The range of a number; exact if both ends are equal. */
export type Span = { low: number; high: number };

/** Returns the count, or `<5` if it could reveal single acts. Zero is shown. */
export function shown(count: number): Shown {
  return count > 0 && count < FEW_BELOW ? FEW : count;
}

/** Returns the lowest and highest value that a shown count can stand for. */
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
 * Returns the percentage of judged hits that were correct, as hit quality is computed everywhere (dismissed hits do not
 * count), or null if there is none.
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

/** Returns a part in percent of the whole, as a span if either includes hidden counts. */
function percentOf(part: number, whole: number): Span {
  const percent = (count: number) => Math.round((count / whole) * 100);
  const rest = spanOf(shown(whole - part));
  const { low, high } =
    shown(part) === FEW ? spanOf(FEW) : { low: whole - rest.high, high: whole - rest.low };
  return { low: percent(low), high: percent(high) };
}

export type PublishedMonth = z.infer<typeof transparencyAnswers.PublishedMonth>;

/** All months together. */
export type PublishedYear = z.infer<typeof transparencyAnswers.PublishedYear>;

export type PublishedNow = Omit<NowCounts, "holds" | "reviews"> & { holds: Shown };

/** A transparency page as the public sees it. Contains no hidden counts. */
export type PublishedStatistics = {
  agency: string;
  introduction: string;
  contact: string;
  /** When the newest part was counted. */
  as_of: number;
  now: PublishedNow;
  /** All months together. */
  year: PublishedYear;
  /** Newest first. */
  months: PublishedMonth[];
  /** Months that cannot be counted, newest first. */
  not_available: string[];
  audit: (AuditCheck & { checked_at: number }) | null;
};

/** Returns an object with the result of `of` for each disposition. */
export function dispositionsOf<T>(of: (disposition: Disposition) => T): DispositionCounts<T> {
  return {
    correct: of("correct"),
    "wrong-state": of("wrong-state"),
    misread: of("misread"),
    dismissed: of("dismissed"),
  };
}

/** Returns the public statistics of a month. */
export function publishMonth(input: {
  month: string;
  counts: MonthCounts;
  /** Null if they are not counted yet. */
  reviews?: ReviewCounts | null;
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
  const { hits, judged: exactly } = counts;
  const shownReviews = (of: keyof ReviewCounts) => (reviews === null ? null : shown(reviews?.[of] ?? 0));
  const judged = exactly && dispositionsOf((disposition) => shown(exactly[disposition]));
  return {
    month,
    searches: sumOf(exact.map(({ count }) => spanOf(count))),
    by_purpose: exact.map(({ purpose, count }) => ({ purpose, count })),
    with_case_number: asked === 0 ? null : percentOf(withCase, asked),
    refused: shown(counts.refused),
    searchers: shown(counts.searchers),
    exports: shown(counts.exports),
    hits: hits === null ? null : shown(hits),
    judged,
    hit_quality: judged && qualityOf(dispositionsOf((disposition) => spanOf(judged[disposition]))),
    purges: counts.purges,
    reviews: {
      findings: shownReviews("findings"),
      reviewed: shownReviews("reviewed"),
      violations: shownReviews("violations"),
    },
  };
}

/** Returns the public statistics of the current state. */
export function publishNow({ reviews: _, holds, ...counts }: NowCounts): PublishedNow {
  return { ...counts, holds: shown(holds) };
}

/** Returns the sums of all months, computed from what is shown of each. */
export function publishYear(months: readonly PublishedMonth[]): PublishedYear {
  const sum = (of: (month: PublishedMonth) => Span) => sumOf(months.map(of));
  const isKnown = months.length === 0 || months.some(({ hits }) => hits !== null);
  const judged = dispositionsOf((disposition) => sum((month) => spanOf(month.judged?.[disposition] ?? 0)));
  return {
    months: months.length,
    searches: sum((month) => month.searches),
    by_purpose: PURPOSE_CODES.map((purpose, at) => ({
      purpose,
      count: sum((month) => spanOf(month.by_purpose[at]?.count ?? 0)),
    })),
    refused: sum((month) => spanOf(month.refused)),
    exports: sum((month) => spanOf(month.exports)),
    hits: isKnown ? sum((month) => spanOf(month.hits ?? 0)) : null,
    judged: isKnown ? judged : null,
    hit_quality: qualityOf(judged),
  };
}

/** Returns the months of a page, oldest first: finished months since the agency was created. */
export function monthsShown({ now, since }: { now: number; since: number }): string[] {
  const running = monthOf(now - SETTLED_MS);
  const earliest = monthStart(running, -STATISTICS_MONTHS);
  return monthsFrom(monthOf(Math.max(since, earliest)), monthAfter(running, -1));
}

/** Returns whether a month's counts are final: they were made after its end. */
export function isSettled({ month, countedAt }: { month: string; countedAt: number }): boolean {
  return countedAt >= monthStart(month, 1) + SETTLED_MS;
}
