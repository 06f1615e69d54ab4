import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { auditFilterOfFields } from "#app/components/oversight/audit/filter-form.tsx";
import { AuditLogView } from "#app/components/oversight/audit/log-view.tsx";
import { viewAuditLog } from "#app/domain/oversight/audit-log.ts";
import { allAgencies, ownTimeZone } from "#app/domain/users/agencies.ts";
import { AuditFilter } from "#app/entities/oversight/audit-filter.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Audit Log · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => {
  const [zone, agencies] = await Promise.all([
    ownTimeZone(app, actor),
    // The owner may choose any agency's log; others see their own.
    actor.isOwner ? allAgencies(app) : [],
  ]);
  return {
    agency: { id: actor.agencyId, name: actor.agencyName },
    zone,
    agencies: agencies.map(({ id, name }) => ({ id, name })),
  };
});

// The filter is sent as a form, to keep plates out of URLs.
export const action = screenAction("admin", {
  filter: screenForm(AuditFilter, ({ app, actor, body }) => viewAuditLog(app, actor, { filter: body }), {
    shape: ({ fields }) => auditFilterOfFields(fields),
    shows: (page, filter) => ({ ...page, filter }),
    keeps: true,
  }),
});

export const clientAction = screenClientAction;

export default function AuditLogScreen() {
  const { agency, agencies, zone } = useLoaderData<typeof loader>();
  return <AuditLogView agency={agency} agencies={agencies} zone={zone} />;
}
