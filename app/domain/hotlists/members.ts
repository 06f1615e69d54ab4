// Decides which users become members of a group at once, and which only after their own agency accepts.

import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { PendingMember } from "#app/entities/hotlists/group.ts";
import { AppError } from "#app/lib/errors.ts";
import type { Statement } from "#app/store/database.ts";
import { listAgencyUsers, listMembers } from "#app/store/hotlists/groups.ts";
import {
  insertProposals,
  listProposals,
  listUsersAmong,
  upsertInvitation,
} from "#app/store/hotlists/invitations.ts";

export type WantedMembers = {
  /** Users who are members after the save. */
  members: string[];
  /** Members before the save. */
  had: string[];
  /** Users of other agencies who are newly named in this save. */
  invited: PendingMember[];
  /** All users whose agency has not decided, after the save. */
  pending: PendingMember[];
};

/**
 * Sorts the members named in a save. The agency's own users, and current members from other agencies, are members; all
 * other users are pending. Throws AppError bad_request for ids that are not active users.
 */
export async function sortMembers(
  app: AppContext,
  actor: Actor,
  input: { groupId: string | null; wanted: string[] },
): Promise<WantedMembers> {
  const { groupId, wanted } = input;
  const [own, members, proposed] = await Promise.all([
    listAgencyUsers(app.db, actor.agencyId),
    groupId === null ? [] : listMembers(app.db, groupId),
    groupId === null ? [] : listProposals(app.db, groupId),
  ]);
  const known = new Set([...own, ...members].map(({ id }) => id));
  const waiting = new Set(proposed.map(({ id }) => id));
  const others = wanted.filter((id) => !known.has(id));
  const invited = await listUsersAmong(
    app.db,
    others.filter((id) => !waiting.has(id)),
  );
  const found = new Set([...waiting, ...invited.map(({ id }) => id)]);
  if (others.some((id) => !found.has(id))) throw new AppError("bad_request", "A member is not a known user.");
  return {
    members: wanted.filter((id) => known.has(id)),
    had: members.map(({ id }) => id),
    invited,
    pending: [...proposed, ...invited],
  };
}

/** Returns the statements that invite the agencies of these users, each with its audit row. */
export function inviteMembers(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; invited: PendingMember[]; at: number },
): Statement[] {
  const { groupId, invited, at } = input;
  const by = actor.userId;
  return [...Map.groupBy(invited, ({ agency_id }) => agency_id)].flatMap(([agencyId, users]) => {
    const userIds = users.map(({ id }) => id);
    return [
      upsertInvitation(app.db, { groupId, agencyId, by, at }),
      insertProposals(app.db, { groupId, userIds, at, by }),
      auditAct(app, actor, {
        at,
        action: "group.invite",
        object: groupId,
        detail: { agency: agencyId, users: userIds },
      }),
    ];
  });
}
