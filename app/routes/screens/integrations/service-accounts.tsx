import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import {
  ServiceAccountForm,
  ServiceAccountTable,
} from "#app/components/integrations/service-account-list.tsx";
import { addServiceAccount, serviceAccountsOf } from "#app/domain/integrations/service-accounts.ts";
import { grantableScopes } from "#app/entities/accounts/service-scopes.ts";
import { NewServiceAccount, serviceFieldsOf } from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Service accounts · Odin" }];

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

export default function ServiceAccountsScreen() {
  const { accounts, grantable } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Service accounts"
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
  return <LoadFailed message={MESSAGES.unknownError} />;
}
