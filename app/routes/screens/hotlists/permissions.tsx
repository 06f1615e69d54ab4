import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { Permissions } from "#app/components/hotlists/permissions.tsx";
import { changePermissions, listPermissions } from "#app/domain/hotlists/permissions.ts";
import { PermissionChanges } from "#app/entities/hotlists/calls.ts";
import { permissionChanges } from "#app/http/forms.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Edit Alerts Permissions · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => ({
  users: await listPermissions(app, actor),
}));

export const action = screenAction("hotlist-admin", {
  save: screenForm(PermissionChanges, ({ app, actor, body }) => changePermissions(app, actor, body), {
    shape: permissionChanges,
    stepUp: true,
  }),
});

export const clientAction = screenClientAction;

export default function AlertsPermissionsScreen() {
  return <Permissions {...useLoaderData<typeof loader>()} />;
}
