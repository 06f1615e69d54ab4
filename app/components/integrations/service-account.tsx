import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { SERVICE_SCOPES, type ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import {
  DEFAULT_PER_MINUTE,
  DEFAULT_VALID_DAYS,
  type ServiceAccountRow,
  VALID_DAYS,
} from "#app/entities/integrations/service-accounts.ts";

export const TOKEN_ONCE =
  "This token is shown only once. The program sends it with every call: Authorization: Bearer, then the token.";

const LOOKS = {
  on: { tone: "ok", label: "Enabled" },
  expired: { tone: "warn", label: "Expired" },
  suspended: { tone: "warn", label: "Suspended" },
  disabled: { tone: "neutral", label: "Disabled" },
} as const;

export function ServiceStateBadge({ state }: Pick<ServiceAccountRow, "state">) {
  return <Badge tone={LOOKS[state].tone}>{LOOKS[state].label}</Badge>;
}

/** When a service account last called, and from where. */
export function LastUse({ account }: { account: ServiceAccountRow }) {
  if (account.last_used_at === null) return <span className="text-muted">Never</span>;
  return (
    <>
      <LocalTime at={account.last_used_at} short />
      <span className="block font-mono text-xs break-all text-muted">{account.last_used_ip}</span>
    </>
  );
}

/** The state of a service account and of its tokens. */
export function ServiceState({ account }: { account: ServiceAccountRow }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
      <dt className="text-muted">State</dt>
      <dd>
        <ServiceStateBadge state={account.state} />
      </dd>
      <dt className="text-muted">Responsible</dt>
      <dd>
        {account.responsible || "No one"}
        {account.state === "suspended" && (
          <span className="block text-xs text-muted">
            This user is no longer active or no longer has the permissions of this account, so its calls are
            refused. Create a new token to become responsible for it.
          </span>
        )}
      </dd>
      <dt className="text-muted">Token</dt>
      <dd className="font-mono">odin_sa_…{account.token_last_four}</dd>
      <dt className="text-muted">{account.state === "expired" ? "Expired" : "Expires"}</dt>
      <dd>
        <LocalTime at={account.expires_at} short />
      </dd>
      {account.former_until !== null && (
        <>
          <dt className="text-muted">Previous token</dt>
          <dd>
            Works until <LocalTime at={account.former_until} short />
          </dd>
        </>
      )}
      <dt className="text-muted">Last call</dt>
      <dd>
        <LastUse account={account} />
      </dd>
      {account.last_refused_at !== null && (
        <>
          <dt className="text-muted">Last refused</dt>
          <dd>
            <LocalTime at={account.last_refused_at} short />
            <span className="block text-xs text-muted">
              {account.last_refusal} From{" "}
              <span className="font-mono break-all">{account.last_refused_ip}</span>
            </span>
          </dd>
        </>
      )}
      <dt className="text-muted">Added</dt>
      <dd>
        <LocalTime at={account.created_at} short />
        {account.created_by && <span className="block text-xs text-muted">by {account.created_by}</span>}
      </dd>
    </dl>
  );
}

/** The fields of a new or an edited service account. */
export function ServiceFields<T>({
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
          hint="Further calls get status 429."
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
