// Groups of an agency's identity provider: lists, single groups, and changes by SCIM. A change of members grants and
// revokes rights at once.

import type { AppContext } from "#app/context.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { documentOf, GROUP_TYPE, MAX_SCIM_VALUES, scimProblem } from "#app/entities/users/scim/attributes.ts";
import type { ScimCall, ScimChange } from "#app/entities/users/scim/call.ts";
import { groupConditions } from "#app/entities/users/scim/conditions.ts";
import { applyScimPatch, parseScimPatch } from "#app/entities/users/scim/patch.ts";
import { groupDocument, type ScimGroup, scimGroupOf } from "#app/entities/users/scim/person.ts";
import {
  groupResource,
  leavesOut,
  listResponse,
  pagingOf,
  type ScimResource,
  selected,
} from "#app/entities/users/scim/resources.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import {
  addMembers,
  listAllMembers,
  listAllScimGroups,
  listMembers,
  listScimGroups,
  removeMembers,
  removeScimGroup,
  type ScimGroupRow,
  type ScimMemberRow,
  saveScimGroup,
} from "#app/store/users/scim/groups.ts";
import { listSeenUsers } from "#app/store/users/scim/people.ts";
import { isId, requireVersion, type ScimPlan, scimChange, scimEntry, versioned } from "./client.ts";
import { regroupStatements } from "./rights.ts";

/** Maximum number of groups of an agency. */
const MAX_GROUPS = 1000;
/** Maximum number of members that an audit row names; it counts the others. */
const MAX_NAMED = 100;

type Members = Pick<ScimMemberRow, "id" | "name">[];

/** Returns a group as a resource. Without its members it has no version, because the version depends on them. */
async function resourceOf(
  client: ScimClient,
  row: ScimGroupRow,
  members: Members | undefined,
): Promise<ScimResource> {
  const { id, createdAt, changedAt } = row;
  const input = { id, createdAt, changedAt, group: row, members: members ?? [] };
  const resource = groupResource(client.base, input);
  return members ? versioned(resource) : resource;
}

/** GET /scim/v2/Groups. Throws AppError bad_request with invalidFilter. */
export async function listGroupsByScim(app: AppContext, client: ScimClient, query: URLSearchParams) {
  const { agencyId } = client;
  const conditions = groupConditions(query.get("filter"));
  const { startIndex, count } = pagingOf(query);
  const page = { agencyId, conditions, offset: startIndex - 1, limit: count };
  const { rows, total } = await listScimGroups(app.db, page);
  const groupIds = rows.map(({ id }) => id);
  const limit = MAX_SCIM_VALUES + 1;
  const isShort = leavesOut(query, "members");
  const members = isShort ? [] : await listMembers(app.db, { agencyId, groupIds, limit });
  if (members.length > MAX_SCIM_VALUES)
    throw scimProblem(
      "tooMany",
      `These groups have more than ${MAX_SCIM_VALUES} members. Use excludedAttributes=members.`,
    );
  const membersOf = Map.groupBy(members, ({ groupId }) => groupId);
  const resources = await Promise.all(
    rows.map((row) => resourceOf(client, row, isShort ? undefined : (membersOf.get(row.id) ?? []))),
  );
  return listResponse(
    total,
    startIndex,
    resources.map((resource) => selected(resource, query)),
  );
}

async function requireGroup(app: AppContext, client: ScimClient, id: string): Promise<ScimGroupRow> {
  const { agencyId } = client;
  const conditions = [{ field: "id", value: id } as const];
  const page = { agencyId, conditions, offset: 0, limit: 1 };
  const [row] = isId(id) ? (await listScimGroups(app.db, page)).rows : [];
  if (!row) throw new AppError("not_found", `There is no group ${id.slice(0, 60)}.`);
  return row;
}

/** GET /scim/v2/Groups/{id}. Throws AppError not_found. */
export async function getGroupByScim(app: AppContext, client: ScimClient, id: string): Promise<ScimResource> {
  const row = await requireGroup(app, client, id);
  return resourceOf(client, row, await listMembers(app.db, { agencyId: client.agencyId, groupIds: [id] }));
}

/** POST /scim/v2/Groups. Throws AppError bad_request, or conflict with uniqueness. */
export async function createGroupByScim(
  app: AppContext,
  admitted: ScimClient,
  call: ScimCall,
): Promise<ScimResource> {
  return scimChange(app, admitted, call, async (client, body) => {
    const group = scimGroupOf(documentOf(GROUP_TYPE, body));
    const { agencyId } = client;
    const now = app.clock();
    const row = {
      id: randomToken(),
      agencyId,
      displayName: "",
      externalId: null,
      createdAt: now,
      changedAt: now,
    };
    return groupPlan(app, client, { row, before: undefined, members: [], group });
  });
}

/** PUT /scim/v2/Groups/{id}. Throws AppError bad_request, not_found, precondition_failed or conflict. */
export async function replaceGroupByScim(
  app: AppContext,
  client: ScimClient,
  call: ScimChange,
): Promise<ScimResource> {
  return changeGroup(app, client, call, (_before, body) => scimGroupOf(documentOf(GROUP_TYPE, body)));
}

/** PATCH /scim/v2/Groups/{id}. Throws the same. */
export async function patchGroupByScim(
  app: AppContext,
  client: ScimClient,
  call: ScimChange,
): Promise<ScimResource> {
  return changeGroup(app, client, call, (before, body) =>
    scimGroupOf(applyScimPatch(GROUP_TYPE, groupDocument(before), parseScimPatch(body))),
  );
}

