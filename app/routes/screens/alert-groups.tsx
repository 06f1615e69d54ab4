import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { GroupList } from "#app/components/hotlists/group-list.tsx";
import { listArchive, listGroupCards } from "#app/domain/alert-groups.ts";
import { wantsPushAlerts } from "#app/domain/alert-permissions.ts";
import { listOwnInvitations } from "#app/domain/group-invitations.ts";
import { mayUse } from "#app/entities/access.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "My Alert Groups · Odin" }];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor }) => {
  const [groups, archived, invitations, push] = await Promise.all([
    listGroupCards(app, actor),
    listArchive(app, actor),
    listOwnInvitations(app, actor),
    wantsPushAlerts(app, actor),
  ]);
  return { groups, archived, invitations, push, manages: mayUse("hotlist-admin", actor) };
});

export default function AlertGroupsScreen() {
  return <GroupList {...useLoaderData<typeof loader>()} />;
}
