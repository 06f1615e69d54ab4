import type { PublishedNow } from "#app/entities/oversight/transparency.ts";
import { statisticWords } from "#app/entities/oversight/transparency-words.ts";
import { Section, Subheading } from "./section.tsx";

/** What an agency has today, and who may search its reads or is alerted of them. */
export function StatisticsNow({ now }: { now: PublishedNow }) {
  const facts = [
    { name: "Cameras", value: statisticWords(now.cameras) },
    { name: "Days that a read is kept", value: statisticWords(now.retention_days) },
    { name: "Reads kept now", value: statisticWords(now.reads) },
    { name: "Plates on hotlists", value: statisticWords(now.hotlist_entries) },
    { name: "Legal holds in force", value: statisticWords(now.holds) },
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
        those of the agency's own cameras that Odin keeps; other programs keep theirs. A legal hold keeps the
        reads of named plates beyond their days for one case, and needs a second administrator's approval.
      </p>
      <Subheading>Who else may search this agency's reads or is alerted of them</Subheading>
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
