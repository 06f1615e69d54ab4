import type { PublishedStatistics, Span } from "#app/entities/oversight/transparency.ts";
import { percentWords, STATISTIC_WORDS, statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { monthName } from "#app/lib/time/months.ts";
import { Section, StatisticsTable, Subheading } from "./document-parts.tsx";

/** Searches by month and by purpose. */
export function StatisticsSearches({ statistics }: { statistics: PublishedStatistics }) {
  const { months, year } = statistics;
  const most = Math.max(1, ...months.map(({ searches }) => searches.high));
  return (
    <Section title="Searches">
      <p className="mt-2">{STATISTIC_WORDS.searches}</p>
      <StatisticsTable
        caption="Searches by month"
        columns={[
          "Month",
          { name: "Searches, bar chart", wide: true },
          "Searches",
          "Case number",
          "Refused",
          "People",
          "Exports",
        ]}
        rows={months.map((month) => ({
          key: month.month,
          cells: [
            monthName(month.month),
            <StatisticsBar key="bar" value={month.searches} most={most} />,
            statisticWords(month.searches),
            percentWords(month.with_case_number),
            statisticWords(month.refused),
            statisticWords(month.searchers),
            statisticWords(month.exports),
          ],
        }))}
      />
      <dl className="mt-3 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[max-content_1fr]">
        {[
          ["Case number", STATISTIC_WORDS.case_number],
          ["Refused", STATISTIC_WORDS.refused],
          ["People", STATISTIC_WORDS.searchers],
          ["Exports", STATISTIC_WORDS.exports],
        ].map(([name, words]) => (
          <div key={name} className="contents">
            <dt className="font-medium max-sm:mt-1">{name}</dt>
            <dd className="text-muted">{words}</dd>
          </div>
        ))}
      </dl>
      <Subheading>Purposes of searches</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.purposes}</p>
      {year.months > 0 && <YearByPurpose statistics={statistics} />}
      <StatisticsTable
        caption="Searches by purpose and month"
        columns={["Month", ...(months[0]?.by_purpose ?? []).map(({ purpose }) => purposeLabel(purpose))]}
        rows={months.map((month) => ({
          key: month.month,
          cells: [monthName(month.month), ...month.by_purpose.map(({ count }) => statisticWords(count))],
        }))}
      />
    </Section>
  );
}

function YearByPurpose({ statistics }: { statistics: PublishedStatistics }) {
  const { year } = statistics;
  const most = Math.max(1, ...year.by_purpose.map(({ count }) => count.high));
  return (
    <StatisticsTable
      caption={`Searches by purpose, ${fullMonths(statistics)}`}
      columns={["Purpose", { name: "Searches, bar chart", wide: true }, "Searches"]}
      rows={[
        ...year.by_purpose.map(({ purpose, count }) => ({
          key: purpose || "none",
          cells: [
            purposeLabel(purpose),
            <StatisticsBar key="bar" value={count} most={most} />,
            statisticWords(count),
          ],
        })),
        { key: "all", cells: ["All", "", statisticWords(year.searches)] },
      ]}
    />
  );
}

export function fullMonths({
  year: { months },
  not_available: gaps,
}: Pick<PublishedStatistics, "year" | "not_available">): string {
  const last = gaps.length > 0 ? "" : "last ";
  return months === 1 ? `the ${last}full month` : `the ${last}${months} full months`;
}

const LENGTH = 100;

/**
 * A bar that illustrates a number in the same table row. The range of an inexact number is lighter. SVG, because a style
 * attribute would need a weaker content security policy.
 */
function StatisticsBar({ value, most }: { value: Span; most: number }) {
  const at = (count: number) => (most === 0 ? 0 : (count / most) * LENGTH);
  return (
    <svg
      viewBox={`0 0 ${LENGTH} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full min-w-16 rounded-sm bg-sunken print:border print:border-line"
    >
      <rect width={at(value.high)} height="8" className="fill-accent opacity-35" />
      <rect width={at(value.low)} height="8" className="fill-accent" />
    </svg>
  );
}
