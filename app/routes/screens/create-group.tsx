import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { CreateGroup } from "#app/components/hotlists/create-group.tsx";
import { listCandidates } from "#app/domain/alert-groups.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Create New Group · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => ({
  users: await listCandidates(app, actor),
}));

export default function CreateGroupScreen() {
  return <CreateGroup {...useLoaderData<typeof loader>()} />;
}
