import { Link, type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { ArrowLeft, KeyRound, Power, Trash2 } from "lucide-react";
import * as z from "zod/mini";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { SecretForm } from "#app/components/integrations/secret-form.tsx";
import {
  ServiceFields,
  ServiceState,
  TOKEN_ONCE,
  ValidityField,
} from "#app/components/integrations/service-account.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import {
  changeServiceAccount,
  deleteServiceAccount,
  rotateServiceAccount,
  serviceAccount,
  switchServiceAccount,
} from "#app/domain/integrations/service-accounts.ts";
import { keptAnswers } from "#app/domain/operations/idempotency.ts";
import { grantableScopes, type ServiceScope } from "#app/entities/accounts/service-scopes.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import {
  DEFAULT_OVERLAP_HOURS,
  OVERLAPS,
  ServiceAccountFields,
  type ServiceAccountRow,
  ServiceRotation,
  serviceFieldsOf,
} from "#app/entities/integrations/service-accounts.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm, settingsVersion } from "#app/http/screen-form.ts";

export const meta = screenTitle("Service Account");

/** Returns the settings that the form replaces. */
const settingsOf = ({ name, scopes, addresses, per_minute }: ServiceAccountRow) => ({
  name,
  scopes,
  addresses,
  per_minute,
});

export const loader = screenLoader("admin", async ({ app, actor, params }) => {
  const account = await serviceAccount(app, actor, params.id ?? "");
  return { account, version: settingsVersion(settingsOf(account)), grantable: grantableScopes(actor) };
});

const Deletion = z.object({ sure: z.literal("on", "Confirm that the account is to be deleted.") });

export const action = screenAction("admin", {
  change: screenForm(
    ServiceAccountFields,
    ({ app, actor, params, body }) => changeServiceAccount(app, actor, { id: params.id ?? "", fields: body }),
    {
      stepUp: true,
      shape: ({ fields, lists }) => serviceFieldsOf(fields, lists),
      answers: keptAnswers,
      replaces: async ({ app, actor, params }) =>
        settingsOf(await serviceAccount(app, actor, params.id ?? "")),
    },
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
  const { account, version, grantable } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage title={account.name} lead="A service account of your agency.">
      <Link to="/integrations/service-accounts" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        Service Accounts
      </Link>
      <div className="grid items-start gap-3 lg:grid-cols-[1.4fr_1fr]">
        <Panel title="Settings">
          <ServiceEditForm key={account.id} account={account} version={version} grantable={grantable} />
        </Panel>
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title="State">
            <ServiceState account={account} />
            <SwitchForm key={account.state} account={account} />
          </Panel>
          <Panel title="New token" lead="The program can change over while the current token still works.">
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
  return <LoadErrorBoundary message={MESSAGES.unknownError} />;
}

/** Edits a service account. */
function ServiceEditForm({
  account,
  version,
  grantable,
}: {
  account: ServiceAccountRow;
  version: string;
  grantable: readonly ServiceScope[];
}) {
  const form = useScreenForm({ intent: "change", keyed: true, failed: MESSAGES.unknownError, keep: true });
  return (
    <ScreenForm state={form} version={version} className="flex flex-col gap-3">
      <ServiceFields form={form} account={account} grantable={grantable} />
      <SubmitButton state={form} pendingLabel="Saving…">
        Save Changes
      </SubmitButton>
    </ScreenForm>
  );
}

/** Creates a new token and shows it once. */
function RotateForm({ account }: { account: ServiceAccountRow }) {
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
            label="The current token"
            options={OVERLAPS}
          />
          {account.former_until !== null && (
            <p className="text-sm text-muted">
              The previous token works until <LocalTime at={account.former_until} />, or until you create a
              new one.
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
function SwitchForm({ account }: { account: ServiceAccountRow }) {
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
function DeleteForm() {
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
