import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { PublishedStatistics } from "#app/entities/oversight/transparency.ts";
import { STATISTIC_WORDS } from "#app/entities/oversight/transparency-words.ts";
import { StatisticsHits } from "./hits.tsx";
import { StatisticsNow } from "./now.tsx";
import { StatisticsOversight } from "./oversight.tsx";
import { StatisticsSearches } from "./searches.tsx";
import { HeadingLevel, Section } from "./section.tsx";

const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;

/** The page of figures as the public reads it, and as its preview shows it (`nested`, below a heading of the screen's). */
export function TransparencyDocument({
  figures,
  nested = false,
}: {
  figures: PublishedStatistics;
  nested?: boolean;
}) {
  const Title = nested ? "h2" : "h1";
  return (
    <HeadingLevel value={nested ? 3 : 2}>
      <article className="text-base leading-relaxed">
        <Title className="text-2xl font-semibold tracking-tight">License plate reader figures</Title>
        <p className="mt-1 text-lg">{figures.agency}</p>
        <p className="mt-1 text-sm text-muted">
          Counted <LocalTime at={figures.as_of} zone="UTC" />
        </p>
        {figures.introduction && (
          <p className="mt-4 break-words whitespace-pre-line">{figures.introduction}</p>
        )}
        <p className="mt-4 border-s-2 border-line-strong ps-3">{STATISTIC_WORDS.no_decision}</p>
        <StatisticsNow now={figures.now} />
        <StatisticsSearches months={figures.months} year={figures.year} />
        <StatisticsHits months={figures.months} year={figures.year} />
        <StatisticsOversight figures={figures} />
        <Section title="How to read these figures">
          <p className="mt-2">{STATISTIC_WORDS.few}</p>
          <p className="mt-2">{STATISTIC_WORDS.months}</p>
          <p className="mt-2">
            The page names no plate, no person, no place of a camera, no reason and no case. What the agency
            counted is what its staff did in Odin; figures of other systems are not part of it.
          </p>
        </Section>
        {figures.contact && (
          <Section title="Questions">
            <p className="mt-2 break-words">
              {EMAIL.test(figures.contact) ? (
                <a
                  href={`mailto:${encodeURIComponent(figures.contact).replace("%40", "@")}`}
                  className="underline"
                >
                  {figures.contact}
                </a>
              ) : (
                figures.contact
              )}
            </p>
          </Section>
        )}
      </article>
    </HeadingLevel>
  );
}
