// Creates, edits and archives alert groups; each save is all or nothing. If two users edit at once, the version that a
// form was opened with decides, and the second save fails before anything is written. The agency's own users become
// members at once, those of other agencies after their own agency accepts.

import type { AppContext } from "#app/context.ts";
import { requireStill } from "#app/domain/accounts/still-allowed.ts";
import { onlyOnce } from "#app/domain/operations/idempotency.ts";
import { auditAct, auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { GroupForm, NewPlate } from "#app/entities/hotlists/calls.ts";
import { type PendingMember, PLATES_PER_SAVE } from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, inField } from "#app/lib/errors.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { brokenConstraint, isRefusedWrite } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAttachments, type StoredAttachment } from "#app/store/hotlists/attachments.ts";
import {
  insertGroup,
  insertMembers,
  listAgencyUsers,
  listFormerMembers,
  listMembers,
  removeMembers,
  type StoredGroup,
  updateGroup,
} from "#app/store/hotlists/groups.ts";
import {
  insertProposals,
  listProposals,
  listUsersAmong,
  upsertInvitations,
} from "#app/store/hotlists/invitations.ts";
import { insertAudits } from "#app/store/oversight/audit.ts";
import { checkFile, dropFiles, keepFile, type OfferedFile, requireClean } from "./attachments.ts";
import { newEntries } from "./entries.ts";
import { requireEditableGroup } from "./groups.ts";
import { tooManyInvitations } from "./invitations.ts";
import { listDeletedAmong } from "./members.ts";
import { countParts } from "./plates.ts";

export type GroupSave = {
  form: GroupForm;
  image: OfferedFile | null;
  plates: { plate: NewPlate; file: OfferedFile | null }[];
};

/** `pending` are users of other agencies who become members once their agencies accept. */
export type GroupSaved = { message: string; group_id: string; pending: PendingMember[] };

/**
 * Creates a group of the actor's agency. Members of other agencies result in an invitation to their agency. Throws
 * AppError bad_request for members that are not users.
 */
export async function createGroup(app: AppContext, actor: Actor, save: GroupSave): Promise<GroupSaved> {
  const { form } = save;
  return onlyOnce<GroupSaved>(app, {
    actor,
    key: form.idempotency_key,
    content: contentOf("a new group", save),
    work: async (noted) => {
      const { members, invited, pending } = await sortMembers(app, actor, {
        groupId: null,
        wanted: form.group_members ?? [],
      });
      const description = form.group_description ?? "";
      const at = app.clock();
      const id = randomToken(9);
      const image = imageOf(save);
      if (image) await requireClean(app, actor, { files: [image], groupId: id });
      await requireStillEditor(app, actor, save);
      const kept = image ? [await keepFile(app, image, { groupId: id, userId: actor.userId })] : [];
      const answer = { message: MESSAGES.groupCreated, group_id: id, pending };
      const after = { name: form.group_name, description, members };
      await writeOrDrop(app, kept, [
        insertGroup(app.db, {
          id,
          agencyId: actor.agencyId,
          name: form.group_name,
          description,
          imageId: kept[0]?.id ?? null,
          at,
          by: actor.userId,
        }),
        ...insertAttachments(app.db, kept),
        insertMembers(app.db, { groupId: id, userIds: members, at, by: actor.userId }),
        auditAct(app, actor, { at, action: "group.create", object: id, detail: { after } }),
        ...inviteMembers(app, actor, { groupId: id, invited, at }),
        ...noted(answer),
      ]);
      return answer;
    },
  });
}

/**
 * Saves the edit form: name, description, image, members and new plates, all or nothing. A description or members that are
 * not sent stay as they are. Throws AppError conflict if another user changed the group since `version`, unless the save
 * would change nothing, or a new plate is already in the group.
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
    content: contentOf(`group ${id}`, save),
    work: async (noted) => {
      const group = await requireEditableGroup(app, actor, id);
      const isOutdated = form.version !== undefined && Number(form.version) !== group.version;
      if (isOutdated && !isContent(group, save)) throw editConflict(group);
      if (save.plates.length > PLATES_PER_SAVE)
        throw new AppError(
          "bad_request",
          `Save at most ${numberText(PLATES_PER_SAVE)} plates at once, or import a file.`,
        );
      const { members, had, invited, pending } = await sortMembers(app, actor, {
        groupId: id,
        wanted: form.group_members,
      });
      const joining = without(members, had);
      const leaving = without(had, members);
      if (isOutdated) {
        if (joining.length + leaving.length + invited.length > 0) throw editConflict(group);
        return { message: GROUP_SAVED, group_id: id, version: group.version, pending };
      }
      const at = app.clock();
      const checkedPlates = await newEntries(app, actor, { group, plates: save.plates, at });
      const image = imageOf(save);
      if (image) await requireClean(app, actor, { files: [image], groupId: id });
      await requireStillEditor(app, actor, save);
      const owner = { groupId: id, userId: actor.userId };
      const keptImage = image ? await keepFile(app, image, owner) : null;
      const plates = await checkedPlates.keep(owner);
      const before = {
        name: group.name,
        description: group.description,
        image: group.imageId,
        members: had,
      };
      const after = {
        name: form.group_name,
        description: form.group_description ?? group.description,
        image: keptImage?.id ?? group.imageId,
        members,
      };
      const answer = {
        message: GROUP_SAVED,
        group_id: id,
        version: group.version + 1,
        pending,
      };
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
          ...insertAttachments(app.db, keptImage ? [keptImage] : []),
          insertMembers(app.db, { groupId: id, userIds: joining, at, by: actor.userId }),
          removeMembers(app.db, { groupId: id, userIds: leaving }),
          auditAct(app, actor, { at, action: "group.edit", object: id, detail: { before, after } }),
          ...inviteMembers(app, actor, { groupId: id, invited, at }),
          ...plates.statements,
          ...noted(answer),
        ],
      );
      return answer;
    },
  });
}

/** Throws AppError forbidden if the actor has lost the right while files were scanned, which may take minutes. */
async function requireStillEditor(
  app: AppContext,
  actor: Actor,
  { image, plates }: GroupSave,
): Promise<void> {
  if (image || plates.some(({ file }) => file)) await requireStill(app, actor, "hotlist-admin");
}

