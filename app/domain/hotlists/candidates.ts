// Users who can become members of a group: its agency's own, and those of the agencies that it works with. A form lists
// all of them in a small installation. In a large one it has the members, and a search finds the others.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type Candidate,
  type CandidateChoice,
  type FoundCandidates,
  MOST_FOUND,
  type UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import {
  areCandidatesMore,
  findCandidates,
  listCandidatesAmong,
  listRelatedUsers,
} from "#app/store/hotlists/candidates.ts";
import { listMembers } from "#app/store/hotlists/groups.ts";
import { listProposals } from "#app/store/hotlists/invitations.ts";
import { groupForEditing } from "./groups.ts";
import { candidateOf, usersOf } from "./members.ts";

/** With more users, a form lists the members, and a search finds the others. */
const ALL_LISTED = 200;

const askingOf = (app: AppContext, { agencyId }: Actor) => ({ agencyId, now: app.clock() });

/**
 * Returns users who can be members of a group, by agency name: the agency's own users first, then users of agencies
 * that it works with, then users who are already members or proposed.
 */
export async function listCandidates(
  app: AppContext,
  actor: Actor,
  groupId?: string,
): Promise<Record<string, UsersOfAgency["users"]>> {
  const [own, related, chosen] = await Promise.all([
    usersOf(app, actor),
    listRelatedUsers(app.db, askingOf(app, actor)),
    groupId === undefined ? [] : listChosen(app, groupId),
  ]);
  const candidates = new Map([[own.agency, [...own.users]]]);
  const known = new Set(own.users.map(({ id }) => id));
  const add = (agency: string, user: UsersOfAgency["users"][number]) => {
    if (known.has(user.id)) return;
    known.add(user.id);
    const users = candidates.get(agency);
    if (users) users.push(user);
    else candidates.set(agency, [user]);
  };
  for (const { agency, ...user } of related) add(agency, candidateOf(user));
  for (const { agency, ...user } of chosen) add(agency, user);
  return Object.fromEntries(candidates);
}

/** Returns the members of a group and the users who are proposed as such. */
async function listChosen(app: AppContext, groupId: string): Promise<Candidate[]> {
  const [members, proposed] = await Promise.all([
    listMembers(app.db, { groupId }),
    listProposals(app.db, groupId),
  ]);
  return [...members, ...proposed.map((user) => ({ ...user, hotlist: true }))].map(
    ({ id, name, email, agency, hotlist }) => ({ id, name, email, agency, hotlist }),
  );
}

/** Returns a group with the users who can become members. Throws AppError not_found or forbidden. */
export async function groupWithCandidates(app: AppContext, actor: Actor, id: string) {
  const [edited, users_by_agency] = await Promise.all([
    groupForEditing(app, actor, id),
    listCandidates(app, actor, id),
  ]);
  return { ...edited, users_by_agency };
}

/**
 * Returns users who can become members and have every word of `find` in their name, address or agency, or who are of the
 * actor's agency and have it in their user name. For "", returns users of the actor's agency. Pages have 50 users.
 */
export async function findMembers(
  app: AppContext,
  actor: Actor,
  { find, page }: { find: string; page: number },
): Promise<FoundCandidates> {
  const part = { limit: MOST_FOUND + 1, offset: (page - 1) * MOST_FOUND };
  const rows =
    find === ""
      ? (await usersOf(app, actor)).users
          .slice(part.offset, part.offset + part.limit)
          .map((user) => ({ ...user, agency: actor.agencyName }))
      : (await findCandidates(app.db, { ...askingOf(app, actor), find, ...part })).map(withFlag);
  return { users: rows.slice(0, MOST_FOUND), more: rows.length > MOST_FOUND };
}

function withFlag({ agency, ...user }: Awaited<ReturnType<typeof findCandidates>>[number]): Candidate {
  return { ...candidateOf(user), agency };
}

/**
 * Returns the users from whom the form of a group chooses its members: all of them, or, in a large installation, those that
 * are chosen and those that `find` finds. The caller checks that the actor can edit the group.
 */
export async function chooseCandidates(
  app: AppContext,
  actor: Actor,
  { groupId, find }: { groupId?: string; find: string },
): Promise<CandidateChoice> {
  const asking = askingOf(app, actor);
  if (!(await areCandidatesMore(app.db, asking, ALL_LISTED)))
    return { users: await listCandidates(app, actor, groupId), search: null };
  const [found, chosen] = await Promise.all([
    findMembers(app, actor, { find, page: 1 }),
    groupId === undefined ? [] : listChosen(app, groupId),
  ]);
  const ids = chosen.map(({ id }) => id);
  const candidates = ids.length === 0 ? [] : await listCandidatesAmong(app.db, { ...asking, ids });
  const flagged = new Map(candidates.map((user) => [user.id, withFlag(user)]));
  return {
    search: {
      own: actor.agencyName,
      find,
      chosen: chosen.map((user) => flagged.get(user.id) ?? user),
      found,
    },
  };
}
