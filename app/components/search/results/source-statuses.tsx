import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { programOutcome, settledLook, unansweredFirst } from "#app/components/search/sources.ts";
import { cx } from "#app/components/ui/cx.ts";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import { TONE_TEXT, type Tone } from "#app/components/ui/tones.ts";
import { SOURCE_PROGRAMS, type SourceProgram, type SourceStatus } from "#app/entities/search/query.ts";
import { counted } from "#app/lib/number-text.ts";

/** The outcome of each program; a panel lists its agencies. */
export function SourceStatuses({ statuses }: { statuses: readonly SourceStatus[] }) {
  const programs = SOURCE_PROGRAMS.filter((program) => statuses.some((status) => status.program === program));
  return (
    <ul aria-label="Search status by program" className="flex flex-wrap gap-1.5">
      {programs.map((program) => (
        <li key={program} className="max-w-full">
          <ProgramChip program={program} statuses={statuses.filter((status) => status.program === program)} />
        </li>
      ))}
    </ul>
  );
}

/** On a phone a chip has room only for the number. */
function ShortCount({ text }: { text: string }) {
  const [count, ...words] = text.split(" ");
  return (
    <>
      {count}
      <span className="max-sm:sr-only"> {words.join(" ")}</span>
    </>
  );
}

function ProgramChip({ program, statuses }: { program: SourceProgram; statuses: readonly SourceStatus[] }) {
  const outcome = programOutcome(statuses);
  const tone: Tone = outcome.kind === "ok" ? "ok" : outcome.kind === "partly" ? "warn" : "hit";
  const shape = outcome.kind === "ok" ? "full" : outcome.kind === "partly" ? "half" : "cross";
  return (
    <Panel
      title={`${program}: status by agency`}
      className="w-120"
      buttonClassName={cx(
        "inline-flex min-h-control-sm items-center gap-1.5 rounded-md border bg-raised px-2 text-sm hover:bg-hover",
        outcome.kind === "ok" ? "border-line" : cx("border-current", TONE_TEXT[tone]),
      )}
      label={
        <>
          <ProgramMark program={program} />
          <StatusDot
            tone={tone}
            shape={shape}
            label={outcome.kind === "ok" ? <ShortCount text={outcome.text} /> : outcome.text}
            className="min-w-0 truncate"
          />
        </>
      }
    >
      <h2 className="mb-2 flex items-center gap-2 text-base font-semibold">
        {program}
        <span className="font-normal text-muted">{counted(statuses.length, "agency", "agencies")}</span>
      </h2>
      <ul className="divide-y divide-line">
        {unansweredFirst(statuses).map((status) => {
          const { tone, shape, words } = settledLook(status);
          return (
            <li key={status.sourceId} className="flex items-start justify-between gap-4 py-1.5 text-sm">
              <span className="min-w-0">
                <bdi className="block wrap-anywhere">{status.agency}</bdi>
                {status.message && <span className="block wrap-anywhere text-muted">{status.message}</span>}
                {status.truncated && (
                  <span className="block text-warn">More reads exist. Narrow the search to get them.</span>
                )}
              </span>
              <StatusDot tone={tone} shape={shape} label={words} className="shrink-0" />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
