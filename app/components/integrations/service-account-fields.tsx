import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { SERVICE_SCOPES, type ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import {
  DEFAULT_PER_MINUTE,
  DEFAULT_VALID_DAYS,
  type ServiceAccountRow,
  VALID_DAYS,
} from "#app/entities/integrations/service-accounts.ts";

/** The fields of a new or an edited service account. */
export function ServiceAccountFields<T>({
  form,
  account,
  grantable,
}: {
  form: ScreenFormState<T>;
  account?: ServiceAccountRow;
  /** The permissions that the user may give. */
  grantable: readonly ServiceScope[];
}) {
  const problem = form.problem("scopes");
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <InputField
          {...form.field("name", account?.name)}
          label="Name"
          hint="Appears in the audit log."
          required
          placeholder="What calls Odin, for example CAD"
          autoComplete="off"
          maxLength={60}
        />
        <InputField
          {...form.field("per_minute", String(account?.per_minute ?? DEFAULT_PER_MINUTE))}
          label="Calls per minute"
          hint="More calls are answered with 429."
          inputMode="numeric"
          autoComplete="off"
          maxLength={4}
        />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Permissions</legend>
        {SERVICE_SCOPES.map(({ value, label, hint }) => {
          const held = account?.scopes.includes(value) ?? false;
          const mayGive = held || grantable.includes(value);
          return (
            <Checkbox
              key={value}
              name="scopes"
              value={value}
              defaultChecked={form.has("scopes", value, held)}
              disabled={!mayGive}
              label={label}
              hint={mayGive ? hint : `${hint} You do not have this permission, so you cannot give it.`}
              aria-invalid={problem ? true : undefined}
            />
          );
        })}
        {problem && <p className="text-xs font-medium text-hit">{problem}</p>}
      </fieldset>
      <TextareaField
        {...form.field("addresses", account?.addresses.join("\n"))}
        label="Allowed addresses"
        hint="One IPv4 or IPv6 address or block per line, such as 192.0.2.0/24. Leave empty to allow any address."
        controlClass="font-mono"
        spellCheck={false}
        rows={3}
      />
    </>
  );
}

/** How long a new token is valid. */
export function ValidityField<T>({ form }: { form: ScreenFormState<T> }) {
  return (
    <SelectField
      {...form.field("valid_days", String(DEFAULT_VALID_DAYS))}
      label="Token valid for"
      options={VALID_DAYS}
    />
  );
}
