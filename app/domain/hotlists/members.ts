// Members of alert groups. candidates.ts has the users who can become members, groups.ts a group's content and who can
// see it, invitations.ts how other agencies participate.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { GroupMember, UsersOfAgency } from "#app/entities/hotlists/group.ts";
import { type AskedPage, type NumberedPage, numberedPage } from "#app/lib/pages.ts";
import { countMembers, listAgencyUsers, listMembers } from "#app/store/hotlists/groups.ts";
import { findInvitation, listProposals } from "#app/store/hotlists/invitations.ts";
import { listFormerUsers } from "#app/store/users/directory.ts";

/** Members on one page. */
const PAGE_SIZE = 100;

/** Returns a page of a group's members, for callers that have checked that the actor can see the group. */
export async function pageMembers(
  app: AppContext,
  groupId: string,
  { find, page }: AskedPage,
): Promise<NumberedPage<GroupMember>> {
  const members = await numberedPage({
    page,
    size: PAGE_SIZE,
    count: () => countMembers(app.db, { groupId, find }),
    list: (part) => listMembers(app.db, { groupId, find, ...part }),
  });
  return { ...members, rows: members.rows.map(({ agencyId: _, ...member }) => member) };
}

/**
 * Returns the users of the actor's agency, if it accepted an invitation to the group and the actor chooses which of them
 * participate, and the ids of those whom the owner proposes.
 */
export async function ownChoice(app: AppContext, actor: Actor, groupId: string) {
  const key = { groupId, agencyId: actor.agencyId };
  const invitation = mayUse("hotlist-admin", actor) ? await findInvitation(app.db, key) : undefined;
  const joined = invitation?.state === "accepted";
  return {
    own_users: joined ? await usersOf(app, actor) : null,
    own_proposed: joined ? await listOwnProposed(app, actor, groupId) : [],
  };
}

/** Returns the ids of the group's members of one agency. */
export async function memberIdsOf(
  app: AppContext,
  key: { groupId: string; agencyId: string },
): Promise<string[]> {
  return (await listMembers(app.db, key)).map(({ id }) => id);
}

/** Returns which of these users, of any agency, were deleted. */
export async function listDeletedAmong(app: AppContext, ids: readonly string[]): Promise<string[]> {
  const former = await listFormerUsers(app.db, { ids });
  return former.flatMap(({ id, deletedAt }) => (deletedAt === null ? [] : [id]));
}

/** Returns the ids of users of the actor's agency whom another agency proposed as members of its group. */
async function listOwnProposed(app: AppContext, actor: Actor, groupId: string): Promise<string[]> {
  const wanted = await listProposals(app.db, groupId);
  return wanted.flatMap(({ id, agency_id }) => (agency_id === actor.agencyId ? [id] : []));
}

/** Returns the active users of an agency by name. */
export async function usersOf(
  app: AppContext,
  actor: Pick<Actor, "agencyId" | "agencyName">,
): Promise<UsersOfAgency> {
  const users = await listAgencyUsers(app.db, { agencyId: actor.agencyId });
  return {
    agency: actor.agencyName,
    agency_id: actor.agencyId,
    users: users.map(candidateOf),
  };
}

/** Returns a user as one who can become a member. */
export function candidateOf({
  id,
  name,
  email,
  ...user
}: Awaited<ReturnType<typeof listAgencyUsers>>[number]): UsersOfAgency["users"][number] {
  return { id, name, email, hotlist: user.role === "admin" || user.hotlistAdmin || user.hotlistViewer };
}
