import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { findOf, listQueryOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { GroupList, INVITATIONS } from "#app/components/hotlists/group-list.tsx";
import { listArchive, pageGroupCards } from "#app/domain/hotlists/groups.ts";
import { answerInvitation, pageOwnInvitations } from "#app/domain/hotlists/invitations.ts";
import { togglePushAlerts, wantsPushAlerts } from "#app/domain/hotlists/permissions.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import { InvitationAnswer, PushSwitch } from "#app/entities/hotlists/calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "My Alert Groups · Odin" }];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor, query }) => {
  const find = findOf(query);
  const [groups, archived, invitations, push] = await Promise.all([
    pageGroupCards(app, actor, { find, page: pageOf(query) }),
    listArchive(app, actor),
    pageOwnInvitations(app, actor, pageOf(query, INVITATIONS)),
    wantsPushAlerts(app, actor),
  ]);
  const hasIphones = app.push.apns !== null;
  const manages = mayUse("hotlist-admin", actor);
  const lists = listQueryOf(query, ["find", "page", INVITATIONS]);
  return { find, groups, archived, invitations, push, hasIphones, manages, query: lists };
});

export const action = screenAction("hotlist-viewer", {
  push: screenForm(PushSwitch, ({ app, actor, body }) =>
    togglePushAlerts(app, actor, body.push_alerts === "true"),
  ),
  invitation: screenForm(
    InvitationAnswer,
    ({ app, actor, body }) =>
      answerInvitation(app, actor, { groupId: body.group_id, accept: body.accept === "yes" }),
    { access: "hotlist-admin" },
  ),
});

export const clientAction = screenClientAction;

export default function AlertGroupsScreen() {
  return <GroupList {...useLoaderData<typeof loader>()} />;
}
