// The statements of a change that an agency's identity provider makes to a user by SCIM, each with its audit row.

import type { AppContext } from "#app/context.ts";
import { rightStatements } from "#app/domain/accounts/group-rights.ts";
import type { ScimClient } from "#app/domain/accounts/scim-token.ts";
import type { ScimPerson } from "#app/entities/users/scim/person.ts";
import type { Statement } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { disableUser, revokeIfDisabled } from "#app/store/users/access.ts";
import { listAllScimGroups, listMemberships, removeMemberships } from "#app/store/users/scim/groups.ts";
import {
  enableProvisioned,
  requireDisabled,
  type ScimUserRow,
  saveScimUser,
  updateIdentity,
} from "#app/store/users/scim/people.ts";
import { scimEntry } from "./client.ts";
import { personOf } from "./people.ts";
import { regroupStatements } from "./rights.ts";

/** Returns what is stored about a person besides the columns of the user. */
export const storedFieldsOf = ({ userName, externalId, profile }: ScimPerson) => ({
  userName,
  externalId,
  profile,
});

export type Change = { row: ScimUserRow; person: ScimPerson; isTaken: boolean };

/** Returns the parts of a person that are compared, in a fixed order. */
export function plain({ userName, externalId, name, email, active, profile }: ScimPerson) {
  const { formatted, familyName, givenName, displayName, emailType } = profile;
  return [
    userName,
    externalId,
    name,
    email,
    active,
    formatted,
    familyName,
    givenName,
    displayName,
    emailType,
  ];
}

/** Returns the statements that store a changed person: the user, the SCIM fields and the audit entry. */
export function changeStatements(
  app: AppContext,
  client: ScimClient,
  { row, person, isTaken }: Change,
): Statement[] {
  const { user } = row;
  const { agencyId } = client;
  const { id, username } = user;
  const now = app.clock();
  const before = personOf(row);
  const shown = ({ userName, externalId, name, email }: ScimPerson) => ({
    user_name: userName,
    external_id: externalId,
    name,
    email,
  });
  const isDescribed =
    isTaken || JSON.stringify(plain({ ...before, active: person.active })) !== JSON.stringify(plain(person));
  return [
    ...saveScimUser(app.db, { ...storedFieldsOf(person), userId: id, agencyId, now, removedAt: null }),
    ...(isDescribed
      ? [
          updateIdentity(app.db, { agencyId, id, name: person.name, email: person.email }),
          insertAudit(
            app.db,
            scimEntry(app, client, {
              action: "user.change",
              object: id,
              detail: {
                username,
                ...(isTaken && { taken_over: true }),
                before: shown(before),
                after: shown(person),
              },
            }),
          ),
        ]
      : []),
    ...(row.link?.removedAt ? withoutRights(app, client, row) : []),
    ...(before.active && !person.active ? disabling(app, client, user) : []),
    ...(!before.active && person.active ? enabling(app, client, user) : []),
  ];
}

/** A user who comes back after a removal starts without the former rights. */
function withoutRights(app: AppContext, client: ScimClient, { user }: ScimUserRow): Statement[] {
  const rights = { role: "user", hotlistAdmin: false, hotlistViewer: false } as const;
  return rightStatements(app, {
    entry: scimEntry(app, client, { action: "user.rights", object: "" }),
    people: [{ user, rights }],
    by: "return after a removal by the identity provider (SCIM)",
  });
}

/** Disabling ends every session at once. The batch fails if the agency would lose its last administrator. */
export function disabling(
  app: AppContext,
  client: ScimClient,
  { id, username }: { id: string; username: string },
): Statement[] {
  const now = app.clock();
  return [
    disableUser(app.db, { id, now, by: "identity provider" }),
    insertAuditIfChanged(
      app.db,
      scimEntry(app, client, { action: "user.disable", object: id, detail: { username } }),
    ),
    requireDisabled(app.db, { userId: id, isDisabled: true }),
    revokeIfDisabled(app.db, { userId: id, now }),
  ];
}

function enabling(
  app: AppContext,
  client: ScimClient,
  { id, username }: { id: string; username: string },
): Statement[] {
  return [
    enableProvisioned(app.db, { agencyId: client.agencyId, id, now: app.clock() }),
    insertAuditIfChanged(
      app.db,
      scimEntry(app, client, { action: "user.enable", object: id, detail: { username } }),
    ),
    requireDisabled(app.db, { userId: id, isDisabled: false }),
  ];
}

/** Returns the statements that remove a person: the account is disabled and all memberships end. */
export async function removal(app: AppContext, client: ScimClient, row: ScimUserRow): Promise<Statement[]> {
  const { user } = row;
  const { agencyId } = client;
  const now = app.clock();
  const groups = new Map((await listAllScimGroups(app.db, agencyId)).map((group) => [group.id, group]));
  const leaves = await listMemberships(app.db, { agencyId, userIds: [user.id] });
  return [
    ...saveScimUser(app.db, {
      ...storedFieldsOf(personOf(row)),
      userId: user.id,
      agencyId,
      now,
      removedAt: now,
    }),
    insertAudit(
      app.db,
      scimEntry(app, client, {
        action: "scim.user-remove",
        object: user.id,
        detail: { username: user.username },
      }),
    ),
    ...(user.disabledAt === null ? disabling(app, client, user) : []),
    ...(await regroupStatements(app, client, { before: groups, after: groups, joins: [], leaves })),
    removeMemberships(app.db, { agencyId, userId: user.id }),
  ];
}
