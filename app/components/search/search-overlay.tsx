import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { SECOND } from "#app/lib/dates.ts";
import { counted } from "./describe-search.ts";
import { ProgramMark } from "./program-mark.tsx";
import {
  announcement,
  byProgram,
  type ProgramProgress,
  programWords,
  sourceLook,
} from "./search-progress.ts";
import type { RunningSearch } from "./use-search.ts";

const TONES = { Rekor: "rekor", Axon: "axon", Axis: "axis" } as const satisfies Record<string, Tone>;

/** Covers the screen while a search runs and tells the truth about every agency. Escape cancels, like the button. */
export function SearchOverlay({
  running,
  onCancel,
}: {
  running: RunningSearch | undefined;
  onCancel: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  // Locked, because a stray press outside must not throw a running search away.
  return (
    <Dialog
      open={running !== undefined}
      onClose={onCancel}
      title="Search in progress"
      size="lg"
      bare
      locked
      initialFocus={cancel}
      footer={
        running && (
          <>
            <span className="me-auto self-center text-sm text-muted">
              {running.opening === undefined ? (
                <Elapsed since={running.startedAt} />
              ) : (
                `Opening ${counted(running.opening, "read", "reads")}`
              )}
            </span>
            <Button
              ref={cancel}
              icon={<X />}
              aria-keyshortcuts="Escape"
              disabled={running.opening !== undefined}
              onClick={onCancel}
            >
              Cancel
            </Button>
          </>
        )
      }
    >
      {running && <ProgressList running={running} onCancel={onCancel} />}
    </Dialog>
  );
}

function ProgressList({ running, onCancel }: { running: RunningSearch; onCancel: () => void }) {
  useEscape(onCancel);
  const programs = byProgram(running.sources);
  const reads = programs.reduce((sum, one) => sum + one.reads, 0);
  return (
    <div aria-busy={running.opening === undefined} className="flex flex-col gap-4 p-4 sm:p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Spinner className="size-5 text-accent" />
        <p role="status" className="text-lg font-semibold">
          {MESSAGES.searching}
        </p>
        <p className="text-base text-muted sm:ms-auto">{counted(reads, "read", "reads")} so far</p>
      </div>
      <LiveRegion>{announcement(programs)}</LiveRegion>
      <div className="flex flex-col gap-4">
        {programs.map((one) => (
          <ProgramSection key={one.program} progress={one} />
        ))}
      </div>
    </div>
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

// A locked dialog ignores Escape, and the focus may have been clicked away from all that could hear the key.
function useEscape(handler: () => void) {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === "Escape") latest.current();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
