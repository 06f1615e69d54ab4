// Alert groups: who sees them, who changes them, who is in them. A group that the actor may not see does not exist;
// one that they may see but not change says so. Plates are in hotlists.ts, files of plates in hotlist-imports.ts.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/access.ts";
import type { Actor } from "#app/entities/account.ts";
import {
  DEFAULT_GROUP_IMAGE,
  type GroupCard,
  type GroupDetails,
  PLATES_PER_SAVE,
  type UsersOfAgency,
} from "#app/entities/alert-group.ts";
import { auditWho } from "#app/entities/audit.ts";
import type { GroupForm, NewPlate } from "#app/entities/hotlist-calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { randomToken } from "#app/lib/crypto.ts";
import { isoTime } from "#app/lib/dates.ts";
import { AppError } from "#app/lib/errors.ts";
import {
  findGroup,
  type GroupViewer,
  insertGroup,
  insertMembers,
  listAgencyUsers,
  listGroups,
  listInvitations,
  listInvitationsTo,
  listMembers,
  listOtherAgencies,
  removeMembers,
  type StoredGroup,
  updateGroup,
} from "#app/store/alert-groups.ts";
import { findAttachment, insertAttachment, type StoredAttachment } from "#app/store/attachments.ts";
import { insertAudit } from "#app/store/audit.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { checkFile, dropFiles, keepFile, type OfferedFile, serveFile } from "./attachments.ts";
import { newEntries } from "./hotlist-entries.ts";
import { onlyOnce } from "./saved-once.ts";

/** Hotlist admins and administrators of the agency that owns a group change it. */
export function mayEditGroup(actor: Actor, group: Pick<StoredGroup, "agencyId">): boolean {
  return mayUse("hotlist-admin", actor) && group.agencyId === actor.agencyId;
}

export function viewerOf(actor: Actor): GroupViewer {
  return { userId: actor.userId, agencyId: actor.agencyId, managesHotlists: mayUse("hotlist-admin", actor) };
}

/** The group, if the actor may see it. Throws AppError not_found. */
export async function requireGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  const group = await findGroup(app.db, viewerOf(actor), id);
  if (!group) throw new AppError("not_found", MESSAGES.groupNotFound);
  return group;
}

/** The group, if the actor may change it. Throws AppError not_found or forbidden. */
export async function requireEditableGroup(app: AppContext, actor: Actor, id: string): Promise<StoredGroup> {
  const group = await requireGroup(app, actor, id);
  if (!mayEditGroup(actor, group)) throw new AppError("forbidden", MESSAGES.accessDenied);
  return group;
}

/** The address of a group's image, or null where it has none. */
export function groupImageUrl(group: Pick<StoredGroup, "id" | "imageId">): string | null {
  return (
    group.imageId && `/groups/${encodeURIComponent(group.id)}/image?v=${encodeURIComponent(group.imageId)}`
  );
}

/** Groups that the actor may see, as GET /alerts-data gives them. */
export async function listGroupCards(app: AppContext, actor: Actor): Promise<GroupCard[]> {
  const groups = await listGroups(app.db, viewerOf(actor));
  return groups.map((group) => ({
    id: group.id,
    name: group.name,
    latest_image_url: groupImageUrl(group),
    last_alert: group.lastAlertAt === null ? null : isoTime(group.lastAlertAt),
    can_edit: mayEditGroup(actor, group),
    agency: group.agencyName,
    plate_count: group.plateCount,
  }));
}

function detailsOf(actor: Actor, group: StoredGroup, memberIds: string[]): GroupDetails {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    created_at: isoTime(group.createdAt),
    image_url: groupImageUrl(group),
    member_ids: memberIds,
    plate_count: group.plateCount,
    agency: group.agencyName,
    can_edit: mayEditGroup(actor, group),
    version: group.version,
    changed_at: isoTime(group.changedAt),
    changed_by: group.changedByName ?? "",
  };
}

/** A group with its members, for whoever may see it. */
export async function describeGroup(app: AppContext, actor: Actor, id: string) {
  const group = await requireGroup(app, actor, id);
  const all = await listMembers(app.db, group.id);
  const members = all.map(({ agencyId: _, ...member }) => member);
  const invitations = (await listInvitationsTo(app.db, actor.agencyId)).filter(
    (invitation) => invitation.group_id === id && invitation.state === "accepted",
  );
  const joined = mayUse("hotlist-admin", actor) && invitations.length > 0;
  return {
    group: detailsOf(
      actor,
      group,
      members.map((member) => member.id),
    ),
    members,
    // Whoever accepted an invitation for their agency chooses which of their own take part.
    own_users: joined ? await usersOf(app, actor) : null,
  };
}

