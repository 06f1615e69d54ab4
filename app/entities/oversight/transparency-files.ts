/** The public transparency page as files, with the same counts hidden in the same way. */

import { DISPOSITIONS, dispositionLabel } from "#app/entities/alerts/hit.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { writeCsv } from "#app/lib/files/csv.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import {
  FEW,
  PURPOSE_CODES,
  type PublishedMonth,
  type PublishedStatistics,
  type PurposeCode,
  type Shown,
  type Span,
  spanOf,
} from "./transparency.ts";
import { STATISTIC_WORDS } from "./transparency-words.ts";

type Line = (string | number)[];

const HEAD = ["Period", "Figure", "Value", "Least", "Most"];

/**
 * Returns a CSV text with one statistic per line: period, name, value as the page shows it, and its lowest and highest
 * possible value.
 */
export function statisticsCsv(figures: PublishedStatistics): string {
  const { now, audit, months, not_available, as_of } = figures;
  const of = (figure: string, value: Shown) => lineOf("now", figure, value);
  return writeCsv([
    HEAD,
    ["now", "Counted at", isoTime(as_of), "", ""],
    of("Cameras", now.cameras),
    of("Reads kept", now.reads),
    of("Days that reads are kept", now.retention_days),
    of("Hotlist entries in force", now.hotlist_entries),
    of("Legal holds in force", now.holds),
    ...now.shared_with.map((name) => ["now", "Can search its reads or gets alerts about them", name, "", ""]),
    ...(audit?.rowAt ? [["now", "Audit log verified up to", isoTime(audit.rowAt), "", ""]] : []),
    ...(audit?.intact === false
      ? [["now", "A row of the audit log failed verification at", isoTime(audit.checked_at), "", ""]]
      : []),
    ...not_available.map((month) => [month, "Not available", "", "", ""]),
    ...months.flatMap(monthLines),
  ]);
}

/** A span is written with "to", because spreadsheets read 3-12 as a day in March. */
function lineOf(period: string, figure: string, value: Shown | Span | null, unit = ""): Line {
  if (value === null) return [period, figure, "", "", ""];
  const { low, high } = typeof value === "object" ? value : spanOf(value);
  const words = value === FEW ? FEW : low === high ? String(low) : `${low} to ${high}`;
  return [period, figure, `${words}${unit}`, low, high];
}

function monthLines(month: PublishedMonth): Line[] {
  const period = month.month;
  const line = (figure: string, value: Shown | Span | null, unit?: string) =>
    lineOf(period, figure, value, unit);
  return [
    line("Searches", month.searches),
    ...month.by_purpose.map(({ purpose, count }) => line(`Searches: ${purposeLabel(purpose)}`, count)),
    line("Searches with a case number", month.with_case_number, "%"),
    line("Searches refused", month.refused),
    line("People who searched", month.searchers),
    line("Exports", month.exports),
    line("Hits", month.hits),
    ...DISPOSITIONS.map(({ value }) =>
      line(`Hits judged: ${dispositionLabel(value)}`, month.judged?.[value] ?? null),
    ),
    line("Hit quality", month.hit_quality, "%"),
    line("Purge certificates", month.purges),
    line("Review findings", month.reviews.findings),
    line("Review findings decided", month.reviews.reviewed),
    line("Review findings that were violations", month.reviews.violations),
  ];
}

const codeOf = (purpose: PurposeCode) => purpose || "not-stated";

/**
 * Returns the same for programs, with the meaning of each statistic. A hidden count is the text `<5`; a span has two
 * ends.
 */
export function statisticsJson(figures: PublishedStatistics) {
  const byCode = <T>(counts: { purpose: PurposeCode; count: T }[]) =>
    Object.fromEntries(counts.map(({ purpose, count }) => [codeOf(purpose), count]));
  return {
    ...figures,
    as_of: isoTime(figures.as_of),
    audit: figures.audit && {
      intact: figures.audit.intact,
      rows: figures.audit.position,
      verified_up_to: figures.audit.rowAt === null ? null : isoTime(figures.audit.rowAt),
      checked_at: isoTime(figures.audit.checked_at),
    },
    year: { ...figures.year, by_purpose: byCode(figures.year.by_purpose) },
    months: figures.months.map((month) => ({ ...month, by_purpose: byCode(month.by_purpose) })),
    purposes: Object.fromEntries(PURPOSE_CODES.map((code) => [codeOf(code), purposeLabel(code)])),
    meaning: STATISTIC_WORDS,
  };
}
