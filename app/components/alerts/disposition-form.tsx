import { CircleCheck } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import {
  type Alert,
  DISPOSITION_NOTE_MAX,
  DISPOSITIONS,
  dispositionLabel,
  NO_DISPOSITION,
} from "#app/entities/alerts/hit.ts";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import { AlertTime } from "./time.tsx";

export type DispositionFormProps = {
  alert: Alert;
  /** Only hotlist admins may clear a disposition. */
  mayClear: boolean;
  onChange: (alert: Alert) => void;
};

const FAILED = "The disposition could not be saved.";

/** The user's review of a hit. If another user reviewed it first, shows that disposition and lets this user decide again. */
export function DispositionForm({ alert, mayClear, onChange }: DispositionFormProps) {
  const { form, seen, saves, editing, edit, change } = useReview(alert, onChange);
  const [pressed, setPressed] = useState("");

  /** While a disposition is being saved, the others cannot be chosen. */
  const saving = (value: string) => ({
    pending: form.pending && pressed === value,
    "aria-disabled": form.pending || undefined,
    onClick: () => !form.pending && setPressed(value),
  });

  const fields = (
    <>
      <Field label="Note" error={form.problem("note")} className="print:hidden">
        {(control) => (
          <Input
            {...control}
            // Empty again once the disposition has been cleared.
            key={saves}
            name="note"
            defaultValue={form.value("note", seen.disposition_note)}
            maxLength={DISPOSITION_NOTE_MAX}
            placeholder="What you saw, for the next reviewer"
          />
        )}
      </Field>
      <fieldset aria-label="Result of the review" className="flex flex-wrap gap-2">
        {DISPOSITIONS.map(({ value, label }) => (
          <Button
            key={value}
            type="submit"
            name="disposition"
            value={value}
            size="sm"
            variant={alert.disposition === value ? "primary" : "secondary"}
            aria-pressed={alert.disposition === value}
            {...saving(value)}
          >
            {label}
          </Button>
        ))}
      </fieldset>
    </>
  );

  return (
    <section aria-labelledby="disposition" className="border-t border-line pt-3">
      <ScreenForm state={form} aria-labelledby="disposition" className="flex flex-col gap-2">
        {/* Enter in the note activates the first submit button: this one, which is disabled. */}
        <button type="submit" disabled hidden aria-hidden="true" tabIndex={-1} />
        <input type="hidden" name="known" value={(editing ? seen : alert).disposition_at ?? ""} />
        <h2 id="disposition" className="font-semibold">
          Disposition
        </h2>
        <Decision alert={alert}>
          {!editing && (
            <Button ref={change} size="sm" className="noscript:hidden" onClick={edit}>
              Change
            </Button>
          )}
          {mayClear && (
            <Button
              type="submit"
              name="disposition"
              value={NO_DISPOSITION}
              size="sm"
              {...saving(NO_DISPOSITION)}
            >
              Clear disposition
            </Button>
          )}
        </Decision>
        {editing ? (
          fields
        ) : (
          <noscript>
            <div className="flex flex-col gap-2">{fields}</div>
          </noscript>
        )}
      </ScreenForm>
    </section>
  );
}

/** The form of a review, whether it is open, and the hit that it changes. */
function useReview(alert: Alert, onChange: DispositionFormProps["onChange"]) {
  const [editing, setEditing] = useState(alert.disposition === null);
  /**
   * The hit as it was when the user began to edit. The hit may be loaded again meanwhile, for its images. That must
   * neither replace the note nor count as having seen a newer decision.
   */
  const [seen, setSeen] = useState(alert);
  const [saves, setSaves] = useState(0);
  const change = useRef<HTMLButtonElement>(null);
  const saved = useRef(false);
  const form = useScreenForm<Alert>({
    intent: "disposition",
    action: `/alert-history-detail/${encodeURIComponent(alert.id)}`,
    failed: FAILED,
    keep: true,
    onDone: ({ result }) => {
      if (!result) return;
      saved.current = true;
      setSaves((count) => count + 1);
      setSeen(result);
      setEditing(result.disposition === null);
      onChange(result);
    },
  });

  // Saving removes the focused button.
  useEffect(() => {
    if (editing || !saved.current) return;
    saved.current = false;
    change.current?.focus();
  }, [editing]);

  useNewerDecision(form.answer, alert.id, (fresh) => {
    setSeen(fresh);
    onChange(fresh);
  });

  function edit() {
    setSeen(alert);
    setEditing(true);
  }

  return {
    form,
    seen,
    /** The number of saves. */
    saves,
    editing,
    edit,
    /** The button that opens the form again. */
    change,
  };
}

/**
 * The saved disposition, by whom and when, with its actions. Its live region is in the page before the first one, so
 * that screen readers announce it: the focus moves to the button beside it.
 */
function Decision({ alert, children }: { alert: Alert; children: ReactNode }) {
  return (
    // Without a disposition, the region takes no space between its neighbors.
    <div className={cx("flex flex-wrap items-center gap-x-3 gap-y-1", !alert.disposition && "-mt-2")}>
      <div role="status" className="me-auto min-w-0 wrap-anywhere">
        {alert.disposition && (
          <p>
            <CircleCheck aria-hidden="true" className="me-1.5 inline size-4 text-ok" />
            <strong>{dispositionLabel(alert.disposition)}</strong>
            <span className="text-muted">
              {" "}
              by {alert.disposition_by ?? "a former user"}, <AlertTime iso={alert.disposition_at} />
            </span>
            {alert.disposition_note && <span className="block">{alert.disposition_note}</span>}
          </p>
        )}
      </div>
      {alert.disposition && children}
    </div>
  );
}

/**
 * If a disposition was refused, another user usually decided meanwhile: loads that decision to show it next to the
 * message.
 */
function useNewerDecision(answer: FormAnswer<Alert> | undefined, id: string, onLoad: (alert: Alert) => void) {
  const latest = useRef(onLoad);
  latest.current = onLoad;
  const refused = answer && !answer.ok ? answer : undefined;
  useEffect(() => {
    if (!refused?.message || refused.stepUp || refused.signedOut) return;
    const controller = new AbortController();
    callApi<Alert>(`/api/alerts/${encodeURIComponent(id)}`, {
      failed: FAILED,
      signal: controller.signal,
    }).then((fresh) => fresh.ok && !controller.signal.aborted && latest.current(fresh.value));
    return () => controller.abort();
  }, [refused, id]);
}
