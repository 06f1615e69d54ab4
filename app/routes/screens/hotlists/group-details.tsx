import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { GroupDetails } from "#app/components/hotlists/group-details.tsx";
import { LoadErrorBoundary } from "#app/components/shell/load-failures.tsx";
import { errorTitle } from "#app/components/shell/route-error.tsx";
import { describeGroupQuality } from "#app/domain/alerts/hit-quality.ts";
import { listOwnNotices } from "#app/domain/hotlists/expiry-notices.ts";
import { describeGroup } from "#app/domain/hotlists/groups.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction<typeof loader> = ({ data, error }) => [
  { title: error ? errorTitle(error) : `${data?.group.name ?? "Group Details"} · Odin` },
];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor, params }) => {
  const groupId = params.id ?? "";
  const { group, members, own_users, own_proposed } = await describeGroup(app, actor, groupId);
  const [page, quality, notices] = await Promise.all([
    pagePlates(app, actor, { groupId, part: "in-force" }),
    describeGroupQuality(app, actor, groupId),
    listOwnNotices(app, actor, groupId),
  ]);
  return {
    group,
    members,
    ownUsers: own_users,
    ownProposed: own_proposed,
    page,
    quality,
    notices,
    now: app.clock(),
  };
});

export default function GroupDetailsScreen() {
  const data = useLoaderData<typeof loader>();
  return <GroupDetails key={data.group.id} {...data} />;
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.groupNotFound} />;
}
