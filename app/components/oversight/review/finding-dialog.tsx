import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { NeighbourButtons, useNeighbourKeys } from "#app/components/ui/keys/neighbours.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { ReviewDetail } from "#app/entities/oversight/review-calls.ts";
import { type DecisionDraft, DecisionForm } from "./decision-form.tsx";
import { FindingEvidence } from "./finding-evidence.tsx";
import { kindLabel, VERDICT_TONES, verdictLabel } from "./looks.ts";

export type FindingDialogProps = {
  id: string;
  /** Undefined at an end of the page. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  /** Decisions that are being written, by finding: looking at the next one loses none. */
  drafts: Map<string, DecisionDraft>;
  onClose: () => void;
};

/** One finding: its searches, why it is here, what was decided, and the decision. `j` and `k` go on and back. */
export function FindingDialog({ id, onPrevious, onNext, drafts, onClose }: FindingDialogProps) {
  const [finding, setFinding] = useState<ReviewDetail>();
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState(0);
  const content = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` asks again
  useEffect(() => {
    let isCurrent = true;
    setProblem("");
    const path = `/review/${encodeURIComponent(id)}`;
    callApi<ReviewDetail>(path, { failed: "The finding could not be loaded." }).then((answer) => {
      if (!isCurrent) return;
      if (answer.ok) setFinding(answer.value);
      else setProblem(answer.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, asked]);

  useNeighbourKeys(content, (direction) => (direction === "on" ? onNext : onPrevious)?.());

  const shown = finding?.id === id ? finding : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={shown ? kindLabel(shown.kind) : "Finding"}
      description={shown ? `${shown.user_name || shown.username} (${shown.username})` : undefined}
      initialFocus={content}
      footer={<NeighbourButtons back="Previous" on="Next" onBack={onPrevious} onOn={onNext} />}
    >
      <div
        ref={content}
        tabIndex={-1}
        aria-busy={!shown && !problem}
        className="flex flex-col gap-4 outline-none"
      >
        {problem && (
          <div role="alert" className="flex flex-wrap items-center gap-3">
            <p className="text-hit">{problem}</p>
            <Button size="sm" onClick={() => setAsked((last) => last + 1)}>
              Try again
            </Button>
          </div>
        )}
        {!shown && !problem && <Skeleton className="h-64 w-full" />}
        {shown && (
          <>
            <p className="flex flex-wrap items-center gap-2">
              {shown.plate && <PlateChip text={shown.plate} size="sm" />}
              {shown.reason}
            </p>
            <FindingEvidence finding={shown} />
            <Decisions finding={shown} />
            {shown.barred ? (
              <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">{shown.barred}</p>
            ) : (
              <DecisionForm
                key={`${shown.id} ${shown.decisions}`}
                finding={shown}
                draft={drafts.get(shown.id)}
                onDraft={(draft) => drafts.set(shown.id, draft)}
                onDecided={(decided) => {
                  if (!decided) return setAsked((last) => last + 1);
                  drafts.delete(shown.id);
                  setFinding(decided);
                  content.current?.focus();
                }}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function Decisions({ finding }: { finding: ReviewDetail }) {
  if (finding.made.length === 0) return null;
  return (
    <section aria-labelledby="decisions" className="flex flex-col gap-2">
      <h3 id="decisions" className="font-semibold">
        Decided
      </h3>
      <ol className="flex flex-col gap-2">
        {finding.made.map(({ number, verdict, note, by_name, at }, place) => (
          <li key={number} className={place > 0 ? "text-muted" : undefined}>
            <p className="flex flex-wrap items-center gap-2 text-sm">
              <Badge tone={place > 0 ? "neutral" : VERDICT_TONES[verdict]}>{verdictLabel(verdict)}</Badge>
              {by_name}, <LocalTime at={at} />
              {place > 0 && "(replaced)"}
            </p>
            <p className="mt-0.5 break-words whitespace-pre-wrap">{note}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
