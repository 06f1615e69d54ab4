import { DISPOSITIONS } from "#app/entities/alerts/hit.ts";
import type { PublishedMonth, PublishedYear } from "#app/entities/oversight/transparency.ts";
import { FIGURE_WORDS, figureWords, percentWords } from "#app/entities/oversight/transparency-words.ts";
import { monthName } from "#app/lib/time/months.ts";
import { fullMonths } from "./searches.tsx";
import { Section } from "./section.tsx";
import { FigureTable } from "./table.tsx";

/** Hits month by month: how many, and how many of them were right. */
export function FiguresHits({ months, year }: { months: readonly PublishedMonth[]; year: PublishedYear }) {
  const together = {
    key: "year",
    cells: [
      "All full months",
      figureWords(year.hits),
      ...DISPOSITIONS.map(({ value }) => figureWords(year.judged[value])),
      percentWords(year.hit_quality),
    ],
  };
  return (
    <Section title="Hits">
      <p className="mt-2">{FIGURE_WORDS.hits}</p>
      <p className="mt-2">{FIGURE_WORDS.judged}</p>
      <p className="mt-2">
        Hit quality: {FIGURE_WORDS.hit_quality}
        {year.hit_quality && ` Over ${fullMonths(year.months)} it was ${percentWords(year.hit_quality)}.`}
      </p>
      <FigureTable
        caption="Hits by month, and what people found"
        columns={["Month", "Hits", ...DISPOSITIONS.map(({ label }) => label), "Hit quality"]}
        rows={[
          ...months.map((month) => ({
            key: month.month,
            cells: [
              monthName(month.month),
              figureWords(month.hits),
              ...DISPOSITIONS.map(({ value }) => figureWords(month.judged[value])),
              percentWords(month.hit_quality),
            ],
          })),
          ...(year.months > 1 ? [together] : []),
        ]}
      />
    </Section>
  );
}
