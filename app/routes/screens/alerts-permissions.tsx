import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { Permissions } from "#app/components/hotlists/permissions.tsx";
import { listPermissions } from "#app/domain/alert-permissions.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Edit Alerts Permissions · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => ({
  users: await listPermissions(app, actor),
}));

export default function AlertsPermissionsScreen() {
  return <Permissions {...useLoaderData<typeof loader>()} />;
}
