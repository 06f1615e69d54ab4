import { memo } from "react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { type ProgramProgress, programWords, sourceLook } from "#app/components/search/sources.ts";
import { Progress } from "#app/components/ui/progress.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import type { SourceStatus } from "#app/entities/search/query.ts";

const TONES = { Rekor: "rekor", Axon: "axon", Axis: "axis" } as const satisfies Record<string, Tone>;

/** How far a running search is with one program, and with each of its agencies. */
export function ProgramSection({ progress }: { progress: ProgramProgress }) {
  const { program, sources, settled } = progress;
  return (
    <section aria-label={program}>
      <div className="flex items-center gap-2 text-sm">
        <ProgramMark program={program} named className="font-semibold" />
        <span className="ms-auto text-muted">{programWords(progress)}</span>
      </div>
      <Progress
        className="my-1.5"
        label={`${program}: agencies that answered`}
        value={settled}
        max={sources.length}
        tone={TONES[program]}
      />
      <ul className="max-h-48 overflow-auto" tabIndex={sources.length > 6 ? 0 : undefined}>
        {sources.map((source) => (
          <Source key={source.sourceId} source={source} />
        ))}
      </ul>
    </section>
  );
}

/** One agency; of a thousand, few change at a time. */
const Source = memo(function Source({ source }: { source: SourceStatus }) {
  const { tone, shape, pulsing, words } = sourceLook(source);
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-0.5 text-sm">
      <StatusDot tone={tone} shape={shape} pulsing={pulsing} label={source.agency} className="min-w-0" />
      <span className={source.state === "failed" ? "text-hit" : "text-muted"}>{words}</span>
    </li>
  );
});
