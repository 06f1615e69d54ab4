// Applies a change of groups by SCIM: the role and the hotlist rights for which the agency's settings name one of these
// groups, and the sessions of people who lose the last group with which they may sign in.

import type { AppContext } from "#app/context.ts";
import { rightStatements } from "#app/domain/accounts/group-rights.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import { losesSignIn, rightsOfManagedGroups } from "#app/entities/accounts/group-rights.ts";
import type { ScimGroup } from "#app/entities/users/scim/person.ts";
import { listSignedOnUsers, revokeSignOnSessionsOf } from "#app/store/accounts/sign-on-sessions.ts";
import { findSignOnProvider } from "#app/store/accounts/single-sign-on.ts";
import type { Statement } from "#app/store/database.ts";
import { insertAudits } from "#app/store/oversight/audit.ts";
import { listMemberships } from "#app/store/users/scim/groups.ts";
import { listSeenUsers } from "#app/store/users/scim/people.ts";
import { scimEntry } from "./client.ts";

type Names = Pick<ScimGroup, "displayName" | "externalId">;

/** The agency's groups before and after the change, by id, and the users who join or leave each. */
export type Regrouping = {
  before: ReadonlyMap<string, Names>;
  after: ReadonlyMap<string, Names>;
  joins: readonly { userId: string; groupId: string }[];
  leaves: readonly { userId: string; groupId: string }[];
  /** Users whose groups have a new name. */
  others?: readonly string[];
};

const BY = "groups of the identity provider (SCIM)";

/** Returns the statements of a change of groups. The owner and the break-glass account keep their rights. */
export async function regroupStatements(
  app: AppContext,
  client: ScimClient,
  change: Regrouping,
): Promise<Statement[]> {
  const { agencyId } = client;
  const { joins, leaves, others = [] } = change;
  const userIds = [...new Set([...joins, ...leaves].map(({ userId }) => userId).concat(others))];
  const provider = await findSignOnProvider(app.db, agencyId);
  if (!provider || userIds.length === 0) return [];
  const [users, memberships] = await Promise.all([
    listSeenUsers(app.db, { agencyId, ids: userIds }),
    listMemberships(app.db, { agencyId, userIds }),
  ]);
  const known = [...change.before.values(), ...change.after.values()];
  const groupsOf = groupsByUser(change, memberships);
  const people = users.filter(
    ({ id, username }) => username !== app.config.ownerUsername && id !== provider.breakGlassUserId,
  );
  const regrouped = people.map((user) => ({
    user,
    rights: rightsOfManagedGroups(provider, known, groupsOf(user.id).after),
  }));
  const lost = people
    .filter(({ id }) => losesSignIn(provider.memberGroups, { known, ...groupsOf(id) }))
    .map(({ id }) => id);
  const entry = scimEntry(app, client, { action: "user.rights", object: "" });
  return [
    ...rightStatements(app, { entry, people: regrouped, by: BY }),
    ...(await signOutStatements(app, client, lost)),
  ];
}

/** Returns a function that returns a user's groups before and after the change. */
function groupsByUser(change: Regrouping, memberships: readonly { userId: string; groupId: string }[]) {
  const before = setsOf(memberships);
  const joins = setsOf(change.joins);
  const leaves = setsOf(change.leaves);
  const none = new Set<string>();
  return (userId: string) => {
    const had = before.get(userId) ?? none;
    const left = leaves.get(userId) ?? none;
    const has = [...new Set([...had, ...(joins.get(userId) ?? none)])].filter((id) => !left.has(id));
    return {
      before: [...had].flatMap((id) => change.before.get(id) ?? []),
      after: has.flatMap((id) => change.after.get(id) ?? []),
    };
  };
}

function setsOf(rows: readonly { userId: string; groupId: string }[]): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>();
  for (const { userId, groupId } of rows) {
    const set = sets.get(userId) ?? new Set();
    sets.set(userId, set.add(groupId));
  }
  return sets;
}

/** Ends the sessions that single sign-on opened for people who may no longer sign in with it. */
async function signOutStatements(
  app: AppContext,
  client: ScimClient,
  userIds: readonly string[],
): Promise<Statement[]> {
  if (userIds.length === 0) return [];
  const { agencyId } = client;
  const signedOn = await listSignedOnUsers(app.db, { agencyId, userIds });
  const reason = "in none of the groups that may sign in";
  return [
    revokeSignOnSessionsOf(app.db, { agencyId, userIds, now: app.clock() }),
    ...insertAudits(
      app.db,
      signedOn.map(({ id, username }) =>
        scimEntry(app, client, {
          action: "session.end",
          object: id,
          detail: { username, sessions: "all", reason, by: BY },
        }),
      ),
    ),
  ];
}
