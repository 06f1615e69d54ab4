import { useEffect, useRef, useState } from "react";
import { usePendingImages } from "#app/components/alerts/live/use-pending-images.ts";
import { callApi } from "#app/components/forms/api.ts";
import { spelled, timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { NeighborButtons, useNeighborKeys } from "#app/components/ui/keys/neighbors.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { AlertDetail } from "./detail.tsx";
import { plateText } from "./text.ts";

export type AlertDialogProps = {
  id: string;
  onClose: () => void;
  /** The previous and the next hit of the list, reachable with one key. */
  before?: string;
  after?: string;
  onMove?: (id: string) => void;
  onChange?: (alert: Alert) => void;
};

const FAILED = "The hit could not be loaded.";

/** One hit in a modal. */
export function AlertDialog({ id, onClose, before, after, onMove, onChange }: AlertDialogProps) {
  const { alert, problem, retry, setAlert } = useAlert(id);
  const content = useRef<HTMLDivElement>(null);
  const moveTo = (to: string | undefined) => (onMove && to !== undefined ? () => onMove(to) : undefined);
  const [back, next] = [moveTo(before), moveTo(after)];
  useNeighborKeys(content, (direction) => (direction === "back" ? back : next)?.());

  return (
    <Dialog
      open
      onClose={onClose}
      size="xl"
      initialFocus={content}
      title={alert ? `Hotlist hit: ${alert.group.name}` : "Hotlist hit"}
      footer={onMove && <NeighborButtons back="Newer" next="Older" onBack={back} onNext={next} />}
    >
      <LiveRegion>{alert ? hitWords(alert) : ""}</LiveRegion>
      <div ref={content} tabIndex={-1} aria-busy={!alert && !problem} className="min-h-80 outline-none">
        {alert && (
          <AlertDetail
            alert={alert}
            onChange={(changed) => {
              setAlert(changed);
              onChange?.(changed);
            }}
          />
        )}
        {!alert && problem && (
          <div className="flex flex-col items-start gap-3">
            <ErrorBox message={problem} />
            <Button onClick={retry}>Try again</Button>
          </div>
        )}
        {!alert && !problem && (
          <div role="status" aria-label="Loading the hit" className="flex flex-col gap-4">
            <Skeleton className="h-32 w-full" />
            <Skeleton className="h-64 w-full" />
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Returns the screen reader text of a hit opened from a list: its neighbors have the same title. */
function hitWords({ plate, state, justification, camera, timestamp }: Alert): string {
  const time = timeText(timestamp === null ? Number.NaN : Date.parse(timestamp));
  const words = [plateText({ plate: spelled(plate), state }), justification, camera, time];
  return words.filter(Boolean).join(", ");
}

function useAlert(id: string) {
  const [found, setFound] = useState<{ id: string; alert?: Alert; problem?: string }>({ id });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads again
  useEffect(() => {
    const controller = new AbortController();
    callApi<Alert>(`/api/alerts/${encodeURIComponent(id)}`, {
      failed: FAILED,
      signal: controller.signal,
    }).then((answer) => {
      if (controller.signal.aborted) return;
      setFound(answer.ok ? { id, alert: answer.value } : { id, problem: answer.message });
    });
    return () => controller.abort();
  }, [id, attempt]);
  const setAlert = (alert: Alert) => setFound({ id: alert.id, alert });
  const current = found.id === id ? found : undefined;
  usePendingImages(current?.alert, setAlert);
  return {
    alert: current?.alert,
    problem: current?.problem,
    retry: () => {
      setFound({ id });
      setAttempt(attempt + 1);
    },
    setAlert,
  };
}
