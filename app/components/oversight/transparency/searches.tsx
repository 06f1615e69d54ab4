import type { PublishedMonth, PublishedYear } from "#app/entities/oversight/transparency.ts";
import { percentWords, STATISTIC_WORDS, statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { monthName } from "#app/lib/time/months.ts";
import { StatisticsBar } from "./bar.tsx";
import { Section, Subheading } from "./section.tsx";
import { StatisticsTable } from "./table.tsx";

type Props = { months: readonly PublishedMonth[]; year: PublishedYear };

/** Searches month by month, and what they were for. */
export function StatisticsSearches({ months, year }: Props) {
  const most = Math.max(1, ...months.map(({ searches }) => searches.high));
  return (
    <Section title="Searches">
      <p className="mt-2">{STATISTIC_WORDS.searches}</p>
      <StatisticsTable
        caption="Searches by month"
        columns={[
          "Month",
          { name: "Searches, drawn", wide: true },
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
      <Subheading>What searches were for</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.purposes}</p>
      {year.months > 0 && <YearByPurpose year={year} />}
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

function YearByPurpose({ year }: { year: PublishedYear }) {
  const most = Math.max(1, ...year.by_purpose.map(({ count }) => count.high));
  return (
    <StatisticsTable
      caption={`Searches by purpose, ${fullMonths(year.months)}`}
      columns={["Purpose", { name: "Searches, drawn", wide: true }, "Searches"]}
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

export function fullMonths(months: number): string {
  return months === 1 ? "the last full month" : `the last ${months} full months`;
}
