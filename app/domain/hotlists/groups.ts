// Alert groups: who can see them, edit them, and is a member. A group that the actor cannot see is reported as not
// found; one that the actor can see but not edit, as forbidden. Changes are in group-changes.ts, members in members.ts,
// plates in plates.ts.

import type { AppContext } from "#app/context.ts";
import { requireStill } from "#app/domain/accounts/still-allowed.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { MissingPermission } from "#app/entities/accounts/missing-permission.ts";
import {
  ARCHIVED_SHOWN,
  type ArchivedGroup,
  type GroupCard,
  type GroupDetails,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, pageOfRows } from "#app/lib/pages.ts";
import { isoTime, SECOND } from "#app/lib/time/dates.ts";
import { findAttachment } from "#app/store/hotlists/attachments.ts";
import {
  findExpiryDays,
  findGroup,
  type GroupViewer,
  listArchivedGroups,
  listGroups,
  listGroupsWithMembers,
  listMembers,
  listOtherAgencies,
  type StoredGroup,
} from "#app/store/hotlists/groups.ts";
import { listInvitations, listProposals } from "#app/store/hotlists/invitations.ts";
import { countExpired } from "#app/store/hotlists/list-parts.ts";
import { openFile } from "./attachments.ts";
import { memberIdsOf, ownChoice, pageMembers } from "./members.ts";

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
  const group = await findGroup(app.db, viewerOf(actor), id, "including archived");
  if (!group) throw new AppError("not_found", MESSAGES.groupNotFound);
  return group;
}

/**
 * How often a streamed list of a group checks that its reader still has access. D1 allows 1,000 queries per request.
 */
const RECHECK_MS = 30 * SECOND;

/**
 * Returns a function to call before each further page of a list of a group. Every 30 seconds it checks that the actor can
 * still see the group. Throws AppError forbidden and not_found.
 */
export function groupRecheck(app: AppContext, actor: Actor, id: string): () => Promise<void> {
  let checkedAt = app.clock();
  return async () => {
    if (app.clock() - checkedAt < RECHECK_MS) return;
    await requireGroupOrArchived(app, await requireStill(app, actor, "hotlist-viewer"), id);
    checkedAt = app.clock();
  };
}

const OWN_ONLY: MissingPermission = {
  missing_permission: "Hotlist Admin in the agency of this group",
  granted_by: "Only hotlist admins and administrators of that agency can change the group.",
};

/** Returns the group if the actor can edit it. Throws AppError not_found or forbidden. */
export async function requireEditableGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  return requireManager(actor, await requireGroup(app, actor, id));
}

/**
 * Returns the group, archived or not, if the actor manages its agency's groups. Throws AppError not_found or forbidden.
 */
export async function requireManagedGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  return requireManager(actor, await requireGroupOrArchived(app, actor, id));
}

function requireManager(actor: Actor, group: StoredGroup): StoredGroup {
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
  return cardsOf(app, actor, await listGroups(app.db, viewerOf(actor)));
}

/** Number of cards on one page: whole rows of two or three. */
const CARDS_SHOWN = 120;

/** Returns a page of the groups that the actor can see, by a text in their name or the name of their agency. */
export async function pageGroupCards(
  app: AppContext,
  actor: Actor,
  { find, page }: AskedPage,
): Promise<NumberedPage<GroupCard>> {
  const found = await listGroups(app.db, viewerOf(actor), find);
  const groups = pageOfRows(found, { page, size: CARDS_SHOWN });
  return { ...groups, rows: await cardsOf(app, actor, groups.rows) };
}

async function cardsOf(app: AppContext, actor: Actor, groups: readonly StoredGroup[]): Promise<GroupCard[]> {
  const groupIds = groups.map(({ id }) => id);
  const [counted, groupsWithMembers] = await Promise.all([
    countExpired(app.db, { groupIds, now: app.clock() }),
    listGroupsWithMembers(app.db, groupIds),
  ]);
  const withMembers = new Set(groupsWithMembers);
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
    has_members: withMembers.has(group.id),
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

/** Returns a group as the API answers it, with times in ISO 8601. */
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
  return withMembers(app, actor, await requireGroupOrArchived(app, actor, id));
}

async function withMembers(app: AppContext, actor: Actor, group: StoredGroup) {
  const [all, shown, own] = await Promise.all([
    listMembers(app.db, { groupId: group.id }),
    detailsOf(app, actor, group),
    ownChoice(app, actor, group.id),
  ]);
  const members = all.map(({ agencyId: _, ...member }) => member);
  const details: GroupDetails = { ...shown, member_ids: members.map((member) => member.id) };
  return { group: details, members, ...own };
}

/**
 * Returns a group with a page of its members: all, or those whose name, address or agency contains a text. Throws AppError
 * not_found.
 */
export async function showGroup(app: AppContext, actor: Actor, { id, ...asked }: { id: string } & AskedPage) {
  const group = await requireGroupOrArchived(app, actor, id);
  const [details, members, own] = await Promise.all([
    detailsOf(app, actor, group),
    pageMembers(app, group.id, asked),
    ownChoice(app, actor, group.id),
  ]);
  const key = { groupId: group.id, agencyId: actor.agencyId };
  return { group: details, members, ...own, own_members: own.own_users ? await memberIdsOf(app, key) : [] };
}

async function detailsOf(
  app: AppContext,
  actor: Actor,
  group: StoredGroup,
): Promise<Omit<GroupDetails, "member_ids">> {
  const [[counted], expiryDays] = await Promise.all([
    countExpired(app.db, { groupIds: [group.id], now: app.clock() }),
    findExpiryDays(app.db, group.agencyId),
  ]);
  const expired = counted?.expired ?? 0;
  return {
    ...groupHead(group),
    plate_count: Math.max(0, group.plateCount - expired),
    expired_count: expired,
    expiry_days: expiryDays,
    agency: group.agencyName,
    can_edit: mayEditGroup(actor, group) && group.archivedAt === null,
    version: group.version,
    changed_at: isoTime(group.changedAt),
    changed_by: group.changedByName ?? "",
  };
}

/** Returns a group to edit, with its members and the users who are proposed as such. Throws AppError not_found or forbidden. */
export async function groupToEdit(app: AppContext, actor: Actor, id: string) {
  const group = await requireEditableGroup(app, actor, id);
  const [{ group: details, members }, pending_members] = await Promise.all([
    withMembers(app, actor, group),
    listProposals(app.db, group.id),
  ]);
  return { group: details, members, pending_members };
}

/** Returns the same with all invitations and all agencies that can be invited. Throws AppError not_found or forbidden. */
export async function groupForEditing(app: AppContext, actor: Actor, id: string) {
  const [edited, invitations, agencies] = await Promise.all([
    groupToEdit(app, actor, id),
    listInvitations(app.db, id),
    listOtherAgencies(app.db, actor.agencyId),
  ]);
  return { ...edited, invitations, agencies };
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
