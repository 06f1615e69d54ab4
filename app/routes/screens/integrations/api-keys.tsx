import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { ArrowRight } from "lucide-react";
import { IntegrationPage } from "#app/components/integrations/page.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { integrationsOverview } from "#app/domain/integrations/overview.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Manage Integrations · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  agency: actor.agencyName,
  programs: await integrationsOverview(app, actor),
}));

export default function ApiKeysScreen() {
  const { agency, programs } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Manage Integrations"
      lead={`The sources that ${agency} searches, and the agencies that can search your reads.`}
    >
      <ul className="grid gap-3 md:grid-cols-3">
        {programs.map(({ program, to, state, lead }) => (
          <li key={program} className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4">
            <h2 className="flex items-center gap-2 font-semibold">
              <ProgramMark program={program} /> {program}
            </h2>
            <p className="flex-1 text-sm text-muted">{lead}</p>
            <p className="text-sm">{state}</p>
            <Link to={to} className={`${buttonClass()} self-start`}>
              Manage {program}
              <ArrowRight aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </IntegrationPage>
  );
}
