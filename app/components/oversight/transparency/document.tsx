import { LocalTime } from "#app/components/ui/local-time.tsx";
import { DISPOSITIONS } from "#app/entities/alerts/hit.ts";
import type { PublishedNow, PublishedStatistics } from "#app/entities/oversight/transparency.ts";
import { percentWords, STATISTIC_WORDS, statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { monthName } from "#app/lib/time/months.ts";
import { HeadingLevel, Section, StatisticsTable, Subheading } from "./document-parts.tsx";
import { fullMonths, StatisticsSearches } from "./searches.tsx";

const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;

/** The public transparency page, also used as its preview (`nested`, below the screen's own heading). */
export function TransparencyDocument({
  statistics,
  nested = false,
}: {
  statistics: PublishedStatistics;
  nested?: boolean;
}) {
  const Title = nested ? "h2" : "h1";
  return (
    <HeadingLevel value={nested ? 3 : 2}>
      <article className="text-base leading-relaxed">
        <Title className="text-2xl font-semibold tracking-tight">License plate reader statistics</Title>
        <p className="mt-1 text-lg">{statistics.agency}</p>
        <p className="mt-1 text-sm text-muted">
          Counted <LocalTime at={statistics.as_of} zone="UTC" />
        </p>
        {statistics.not_available.length > 0 && (
          <p className="mt-1 text-sm text-muted">{`Not available: ${statistics.not_available.map(monthName).join(", ")}.`}</p>
        )}
        {statistics.introduction && <p className="mt-4 whitespace-pre-line">{statistics.introduction}</p>}
        <p className="mt-4 border-s-2 border-line-strong ps-3">{STATISTIC_WORDS.no_decision}</p>
        <StatisticsNow now={statistics.now} />
        <StatisticsSearches statistics={statistics} />
        <StatisticsHits statistics={statistics} />
        <StatisticsOversight statistics={statistics} />
        <Section title="How to read these statistics">
          <p className="mt-2">{STATISTIC_WORDS.few}</p>
          <p className="mt-2">{STATISTIC_WORDS.months}</p>
          <p className="mt-2">{STATISTIC_WORDS.not_available}</p>
          <p className="mt-2">
            The page names no plates, people, camera locations, reasons or cases. The statistics cover what
            the agency's staff did in Odin, and no other system.
          </p>
        </Section>
        {statistics.contact && (
          <Section title="Questions">
            <p className="mt-2">
              {EMAIL.test(statistics.contact) ? (
                <a
                  href={`mailto:${encodeURIComponent(statistics.contact).replace("%40", "@")}`}
                  className="underline"
                >
                  {statistics.contact}
                </a>
              ) : (
                statistics.contact
              )}
            </p>
          </Section>
        )}
      </article>
    </HeadingLevel>
  );
}

/** The agency's current counts, and the agencies that may search its reads or are alerted of them. */
function StatisticsNow({ now }: { now: PublishedNow }) {
  const facts = [
    { name: "Cameras", value: statisticWords(now.cameras) },
    { name: "Days that reads are kept", value: statisticWords(now.retention_days) },
    { name: "Reads kept now", value: statisticWords(now.reads) },
    { name: "Plates on hotlists", value: statisticWords(now.hotlist_entries) },
    { name: "Active legal holds", value: statisticWords(now.holds) },
  ];
  return (
    <Section title="Today">
      <dl className="mt-3 grid grid-cols-2 gap-px overflow-hidden rounded-md border border-line bg-line sm:grid-cols-5 print:grid-cols-5">
        {facts.map(({ name, value }) => (
          <div key={name} className="flex flex-col-reverse justify-end bg-raised p-3 last:max-sm:col-span-2">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3">
        A read is the picture of a plate with its text, the camera and the time. The reads counted here are
        those of the agency's own cameras that Odin stores; other programs store their own. A legal hold keeps
        the reads of named plates beyond their retention period for one case, and needs a second
        administrator's approval.
      </p>
      <Subheading>Agencies that can search this agency's reads or receive alerts about them</Subheading>
      {now.shared_with.length === 0 ? (
        <p className="mt-2">No other agency.</p>
      ) : (
        <>
          <p className="mt-2">
            {now.shared_with.length === 1 ? "One other agency" : `${now.shared_with.length} other agencies`}:
          </p>
          <ul className="mt-1 gap-x-6 sm:columns-2">
            {now.shared_with.map((name) => (
              <li key={name} className="break-inside-avoid">
                {name}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

/** Hits by month: how many there were, and how many were correct. */
function StatisticsHits({ statistics }: { statistics: PublishedStatistics }) {
  const { months, year } = statistics;
  const together = {
    key: "year",
    cells: [
      "All full months",
      statisticWords(year.hits),
      ...DISPOSITIONS.map(({ value }) => statisticWords(year.judged?.[value] ?? null)),
      percentWords(year.hit_quality),
    ],
  };
  return (
    <Section title="Hits">
      <p className="mt-2">{STATISTIC_WORDS.hits}</p>
      <p className="mt-2">{STATISTIC_WORDS.judged}</p>
      <p className="mt-2">
        Hit quality: {STATISTIC_WORDS.hit_quality}
        {year.hit_quality &&
          months.every(({ hits }) => hits !== null) &&
          ` Over ${fullMonths(statistics)} it was ${percentWords(year.hit_quality)}.`}
      </p>
      <StatisticsTable
        caption="Hits by month, and their outcomes"
        columns={["Month", "Hits", ...DISPOSITIONS.map(({ label }) => label), "Hit quality"]}
        rows={[
          ...months.map((month) => ({
            key: month.month,
            cells: [
              monthName(month.month),
              statisticWords(month.hits),
              ...DISPOSITIONS.map(({ value }) => statisticWords(month.judged?.[value] ?? null)),
              percentWords(month.hit_quality),
            ],
          })),
          ...(year.months > 1 ? [together] : []),
        ]}
      />
    </Section>
  );
}

/** How use of the system is overseen: review of searches, deletion, and the audit log. */
function StatisticsOversight({ statistics }: { statistics: PublishedStatistics }) {
  const { months, audit } = statistics;
  return (
    <Section title="Oversight">
      <Subheading>Review of searches</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.reviews}</p>
      <Subheading>Deletion</Subheading>
      <p className="mt-2">{STATISTIC_WORDS.purges}</p>
      <StatisticsTable
        caption="Review findings and deletions by month"
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
        Every search, view, export and change is written to an audit log in which each entry includes a
        cryptographic hash of the entry before it, so that changed or removed entries are detected.
      </p>
      <p className="mt-2">
        <AuditState audit={audit} />
      </p>
    </Section>
  );
}

function AuditState({ audit }: Pick<PublishedStatistics, "audit">) {
  if (!audit) return "It is verified daily once these statistics are published.";
  if (!audit.intact) {
    return (
      <>
        The check on <LocalTime at={audit.checked_at} zone="UTC" /> found an entry that failed verification
        {audit.rowAt !== null && (
          <>
            ; all entries up to <LocalTime at={audit.rowAt} zone="UTC" /> passed
          </>
        )}
        . The agency's administrators can see which entry.
      </>
    );
  }
  if (audit.rowAt === null) return "Its first entries will be verified by the next daily check.";
  return (
    <>
      Each entry is verified within a day of being written. Last verified{" "}
      <LocalTime at={audit.checked_at} zone="UTC" />: no entry up to <LocalTime at={audit.rowAt} zone="UTC" />{" "}
      was changed or removed before it was verified.
    </>
  );
}
