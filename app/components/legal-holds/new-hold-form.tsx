import { useRevalidator } from "@remix-run/react";
import { type FormEvent, useRef, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input, Textarea } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { NewLegalHold, platesOfHold } from "#app/entities/legal-hold.ts";

type Problems = Partial<Record<keyof NewLegalHold, string>>;

/** Asks for a hold. Times are the viewer's own. */
export function NewHoldForm() {
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<Problems>({});
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const wish = wishOf(new FormData(event.currentTarget));
    const found = problemsOf(wish);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    setPending(true);
    try {
      await callApi("/legal-holds/request", { method: "POST", body: wish });
      notify.success("The hold waits for another administrator's approval");
      form.current?.reset();
      revalidate();
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, "The hold could not be asked for."));
    }
    setPending(false);
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Case number" required error={problems.case_number}>
          {(control) => <Input {...control} name="case_number" maxLength={64} autoComplete="off" />}
        </Field>
        <Field label="Reads from" required error={problems.start}>
          {(control) => <Input {...control} name="start" type="datetime-local" />}
        </Field>
        <Field label="Until" required error={problems.end}>
          {(control) => <Input {...control} name="end" type="datetime-local" />}
        </Field>
      </div>
      <Field label="Plates" required hint="Separated by commas or lines." error={problems.plates}>
        {(control) => (
          <Textarea {...control} name="plates" rows={2} className="plate-text" autoComplete="off" />
        )}
      </Field>
      <Field label="Reason" required error={problems.reason}>
        {(control) => <Textarea {...control} name="reason" rows={2} maxLength={500} />}
      </Field>
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Asking…">
        Ask for a hold
      </Button>
    </form>
  );
}

function wishOf(form: FormData): NewLegalHold {
  const text = (name: string) => String(form.get(name) ?? "");
  const instant = (name: string) => {
    const at = new Date(text(name)).getTime();
    return Number.isNaN(at) ? "" : new Date(at).toISOString();
  };
  return {
    case_number: text("case_number"),
    reason: text("reason"),
    plates: text("plates"),
    start: instant("start"),
    end: instant("end"),
  };
}

/** Every field's first problem; what concerns both times stands at the second. */
function problemsOf(wish: NewLegalHold): Problems {
  const problems: Problems = {};
  const parsed = NewLegalHold.safeParse(wish);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = (path[0] as keyof NewLegalHold | undefined) ?? "end";
    problems[field] ??= message;
  }
  const plates = platesOfHold(wish.plates);
  if (plates.problem !== undefined) problems.plates ??= plates.problem;
  return problems;
}
