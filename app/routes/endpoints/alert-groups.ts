import * as z from "zod/mini";
import { archiveGroup, createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import {
  describeGroup,
  groupForEditing,
  listCandidates,
  listGroupCards,
  openGroupImage,
} from "#app/domain/hotlists/groups.ts";
import {
  answerInvitation,
  chooseOwnMembers,
  inviteAgency,
  withdrawInvitation,
} from "#app/domain/hotlists/invitations.ts";
import { changePermissions, listPermissions, togglePushAlerts } from "#app/domain/hotlists/permissions.ts";
import { pagePlates, streamPlates } from "#app/domain/hotlists/plates.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { PermissionChanges, RecordId } from "#app/entities/hotlists/calls.ts";
import { DEFAULT_GROUP_IMAGE } from "#app/entities/hotlists/group.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileOrRedirect } from "#app/http/file-answer.ts";
import { readGroupForm, readSwitch } from "#app/http/forms.ts";
import { readPageSize } from "#app/http/page-size.ts";
import { jsonStream } from "#app/http/responses.ts";
import { jsonWithList } from "#app/lib/json/stream.ts";

/** Answers with a group and all its plates as a stream or, if the query has `limit` or `after`, with a page of them. */
async function withPlates(input: {
  app: Parameters<typeof pagePlates>[0];
  actor: Actor;
  query: URLSearchParams;
  id: string;
  head: Record<string, unknown>;
}) {
  const { app, actor, query, id, head } = input;
  const limit = readPageSize(query);
  if (limit !== undefined || query.has("after"))
    return {
      ...head,
      ...(await pagePlates(app, actor, { groupId: id, after: query.get("after"), ...(limit && { limit }) })),
    };
  const { counts, pages } = await streamPlates(app, actor, id);
  return jsonStream(jsonWithList({ head: { ...head, next: null, counts }, name: "plates", pages }));
}

const { loader, action } = endpoints(
  endpoint("GET /alerts-data", "hotlist-viewer", none, ({ app, actor }) => listGroupCards(app, actor)),
  endpoint("POST /toggle-push-alerts", "hotlist-viewer", none, async ({ app, actor, request }) =>
    togglePushAlerts(app, actor, await readSwitch(request)),
  ),
  endpoint(
    "GET /alerts/group/:id/details-data",
    "hotlist-viewer",
    none,
    async ({ app, actor, params, query }) =>
      withPlates({ app, actor, query, id: params.id, head: await describeGroup(app, actor, params.id) }),
  ),
  endpoint("GET /groups/:id/edit-data", "hotlist-admin", none, async ({ app, actor, params, query }) =>
    withPlates({ app, actor, query, id: params.id, head: await groupForEditing(app, actor, params.id) }),
  ),
  endpoint("GET /groups/:id/image", "hotlist-viewer", none, async ({ app, actor, params }) =>
    fileOrRedirect(await openGroupImage(app, actor, params.id), DEFAULT_GROUP_IMAGE),
  ),
  endpoint("GET /group-create-data", "hotlist-admin", none, async ({ app, actor }) => ({
    users_by_agency: await listCandidates(app, actor),
  })),
  endpoint("POST /groups/create-mobile", "hotlist-admin", none, async ({ app, actor, request }) =>
    createGroup(app, actor, await readGroupForm(request)),
  ),
  endpoint("POST /groups/:id/edit-mobile", "hotlist-admin", none, async ({ app, actor, params, request }) =>
    editGroup(app, actor, { id: params.id, ...(await readGroupForm(request)) }),
  ),
  endpoint(
    "POST /archive-group",
    "hotlist-admin",
    z.object({ group_id: RecordId }),
    ({ app, actor, body }) => archiveGroup(app, actor, body.group_id),
    { stepUp: true },
  ),
  endpoint(
    "POST /groups/:id/invitations",
    "hotlist-admin",
    z.object({ agency_id: RecordId }),
    ({ app, actor, params, body }) =>
      inviteAgency(app, actor, { groupId: params.id, agencyId: body.agency_id }),
  ),
  endpoint("DELETE /groups/:id/invitations/:agency", "hotlist-admin", none, ({ app, actor, params }) =>
    withdrawInvitation(app, actor, { groupId: params.id, agencyId: params.agency }),
  ),
  endpoint(
    "POST /groups/:id/invitation-answer",
    "hotlist-admin",
    z.object({ accept: z.boolean() }),
    ({ app, actor, params, body }) =>
      answerInvitation(app, actor, { groupId: params.id, accept: body.accept }),
  ),
  endpoint(
    "PUT /groups/:id/own-members",
    "hotlist-admin",
    z.object({ members: z.array(RecordId).check(z.maxLength(5000)) }),
    ({ app, actor, params, body }) =>
      chooseOwnMembers(app, actor, { groupId: params.id, userIds: body.members }),
  ),
  endpoint("GET /agency-users-api", "hotlist-admin", none, ({ app, actor }) => listPermissions(app, actor)),
  endpoint(
    "POST /update-alert-permissions-api",
    "hotlist-admin",
    PermissionChanges,
    ({ app, actor, body }) => changePermissions(app, actor, body),
    { stepUp: true },
  ),
);

export { action, loader };
