import { ChevronLeft, ChevronRight, CircleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "#app/components/hotlists/call.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { topmost } from "#app/components/ui/top-layer.ts";
import type { Alert } from "#app/entities/alert.ts";
import { SECOND } from "#app/lib/dates.ts";
import { AlertDetail } from "./alert-detail.tsx";

export type AlertDialogProps = {
  id: string;
  onClose: () => void;
  /** Its neighbours in the list that it was opened from, one key away. */
  before?: string;
  after?: string;
  onMove?: (id: string) => void;
  onChange?: (alert: Alert) => void;
};

const FAILED = "The hit could not be loaded.";
/** Waits before a look for pictures that are still coming. */
const LOOKS = [3 * SECOND, 10 * SECOND];

/** One hit over whatever was open before. */
export function AlertDialog({ id, onClose, before, after, onMove, onChange }: AlertDialogProps) {
  const { alert, problem, retry, setAlert } = useAlert(id);
  const content = useRef<HTMLDivElement>(null);
  const move = useRef({ before, after, onMove });
  move.current = { before, after, onMove };

  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (topmost() !== content.current?.closest("dialog")) return;
      if ((event.target as Element).closest("input, select, textarea, [role=slider], [role=application]"))
        return;
      const back = event.key === "ArrowLeft" || event.key === "k";
      const on = event.key === "ArrowRight" || event.key === "j";
      if (!back && !on) return;
      const to = back ? move.current.before : move.current.after;
      event.preventDefault();
      if (to !== undefined) move.current.onMove?.(to);
    }
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  return (
    <Dialog
      open
      onClose={onClose}
      size="xl"
      initialFocus={content}
      title={alert ? `Hotlist hit: ${alert.group.name}` : "Hotlist hit"}
      footer={
        onMove && (
          <span className="me-auto flex gap-2">
            <Button
              icon={<ChevronLeft />}
              aria-keyshortcuts="ArrowLeft k"
              aria-disabled={before === undefined || undefined}
              onClick={() => before !== undefined && onMove(before)}
            >
              Newer
            </Button>
            <Button
              aria-keyshortcuts="ArrowRight j"
              aria-disabled={after === undefined || undefined}
              onClick={() => after !== undefined && onMove(after)}
            >
              Older
              <ChevronRight aria-hidden="true" />
            </Button>
          </span>
        )
      }
    >
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
          <div role="alert" className="flex flex-col items-start gap-3">
            <p className="flex items-start gap-2 font-medium text-hit">
              <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
              {problem}
            </p>
            <Button onClick={retry}>Try again</Button>
          </div>
        )}
        {!alert && !problem && (
          <div role="status" aria-label="The hit is coming" className="flex flex-col gap-4">
            <Skeleton className="h-32 w-full" />
            <Skeleton className="h-64 w-full" />
          </div>
        )}
      </div>
    </Dialog>
  );
}

function useAlert(id: string) {
  const [found, setFound] = useState<{ id: string; alert?: Alert; problem?: string }>({ id });
  const [attempts, setAttempts] = useState({ id, count: 0 });
  const attempt = attempts.id === id ? attempts.count : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    const leave = new AbortController();
    call<Alert>(`/api/alerts/${encodeURIComponent(id)}`, { failed: FAILED, signal: leave.signal }).then(
      (answer) => {
        if (leave.signal.aborted) return;
        if (answer.ok) setFound({ id, alert: answer.value });
        else
          setFound((before) => (before.id === id && before.alert ? before : { id, problem: answer.message }));
      },
    );
    return () => leave.abort();
  }, [id, attempt]);
  const isCurrent = found.id === id;
  // A hit is told before its pictures are fetched from their vendor: look again shortly after.
  const isWaiting = isCurrent && found.alert?.images_pending === true && attempt < LOOKS.length;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setAttempts({ id, count: attempt + 1 }), LOOKS[attempt]);
    return () => clearTimeout(timer);
  }, [isWaiting, id, attempt]);
  return {
    alert: isCurrent ? found.alert : undefined,
    problem: isCurrent ? found.problem : undefined,
    retry: () => {
      setFound({ id });
      setAttempts({ id, count: attempt + 1 });
    },
    setAlert: (alert: Alert) => setFound({ id: alert.id, alert }),
  };
}
