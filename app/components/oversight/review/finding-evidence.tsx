import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { ReviewDetail, ReviewedSearch } from "#app/entities/oversight/review-calls.ts";

/** The searches of a finding as the audit log holds them, with what made each one of it. */
export function FindingEvidence({ finding }: { finding: ReviewDetail }) {
  const { evidence, searches } = finding;
  // Where all of them have one reason, the finding says it.
  const isShared = new Set(evidence.map(({ reason }) => reason)).size <= 1;
  return (
    <section aria-labelledby="evidence" className="flex flex-col gap-2">
      <h3 id="evidence" className="font-semibold">
        {searches === 1 ? "The search" : `${searches.toLocaleString("en-US")} searches`}
        {evidence.length < searches && (
          <span className="font-normal text-muted">, the newest {evidence.length} of them</span>
        )}
      </h3>
      <ul
        className="flex max-h-[45dvh] flex-col divide-y divide-line overflow-auto rounded-md border border-line"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {evidence.map((search) => (
          <Search key={search.seq} search={search} reason={isShared ? "" : search.reason} />
        ))}
      </ul>
    </section>
  );
}

function Search({ search, reason }: { search: ReviewedSearch; reason: string }) {
  const { seq, at, plate, justification, case_number, purpose, agencies, programs, ip } = search;
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {plate ? <PlateChip text={plate} size="sm" /> : <span className="text-muted">Any plate</span>}
        <LocalTime at={at} />
        <span className="ms-auto text-xs text-muted">row {seq} of the audit log</span>
      </div>
      <p className="break-words whitespace-pre-wrap">“{justification}”</p>
      <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        <Fact name="Case" value={case_number || "none"} />
        <Fact name="Purpose" value={purpose} />
        <Fact name="Asked" value={askedOf(programs, agencies)} />
        <Fact name="From" value={ip || "unknown"} />
      </dl>
      {reason && <p className="text-sm text-muted">{reason}</p>}
    </li>
  );
}

/** Axis cameras are asked for one by one, the others by agency. */
function askedOf(programs: string, names: number): string {
  return `${programs.replaceAll(",", ", ")}: ${names} ${names === 1 ? "agency or camera" : "agencies and cameras"}`;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1">
      <dt className="text-muted">{name}</dt>
      <dd className="break-all">{value}</dd>
    </div>
  );
}
