import { Progress } from "#app/components/ui/progress.tsx";
import { WaitScreen } from "#app/components/ui/wait-screen.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { RunningExport } from "./use-run.ts";

/** Covers the screen while a file is made. */
export function ExportWait({
  running,
  onCancel,
}: {
  running: RunningExport | undefined;
  onCancel: () => void;
}) {
  const { done, total } = running ?? { done: 0, total: 0 };
  return (
    <WaitScreen
      open={running !== undefined}
      title="Export in progress"
      message={MESSAGES.exporting}
      onCancel={onCancel}
    >
      <Progress label="Records written" value={done === 0 ? undefined : done} max={total} />
      <p className="text-muted">
        {done === 0
          ? `Fetching the images of ${total === 1 ? "one record" : `${total} records`}`
          : `${done} of ${total} records`}
      </p>
    </WaitScreen>
  );
}
