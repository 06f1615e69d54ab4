import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import * as z from "zod/mini";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import {
  DeleteForm,
  RotateForm,
  ServiceEditForm,
  SwitchForm,
} from "#app/components/integrations/service-account-actions.tsx";
import { ServiceState } from "#app/components/integrations/service-account-state.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import {
  changeServiceAccount,
  deleteServiceAccount,
  rotateServiceAccount,
  serviceAccount,
  switchServiceAccount,
} from "#app/domain/integrations/service-accounts.ts";
import { grantableScopes } from "#app/entities/accounts/service-scopes.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import {
  ServiceAccountFields,
  ServiceRotation,
  serviceFieldsOf,
} from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Service account · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor, params }) => ({
  account: await serviceAccount(app, actor, params.id ?? ""),
  grantable: grantableScopes(actor),
}));

const Deletion = z.object({ sure: z.literal("on", "Confirm that the account is to be deleted.") });

export const action = screenAction("admin", {
  change: screenForm(
    ServiceAccountFields,
    ({ app, actor, params, body }) => changeServiceAccount(app, actor, { id: params.id ?? "", fields: body }),
    { stepUp: true, shape: ({ fields, lists }) => serviceFieldsOf(fields, lists) },
  ),
  rotate: screenForm(
    ServiceRotation,
    ({ app, actor, params, body }) =>
      rotateServiceAccount(app, actor, { id: params.id ?? "", rotation: body }),
    { stepUp: true, shows: ({ token }) => ({ token }) },
  ),
  enable: screenForm(
    noFields,
    ({ app, actor, params }) => switchServiceAccount(app, actor, { id: params.id ?? "", on: true }),
    { stepUp: true },
  ),
  disable: screenForm(
    noFields,
    ({ app, actor, params }) => switchServiceAccount(app, actor, { id: params.id ?? "", on: false }),
    { stepUp: true },
  ),
  delete: screenForm(
    Deletion,
    ({ app, actor, params }) => deleteServiceAccount(app, actor, params.id ?? ""),
    { stepUp: true, next: "/integrations/service-accounts" },
  ),
});

export const clientAction = screenClientAction;

/** A deleted account cannot be loaded again; the browser goes on to the list. */
export function shouldRevalidate({ formData, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formData?.get(FORM_FIELDS.intent) === "delete" ? false : defaultShouldRevalidate;
}

export default function ServiceAccountScreen() {
  const { account, grantable } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage title={account.name} lead="A service account of your agency.">
      <Link to="/integrations/service-accounts" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        Service accounts
      </Link>
      <div className="grid items-start gap-3 lg:grid-cols-[1.4fr_1fr]">
        <Panel title="Settings">
          <ServiceEditForm key={account.id} account={account} grantable={grantable} />
        </Panel>
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title="State">
            <ServiceState account={account} />
            <SwitchForm key={account.state} account={account} />
          </Panel>
          <Panel title="New token" lead="The program can change over while the present token still works.">
            <RotateForm account={account} />
          </Panel>
          <Panel title="Delete">
            <DeleteForm />
          </Panel>
        </div>
      </div>
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadFailed message={MESSAGES.unknownError} />;
}
