import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { CameraHealthTable } from "#app/components/cameras/camera-health-table.tsx";
import { AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { AxonExisting } from "#app/components/integrations/axon-existing.tsx";
import { AxonForm } from "#app/components/integrations/axon-form.tsx";
import { axonLists } from "#app/components/integrations/axon-lists.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/integration-page.tsx";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { axonIntegration } from "#app/domain/axon-integration.ts";
import { listCameraHealth } from "#app/domain/camera-health.ts";
import { axonSharing } from "#app/domain/sharing.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Axon integration · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  ...(await axonIntegration(app, actor)),
  ...(await axonSharing(app, actor)),
  cameras: (await listCameraHealth(app, actor)).filter(({ source_program }) => source_program === "Axon"),
}));

export default function AxonScreen() {
  const data = useLoaderData<typeof loader>();
  const { existing_integration: existing, authorized_agencies, blacklisted_agencies, cameras } = data;
  return (
    <IntegrationPage
      title="Axon"
      lead="An agency that connects Axon opens its reads to every other agency on Odin, but for those that it blacklists or whose terms have ended."
    >
      {existing ? (
        <>
          <Panel title="Existing integration">
            <AxonExisting integration={existing} />
          </Panel>
          <AgencyLists lists={axonLists(authorized_agencies, blacklisted_agencies)} />
          {cameras.length > 0 && (
            <Panel
              title="Cameras"
              lead="Known by the reads that Odin asks Axon for every minute, those first that have been silent for longer than usual. Axon tells of no heartbeats."
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
