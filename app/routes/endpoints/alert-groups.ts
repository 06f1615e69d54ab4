import * as z from "zod/mini";
import { findMembers, groupWithCandidates, listCandidates } from "#app/domain/hotlists/candidates.ts";
import { archiveGroup, createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import { describeGroup, listGroupCards, openGroupImage } from "#app/domain/hotlists/groups.ts";
import {
  answerInvitation,
  chooseOwnMembers,
  inviteAgency,
  withdrawInvitation,
} from "#app/domain/hotlists/invitations.ts";
import { changePermissions, listPermissions, togglePushAlerts } from "#app/domain/hotlists/permissions.ts";
import { pagePlates, streamPlates } from "#app/domain/hotlists/plates.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  AgencyUsers,
  FoundMembers,
  GroupCandidates,
  GroupCards,
  GroupEdited,
  GroupEditPage,
  GroupPage,
  GroupSaved,
  Invitations,
  MemberCount,
  PushSwitch,
} from "#app/entities/hotlists/answers.ts";
import { GroupForm, PERMISSIONS_LIMIT, PermissionChanges } from "#app/entities/hotlists/calls.ts";
import { DEFAULT_GROUP_IMAGE } from "#app/entities/hotlists/group.ts";
import { about, file, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileOrRedirect } from "#app/http/file-answer.ts";
import { readGroupForm, readSwitch } from "#app/http/forms.ts";
import { pageNumberOf, readPageSize } from "#app/http/queries.ts";
import { jsonStream } from "#app/http/responses.ts";
import { described } from "#app/lib/json/named-schema.ts";
import { jsonWithList } from "#app/lib/json/stream.ts";
import { RecordId } from "#app/lib/json/values.ts";

