/** The public page of figures as files. They hold what the page shows: the same counts, hidden in the same way. */

import { writeCsv } from "#app/lib/csv.ts";
import { isoTime } from "#app/lib/dates.ts";
import { DISPOSITIONS, dispositionLabel } from "./alert.ts";
import { PURPOSE_CODES, type PublishedFigures, type PublishedMonth, type PurposeCode } from "./figures.ts";
import { FIGURE_WORDS, figureWords, percentWords } from "./figures-words.ts";
import { purposeLabel } from "./purpose.ts";

type Line = [period: string, figure: string, value: string];

/** One figure a line: month, what it is, its value as the page shows it. */
export function figuresCsv(figures: PublishedFigures): string {
  const { now, audit, months, as_of } = figures;
  const lines: Line[] = [
    ["now", "Counted at", isoTime(as_of)],
    ["now", "Cameras", figureWords(now.cameras)],
    ["now", "Reads kept", figureWords(now.reads)],
    ["now", "Days that reads are kept", figureWords(now.retentionDays)],
    ["now", "Hotlist entries in force", figureWords(now.hotlistEntries)],
    ["now", "Legal holds in force", figureWords(now.holds)],
    ...now.sharedWith.map((name): Line => ["now", "May search its reads", name]),
    ...(audit?.rowAt ? [["now", "Audit log verified up to", isoTime(audit.rowAt)] as Line] : []),
    ...months.flatMap(monthLines),
  ];
  return writeCsv([
    ["Period", "Figure", "Value"],
    ...lines.map((line) => line.map((cell) => cell.replaceAll("–", "-"))),
  ]);
}

function monthLines(month: PublishedMonth): Line[] {
  const period = month.running ? `${month.month} (running)` : month.month;
  const line = (figure: string, value: string): Line => [period, figure, value];
  return [
    line("Searches", figureWords(month.searches)),
    ...month.by_purpose.map(({ purpose, count }) =>
      line(`Searches: ${purposeLabel(purpose)}`, figureWords(count)),
    ),
    line("Searches with a case number", percentWords(month.with_case_number)),
    line("Searches refused", figureWords(month.refused)),
    line("People who searched", figureWords(month.searchers)),
    line("Exports", figureWords(month.exports)),
    line("Hits", figureWords(month.hits)),
    ...DISPOSITIONS.map(({ value }) =>
      line(`Hits judged: ${dispositionLabel(value)}`, figureWords(month.judged[value])),
    ),
    line("Hit quality", percentWords(month.hit_quality)),
    line("Purge certificates", figureWords(month.purges)),
  ];
}

const codeOf = (purpose: PurposeCode) => purpose || "not-stated";

/** The same for programs, with what each figure means. A hidden count is the text `<5`, a span has its two ends. */
export function figuresJson(figures: PublishedFigures) {
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
    meaning: FIGURE_WORDS,
  };
}
