import { Table2 } from "lucide-react";
import { useEffect, useState } from "react";
import { ProgramSection } from "#app/components/search/program-section.tsx";
import { announcement, byProgram } from "#app/components/search/sources.ts";
import { Button } from "#app/components/ui/button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { WaitScreen } from "#app/components/ui/wait-screen.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { counted } from "#app/lib/number-text.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import type { RunningSearch } from "./use-run.ts";

/** Covers the screen while a search runs and shows the status of every agency. */
export function SearchOverlay({
  running,
  onCancel,
  onShow,
}: {
  running: RunningSearch | undefined;
  onCancel: () => void;
  /** Opens the reads so far. */
  onShow?: () => void;
}) {
  if (!running) return null;
  const programs = byProgram(running.sources);
  const reads = programs.reduce((sum, program) => sum + program.reads, 0);
  const { opening, soFar, startedAt } = running;
  const offer =
    soFar !== undefined && opening === undefined ? `Show ${counted(soFar, "read")} so far` : undefined;
  return (
    <WaitScreen
      open
      title="Search in progress"
      message={MESSAGES.searching}
      aside={`${counted(reads, "read")} so far`}
      note={opening === undefined ? <Elapsed since={startedAt} /> : `Opening ${counted(opening, "read")}`}
      size="lg"
      isSettled={opening !== undefined}
      onCancel={onCancel}
      action={
        offer &&
        onShow && (
          <Button variant="primary" icon={<Table2 />} onClick={onShow}>
            {offer}
          </Button>
        )
      }
    >
      <LiveRegion>
        {announcement(programs)}
        {offer && ` Choose “${offer}” to open them while the search continues.`}
      </LiveRegion>
      <div className="flex flex-col gap-4">
        {programs.map((progress) => (
          <ProgramSection key={progress.program} progress={progress} />
        ))}
      </div>
    </WaitScreen>
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