/** Answers with a group and all its plates as a stream or, if the query has `limit` or `after`, with a page of them. */
async function withPlates<Head extends object>(input: {
  app: Parameters<typeof pagePlates>[0];
  actor: Actor;
  query: URLSearchParams;
  id: string;
  head: Head;
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

const PageQuery = z.object({
  limit: described("Rows per page, from 1 to 500.", z.optional(z.string())),
  after: described("The `next` of the page before.", z.optional(z.string())),
});

const { loader, action } = endpoints(
  "Alert groups",
  endpoint(
    "GET /alerts-data",
    "hotlist-viewer",
    none,
    about("Returns the caller's alert groups, with the time of each one's last alert.", GroupCards),
    ({ app, actor }) => listGroupCards(app, actor),
  ),
  endpoint(
    "POST /toggle-push-alerts",
    "hotlist-viewer",
    readSwitch,
    about("Turns push notifications on or off. Without a body, toggles them.", PushSwitch, {
      json: z.object({ push_alerts: z.optional(z.boolean()) }),
    }),
    ({ app, actor, body }) => togglePushAlerts(app, actor, body),
  ),
  endpoint(
    "GET /alerts/group/:id/details-data",
    "hotlist-viewer",
    none,
    about("Returns a group with its members and plates.", GroupPage, {
      details: "Returns all plates, or a page of them if `limit` or `after` is given.",
      query: PageQuery,
    }),
    async ({ app, actor, params, query }) =>
      withPlates({ app, actor, query, id: params.id, head: await describeGroup(app, actor, params.id) }),
  ),
  endpoint(
    "GET /groups/:id/edit-data",
    "hotlist-admin",
    none,
    about(
      "Returns a group with its members and plates, and the users who can become members.",
      GroupEditPage,
      { details: "Returns all plates, or a page of them if `limit` or `after` is given.", query: PageQuery },
    ),
    async ({ app, actor, params, query }) =>
      withPlates({
        app,
        actor,
        query,
        id: params.id,
        head: await groupWithCandidates(app, actor, params.id),
      }),
  ),
  endpoint(
    "GET /groups/:id/image",
    "hotlist-viewer",
    none,
    about(
      "Returns the image of a group.",
      file(
        { "image/*": "The image of the group." },
        { bare: { 302: "The group has no image: redirects to the default one." } },
      ),
    ),
    async ({ app, actor, params }) =>
      fileOrRedirect(await openGroupImage(app, actor, params.id), DEFAULT_GROUP_IMAGE),
  ),
  endpoint(
    "GET /group-create-data",
    "hotlist-admin",
    none,
    about("Returns the users who can become members of a new group, by agency.", GroupCandidates),
    async ({ app, actor }) => ({
      users_by_agency: await listCandidates(app, actor),
    }),
  ),
  endpoint(
    "GET /group-candidates",
    "hotlist-admin",
    none,
    about("Finds users who can become members of a group, 50 at a time.", FoundMembers, {
      query: z.object({
        find: described(
          "Words of the name, email, agency or, in the caller's agency, user name. Without it, the caller's agency.",
          z.optional(z.string()),
        ),
        page: described("The number of the page, from 1.", z.optional(z.string())),
      }),
    }),
    ({ app, actor, query }) =>
      findMembers(app, actor, { find: (query.get("find") ?? "").trim(), page: pageNumberOf(query) }),
  ),
  endpoint(
    "POST /groups/create-mobile",
    "hotlist-admin",
    readGroupForm,
    about("Creates a group.", GroupSaved, {
      form: { fields: GroupForm, files: { group_image_file: "JPEG, PNG, WebP or GIF." } },
    }),
    ({ app, actor, body }) => createGroup(app, actor, body),
  ),
  endpoint(
    "POST /groups/:id/edit-mobile",
    "hotlist-admin",
    readGroupForm,
    about("Saves a group with its members, and adds plates.", GroupEdited, {
      details:
        "New plates are the fields `plates[i][number]`, `plates[i][reason]`, `plates[i][notes]`, `plates[i][state]` and the file `plates[i][file]`, with i from 0.",
      form: { fields: GroupForm, files: { group_image_file: "JPEG, PNG, WebP or GIF." } },
    }),
    ({ app, actor, params, body }) => editGroup(app, actor, { id: params.id, ...body }),
  ),
  endpoint(
    "POST /archive-group",
    "hotlist-admin",
    z.object({ group_id: RecordId }),
    about("Archives a group and removes its plates.", Message),
    ({ app, actor, body }) => archiveGroup(app, actor, body.group_id),
    { stepUp: true },
  ),
  endpoint(
    "POST /groups/:id/invitations",
    "hotlist-admin",
    z.object({ agency_id: RecordId }),
    about("Invites another agency to a group.", Invitations),
    ({ app, actor, params, body }) =>
      inviteAgency(app, actor, { groupId: params.id, agencyId: body.agency_id }),
  ),
  endpoint(
    "DELETE /groups/:id/invitations/:agency",
    "hotlist-admin",
    none,
    about("Withdraws an invitation, or ends the membership of an agency.", Invitations),
    ({ app, actor, params }) =>
      withdrawInvitation(app, actor, { groupId: params.id, agencyId: params.agency }),
  ),
  endpoint(
    "POST /groups/:id/invitation-answer",
    "hotlist-admin",
    z.object({ accept: z.boolean() }),
    about("Accepts or declines an invitation to a group.", Message),
    ({ app, actor, params, body }) =>
      answerInvitation(app, actor, { groupId: params.id, accept: body.accept }),
  ),
  endpoint(
    "PUT /groups/:id/own-members",
    "hotlist-admin",
    z.object({ members: z.array(RecordId).check(z.maxLength(5000)) }),
    about("Chooses which users of the caller's agency are members of another agency's group.", MemberCount),
    ({ app, actor, params, body }) =>
      chooseOwnMembers(app, actor, { groupId: params.id, userIds: body.members }),
  ),
  endpoint(
    "GET /agency-users-api",
    "hotlist-admin",
    none,
    about("Returns the users of the caller's agency with their hotlist permissions.", AgencyUsers),
    ({ app, actor }) => listPermissions(app, actor),
  ),
  endpoint(
    "POST /update-alert-permissions-api",
    "hotlist-admin",
    PermissionChanges,
    about("Grants and removes hotlist permissions.", Message, {
      details:
        "The names are `hotlist_admin_{id}` and `hotlist_viewer_{id}`. Permissions that are not named stay as they are.",
    }),
    ({ app, actor, body }) => changePermissions(app, actor, body),
    { stepUp: true, bodyLimit: PERMISSIONS_LIMIT },
  ),
);

export { action, loader };
