import { CircleAlert, CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "#app/components/hotlists/call.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import {
  type Alert,
  DISPOSITION_NOTE_MAX,
  DISPOSITIONS,
  type Disposition,
  dispositionLabel,
} from "#app/entities/alert.ts";
import { AlertTime } from "./alert-time.tsx";

export type DispositionFormProps = {
  alert: Alert;
  /** Hotlist admins alone take a disposition back. */
  mayClear: boolean;
  onChange: (alert: Alert) => void;
};

const FAILED = "The disposition could not be saved.";

/** What somebody found on looking twice. Who comes second is told what the first one found, and decides again. */
export function DispositionForm({ alert, mayClear, onChange }: DispositionFormProps) {
  const [editing, setEditing] = useState(alert.disposition === null);
  const [note, setNote] = useState(alert.disposition_note);
  const [pending, setPending] = useState<Disposition | "clear">();
  const [problem, setProblem] = useState("");
  const change = useRef<HTMLButtonElement>(null);
  const saved = useRef(false);

  // The buttons that had the focus are gone once it is saved.
  useEffect(() => {
    if (editing || !saved.current) return;
    saved.current = false;
    change.current?.focus();
  }, [editing]);

  async function decide(disposition: Disposition | null) {
    if (pending) return;
    setPending(disposition ?? "clear");
    setProblem("");
    const path = `/api/alerts/${encodeURIComponent(alert.id)}`;
    const answer = await call<Alert>(`${path}/disposition`, {
      json: { disposition, note: disposition ? note : "", known: alert.disposition_at },
      failed: FAILED,
    });
    setPending(undefined);
    if (answer.ok) {
      saved.current = true;
      setEditing(disposition === null);
      if (disposition === null) setNote("");
      return onChange(answer.value);
    }
    setProblem(answer.message);
    if (answer.status !== 409) return;
    const fresh = await call<Alert>(path, { failed: FAILED });
    if (fresh.ok) onChange(fresh.value);
  }

  return (
    <section aria-labelledby="disposition" className="flex flex-col gap-2 border-t border-line pt-3">
      <h3 id="disposition" className="font-semibold">
        Disposition
      </h3>
      <div role="alert" className="empty:hidden">
        {problem && (
          <p className="flex items-start gap-2 rounded-md bg-hit-soft px-3 py-2 font-medium text-hit">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {problem}
          </p>
        )}
      </div>
      {alert.disposition && (
        <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <p className="me-auto min-w-0 wrap-anywhere">
            <CircleCheck aria-hidden="true" className="me-1.5 inline size-4 text-ok" />
            <strong>{dispositionLabel(alert.disposition)}</strong>
            <span className="text-muted">
              {" "}
              by {alert.disposition_by ?? "a former user"}, <AlertTime iso={alert.disposition_at} />
            </span>
            {alert.disposition_note && <span className="block">{alert.disposition_note}</span>}
          </p>
          {!editing && (
            <Button ref={change} size="sm" onClick={() => setEditing(true)}>
              Change
            </Button>
          )}
          {mayClear && (
            <Button size="sm" pending={pending === "clear"} onClick={() => decide(null)}>
              Take back
            </Button>
          )}
        </div>
      )}
      {editing && (
        <>
          <Field label="Note">
            {(control) => (
              <Input
                {...control}
                value={note}
                maxLength={DISPOSITION_NOTE_MAX}
                placeholder="What you saw, for whoever looks next"
                onChange={(event) => setNote(event.currentTarget.value)}
              />
            )}
          </Field>
          <fieldset aria-label="What the hit turned out to be" className="flex flex-wrap gap-2">
            {DISPOSITIONS.map(({ value, label }) => (
              <Button
                key={value}
                size="sm"
                variant={alert.disposition === value ? "primary" : "secondary"}
                aria-pressed={alert.disposition === value}
                pending={pending === value}
                onClick={() => decide(value)}
              >
                {label}
              </Button>
            ))}
          </fieldset>
        </>
      )}
    </section>
  );
}