async function usersOf(
  app: AppContext,
  actor: Pick<Actor, "agencyId" | "agencyName">,
): Promise<UsersOfAgency> {
  const users = await listAgencyUsers(app.db, actor.agencyId);
  return {
    agency: actor.agencyName,
    agency_id: actor.agencyId,
    users: users.map(({ id, name, email, ...user }) => ({
      id,
      name,
      email,
      hotlist: user.role === "admin" || user.hotlistAdmin || user.hotlistViewer,
    })),
  };
}

/** Whom a group may have as members: the agency's users, and of others the members that these chose themselves. */
export async function listCandidates(
  app: AppContext,
  actor: Actor,
  groupId?: string,
): Promise<Record<string, UsersOfAgency["users"]>> {
  const own = await usersOf(app, actor);
  const candidates: Record<string, UsersOfAgency["users"]> = { [own.agency]: own.users };
  for (const { agencyId, agency, ...member } of groupId ? await listMembers(app.db, groupId) : []) {
    if (agencyId === actor.agencyId) continue;
    candidates[agency] ??= [];
    candidates[agency]?.push({ id: member.id, name: member.name, email: member.email, hotlist: true });
  }
  return candidates;
}

/** What the edit screen needs beside the plates. Throws AppError not_found or forbidden. */
export async function groupForEditing(app: AppContext, actor: Actor, id: string) {
  const group = await requireEditableGroup(app, actor, id);
  const [described, users_by_agency, invitations, agencies] = await Promise.all([
    describeGroup(app, actor, group.id),
    listCandidates(app, actor, group.id),
    listInvitations(app.db, group.id),
    listOtherAgencies(app.db, actor.agencyId),
  ]);
  return { group: described.group, members: described.members, users_by_agency, invitations, agencies };
}

export type GroupSave = {
  form: GroupForm;
  image: OfferedFile | null;
  plates: { plate: NewPlate; file: OfferedFile | null }[];
};

export type GroupSaved = { message: string; group_id: string };

/** Makes a group of the actor's agency. Throws AppError bad_request for members that are not the agency's. */
export async function createGroup(app: AppContext, actor: Actor, save: GroupSave): Promise<GroupSaved> {
  const { form } = save;
  return onlyOnce<GroupSaved>(app, {
    actor,
    key: form.idempotency_key,
    work: async (noted) => {
      const own = new Set((await listAgencyUsers(app.db, actor.agencyId)).map(({ id }) => id));
      refuseStrangers(form.group_members, own);
      const at = app.clock();
      const id = randomToken(9);
      const image = save.image && checkFile(save.image, "image");
      const kept = image ? [await keepFile(app, image, { groupId: id, userId: actor.userId })] : [];
      const answer = { message: MESSAGES.groupCreated, group_id: id };
      const after = {
        name: form.group_name,
        description: form.group_description,
        members: form.group_members,
      };
      await writeOrDrop(app, kept, [
        insertGroup(app.db, {
          id,
          agencyId: actor.agencyId,
          name: form.group_name,
          description: form.group_description,
          imageId: kept[0]?.id ?? null,
          at,
          by: actor.userId,
        }),
        ...kept.map((file) => insertAttachment(app.db, file)),
        insertMembers(app.db, { groupId: id, userIds: form.group_members, at, by: actor.userId }),
        insertAudit(app.db, {
          ...auditWho(actor),
          at,
          action: "group.create",
          outcome: "ok",
          object: id,
          detail: { after },
        }),
        ...noted(answer),
      ]);
      return answer;
    },
  });
}

export function refuseStrangers(wanted: string[], known: ReadonlySet<string>): void {
  if (wanted.some((id) => !known.has(id)))
    throw new AppError(
      "bad_request",
      "A member is not a user of your agency. Other agencies join by invitation.",
    );
}

/**
 * Saves the edit form: name, description, image, members and new plates, all or nothing. Throws AppError conflict
 * where somebody else changed the group since `version`, or a new plate is in the group already.
 */
