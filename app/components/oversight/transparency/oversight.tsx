import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { PublishedStatistics } from "#app/entities/oversight/transparency.ts";
import { STATISTIC_WORDS, statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { monthName } from "#app/lib/time/months.ts";
import { Section, Subheading } from "./section.tsx";
import { StatisticsTable } from "./table.tsx";

/** What keeps the use of the system in bounds: deletion, and the audit log. */
export function StatisticsOversight({ figures }: { figures: PublishedStatistics }) {
  const { months, audit } = figures;
  return (
    <Section title="Oversight">
      <Subheading>Review of searches</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.reviews}</p>
      <Subheading>Deletion</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.purges}</p>
      <StatisticsTable
        caption="Findings of the review by the month in which they were made, and deletion"
        columns={["Month", "Findings", "Decided", "Violations", "Purge certificates"]}
        rows={months.map((month) => ({
          key: month.month,
          cells: [
            monthName(month.month),
            statisticWords(month.reviews.findings),
            statisticWords(month.reviews.reviewed),
            statisticWords(month.reviews.violations),
            statisticWords(month.purges),
          ],
        }))}
      />
      <Subheading>Audit log</Subheading>
      <p className="mt-2">
        Every search, view, export and change is written to an audit log in which each row seals the one
        before it, so that a row that was changed or removed is found.
      </p>
      <p className="mt-2">
        <AuditState audit={audit} />
      </p>
    </Section>
  );
}

function AuditState({ audit }: Pick<PublishedStatistics, "audit">) {
  if (!audit) return "It is verified once a day as soon as these figures are published.";
  if (!audit.intact) {
    return (
      <>
        The check of <LocalTime at={audit.checked_at} zone="UTC" /> found a row that does not fit
        {audit.rowAt !== null && (
          <>
            ; everything up to <LocalTime at={audit.rowAt} zone="UTC" /> did
          </>
        )}
        . The agency's administrators see which row it is.
      </>
    );
  }
  if (audit.rowAt === null) return "Its first rows are verified with the next daily check.";
  return (
    <>
      Last verified <LocalTime at={audit.checked_at} zone="UTC" />: every row up to{" "}
      <LocalTime at={audit.rowAt} zone="UTC" /> is what was written, and none is missing.
    </>
  );
}