async function changeGroup(
  app: AppContext,
  admitted: ScimClient,
  call: ScimChange,
  changed: (before: ScimGroup, body: unknown) => ScimGroup,
): Promise<ScimResource> {
  const { id } = call;
  return scimChange(app, admitted, call, async (client, body) => {
    const row = await requireGroup(app, client, id);
    if (call.ifMatch !== null) requireVersion(call, await getGroupByScim(app, client, id));
    const members = await listAllMembers(app.db, { agencyId: client.agencyId, groupId: id });
    const before = { ...row, members: members.map((member) => member.id) };
    return groupPlan(app, client, { row, before, members, group: changed(before, body) });
  });
}

type GroupChange = {
  row: ScimGroupRow;
  /** Undefined for a new group. */
  before: ScimGroup | undefined;
  members: { id: string; username: string }[];
  group: ScimGroup;
};

async function groupPlan(
  app: AppContext,
  client: ScimClient,
  { row, before, members, group }: GroupChange,
): Promise<ScimPlan<ScimResource>> {
  const { agencyId } = client;
  const { displayName, externalId } = group;
  const [had, has] = [new Set(before?.members), new Set(group.members)];
  const joining = group.members.filter((id) => !had.has(id));
  const leaving = members.filter(({ id }) => !has.has(id));
  const isRenamed = before?.displayName !== displayName || before.externalId !== externalId;
  const answer = () => getGroupByScim(app, client, row.id);
  if (before && !isRenamed && joining.length === 0 && leaving.length === 0) return { statements: [], answer };
  const groups = await listAllScimGroups(app.db, agencyId);
  requireRoom(groups, { id: row.id, displayName, members: has.size, isNew: !before });
  const joiners = await requireUsers(app, client, joining);
  const known = new Map(groups.map((one) => [one.id, one]));
  const after = { ...row, displayName, externalId, changedAt: app.clock() };
  const namesOf = (list: readonly { username: string }[]) => list.map(({ username }) => username);
  const [groupId, userIds] = [row.id, leaving.map(({ id }) => id)];
  const detail = {
    name: displayName,
    ...(before && isRenamed && { before: { name: before.displayName, external_id: before.externalId } }),
    external_id: externalId,
    added: joining.length,
    removed: leaving.length,
    added_users: namesOf(joiners).slice(0, MAX_NAMED),
    removed_users: namesOf(leaving).slice(0, MAX_NAMED),
  };
  const action = before ? "scim.group-change" : "scim.group-add";
  return {
    statements: [
      saveScimGroup(app.db, after),
      insertAudit(app.db, scimEntry(app, client, { action, object: row.id, detail })),
      ...(joining.length > 0 ? [addMembers(app.db, { agencyId, groupId, userIds: joining })] : []),
      ...(leaving.length > 0 ? [removeMembers(app.db, { agencyId, groupId, userIds })] : []),
      ...(await regroupStatements(app, client, {
        before: known,
        after: new Map([...known, [row.id, after]]),
        joins: joining.map((userId) => ({ userId, groupId })),
        leaves: userIds.map((userId) => ({ userId, groupId })),
        others: isRenamed ? [...had] : [],
      })),
    ],
    answer,
  };
}

/** Throws the problem with a group's name or size. */
function requireRoom(
  groups: readonly ScimGroupRow[],
  input: { id: string; displayName: string; members: number; isNew: boolean },
): void {
  const { id, displayName, members, isNew } = input;
  const name = displayName.toLowerCase();
  if (groups.some((one) => one.id !== id && one.displayName.toLowerCase() === name))
    throw scimProblem("uniqueness", "A group with this displayName exists.");
  if (isNew && groups.length >= MAX_GROUPS)
    throw new AppError("forbidden", `An agency can have at most ${MAX_GROUPS} groups.`);
  if (members > MAX_SCIM_VALUES)
    throw scimProblem("tooMany", `A group can have at most ${MAX_SCIM_VALUES} members.`);
}

/** Returns the users with these ids. Throws invalidValue if the provider may not see one of them. */
async function requireUsers(app: AppContext, client: ScimClient, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const found = await listSeenUsers(app.db, { agencyId: client.agencyId, ids });
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw scimProblem("invalidValue", `There is no user ${missing.slice(0, 60)} to be a member.`);
  return found;
}

/** DELETE /scim/v2/Groups/{id}. Its members lose the rights that it granted. Throws AppError not_found. */
export async function removeGroupByScim(
  app: AppContext,
  admitted: ScimClient,
  { id, ifMatch }: Omit<ScimChange, "body">,
): Promise<void> {
  return scimChange(app, admitted, {}, async (client) => {
    const { agencyId } = client;
    const row = await requireGroup(app, client, id);
    if (ifMatch !== null) requireVersion({ ifMatch }, await getGroupByScim(app, client, id));
    const members = await listAllMembers(app.db, { agencyId, groupId: id });
    const known = new Map((await listAllScimGroups(app.db, agencyId)).map((one) => [one.id, one]));
    const detail = { name: row.displayName, external_id: row.externalId, removed: members.length };
    return {
      statements: [
        ...(await regroupStatements(app, client, {
          before: known,
          after: new Map([...known].filter(([groupId]) => groupId !== id)),
          joins: [],
          leaves: members.map((member) => ({ userId: member.id, groupId: id })),
        })),
        removeScimGroup(app.db, { agencyId, id }),
        insertAudit(app.db, scimEntry(app, client, { action: "scim.group-remove", object: id, detail })),
      ],
      answer: async () => undefined,
    };
  });
}
