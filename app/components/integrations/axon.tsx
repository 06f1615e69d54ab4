import { Trash2 } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { AxonIntegrationRow, NewAxonIntegration } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { HealthState } from "./health-state.tsx";
import { TestButton } from "./test-button.tsx";

/** The agency's Axon integration, with a button to delete it. */
export function AxonExisting({ integration }: { integration: AxonIntegrationRow }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const { agency_name, base_url, client_id, partner_id, health } = integration;
  const facts = [
    ["Agency", agency_name],
    ["Base URL", base_url],
    ["Client ID", client_id],
    ["Partner ID", partner_id],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
        <dt className="text-sm text-muted">Health</dt>
        <dd>
          <HealthState health={health} />
        </dd>
      </dl>
      <div className="flex flex-wrap items-center gap-2">
        <TestButton path="/test-axon-integration" of="the Axon integration" />
        <Button
          size="sm"
          variant="danger"
          icon={<Trash2 />}
          onClick={() =>
            ask({
              title: "Delete the Axon integration?",
              body: `From now on, no agency can search the Axon reads of ${agency_name}. The client secret and the list of blacklisted agencies are also deleted.`,
              confirm: "Delete",
              danger: true,
              run: () =>
                mutate(
                  callApi("/delete-axon-integration", { method: "DELETE", failed: MESSAGES.unknownError }),
                ),
            })
          }
        >
          Delete
        </Button>
      </div>
      {dialog}
    </>
  );
}

type FieldName = keyof NewAxonIntegration;

const FIELDS: readonly { name: FieldName; label: string; hint?: string; mono?: boolean }[] = [
  { name: "client_id", label: "Client ID", mono: true },
  {
    name: "secret_id",
    label: "Client secret",
    hint: "Encrypted when saved and never shown again.",
    mono: true,
  },
  { name: "partner_id", label: "Partner ID", mono: true },
  {
    name: "base_url",
    label: "Base URL",
    hint: "An https address on a host that the operator allows.",
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
