import type { MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { agencyOf, findOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { GroupEdit } from "#app/components/hotlists/group-edit.tsx";
import { LoadErrorBoundary } from "#app/components/shell/load-failures.tsx";
import { errorTitle } from "#app/components/shell/route-error.tsx";
import { chooseCandidates } from "#app/domain/hotlists/candidates.ts";
import { listOwnNotices } from "#app/domain/hotlists/expiry-notices.ts";
import { editGroup } from "#app/domain/hotlists/group-changes.ts";
import { latestImport } from "#app/domain/hotlists/imports.ts";
import { groupForm } from "#app/domain/hotlists/invitations.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { listReasons } from "#app/domain/hotlists/reasons.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import { GroupForm } from "#app/entities/hotlists/calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { FORM_LIMIT, groupUploadOf } from "#app/http/forms.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction<typeof loader> = ({ data, error }) => [
  { title: error ? errorTitle(error) : `Edit Group${data ? `: ${data.group.name}` : ""} · Odin` },
];

export const loader = screenLoader("hotlist-admin", async ({ app, actor, params, query }) => {
  const groupId = params.id ?? "";
  // The others are looked up meanwhile; nothing of them is answered if the actor may not edit the group.
  const [edited, candidates, page, latest, notices, reasons, zone] = await Promise.all([
    groupForm(app, actor, { id: groupId, find: agencyOf(query) }),
    chooseCandidates(app, actor, { groupId, find: findOf(query) }),
    pagePlates(app, actor, { groupId, part: "in-force" }),
    latestImport(app, actor, groupId),
    listOwnNotices(app, actor, groupId),
    listReasons(app, actor),
    ownTimeZone(app, actor),
  ]);
  return {
    group: edited.group,
    candidates,
    pending: edited.pending_members,
    others: edited.others,
    page,
    latestImport: latest,
    notices,
    reasons,
    now: app.clock(),
    zone,
  };
});

export const action = screenAction(
  "hotlist-admin",
  {
    save: screenForm(
      GroupForm,
      ({ app, actor, params, form }) =>
        editGroup(app, actor, { id: params.id ?? "", ...groupUploadOf(form) }),
      { next: (_, { params }) => `/groups/${encodeURIComponent(params.id ?? "")}/edit` },
    ),
  },
  { formLimit: FORM_LIMIT },
);

export const clientAction = screenClientAction;

/** A group that was archived meanwhile cannot be loaded again: a refused save keeps the screen, and what was typed. */
export function shouldRevalidate({ actionResult, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return actionResult?.ok === false ? false : defaultShouldRevalidate;
}

export default function GroupEditScreen() {
  const data = useLoaderData<typeof loader>();
  return <GroupEdit key={data.group.id} {...data} />;
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.groupNotFound} />;
}
