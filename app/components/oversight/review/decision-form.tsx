import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { VERDICTS, type Verdict } from "#app/entities/oversight/review.ts";
import { ReviewDecision, type ReviewDetail } from "#app/entities/oversight/review-calls.ts";

/** An unsaved decision. */
export type DecisionDraft = { verdict: Verdict | undefined; note: string };

export type DecisionFormProps = {
  finding: ReviewDetail;
  /** The unsaved decision from before another finding was opened. */
  draft: DecisionDraft | undefined;
  onDraft: (draft: DecisionDraft) => void;
  /** Called after a decision, or with undefined if another user decided or searches were added meanwhile. */
  onDecided: (finding: ReviewDetail | undefined) => void;
};

/** A verdict and its required note. */
export function DecisionForm({ finding, draft, onDraft, onDecided }: DecisionFormProps) {
  const [written, setWritten] = useState<DecisionDraft>(draft ?? { verdict: undefined, note: "" });
  const { verdict, note } = written;
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);
  const chosen = VERDICTS.find(({ value }) => value === verdict);

  function write(change: Partial<DecisionDraft>) {
    setWritten({ ...written, ...change });
    onDraft({ ...written, ...change });
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!verdict) return setProblem("Choose a verdict.");
    const { decisions: known, searches } = finding;
    const parsed = ReviewDecision.safeParse({ verdict, note, known, searches });
    if (!parsed.success) return setProblem(parsed.error.issues[0]?.message ?? "");
    setProblem("");
    setPending(true);
    const answer = await callApi<ReviewDetail>(`/review/${encodeURIComponent(finding.id)}/decide`, {
      json: parsed.data,
      failed: "The decision could not be saved.",
    });
    if (answer.ok) {
      notify.success(`Decided: ${chosen?.label ?? verdict}`);
      onDecided(answer.value);
    } else {
      if (!answer.declined) setProblem(answer.message);
      if (answer.status === 409) onDecided(undefined);
    }
    setPending(false);
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Segmented
          label="Verdict"
          options={VERDICTS}
          value={verdict}
          onSelect={(value) => write({ verdict: value })}
        />
        <span className="text-sm text-muted">{chosen?.hint}</span>
      </div>
      <TextareaField
        label="Note"
        required
        hint="Kept with the finding, even if the decision changes."
        error={problem}
        rows={2}
        maxLength={2000}
        value={note}
        onChange={(event) => write({ note: event.currentTarget.value })}
      />
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Saving…">
        {finding.decisions > 0 ? "Decide again" : "Decide"}
      </Button>
    </form>
  );
}
