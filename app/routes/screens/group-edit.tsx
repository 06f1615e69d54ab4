import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { GroupEdit } from "#app/components/hotlists/group-edit.tsx";
import { groupForEditing } from "#app/domain/alert-groups.ts";
import { latestImport } from "#app/domain/hotlist-imports.ts";
import { pagePlates } from "#app/domain/hotlists.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `Edit ${data?.group.name ?? "Group"} · Odin` },
];

export const loader = screenLoader("hotlist-admin", async ({ app, actor, params }) => {
  const groupId = params.id ?? "";
  const { group, users_by_agency: users, invitations, agencies } = await groupForEditing(app, actor, groupId);
  const [page, latest] = await Promise.all([
    pagePlates(app, actor, { groupId, part: "in-force" }),
    latestImport(app, actor, groupId),
  ]);
  return { group, users, invitations, agencies, page, latestImport: latest, now: app.clock() };
});

export default function GroupEditScreen() {
  const data = useLoaderData<typeof loader>();
  return <GroupEdit key={data.group.id} {...data} />;
}
