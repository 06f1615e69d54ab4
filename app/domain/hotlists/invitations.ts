// Decides which users of another agency participate in a group: none until that agency's own hotlist admin accepts the
// invitation, then those whom the owner proposed, and later those whom that hotlist admin chooses.

import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import { ALL_LISTED, partOfAgencies } from "#app/domain/users/agencies.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type GroupAgencies,
  type GroupInvitation,
  MAX_WAITING_INVITATIONS,
} from "#app/entities/hotlists/group.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { type NumberedPage, numberedPage, pageOfRows } from "#app/lib/pages.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  insertMembers,
  listFormerMembers,
  listOtherAgencies,
  removeAgencyMembers,
  removeMembers,
  touchGroup,
} from "#app/store/hotlists/groups.ts";
import {
  countWaiting,
  decideInvitation,
  findInvitation,
  listInvitations,
  listInvited,
  listProposals,
  listWaiting,
  removeProposals,
  upsertInvitations,
  wasInvited,
} from "#app/store/hotlists/invitations.ts";
import { listFormerUsers } from "#app/store/users/directory.ts";
import { describeGroup, groupToEdit, requireEditableGroup } from "./groups.ts";

/**
 * Returns the data of the form of a group, without the plates and the users who can become members. Includes the other
 * agencies that were invited or can be: all of them or, in a large installation, the first of both that match `find`.
 * Throws AppError not_found or forbidden.
 */
export async function groupForm(app: AppContext, actor: Actor, { id, find }: { id: string; find: string }) {
  const [edited, invited, agencies] = await Promise.all([
    groupToEdit(app, actor, id),
    listInvited(app.db, id),
    listOtherAgencies(app.db, actor.agencyId),
  ]);
  const proposed = Map.groupBy(edited.pending_members, ({ agency_id }) => agency_id);
  const known = new Set(invited.map((agency) => agency.id));
  const isLong = agencies.length > ALL_LISTED;
  const part = <Agency extends NamedAgency>(list: readonly Agency[]) =>
    partOfAgencies(list, isLong ? find : null);
  const shown = part(invited);
  const others: GroupAgencies = {
    invited: {
      ...shown,
      agencies: shown.agencies.map((agency) => ({
        ...agency,
        proposed: (proposed.get(agency.id) ?? []).map(({ name }) => name),
      })),
    },
    invitable: part(agencies.filter((agency) => !known.has(agency.id))),
    search: isLong ? { find } : null,
  };
  return { ...edited, others };
}

/**
 * Invites another agency to a group. None of its users become members until its own hotlist admin accepts. An
 * invitation that waits or was accepted stays as it is. Throws AppError not_found, forbidden, bad_request, and conflict
 * if too many wait.
 */
export async function inviteAgency(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; agencyId: string },
): Promise<{ invitations: GroupInvitation[] }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const others = await listOtherAgencies(app.db, actor.agencyId);
  if (!others.some(({ id }) => id === input.agencyId))
    throw new AppError("bad_request", "This agency does not exist.");
  const invitations = await listInvitations(app.db, group.id);
  if (invitations.some(({ agency_id }) => agency_id === input.agencyId)) return { invitations };
  const at = app.clock();
  try {
    await inOneStep(app.db, [
      upsertInvitations(app.db, { groupId: group.id, agencyIds: [input.agencyId], by: actor.userId, at }),
      auditAct(app, actor, {
        at,
        action: "group.invite",
        object: group.id,
        detail: { agency: input.agencyId },
      }),
    ]);
  } catch (error) {
    throw tooManyInvitations(error) ?? error;
  }
  return { invitations: await listInvitations(app.db, group.id) };
}

/** Returns the error for a batch that failed because too many invitations wait, or undefined. */
export function tooManyInvitations(error: unknown): AppError | undefined {
  if (brokenConstraint(error) !== "alert_group_invitations.invited_at") return undefined;
  return new AppError(
    "conflict",
    `An agency has not answered ${MAX_WAITING_INVITATIONS} invitations of yours. Withdraw one, or wait until it answers one.`,
    { cause: error },
  );
}

/**
 * Withdraws an invitation and removes the agency's members from the group. Throws AppError not_found if the agency was never
 * invited, and conflict if the invitation was declined or withdrawn.
 */
export async function withdrawInvitation(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; agencyId: string },
): Promise<{ invitations: GroupInvitation[] }> {
  await requireEditableGroup(app, actor, input.groupId);
  if (!(await wasInvited(app.db, input))) throw notInvited();
  await decide(app, actor, { ...input, from: ["pending", "accepted"], to: "withdrawn" });
  return { invitations: await listInvitations(app.db, input.groupId) };
}

/** Invitations on one page. */
const PAGE_SIZE = 20;

