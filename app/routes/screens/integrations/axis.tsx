import { useLoaderData } from "@remix-run/react";
import { AGENCY, agencyOf, findOf, listQueryOf } from "#app/components/forms/find-form.tsx";
import { AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { AxisCameraTable } from "#app/components/integrations/axis-camera-table.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { shareLists } from "#app/components/integrations/share-lists.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { axisCameraPage } from "#app/domain/ingest/axis-cameras.ts";
import { sharesOf } from "#app/domain/integrations/sharing.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta = screenTitle("Axis Integration");

export const loader = screenLoader("admin", async ({ app, actor, query }) => {
  const find = findOf(query);
  const [cameras, shares] = await Promise.all([
    axisCameraPage(app, actor, { find, page: pageOf(query) }),
    sharesOf(app, actor, { program: "Axis", find: agencyOf(query) }),
  ]);
  return { find, cameras, ...shares, query: listQueryOf(query, ["find", "page", AGENCY]) };
});

export default function AxisScreen() {
  const { find, cameras, parts, search, query } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Axis"
      lead={
        <>
          Axis cameras post their reads to <code className="font-mono">/ingest/axis/</code> followed by each
          camera's secret. Only your agency and the agencies that you share with can search them.
        </>
      }
    >
      <Panel title="Cameras">
        <AxisCameraTable find={find} list={cameras} query={query} />
      </Panel>
      <AgencyLists lists={shareLists("Axis", parts)} search={search} query={query} />
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.agenciesLoadFailed} />;
}
