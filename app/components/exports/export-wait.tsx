import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { RunningExport } from "./use-export.ts";

/** Covers the screen while a file is made. Escape cancels, like the button; a stray press outside does not. */
export function ExportWait({
  running,
  onCancel,
}: {
  running: RunningExport | undefined;
  onCancel: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={running !== undefined}
      onClose={onCancel}
      title="Export in progress"
      bare
      locked
      initialFocus={cancel}
      footer={
        <Button ref={cancel} icon={<X />} aria-keyshortcuts="Escape" onClick={onCancel}>
          Cancel
        </Button>
      }
    >
      {running && <Content running={running} onCancel={onCancel} />}
    </Dialog>
  );
}

function Content({ running, onCancel }: { running: RunningExport; onCancel: () => void }) {
  const { done, total } = running;
  const latest = useRef(onCancel);
  latest.current = onCancel;
  // A locked dialog ignores Escape, and the focus may have been clicked away from all that could hear the key.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === "Escape") latest.current();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return (
    <div aria-busy className="flex flex-col gap-4 p-5">
      <div className="flex items-center gap-3">
        <Spinner className="size-5 text-accent" />
        <p role="status" className="text-lg font-semibold">
          {MESSAGES.exporting}
        </p>
      </div>
      <Progress label="Records written" value={done === 0 ? undefined : done} max={total} />
      <p className="text-muted">
        {done === 0
          ? `Fetching the images of ${total === 1 ? "one record" : `${total} records`}`
          : `${done} of ${total} records`}
      </p>
    </div>
  );
}
