import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { type AgencyList, AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { AxisCameraTable } from "#app/components/integrations/axis-camera-table.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/integration-page.tsx";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { axisCamerasOf } from "#app/domain/axis-cameras.ts";
import { axisSharing } from "#app/domain/sharing.ts";
import type { NamedAgency } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Axis integration · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  cameras: await axisCamerasOf(app, actor),
  ...(await axisSharing(app, actor)),
}));

export default function AxisScreen() {
  const { cameras, shared, others } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Axis"
      lead={
        <>
          Axis cameras post their reads to <code className="font-mono">/ingest/axis/</code> and a secret that
          belongs to one camera. Only your agency searches them, and those with which you share.
        </>
      }
    >
      <Panel title="Cameras">
        <AxisCameraTable cameras={cameras} />
      </Panel>
      <AgencyLists lists={listsOf(shared, others)} />
    </IntegrationPage>
  );
}

function listsOf(shared: NamedAgency[], others: NamedAgency[]): [AgencyList, AgencyList] {
  return [
    {
      title: "Shared with",
      lead: "May search the reads of your cameras.",
      empty: "Nobody but your own agency.",
      agencies: shared,
      move: {
        label: "Stop sharing",
        path: "/remove-axis-share",
        danger: true,
        failed: MESSAGES.unknownError,
        body: (name) => `${name} no longer finds the reads of your Axis cameras, from its next search on.`,
      },
    },
    {
      title: "Not shared with",
      lead: "Find nothing of your cameras.",
      empty: "Every agency shares your reads.",
      agencies: others,
      move: {
        label: "Share",
        path: "/add-axis-share",
        danger: false,
        failed: MESSAGES.unknownError,
        body: (name) => `${name} finds the reads of all your Axis cameras, from its next search on.`,
      },
    },
  ];
}

export function ErrorBoundary() {
  return <LoadFailed message={MESSAGES.agenciesLoadFailed} />;
}