export async function editGroup(
  app: AppContext,
  actor: Actor,
  save: GroupSave & { id: string },
): Promise<GroupSaved & { version: number }> {
  const { form, id } = save;
  return onlyOnce<GroupSaved & { version: number }>(app, {
    actor,
    key: form.idempotency_key,
    work: async (noted) => {
      const group = await requireEditableGroup(app, actor, id);
      if (form.version !== undefined && Number(form.version) !== group.version)
        throw changedBySomebody(group);
      if (save.plates.length > PLATES_PER_SAVE)
        throw new AppError(
          "bad_request",
          `Save at most ${PLATES_PER_SAVE} plates at once, or import a file.`,
        );
      const [users, members] = await Promise.all([
        listAgencyUsers(app.db, actor.agencyId),
        listMembers(app.db, id),
      ]);
      refuseStrangers(form.group_members, new Set([...users, ...members].map((user) => user.id)));
      const had = new Set(members.map((member) => member.id));
      const joining = form.group_members.filter((userId) => !had.has(userId));
      const leaving = [...had].filter((userId) => !form.group_members.includes(userId));
      const at = app.clock();
      const checkedPlates = await newEntries(app, actor, { group, plates: save.plates, at });
      const image = save.image && checkFile(save.image, "image");
      const owner = { groupId: id, userId: actor.userId };
      const keptImage = image ? await keepFile(app, image, owner) : null;
      const plates = await checkedPlates.keep(owner);
      const before = {
        name: group.name,
        description: group.description,
        image: group.imageId,
        members: [...had],
      };
      const after = {
        name: form.group_name,
        description: form.group_description,
        image: keptImage?.id ?? group.imageId,
        members: form.group_members,
      };
      const answer = { message: "Group updated successfully!", group_id: id, version: group.version + 1 };
      await writeOrDrop(
        app,
        [...(keptImage ? [keptImage] : []), ...plates.files],
        [
          updateGroup(app.db, {
            id,
            version: group.version,
            at,
            by: actor.userId,
            set: { name: after.name, description: after.description, imageId: after.image },
          }),
          ...(keptImage ? [insertAttachment(app.db, keptImage)] : []),
          insertMembers(app.db, { groupId: id, userIds: joining, at, by: actor.userId }),
          removeMembers(app.db, { groupId: id, userIds: leaving }),
          insertAudit(app.db, {
            ...auditWho(actor),
            at,
            action: "group.edit",
            outcome: "ok",
            object: id,
            detail: { before, after },
          }),
          ...plates.statements,
          ...noted(answer),
        ],
      );
      return answer;
    },
  });
}

function changedBySomebody(group: StoredGroup): AppError {
  const who = group.changedByName ?? "Somebody else";
  return new AppError(
    "conflict",
    `${who} changed this group while you had it open. Nothing of yours has been saved yet, and nothing is lost.`,
  );
}

/** Runs a batch; where it does not hold, the files that it would have named are taken back. */
async function writeOrDrop(
  app: AppContext,
  files: StoredAttachment[],
  statements: [Statement, ...Statement[]],
): Promise<void> {
  try {
    await inOneStep(app.db, statements);
  } catch (error) {
    await dropFiles(app, files);
    if (brokenConstraint(error) === "alert_groups.version")
      throw new AppError(
        "conflict",
        "Somebody else changed this group at the same moment. Look at it again.",
        { cause: error },
      );
    throw error;
  }
}

/** Archives a group: its plates are out of matching with this one write; everything stays as history. */
export async function archiveGroup(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const group = await requireEditableGroup(app, actor, id);
  const at = app.clock();
  const before = { name: group.name, description: group.description, plates: group.plateCount };
  await writeOrDrop(
    app,
    [],
    [
      updateGroup(app.db, { id, version: group.version, at, by: actor.userId, set: { archivedAt: at } }),
      insertAudit(app.db, {
        ...auditWho(actor),
        at,
        action: "group.archive",
        outcome: "ok",
        object: id,
        detail: { before, after: { archived: true } },
      }),
    ],
  );
  return {
    msg: `"${group.name}" has been archived and its ${group.plateCount.toLocaleString("en-US")} plates are no longer matched.`,
  };
}

/** The image of a group; the default one where it has none. */
export async function serveGroupImage(app: AppContext, actor: Actor, id: string): Promise<Response> {
  const group = await requireGroup(app, actor, id);
  const image = group.imageId ? await findAttachment(app.db, group.imageId) : undefined;
  if (!image) return new Response(null, { status: 302, headers: { location: DEFAULT_GROUP_IMAGE } });
  return serveFile(app, image);
}
