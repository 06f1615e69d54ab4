import { Link, useLoaderData } from "@remix-run/react";
import { Bot } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { SubmitButton } from "#app/components/forms/screen-form.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { SecretForm } from "#app/components/integrations/secret-form.tsx";
import {
  LastUse,
  ServiceFields,
  ServiceStateBadge,
  TOKEN_ONCE,
  ValidityField,
} from "#app/components/integrations/service-account.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { addServiceAccount, serviceAccountsOf } from "#app/domain/integrations/service-accounts.ts";
import { grantableScopes, SERVICE_SCOPES, type ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import {
  NewServiceAccount,
  type ServiceAccountRow,
  serviceFieldsOf,
} from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta = screenTitle("Service Accounts");

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  accounts: await serviceAccountsOf(app, actor),
  grantable: grantableScopes(actor),
}));

export const action = screenAction("admin", {
  add: screenForm(NewServiceAccount, ({ app, actor, body }) => addServiceAccount(app, actor, body), {
    stepUp: true,
    shape: ({ fields, lists }) => serviceFieldsOf(fields, lists),
    shows: ({ token }, { name }) => ({ token, name }),
  }),
});

export const clientAction = screenClientAction;

type Added = { name: string; token: string };

/** Adds a service account and shows its token once. */
function ServiceAccountForm({ grantable }: { grantable: readonly ServiceScope[] }) {
  return (
    <SecretForm<Added>
      intent="add"
      keyed
      secretOf={({ name, token }) => ({ title: `Token of ${name}`, secret: token })}
      copyLabel="Copy the token"
      advice={TOKEN_ONCE}
    >
      {(form) => (
        <>
          <ServiceFields form={form} grantable={grantable} />
          <div className="max-w-xs">
            <ValidityField form={form} />
          </div>
          <SubmitButton state={form} pendingLabel="Adding…">
            Add Service Account
          </SubmitButton>
        </>
      )}
    </SecretForm>
  );
}

function scopeLabels(scopes: ServiceAccountRow["scopes"]): string {
  return SERVICE_SCOPES.filter(({ value }) => scopes.includes(value))
    .map(({ label }) => label)
    .join(", ");
}

/** The service accounts of the agency. Each has a screen of its own. */
function ServiceAccountTable({ accounts }: { accounts: readonly ServiceAccountRow[] }) {
  if (accounts.length === 0)
    return (
      <EmptyState icon={<Bot />} title="No service accounts">
        Add one above to let a program call Odin.
      </EmptyState>
    );
  return (
    <DataTable
      label="Service accounts"
      caption="Service accounts, by name"
      cardsBelow="medium"
      columns={["Name", "Permissions", "Allowed addresses", "State", "Expires", "Last call"]}
    >
      {accounts.map((account) => (
        <tr key={account.id}>
          <th scope="row" className="min-w-32 font-medium wrap-anywhere">
            <Link
              to={`/integrations/service-accounts/${encodeURIComponent(account.id)}`}
              className="underline"
            >
              {account.name}
            </Link>
          </th>
          <td data-label="Permissions" className="min-w-40">
            {scopeLabels(account.scopes)}
          </td>
          <td data-label="Allowed addresses" className="min-w-32 break-all">
            {account.addresses.length === 0 ? "Any" : account.addresses.join(", ")}
          </td>
          <td>
            <ServiceStateBadge state={account.state} />
          </td>
          <td data-label="Expires">
            <LocalTime at={account.expires_at} short />
          </td>
          <td data-label="Last call">
            <LastUse account={account} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export default function ServiceAccountsScreen() {
  const { accounts, grantable } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Service Accounts"
      lead="A service account lets a program of your agency call Odin with a token. A search names the person it is for, and counts as theirs."
    >
      <Panel title="Add a service account">
        <ServiceAccountForm grantable={grantable} />
      </Panel>
      <ServiceAccountTable accounts={accounts} />
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.unknownError} />;
}
