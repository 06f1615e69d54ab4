import { DISPOSITIONS } from "#app/entities/alerts/hit.ts";
import type { PublishedMonth, PublishedYear } from "#app/entities/oversight/transparency.ts";
import { percentWords, STATISTIC_WORDS, statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { monthName } from "#app/lib/time/months.ts";
import { fullMonths } from "./searches.tsx";
import { Section } from "./section.tsx";
import { StatisticsTable } from "./table.tsx";

/** Hits month by month: how many, and how many of them were right. */
export function StatisticsHits({ months, year }: { months: readonly PublishedMonth[]; year: PublishedYear }) {
  const together = {
    key: "year",
    cells: [
      "All full months",
      statisticWords(year.hits),
      ...DISPOSITIONS.map(({ value }) => statisticWords(year.judged[value])),
      percentWords(year.hit_quality),
    ],
  };
  return (
    <Section title="Hits">
      <p className="mt-2">{STATISTIC_WORDS.hits}</p>
      <p className="mt-2">{STATISTIC_WORDS.judged}</p>
      <p className="mt-2">
        Hit quality: {STATISTIC_WORDS.hit_quality}
        {year.hit_quality && ` Over ${fullMonths(year.months)} it was ${percentWords(year.hit_quality)}.`}
      </p>
      <StatisticsTable
        caption="Hits by month, and what people found"
        columns={["Month", "Hits", ...DISPOSITIONS.map(({ label }) => label), "Hit quality"]}
        rows={[
          ...months.map((month) => ({
            key: month.month,
            cells: [
              monthName(month.month),
              statisticWords(month.hits),
              ...DISPOSITIONS.map(({ value }) => statisticWords(month.judged[value])),
              percentWords(month.hit_quality),
            ],
          })),
          ...(year.months > 1 ? [together] : []),
        ]}
      />
    </Section>
  );
}
