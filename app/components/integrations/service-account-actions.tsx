import { KeyRound, Power, Trash2 } from "lucide-react";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import type { ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import {
  DEFAULT_OVERLAP_HOURS,
  OVERLAPS,
  type ServiceAccountRow,
} from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { SecretForm } from "./secret-form.tsx";
import { ServiceAccountFields, ValidityField } from "./service-account-fields.tsx";
import { TOKEN_ONCE } from "./service-account-state.tsx";

/** Edits a service account. */
export function ServiceEditForm({
  account,
  grantable,
}: {
  account: ServiceAccountRow;
  grantable: readonly ServiceScope[];
}) {
  const form = useScreenForm({ intent: "change", failed: MESSAGES.unknownError, keep: true });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <ServiceAccountFields form={form} account={account} grantable={grantable} />
      <SubmitButton state={form} pendingLabel="Saving…">
        Save Changes
      </SubmitButton>
    </ScreenForm>
  );
}

/** Creates a new token and shows it once. */
export function RotateForm({ account }: { account: ServiceAccountRow }) {
  return (
    <SecretForm<{ token: string }>
      intent="rotate"
      secretOf={({ token }) => ({ title: `New token of ${account.name}`, secret: token })}
      copyLabel="Copy the token"
      advice={TOKEN_ONCE}
    >
      {(form) => (
        <>
          <ValidityField form={form} />
          <SelectField
            {...form.field("overlap_hours", String(DEFAULT_OVERLAP_HOURS))}
            label="The present token"
            options={OVERLAPS}
          />
          {account.former_until !== null && (
            <p className="text-sm text-muted">
              The token before the present one still works now. It stops when you create another.
            </p>
          )}
          <Button
            type="submit"
            icon={<KeyRound />}
            className="self-start"
            pending={form.pending}
            pendingLabel="Creating…"
          >
            Create New Token
          </Button>
        </>
      )}
    </SecretForm>
  );
}

/** Disables a service account at once, or enables it again. */
export function SwitchForm({ account }: { account: ServiceAccountRow }) {
  const isOff = account.state === "disabled";
  const form = useScreenForm({ intent: isOff ? "enable" : "disable", failed: MESSAGES.unknownError });
  return (
    <ScreenForm state={form} className="flex flex-col gap-2">
      <p className="text-sm text-muted">
        {isOff ? "Its tokens are refused." : "A disabled account is refused with its next call."}
      </p>
      <Button type="submit" icon={<Power />} className="self-start" pending={form.pending}>
        {isOff ? "Enable" : "Disable"}
      </Button>
    </ScreenForm>
  );
}

/** Deletes a service account, after a checkbox that works without scripts. */
export function DeleteForm() {
  const form = useScreenForm({ intent: "delete", failed: MESSAGES.unknownError });
  const problem = form.problem("sure");
  return (
    <ScreenForm state={form} className="flex flex-col gap-2">
      <Checkbox
        name="sure"
        value="on"
        label="Delete this service account and its tokens"
        hint="This cannot be undone. What it did stays in the audit log."
        aria-invalid={problem ? true : undefined}
      />
      {problem && <p className="text-xs font-medium text-hit">{problem}</p>}
      <Button type="submit" icon={<Trash2 />} className="self-start" pending={form.pending}>
        Delete
      </Button>
    </ScreenForm>
  );
}
