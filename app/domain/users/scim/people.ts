// Users for the agency's identity provider: lists, single users, and the SCIM form of a stored user.

import type { AppContext } from "#app/context.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { userConditions } from "#app/entities/users/scim/conditions.ts";
import type { ScimPerson } from "#app/entities/users/scim/person.ts";
import {
  leavesOut,
  listResponse,
  pagingOf,
  type ScimResource,
  selected,
  userResource,
} from "#app/entities/users/scim/resources.ts";
import { AppError } from "#app/lib/errors.ts";
import { lowerAscii } from "#app/lib/text.ts";
import { findScimUser, listGroupsOf, listScimUsers, type ScimUserRow } from "#app/store/users/scim/people.ts";
import { isId, versioned } from "./client.ts";

/** Returns a stored user as the identity provider describes the user. */
export function personOf({ user, link }: ScimUserRow): ScimPerson {
  const shared = { email: lowerAscii(user.email), name: user.name, active: user.disabledAt === null };
  if (link) return { ...shared, userName: link.userName, externalId: link.externalId, profile: link.profile };
  const profile = {
    formatted: user.name,
    familyName: "",
    givenName: "",
    displayName: user.name,
    emailType: "work",
  };
  return { ...shared, userName: user.username, externalId: null, profile };
}

type Groups = { id: string; displayName: string }[];

/** Returns a user as a resource. Without the groups it has no version, because the version depends on them. */
async function resourceOf(
  client: ScimClient,
  row: ScimUserRow,
  groups: Groups | undefined,
): Promise<ScimResource> {
  const { user, link } = row;
  const resource = userResource(client.base, {
    id: user.id,
    createdAt: user.createdAt,
    changedAt: link?.changedAt ?? user.createdAt,
    person: personOf(row),
    groups: groups ?? [],
  });
  return groups ? versioned(resource) : resource;
}

/** Returns a user whom the provider may see. Throws AppError not_found. */
export async function requireUser(app: AppContext, client: ScimClient, id: string): Promise<ScimUserRow> {
  const row = isId(id) ? await findScimUser(app.db, { agencyId: client.agencyId, id }) : undefined;
  if (!row) throw new AppError("not_found", `There is no user ${id.slice(0, 60)}.`);
  return row;
}

/** GET /scim/v2/Users/{id}: returns a user with the user's groups. Throws AppError not_found. */
export async function getUserByScim(app: AppContext, client: ScimClient, id: string): Promise<ScimResource> {
  const row = await requireUser(app, client, id);
  return resourceOf(client, row, await listGroupsOf(app.db, { agencyId: client.agencyId, userIds: [id] }));
}

/** GET /scim/v2/Users. Throws AppError bad_request with invalidFilter. */
export async function listUsersByScim(app: AppContext, client: ScimClient, query: URLSearchParams) {
  const { agencyId } = client;
  const conditions = userConditions(query.get("filter"));
  const { startIndex, count } = pagingOf(query);
  const page = { agencyId, conditions, offset: startIndex - 1, limit: count };
  const { rows, total } = await listScimUsers(app.db, page);
  const userIds = rows.map(({ user }) => user.id);
  const isShort = leavesOut(query, "groups");
  const groups = isShort ? [] : await listGroupsOf(app.db, { agencyId, userIds });
  const groupsOf = Map.groupBy(groups, ({ userId }) => userId);
  const resources = await Promise.all(
    rows.map((row) => resourceOf(client, row, isShort ? undefined : (groupsOf.get(row.user.id) ?? []))),
  );
  return listResponse(
    total,
    startIndex,
    resources.map((resource) => selected(resource, query)),
  );
}
