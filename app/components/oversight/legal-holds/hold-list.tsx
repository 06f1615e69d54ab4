import { Scale } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import { HOLD_STATES, type HoldState, type LegalHold } from "#app/entities/oversight/legal-hold.ts";

const TONES: Record<HoldState, Tone> = {
  requested: "warn",
  active: "accent",
  refused: "neutral",
  released: "neutral",
};

const ACTS = {
  approve: {
    title: "Approve this hold?",
    confirm: "Approve",
    done: "The hold is active",
    body: "From now on the purge leaves these reads alone, until the hold is released.",
  },
  refuse: {
    title: "Refuse this hold?",
    confirm: "Refuse",
    done: "The hold was refused",
    body: "These reads go when their time is over.",
  },
  release: {
    title: "Release this hold?",
    confirm: "Release",
    done: "The hold was released",
    body: "Reads whose time is over, and that nothing else holds, go with the next purge. They cannot be brought back.",
  },
} as const;

/** An agency's holds with what may be done to each. */
export function HoldList({ holds }: { holds: readonly LegalHold[] }) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const askAbout = (hold: LegalHold, act: keyof typeof ACTS) => {
    const { title, confirm, done, body } = ACTS[act];
    const path = `/legal-holds/${encodeURIComponent(hold.id)}/${act}`;
    ask({
      title,
      body: `Case ${hold.case_number}. ${body}`,
      confirm,
      danger: act === "release",
      run: () => mutate(callApi(path, { method: "POST", failed: "That did not work." }), { done }),
    });
  };

  if (holds.length === 0) {
    return (
      <EmptyState icon={<Scale />} title="No holds">
        Every read goes when its time is over.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="flex flex-col gap-2">
        {holds.map((hold) => (
          <Hold key={hold.id} hold={hold} ask={(act) => askAbout(hold, act)} />
        ))}
      </ul>
      {dialog}
    </>
  );
}

function Hold({ hold, ask }: { hold: LegalHold; ask: (act: keyof typeof ACTS) => void }) {
  const isOpen = hold.state === "requested" || hold.state === "active";
  return (
    <li className="rounded-md border border-line bg-raised p-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="flex flex-wrap items-center gap-2 font-medium">
            Case {hold.case_number}
            <Badge tone={TONES[hold.state]}>{HOLD_STATES[hold.state]}</Badge>
          </h2>
          <p className="mt-0.5 break-words text-sm">{hold.reason}</p>
          <p className="mt-1 text-xs text-muted">
            Reads from <LocalTime at={hold.from} /> until <LocalTime at={hold.until} />
          </p>
          <p className="text-xs text-muted">
            Asked for by {hold.requested_by_name}, <LocalTime at={hold.requested_at} />
            {hold.decided_at !== null && (
              <>
                {" · "}
                {hold.state === "refused" ? "refused" : "approved"} by {hold.decided_by_name},{" "}
                <LocalTime at={hold.decided_at} />
              </>
            )}
            {hold.released_at !== null && (
              <>
                {" · "}released by {hold.released_by_name}, <LocalTime at={hold.released_at} />
              </>
            )}
          </p>
        </div>
        {isOpen && (
          <div className="flex flex-wrap gap-2">
            {hold.state === "requested" && !hold.is_own && (
              <>
                <Button size="sm" onClick={() => ask("approve")}>
                  Approve<span className="sr-only"> the hold of case {hold.case_number}</span>
                </Button>
                <Button size="sm" onClick={() => ask("refuse")}>
                  Refuse<span className="sr-only"> the hold of case {hold.case_number}</span>
                </Button>
              </>
            )}
            <Button size="sm" onClick={() => ask("release")}>
              {hold.state === "requested" ? "Withdraw" : "Release"}
              <span className="sr-only"> the hold of case {hold.case_number}</span>
            </Button>
          </div>
        )}
      </div>
      <ul className="mt-2 flex flex-wrap gap-1.5" aria-label="Plates">
        {hold.plates.map((plate) => (
          <li key={plate}>
            <PlateChip text={plate} size="sm" />
          </li>
        ))}
      </ul>
    </li>
  );
}
