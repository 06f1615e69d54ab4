import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { AuditLogView } from "#app/components/audit/audit-log-view.tsx";
import { allAgencies } from "#app/domain/agencies.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Audit Log · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  agency: { id: actor.agencyId, name: actor.agencyName },
  // Whose logs may be read: the owner's choice among all, everybody else's own.
  agencies: actor.isOwner ? (await allAgencies(app)).map(({ id, name }) => ({ id, name })) : [],
}));

export default function AuditLogScreen() {
  const { agency, agencies } = useLoaderData<typeof loader>();
  return <AuditLogView agency={agency} agencies={agencies} />;
}
