// Alert groups: who can see them, edit them, and is a member. A group that the actor cannot see is reported as not
// found; one that the actor can see but not edit, as forbidden. Changes are in group-changes.ts, plates in plates.ts.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { MissingPermission } from "#app/entities/accounts/missing-permission.ts";
import {
  ARCHIVED_SHOWN,
  type ArchivedGroup,
  type GroupCard,
  type GroupDetails,
  type UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { findAttachment } from "#app/store/hotlists/attachments.ts";
import {
  findExpiryDays,
  findGroup,
  type GroupViewer,
  listAgencyUsers,
  listArchivedGroups,
  listGroups,
  listMembers,
  listOtherAgencies,
  type StoredGroup,
} from "#app/store/hotlists/groups.ts";
import {
  listInvitations,
  listInvitationsTo,
  listProposals,
  listRelatedUsers,
} from "#app/store/hotlists/invitations.ts";
import { countExpired } from "#app/store/hotlists/list-parts.ts";
import { openFile } from "./attachments.ts";

/** Hotlist admins and administrators of the owning agency can edit a group. */
function mayEditGroup(actor: Actor, group: Pick<StoredGroup, "agencyId">): boolean {
  return mayUse("hotlist-admin", actor) && group.agencyId === actor.agencyId;
}

/**
 * Returns an actor as the viewer of groups. A service account that acts for itself can be no member, but the webhooks of
 * its agency announce the hits of every group that the agency joined, so it sees those. It only reads: changes name a
 * person.
 */
export function viewerOf(actor: Actor): GroupViewer {
  const { userId, agencyId, service } = actor;
  const managesHotlists = mayUse("hotlist-admin", actor);
  return { userId, agencyId, seesJoined: managesHotlists || userId === service?.id, managesHotlists };
}

/** Returns the group if the actor can see it. Throws AppError not_found. */
async function requireGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  const group = await findGroup(app.db, viewerOf(actor), id);
  if (!group) throw new AppError("not_found", MESSAGES.groupNotFound);
  return group;
}

/**
 * Returns the group if the actor can see it, including archived groups: for read-only use. Throws AppError not_found.
 */
export async function requireGroupOrArchived(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<StoredGroup> {
  const group = await findGroup(app.db, viewerOf(actor), id, "archive too");
  if (!group) throw new AppError("not_found", MESSAGES.groupNotFound);
  return group;
}

const OWN_ONLY: MissingPermission = {
  missing_permission: "Hotlist Admin in the agency of this group",
  granted_by: "Only hotlist admins and administrators of that agency can change the group.",
};

/** Returns the group if the actor can edit it. Throws AppError not_found or forbidden. */
export async function requireEditableGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  const group = await requireGroup(app, actor, id);
  if (!mayEditGroup(actor, group))
    throw new AppError("forbidden", MESSAGES.accessDenied, { details: OWN_ONLY });
  return group;
}

/** Returns the URL of a group's image, or null if it has none. */
function groupImageUrl(group: Pick<StoredGroup, "id" | "imageId">): string | null {
  return (
    group.imageId && `/groups/${encodeURIComponent(group.id)}/image?v=${encodeURIComponent(group.imageId)}`
  );
}

/** Returns the groups that the actor can see, as GET /alerts-data returns them. */
export async function listGroupCards(app: AppContext, actor: Actor): Promise<GroupCard[]> {
  const groups = await listGroups(app.db, viewerOf(actor));
  const groupIds = groups.map(({ id }) => id);
  const counted = await countExpired(app.db, { groupIds, now: app.clock() });
  const expired = new Map(counted.map((count) => [count.groupId, count.expired]));
  return groups.map((group) => ({
    id: group.id,
    name: group.name,
    latest_image_url: groupImageUrl(group),
    last_alert: group.lastAlertAt === null ? null : isoTime(group.lastAlertAt),
    can_edit: mayEditGroup(actor, group),
    agency: group.agencyName,
    plate_count: Math.max(0, group.plateCount - (expired.get(group.id) ?? 0)),
    expired_count: expired.get(group.id) ?? 0,
  }));
}

/** Returns the archived groups of the actor's agency if the actor manages its hotlists; otherwise an empty list. */
export async function listArchive(app: AppContext, actor: Actor): Promise<ArchivedGroup[]> {
  const groups = await listArchivedGroups(app.db, viewerOf(actor), ARCHIVED_SHOWN);
  return groups.map((group) => ({
    id: group.id,
    name: group.name,
    archived_at: isoTime(group.archivedAt ?? group.changedAt),
    archived_by: group.changedByName ?? "",
    last_alert: group.lastAlertAt === null ? null : isoTime(group.lastAlertAt),
  }));
}

/** What every screen of a group shows of it. */
export type GroupHead = Pick<
  GroupDetails,
  "id" | "name" | "description" | "created_at" | "image_url" | "last_alert" | "archived_at"
>;

export function groupHead(group: StoredGroup): GroupHead {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    created_at: isoTime(group.createdAt),
    image_url: groupImageUrl(group),
    last_alert: group.lastAlertAt === null ? null : isoTime(group.lastAlertAt),
    archived_at: group.archivedAt === null ? null : isoTime(group.archivedAt),
  };
}

