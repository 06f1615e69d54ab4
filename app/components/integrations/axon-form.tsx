import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { NewAxonIntegration } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

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
  const form = useScreenForm({ intent: "add-axon", failed: MESSAGES.unknownError });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {FIELDS.map(({ name, label, hint, mono }) => (
          <Field key={name} label={label} error={form.problem(name)} hint={hint} required>
            {(control) => (
              <Input
                {...control}
                name={name}
                defaultValue={form.value(name)}
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
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={form.pending}
        pendingLabel="Adding…"
      >
        Add Axon Integration
      </Button>
    </ScreenForm>
  );
}
