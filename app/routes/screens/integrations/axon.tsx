import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { CameraHealthTable } from "#app/components/ingest/camera-health-table.tsx";
import { AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { AxonExisting, AxonForm } from "#app/components/integrations/axon.tsx";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { axonLists } from "#app/components/integrations/share-lists.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { listCameraHealth } from "#app/domain/ingest/camera-health.ts";
import { addAxonIntegration, axonIntegration } from "#app/domain/integrations/axon.ts";
import { axonSharing } from "#app/domain/integrations/sharing.ts";
import { NewAxonIntegration } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Axon integration · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  ...(await axonIntegration(app, actor)),
  // The integration can be managed even if the lists fail to load.
  sharing: await axonSharing(app, actor).catch((error: unknown) => {
    console.error("the agencies of an Axon integration could not be listed", error);
    return null;
  }),
  cameras: (await listCameraHealth(app, actor)).filter(({ source_program }) => source_program === "Axon"),
}));

export const action = screenAction("admin", {
  "add-axon": screenForm(
    NewAxonIntegration,
    ({ app, actor, body, request }) =>
      addAxonIntegration(app, actor, { integration: body, host: new URL(request.url).host }),
    { stepUp: true },
  ),
});

export const clientAction = screenClientAction;

export default function AxonScreen() {
  const data = useLoaderData<typeof loader>();
  const { existing_integration: existing, sharing, cameras } = data;
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
            <AgencyLists lists={axonLists(sharing.authorized_agencies, sharing.blacklisted_agencies)} />
          ) : (
            <Panel title="Authorized Agencies">
              <EmptyState icon={<TriangleAlert />} title={MESSAGES.agenciesLoadFailed} className="py-6">
                The integration is not affected. Reload the page in a moment.
              </EmptyState>
            </Panel>
          )}
          {cameras.length > 0 && (
            <Panel
              title="Cameras"
              lead="From the reads that Odin requests from Axon every minute, silent cameras first. Axon sends no heartbeats."
            >
              <CameraHealthTable cameras={cameras} />
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
  return <LoadFailed message={MESSAGES.axonLoadFailed} />;
}
