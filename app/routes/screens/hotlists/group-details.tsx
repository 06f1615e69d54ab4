import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { findOf } from "#app/components/forms/find-form.tsx";
import { GroupDetails } from "#app/components/hotlists/group-details.tsx";
import { LoadErrorBoundary } from "#app/components/shell/load-failures.tsx";
import { errorTitle } from "#app/components/shell/route-error.tsx";
import { describeGroupQuality } from "#app/domain/alerts/hit-quality.ts";
import { listOwnNotices } from "#app/domain/hotlists/expiry-notices.ts";
import { showGroup } from "#app/domain/hotlists/groups.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction<typeof loader> = ({ data, error }) => [
  { title: error ? errorTitle(error) : `${data?.group.name ?? "Group Details"} · Odin` },
];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor, params, query }) => {
  const groupId = params.id ?? "";
  const find = findOf(query);
  const [{ group, members, ...own }, page, quality, notices, zone] = await Promise.all([
    showGroup(app, actor, { id: groupId, find, page: pageOf(query) }),
    pagePlates(app, actor, { groupId, part: "in-force" }),
    describeGroupQuality(app, actor, groupId),
    listOwnNotices(app, actor, groupId),
    ownTimeZone(app, actor),
  ]);
  return {
    group,
    find,
    members,
    own: own.own_users && {
      users: own.own_users,
      members: own.own_members,
      proposed: own.own_proposed,
    },
    page,
    quality,
    notices,
    now: app.clock(),
    zone,
  };
});

export default function GroupDetailsScreen() {
  const data = useLoaderData<typeof loader>();
  return <GroupDetails key={data.group.id} {...data} />;
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.groupNotFound} />;
}