/** Returns a group with its members, if the actor can see it. Throws AppError not_found. */
export async function describeGroup(app: AppContext, actor: Actor, id: string) {
  const group = await requireGroupOrArchived(app, actor, id);
  const [all, invited, [counted], expiryDays] = await Promise.all([
    listMembers(app.db, group.id),
    listInvitationsTo(app.db, actor.agencyId),
    countExpired(app.db, { groupIds: [group.id], now: app.clock() }),
    findExpiryDays(app.db, group.agencyId),
  ]);
  const members = all.map(({ agencyId: _, ...member }) => member);
  const invitations = invited.filter(({ group_id, state }) => group_id === id && state === "accepted");
  const joined = mayUse("hotlist-admin", actor) && invitations.length > 0;
  const expired = counted?.expired ?? 0;
  const details: GroupDetails = {
    ...groupHead(group),
    member_ids: members.map((member) => member.id),
    plate_count: Math.max(0, group.plateCount - expired),
    expired_count: expired,
    expiry_days: expiryDays,
    agency: group.agencyName,
    can_edit: mayEditGroup(actor, group) && group.archivedAt === null,
    version: group.version,
    changed_at: isoTime(group.changedAt),
    changed_by: group.changedByName ?? "",
  };
  return {
    group: details,
    members,
    // A hotlist admin whose agency accepted an invitation chooses which of its users participate.
    own_users: joined ? await usersOf(app, actor) : null,
    own_proposed: joined ? await listOwnProposed(app, actor, group.id) : [],
  };
}

/** Returns the ids of users of the actor's agency whom another agency proposed as members of its group. */
async function listOwnProposed(app: AppContext, actor: Actor, groupId: string): Promise<string[]> {
  const wanted = await listProposals(app.db, groupId);
  return wanted.flatMap(({ id, agency_id }) => (agency_id === actor.agencyId ? [id] : []));
}

async function usersOf(
  app: AppContext,
  actor: Pick<Actor, "agencyId" | "agencyName">,
): Promise<UsersOfAgency> {
  const users = await listAgencyUsers(app.db, actor.agencyId);
  return {
    agency: actor.agencyName,
    agency_id: actor.agencyId,
    users: users.map(candidateOf),
  };
}

function candidateOf({
  id,
  name,
  email,
  ...user
}: Awaited<ReturnType<typeof listAgencyUsers>>[number]): UsersOfAgency["users"][number] {
  return { id, name, email, hotlist: user.role === "admin" || user.hotlistAdmin || user.hotlistViewer };
}

/**
 * Returns users who can be members of a group, by agency name: the agency's own users first, then users of agencies
 * that it works with, then users who are already members or proposed.
 */
export async function listCandidates(
  app: AppContext,
  actor: Actor,
  groupId?: string,
): Promise<Record<string, UsersOfAgency["users"]>> {
  const [own, related, members, wanted] = await Promise.all([
    usersOf(app, actor),
    listRelatedUsers(app.db, { agencyId: actor.agencyId, now: app.clock() }),
    groupId === undefined ? [] : listMembers(app.db, groupId),
    groupId === undefined ? [] : listProposals(app.db, groupId),
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
  for (const { agency, id, name, email } of [...members, ...wanted])
    add(agency, { id, name, email, hotlist: true });
  return Object.fromEntries(candidates);
}

/** Returns the data of the edit screen, without the plates. Throws AppError not_found or forbidden. */
export async function groupForEditing(app: AppContext, actor: Actor, id: string) {
  const group = await requireEditableGroup(app, actor, id);
  const [described, users_by_agency, pending_members, invitations, agencies] = await Promise.all([
    describeGroup(app, actor, group.id),
    listCandidates(app, actor, group.id),
    listProposals(app.db, group.id),
    listInvitations(app.db, group.id),
    listOtherAgencies(app.db, actor.agencyId),
  ]);
  const { group: details, members } = described;
  return { group: details, members, users_by_agency, pending_members, invitations, agencies };
}

/** Returns the image of a group; null if it has none. */
export async function openGroupImage(app: AppContext, actor: Actor, id: string): Promise<ServedFile | null> {
  const group = await requireGroupOrArchived(app, actor, id);
  const image = group.imageId ? await findAttachment(app.db, group.imageId) : undefined;
  return image ? openFile(app, image) : null;
}

/** Returns the groups that the actor may add plates to, by name; null for users without the permission. */
export async function listEditableGroups(
  app: AppContext,
  actor: Actor,
): Promise<{ id: string; name: string }[] | null> {
  return mayUse("hotlist-admin", actor) ? listGroupsToEdit(app, actor) : null;
}

/** Returns the groups that the actor can edit, by name. */
export async function listGroupsToEdit(
  app: AppContext,
  actor: Actor,
): Promise<{ id: string; name: string }[]> {
  const groups = await listGroups(app.db, viewerOf(actor));
  return groups.filter((group) => mayEditGroup(actor, group)).map(({ id, name }) => ({ id, name }));
}