const GROUP_SAVED = "Group updated successfully!";

/**
 * Returns whether a group has the name and description of a save without plates or image: it was sent again because its
 * answer was lost, unless it changes members.
 */
function isContent(group: StoredGroup, { form, image, plates }: GroupSave): boolean {
  const { group_name, group_description = group.description } = form;
  const isNew = image !== null || plates.length > 0;
  return !isNew && group_name === group.name && group_description === group.description;
}

function imageOf({ image }: GroupSave) {
  return inField("group_image_file", () => image && checkFile(image, "image"));
}

function contentOf(what: string, { form, image, plates }: GroupSave) {
  return {
    what,
    fields: [form, plates.map(({ plate }) => plate)],
    files: [image, ...plates.map(({ file }) => file)],
  };
}

function editConflict(group: StoredGroup): AppError {
  const who = group.changedByName ?? "Someone else";
  return new AppError(
    "conflict",
    `${who} changed this group while you had it open. Your changes have not been saved.`,
    { field: "version" },
  );
}

/**
 * Runs a batch. If the database refuses it, removes the files that it would have referenced. After any other failure, the
 * batch may have been committed: the files stay, and the retention of records removes those that no row names.
 */
async function writeOrDrop(
  app: AppContext,
  files: StoredAttachment[],
  statements: [Statement, ...Statement[]],
): Promise<void> {
  try {
    await inOneStep(app.db, statements);
  } catch (error) {
    if (isRefusedWrite(error)) await dropFiles(app, files);
    if (brokenConstraint(error) === "alert_groups.version")
      throw new AppError(
        "conflict",
        "Someone else changed this group at the same time. Reload it and try again.",
        { cause: error },
      );
    throw tooManyInvitations(error) ?? error;
  }
}

/** Archives a group. This one write takes its plates out of matching; everything stays as history. */
export async function archiveGroup(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const group = await requireEditableGroup(app, actor, id);
  const at = app.clock();
  const { "in-force": plates } = await countParts(app, group, at);
  const before = { name: group.name, description: group.description, plates: group.plateCount };
  await writeOrDrop(
    app,
    [],
    [
      updateGroup(app.db, { id, version: group.version, at, by: actor.userId, set: { archivedAt: at } }),
      auditAct(app, actor, {
        at,
        action: "group.archive",
        object: id,
        detail: { before, after: { archived: true } },
      }),
    ],
  );
  return {
    msg: `"${group.name}" has been archived and its ${counted(plates, "plate is", "plates are")} no longer matched.`,
  };
}

type WantedMembers = {
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
 * other users are pending. Named members who were disabled meanwhile stay as they are, and other deleted users are left
 * out: documented clients send the list as they read it. Throws AppError bad_request for other ids that are not active
 * users.
 */
async function sortMembers(
  app: AppContext,
  actor: Actor,
  input: { groupId: string | null; wanted: string[] | undefined },
): Promise<WantedMembers> {
  const { groupId } = input;
  const [own, members, proposed, former] = await Promise.all([
    listAgencyUsers(app.db, { agencyId: actor.agencyId }),
    groupId === null ? [] : listMembers(app.db, { groupId }),
    groupId === null ? [] : listProposals(app.db, groupId),
    groupId === null ? [] : listFormerMembers(app.db, groupId),
  ]);
  const wanted = input.wanted ?? members.map(({ id }) => id);
  const known = new Set([...own, ...members].map(({ id }) => id));
  const waiting = new Set(proposed.map(({ id }) => id));
  const others = without(wanted, [...known, ...former]);
  const invited = await listUsersAmong(
    app.db,
    others.filter((id) => !waiting.has(id)),
  );
  const found = new Set([...waiting, ...invited.map(({ id }) => id)]);
  const unknown = others.filter((id) => !found.has(id));
  if (without(unknown, await listDeletedAmong(app, unknown)).length > 0)
    throw new AppError("bad_request", "A member is not a known user.");
  return {
    members: wanted.filter((id) => known.has(id)),
    had: members.map(({ id }) => id),
    invited,
    pending: [...proposed, ...invited],
  };
}

function without(ids: string[], others: string[]): string[] {
  const left = new Set(others);
  return ids.filter((id) => !left.has(id));
}

/** Returns the statements that invite the agencies of these users, each with its audit row. */
function inviteMembers(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; invited: PendingMember[]; at: number },
): Statement[] {
  const { groupId, invited, at } = input;
  const by = actor.userId;
  if (invited.length === 0) return [];
  const byAgency = Map.groupBy(invited, ({ agency_id }) => agency_id);
  const idsOf = (users: PendingMember[]) => users.map(({ id }) => id);
  const rows = [...byAgency].map(([agency, users]) =>
    auditRow(app, actor, {
      at,
      action: "group.invite",
      object: groupId,
      detail: { agency, users: idsOf(users) },
    }),
  );
  return [
    upsertInvitations(app.db, { groupId, agencyIds: [...byAgency.keys()], by, at }),
    insertProposals(app.db, { groupId, userIds: idsOf(invited), at, by }),
    ...insertAudits(app.db, rows),
  ];
}
