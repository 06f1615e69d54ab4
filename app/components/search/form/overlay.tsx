import { useEffect, useState } from "react";
import {
  announcement,
  byProgram,
  type ProgramProgress,
  programWords,
  sourceLook,
} from "#app/components/search/sources.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import { WaitScreen } from "#app/components/ui/wait-screen.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { counted } from "./describe.ts";
import { ProgramMark } from "./program-mark.tsx";
import type { RunningSearch } from "./use-run.ts";

const TONES = { Rekor: "rekor", Axon: "axon", Axis: "axis" } as const satisfies Record<string, Tone>;

/** Covers the screen while a search runs and tells the truth about every agency. */
export function SearchOverlay({
  running,
  onCancel,
}: {
  running: RunningSearch | undefined;
  onCancel: () => void;
}) {
  if (!running) return null;
  const programs = byProgram(running.sources);
  const reads = programs.reduce((sum, one) => sum + one.reads, 0);
  const { opening, startedAt } = running;
  return (
    <WaitScreen
      open
      title="Search in progress"
      message={MESSAGES.searching}
      aside={`${counted(reads, "read", "reads")} so far`}
      note={
        opening === undefined ? <Elapsed since={startedAt} /> : `Opening ${counted(opening, "read", "reads")}`
      }
      size="lg"
      isSettled={opening !== undefined}
      onCancel={onCancel}
    >
      <LiveRegion>{announcement(programs)}</LiveRegion>
      <div className="flex flex-col gap-4">
        {programs.map((one) => (
          <ProgramSection key={one.program} progress={one} />
        ))}
      </div>
    </WaitScreen>
  );
}

function ProgramSection({ progress }: { progress: ProgramProgress }) {
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
        {sources.map((source) => {
          const { tone, shape, pulsing, words } = sourceLook(source);
          return (
            <li
              key={source.sourceId}
              className="flex flex-wrap items-baseline justify-between gap-x-4 py-0.5 text-sm"
            >
              <StatusDot
                tone={tone}
                shape={shape}
                pulsing={pulsing}
                label={source.agency}
                className="min-w-0"
              />
              <span className={source.state === "failed" ? "text-hit" : "text-muted"}>{words}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Elapsed({ since }: { since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / SECOND)), 250);
    return () => clearInterval(timer);
  }, [since]);
  const minutes = Math.floor(seconds / 60);
  return (
    <span role="timer" aria-live="off">
      {minutes > 0 ? `${minutes} min ` : ""}
      {seconds % 60} s elapsed
    </span>
  );
}
