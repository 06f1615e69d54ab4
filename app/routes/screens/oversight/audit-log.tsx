import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { auditFilterOfFields } from "#app/components/oversight/audit/fields.ts";
import { AuditLogView } from "#app/components/oversight/audit/log-view.tsx";
import { viewAuditLog } from "#app/domain/oversight/audit-log.ts";
import { allAgencies, ownTimeZone } from "#app/domain/users/agencies.ts";
import { AuditFilter } from "#app/entities/oversight/audit-filter.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Audit Log · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  agency: { id: actor.agencyId, name: actor.agencyName },
  // Whose logs may be read: the owner's choice among all, everybody else's own.
  zone: await ownTimeZone(app, actor),
  agencies: actor.isOwner ? (await allAgencies(app)).map(({ id, name }) => ({ id, name })) : [],
}));

// A plate that somebody looks for does not stand in an address: the filter is sent as a form.
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
