import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { NeighborButtons, useNeighborKeys } from "#app/components/ui/keys/neighbors.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { ReviewDetail, ReviewedSearch } from "#app/entities/oversight/review-calls.ts";
import { numberText } from "#app/lib/number-text.ts";
import { type DecisionDraft, DecisionForm } from "./decision-form.tsx";
import { kindLabel, VERDICT_TONES, verdictLabel } from "./looks.ts";

export type FindingDialogProps = {
  id: string;
  /** Undefined at either end of the page. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  /** Unsaved decisions by finding, kept while other findings are opened. */
  drafts: Map<string, DecisionDraft>;
  onClose: () => void;
};

/** One finding: its searches, its reason, earlier decisions and a new one. `j` and `k` move forward and back. */
export function FindingDialog({ id, onPrevious, onNext, drafts, onClose }: FindingDialogProps) {
  const [finding, setFinding] = useState<ReviewDetail>();
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState(0);
  const content = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` triggers a retry
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

  useNeighborKeys(content, (direction) => (direction === "next" ? onNext : onPrevious)?.());

  const shown = finding?.id === id ? finding : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={shown ? kindLabel(shown.kind) : "Finding"}
      description={shown ? `${shown.user_name || shown.username} (${shown.username})` : undefined}
      initialFocus={content}
      footer={<NeighborButtons back="Previous" next="Next" onBack={onPrevious} onNext={onNext} />}
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
        Decisions
      </h3>
      <ol className="flex flex-col gap-2">
        {finding.made.map(({ number, verdict, note, by_name, at }, place) => (
          <li key={number} className={place > 0 ? "text-muted" : undefined}>
            <p className="flex flex-wrap items-center gap-2 text-sm">
              <Badge tone={place > 0 ? "neutral" : VERDICT_TONES[verdict]}>{verdictLabel(verdict)}</Badge>
              {by_name}, <LocalTime at={at} />
              {place > 0 && "(replaced)"}
            </p>
            <p className="mt-0.5 whitespace-pre-wrap">{note}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A finding's searches from the audit log, with the reason for each. */
function FindingEvidence({ finding }: { finding: ReviewDetail }) {
  const { evidence, searches } = finding;
  // If all have the same reason, the finding itself shows it.
  const isShared = new Set(evidence.map(({ reason }) => reason)).size <= 1;
  return (
    <section aria-labelledby="evidence" className="flex flex-col gap-2">
      <h3 id="evidence" className="font-semibold">
        {searches === 1 ? "The search" : `${numberText(searches)} searches`}
        {evidence.length < searches && (
          <span className="font-normal text-muted">, the newest {evidence.length} of them</span>
        )}
      </h3>
      <ul
        className="flex max-h-[45dvh] flex-col divide-y divide-line overflow-auto rounded-md border border-line"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {evidence.map((search) => (
          <Search key={search.seq} search={search} reason={isShared ? "" : search.reason} />
        ))}
      </ul>
    </section>
  );
}

function Search({ search, reason }: { search: ReviewedSearch; reason: string }) {
  const { seq, at, plate, justification, case_number, purpose, agencies, programs, ip, service_account } =
    search;
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {plate ? <PlateChip text={plate} size="sm" /> : <span className="text-muted">Any plate</span>}
        <SearchPlate plate={plate} compact />
        <LocalTime at={at} />
        <span className="ms-auto text-xs text-muted">entry {seq} of the audit log</span>
      </div>
      <p className="whitespace-pre-wrap">“{justification}”</p>
      <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        <Fact name="Case" value={case_number || "none"} />
        <Fact name="Purpose" value={purpose} />
        <Fact name="Searched" value={searchedText(programs, agencies)} />
        <Fact name="From" value={ip || "unknown"} />
        {service_account && <Fact name="Through the service account" value={service_account} />}
      </dl>
      {reason && <p className="text-sm text-muted">{reason}</p>}
    </li>
  );
}

function searchedText(programs: string, agencies: number): string {
  return `${programs.replaceAll(",", ", ")}: ${agencies} ${agencies === 1 ? "agency" : "agencies"}`;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{value}</dd>
    </div>
  );
}
