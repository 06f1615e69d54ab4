import { type FormEvent, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { NewAxonIntegration } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { useAct } from "./use-act.ts";

type FieldName = keyof NewAxonIntegration;

const FIELDS: readonly { name: FieldName; label: string; hint?: string; mono?: boolean }[] = [
  { name: "client_id", label: "Client ID", mono: true },
  {
    name: "secret_id",
    label: "Client secret",
    hint: "Sealed when it is saved and never shown again.",
    mono: true,
  },
  { name: "partner_id", label: "Partner ID", mono: true },
  {
    name: "base_url",
    label: "Base URL",
    hint: "https, at a host that the operator allows.",
  },
];

/** Connects the agency to Axon. */
export function AxonForm() {
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<Partial<Record<FieldName, string>>>({});
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const parsed = NewAxonIntegration.safeParse(Object.fromEntries(new FormData(event.currentTarget)));
    const found: Partial<Record<FieldName, string>> = {};
    if (!parsed.success)
      for (const { path, message } of parsed.error.issues) found[path[0] as FieldName] ??= message;
    setProblems(found);
    if (!parsed.success) {
      form.current?.querySelector<HTMLElement>(`[name=${Object.keys(found)[0]}]`)?.focus();
      return;
    }
    setPending(true);
    await act({
      path: "/add-axon-integration",
      call: { method: "POST", body: parsed.data },
      failed: MESSAGES.unknownError,
    });
    setPending(false);
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {FIELDS.map(({ name, label, hint, mono }) => (
          <Field key={name} label={label} error={problems[name]} hint={hint} required>
            {(control) => (
              <Input
                {...control}
                name={name}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={2000}
                className={mono ? "font-mono" : undefined}
              />
            )}
          </Field>
        ))}
      </div>
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Adding…">
        Add Axon Integration
      </Button>
    </form>
  );
}