/** Returns a page of the invitations that wait for the actor's agency, none for those who may not answer. */
export async function pageOwnInvitations(
  app: AppContext,
  actor: Actor,
  page: number,
): Promise<NumberedPage<GroupInvitation>> {
  const { agencyId } = actor;
  if (!mayUse("hotlist-admin", actor)) return pageOfRows([], { page, size: PAGE_SIZE });
  return numberedPage({
    page,
    size: PAGE_SIZE,
    count: () => countWaiting(app.db, agencyId),
    list: (part) => listWaiting(app.db, { agencyId, ...part }),
  });
}

/**
 * Answers an invitation for the actor's agency. Accepting makes the proposed users members. Throws AppError not_found
 * if there is no invitation, and conflict if it was answered.
 */
export async function answerInvitation(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; accept: boolean },
): Promise<{ msg: string }> {
  const found = await findInvitation(app.db, { groupId: input.groupId, agencyId: actor.agencyId });
  if (!found) throw notInvited();
  const to = input.accept ? "accepted" : "declined";
  // An agency can also leave after accepting.
  const from = input.accept ? ["pending"] : ["pending", "accepted"];
  await decide(app, actor, { groupId: input.groupId, agencyId: actor.agencyId, from, to });
  return {
    msg: input.accept
      ? `Your agency participates in "${found.group}".`
      : `Your agency does not participate in "${found.group}".`,
  };
}

function notInvited(): AppError {
  return new AppError("not_found", "This invitation does not exist.");
}

async function decide(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; agencyId: string; from: string[]; to: "accepted" | "declined" | "withdrawn" },
): Promise<void> {
  const { groupId, agencyId } = input;
  const at = app.clock();
  const wanted = input.to === "accepted" ? await listProposals(app.db, groupId) : [];
  const members = wanted.flatMap(({ id, agency_id }) => (agency_id === agencyId ? [id] : []));
  try {
    await inOneStep(app.db, [
      decideInvitation(app.db, { ...input, by: actor.userId, at }),
      input.to === "accepted"
        ? insertMembers(app.db, { groupId, userIds: members, at, by: actor.userId })
        : removeAgencyMembers(app.db, { groupId, agencyId }),
      // A user who was proposed after the read stays pending.
      removeProposals(app.db, { groupId, agencyId, ...(input.to === "accepted" && { among: members }) }),
      // A form that was opened before still names the agency's users and would invite the agency again; the new version
      // refuses it.
      touchGroup(app.db, { id: groupId, at, by: actor.userId }),
      auditAct(app, actor, {
        at,
        action: "group.invitation",
        object: groupId,
        detail: { agency: agencyId, after: input.to, ...(members.length > 0 && { members }) },
      }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "alert_group_invitations.state") throw error;
    throw new AppError("conflict", "This invitation has already been answered.", { cause: error });
  }
}

/**
 * Sets which of the actor's own users participate in another agency's group. This also decides on users whom the owner
 * proposed later. Deleted users are left out, and members who were disabled meanwhile stay as they are: clients send the
 * list as they read it. Throws AppError not_found, forbidden and bad_request.
 */
export async function chooseOwnMembers(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; userIds: string[] },
): Promise<{ members: number }> {
  const described = await describeGroup(app, actor, input.groupId);
  if (!described.own_users) throw new AppError("forbidden", MESSAGES.accessDenied);
  const own = new Set(described.own_users.users.map((user) => user.id));
  await requireFormer(app, actor, {
    groupId: input.groupId,
    ids: input.userIds.filter((id) => !own.has(id)),
  });
  const before = described.members.flatMap((member) => (own.has(member.id) ? [member.id] : []));
  const { groupId } = input;
  const userIds = input.userIds.filter((id) => own.has(id));
  const chosen = new Set(userIds);
  const at = app.clock();
  try {
    await inOneStep(app.db, [
      touchGroup(app.db, { id: groupId, at, by: actor.userId, participant: actor.agencyId }),
      insertMembers(app.db, { groupId, userIds, at, by: actor.userId }),
      // Also those whom a colleague has added since the read.
      removeMembers(app.db, { groupId, userIds: [...own].filter((id) => !chosen.has(id)) }),
      removeProposals(app.db, { groupId, agencyId: actor.agencyId }),
      auditAct(app, actor, {
        at,
        action: "group.members",
        object: groupId,
        detail: { before, after: userIds },
      }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "alert_groups.version") throw error;
    // The owner ended the participation meanwhile.
    throw new AppError("not_found", MESSAGES.groupNotFound, { cause: error });
  }
  return { members: userIds.length };
}

/** Throws AppError bad_request unless these users of the agency were deleted, or disabled as members of the group. */
async function requireFormer(
  app: AppContext,
  actor: Actor,
  { groupId, ids }: { groupId: string; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const [former, members] = await Promise.all([
    listFormerUsers(app.db, { agencyId: actor.agencyId, ids }),
    listFormerMembers(app.db, groupId),
  ]);
  const left = new Set(
    former.flatMap(({ id, deletedAt }) => (deletedAt !== null || members.includes(id) ? [id] : [])),
  );
  if (ids.some((id) => !left.has(id)))
    throw new AppError("bad_request", "A member is not a user of your agency.");
}
