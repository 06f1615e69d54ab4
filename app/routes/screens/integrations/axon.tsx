import { useLoaderData } from "@remix-run/react";
import { KeyRound, Trash2, TriangleAlert } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { closeDetails } from "#app/components/forms/close-details.ts";
import { AGENCY, agencyOf, findOf, listQueryOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { CameraHealthList } from "#app/components/ingest/camera-health.tsx";
import { AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { HealthState, TestButton } from "#app/components/integrations/health-state.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { axonLists } from "#app/components/integrations/share-lists.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { TryAgain } from "#app/components/shell/route-error.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { cameraHealthPage } from "#app/domain/ingest/camera-health.ts";
import { addAxonIntegration, axonIntegration, changeAxonCredentials } from "#app/domain/integrations/axon.ts";
import { axonSharingParts } from "#app/domain/integrations/sharing.ts";
import {
  AxonCredentials,
  type AxonIntegrationRow,
  NewAxonIntegration,
} from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { logError } from "#app/lib/log.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta = screenTitle("Axon Integration");

export const loader = screenLoader("admin", async ({ app, actor, query }) => {
  const find = findOf(query);
  const [integration, sharing, cameras] = await Promise.all([
    axonIntegration(app, actor),
    // The integration can be managed even if the lists fail to load.
    axonSharingParts(app, actor, agencyOf(query)).catch((error: unknown) => {
      logError("the agencies of an Axon integration could not be listed", error);
      return null;
    }),
    cameraHealthPage(app, actor, { program: "Axon", find, page: pageOf(query) }),
  ]);
  return { ...integration, sharing, find, cameras, query: listQueryOf(query, ["find", "page", AGENCY]) };
});

export const action = screenAction("admin", {
  "add-axon": screenForm(
    NewAxonIntegration,
    ({ app, actor, body, request }) =>
      addAxonIntegration(app, actor, { integration: body, host: new URL(request.url).host }),
    { stepUp: true },
  ),
  "change-axon": screenForm(
    AxonCredentials,
    ({ app, actor, body }) => changeAxonCredentials(app, actor, body),
    { stepUp: true },
  ),
});

export const clientAction = screenClientAction;

export default function AxonScreen() {
  const data = useLoaderData<typeof loader>();
  const { existing_integration: existing, sharing, find, cameras, query } = data;
  return (
    <IntegrationPage
      title="Axon"
      lead="If you connect Axon, every other agency on Odin can search your Axon reads, except agencies that you blacklist or whose terms have expired."
    >
      {existing ? (
        <>
          <Panel title="Existing integration">
            <AxonExisting integration={existing} />
          </Panel>
          {sharing ? (
            <AgencyLists lists={axonLists(sharing.parts)} search={sharing.search} query={query} />
          ) : (
            <Panel title="Authorized Agencies">
              <EmptyState
                icon={<TriangleAlert />}
                title={MESSAGES.agenciesLoadFailed}
                actions={<TryAgain />}
                className="py-6"
              >
                The integration is not affected.
              </EmptyState>
            </Panel>
          )}
          {(find !== "" || cameras.found > 0) && (
            <Panel
              title="Cameras"
              lead="From the reads that Odin requests from Axon every minute, silent cameras first. Axon sends no heartbeats."
            >
              <CameraHealthList find={find} cameras={cameras} query={query} />
            </Panel>
          )}
        </>
      ) : (
        <Panel title="Add an Axon integration">
          <AxonForm />
        </Panel>
      )}
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.axonLoadFailed} />;
}

/** The agency's Axon integration, with its test, other credentials, and a button to delete it. */
function AxonExisting({ integration }: { integration: AxonIntegrationRow }) {
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
          className="noscript:hidden"
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
      <CredentialsForm integration={integration} />
      {dialog}
    </>
  );
}

type AxonField = { name: keyof NewAxonIntegration; label: string; hint?: string; mono?: boolean };

const CREDENTIALS: readonly AxonField[] = [
  { name: "client_id", label: "Client ID", mono: true },
  {
    name: "secret_id",
    label: "Client secret",
    hint: "Encrypted when saved and never shown again.",
    mono: true,
  },
  { name: "partner_id", label: "Partner ID", mono: true },
];

const BASE_URL: AxonField = {
  name: "base_url",
  label: "Base URL",
  hint: "An https address on a host that the operator allows.",
};

function AxonFields({
  form,
  fields,
  current = {},
}: {
  form: ScreenFormState;
  fields: readonly AxonField[];
  current?: Partial<NewAxonIntegration>;
}) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map(({ name, label, hint, mono }) => (
        <InputField
          key={name}
          {...form.field(name, current[name])}
          label={label}
          hint={hint}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2000}
          controlClass={mono ? "font-mono" : undefined}
        />
      ))}
    </div>
  );
}

/** Connects the agency to Axon. */
function AxonForm() {
  const form = useScreenForm({ intent: "add-axon", failed: MESSAGES.unknownError });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <AxonFields form={form} fields={[...CREDENTIALS, BASE_URL]} />
      <SubmitButton state={form} pendingLabel="Adding…">
        Add Axon Integration
      </SubmitButton>
    </ScreenForm>
  );
}

/** Replaces the credentials, for example because Axon's client secret expires. */
function CredentialsForm({ integration }: { integration: AxonIntegrationRow }) {
  const { client_id, partner_id } = integration;
  const form = useScreenForm({
    intent: "change-axon",
    failed: MESSAGES.unknownError,
    onDone({ message }) {
      closeDetails(form.form.current);
      notify.success(message);
    },
  });
  // Also true if a form that was sent without scripts needs the password.
  const isRefused = form.answer?.ok === false;
  return (
    <details open={isRefused || undefined}>
      <summary className={`${buttonClass("ghost", "sm")} cursor-pointer list-none`}>
        <KeyRound aria-hidden="true" />
        Change credentials
      </summary>
      <ScreenForm state={form} className="mt-3 flex flex-col gap-3">
        <p className="text-sm text-muted">
          Base URL, blacklist and terms stay as they are. To connect another address, delete the integration.
        </p>
        <AxonFields form={form} fields={CREDENTIALS} current={{ client_id, partner_id }} />
        <SubmitButton state={form} pendingLabel="Saving…">
          Save Credentials
        </SubmitButton>
      </ScreenForm>
    </details>
  );
}
