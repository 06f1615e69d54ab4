import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { type AgencyList, AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { AxonExisting } from "#app/components/integrations/axon-existing.tsx";
import { AxonForm } from "#app/components/integrations/axon-form.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/integration-page.tsx";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { axonIntegration } from "#app/domain/axon-integration.ts";
import { type AxonSharing, axonSharing } from "#app/domain/sharing.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Axon integration · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  ...(await axonIntegration(app, actor)),
  ...(await axonSharing(app, actor)),
}));

export default function AxonScreen() {
  const { existing_integration: existing, ...sharing } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Axon"
      lead="An agency that connects Axon opens its reads to every other agency on Odin, but for those that it blacklists."
    >
      {existing ? (
        <>
          <Panel title="Existing integration">
            <AxonExisting integration={existing} />
          </Panel>
          <AgencyLists lists={listsOf(sharing)} />
        </>
      ) : (
        <Panel title="Add an Axon integration">
          <AxonForm />
        </Panel>
      )}
    </IntegrationPage>
  );
}

function listsOf({ authorized_agencies, blacklisted_agencies }: AxonSharing): [AgencyList, AgencyList] {
  return [
    {
      title: "Authorized Agencies",
      lead: "May search your Axon reads.",
      empty: "No agency is authorized.",
      agencies: authorized_agencies,
      move: {
        label: "Blacklist",
        path: "/add-to-blacklist",
        danger: true,
        failed: MESSAGES.blacklistFailed,
        body: (name) => `${name} no longer finds your Axon reads, from its next search on.`,
      },
    },
    {
      title: "Blacklisted Agencies",
      lead: "Find nothing of your Axon reads.",
      empty: "No agency is blacklisted.",
      agencies: blacklisted_agencies,
      move: {
        label: "Authorize",
        path: "/remove-from-blacklist",
        danger: false,
        failed: MESSAGES.unblacklistFailed,
        body: (name) => `${name} finds your Axon reads, from its next search on.`,
      },
    },
  ];
}

export function ErrorBoundary() {
  return <LoadFailed message={MESSAGES.axonLoadFailed} />;
}
