// Adds, changes, renews and removes single plates of a group. Each change writes its audit row, with before and after,
// in the same batch, and notifies an open import that the list has changed.

import type { AppContext } from "#app/context.ts";
import { onlyOnce } from "#app/domain/operations/idempotency.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AddPlate, type EntryDetails, entryOf } from "#app/entities/hotlists/calls.ts";
import {
  type EntryFields,
  entryDigest,
  type HotlistPlate,
  policyExpiry,
  REASON_NEEDED,
  RENEW_AT_ONCE,
} from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { numberText } from "#app/lib/number-text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { findExpiryDays, listGroups } from "#app/store/hotlists/groups.ts";
import {
  keepBesideStaged,
  keepMissing,
  uncountMissing,
  yieldToChanges,
} from "#app/store/hotlists/imports.ts";
import { listRenewable, renewEntries } from "#app/store/hotlists/list-parts.ts";
import { findEntry, listWatched, removeEntry, updateEntry } from "#app/store/hotlists/plates.ts";
import { expiryFor, keysOf, newEntries } from "./entries.ts";
import { requireEditableGroup, viewerOf } from "./groups.ts";

export type PlateAdded = {
  message: string;
  msg: string;
  success: true;
  plate: string;
  group: string;
  duplicates: string[];
};

/**
 * Adds one plate to a group. Throws AppError bad_request, not_found, forbidden, and conflict if it is already there.
 */
export async function addPlate(app: AppContext, actor: Actor, input: AddPlate): Promise<PlateAdded> {
  const { plate_number, group_id, idempotency_key, ...details } = input;
  if (details.reason === "" || group_id === "") throw new AppError("bad_request", MESSAGES.hotlistRequired);
  return onlyOnce<PlateAdded>(app, {
    actor,
    key: idempotency_key,
    content: { what: "a plate", fields: input },
    work: async (noted) => {
      const [group, groups] = await Promise.all([
        requireEditableGroup(app, actor, group_id),
        listGroups(app.db, viewerOf(actor)),
      ]);
      const at = app.clock();
      const plates = await newEntries(app, actor, {
        group,
        plates: [{ plate: { ...details, number: plate_number }, file: null }],
        at,
      });
      const { statements } = await plates.keep({ groupId: group.id, userId: actor.userId });
      const plate = plates.drafts[0]?.entry.plate ?? "";
      const others = groups.filter(({ id }) => id !== group.id);
      const watched = await listWatched(app.db, { groupIds: others.map(({ id }) => id), plates: [plate] });
      const message = `Successfully added '${plate}' to '${group.name}'`;
      const answer: PlateAdded = {
        message,
        msg: message,
        success: true,
        plate,
        group: group.name,
        duplicates: [...new Set(watched.filter(isMatched(at)).map((other) => other.group))],
      };
      await writeChange(app, [...statements, ...noted(answer)], `${plate} is already in "${group.name}".`);
      return answer;
    },
  });
}

/** Adds a plate as `addPlate` does, and returns its message for a page without scripts. */
export async function addPlateFromScreen(
  app: AppContext,
  actor: Actor,
  input: AddPlate,
): Promise<{ msg: string }> {
  const { msg, duplicates } = await addPlate(app, actor, input);
  return { msg: duplicates.length > 0 ? `${msg}. Also watched in ${duplicates.join(", ")}.` : msg };
}

/** Returns a filter for entries that are matched at this time. */
function isMatched(at: number) {
  return ({ expiresAt }: { expiresAt: number | null }) => expiresAt === null || expiresAt > at;
}

async function writeChange(app: AppContext, statements: Statement[], conflict: string): Promise<void> {
  try {
    await inOneStep(app.db, nonEmpty(statements));
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken !== "alert_groups.version" && broken !== "hotlist_entries.revision") throw error;
    throw new AppError("conflict", conflict, { cause: error });
  }
}

async function requireEntry(app: AppContext, input: { groupId: string; id: string }): Promise<HotlistPlate> {
  const id = /^\d{1,15}$/.test(input.id) ? Number(input.id) : undefined;
  const entry = id === undefined ? undefined : await findEntry(app.db, { groupId: input.groupId, id });
  if (!entry) throw new AppError("not_found", "That plate is not in this group.");
  return entry;
}

/** Makes an open import leave these plates as the user changes them. */
function replaceStaged(app: AppContext, groupId: string, plates: { plate: string; state: string }[]) {
  return yieldToChanges(app.db, { groupId, keys: keysOf(plates), staged: "changed" });
}

/** Removes a plate from matching at once. Throws AppError not_found if it is not in this group. */
export async function removePlate(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; plateId: string },
): Promise<{ success: true; message: string }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const before = await requireEntry(app, { groupId: group.id, id: input.plateId });
  const at = app.clock();
  const plates = [{ plate: before.plate_number, state: before.state }];
  await writeChange(
    app,
    [
      uncountMissing(app.db, { groupId: group.id, keys: keysOf(plates) }),
      ...removeEntry(app.db, { groupId: group.id, id: before.id, at, by: actor.userId }),
      ...replaceStaged(app, group.id, plates),
      auditAct(app, actor, {
        at,
        action: "plate.remove",
        object: group.id,
        plate: before.plate_number,
        caseNumber: before.case_number,
        detail: { before, after: null },
      }),
    ],
    "Someone else removed this plate at the same time.",
  );
  return { success: true, message: `${before.plate_number} has been removed.` };
}

/** Returns the details of an entry as a request has them. */
function detailsOf(entry: HotlistPlate): EntryDetails {
  const { state, reason, notes, case_number, match_policy, state_required, priority } = entry;
  const { make, color, body_type } = entry;
  const words = { state, reason, notes, case_number, make, color, body_type, expires: "" };
  return { ...words, match_policy, state_required, priority };
}

/** Returns whether an entry has the details that a change would give it. */
function hasContent(entry: HotlistPlate, wanted: EntryFields): boolean {
  const current = entryOf(entry.plate_number, detailsOf(entry));
  if (current.problem !== undefined) return false;
  return entry.state === wanted.state && entryDigest(current.entry) === entryDigest(wanted);
}

type PlateEdit = Partial<EntryDetails> & { revision: number; renew: boolean };

/**
 * Changes an entry, or renews it. Details that are not sent stay, and an empty `expires` keeps its expiry. Throws AppError
 * bad_request if the reason would be removed, and conflict if another user changed the entry since `revision`.
 */
export async function editPlate(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; plateId: string; details: PlateEdit },
): Promise<{ plate: HotlistPlate }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const before = await requireEntry(app, { groupId: group.id, id: input.plateId });
  const { revision, renew, ...sent } = input.details;
  const details = Object.assign(detailsOf(before), sent);
  const parsed = entryOf(before.plate_number, details);
  if (parsed.problem !== undefined) throw new AppError("bad_request", parsed.problem);
  if (details.reason === "" && before.reason !== "") throw new AppError("bad_request", REASON_NEEDED);
  const at = app.clock();
  const policyDays = await findExpiryDays(app.db, group.agencyId);
  const zone = await zoneFor(app, actor, [details.expires]);
  const had = before.expires_at === null ? null : Date.parse(before.expires_at);
  const expiresAt =
    details.expires === "" && !renew ? undefined : expiryFor(details.expires, { now: at, policyDays, zone });
  const { entry } = parsed;
  const isKept = expiresAt === undefined || expiresAt === had;
  // Sent again because the answer was lost: the first attempt made this change.
  if (before.revision !== revision && !renew && isKept && hasContent(before, entry)) return { plate: before };
  const sameState = entry.state === before.state;
  if (!sameState) {
    const same = await listWatched(app.db, { groupIds: [group.id], plates: [entry.plate] });
    if (same.some((other) => other.state === entry.state))
      throw new AppError(
        "conflict",
        `${entry.plate} with ${entry.state || "no state"} is already in "${group.name}".`,
      );
  }
  const groupId = group.id;
  await writeChange(
    app,
    [
      uncountMissing(app.db, { groupId, keys: keysOf([{ plate: entry.plate, state: before.state }]) }),
      // Before the update, which replaces the expiry of the import if the user gives one.
      ...(sameState
        ? replaceStaged(app, groupId, [entry])
        : keepBesideStaged(app.db, { groupId, id: before.id })),
      updateEntry(app.db, {
        id: before.id,
        revision,
        at,
        entry: { ...entry, expiresAt, digest: entryDigest(entry), attachmentId: before.attachment_path },
      }),
      ...(sameState ? [] : yieldToChanges(app.db, { groupId, keys: keysOf([entry]), staged: "added" })),
      keepMissing(app.db, { groupId, keys: keysOf([entry]) }),
      auditAct(app, actor, {
        at,
        action: "plate.edit",
        object: group.id,
        plate: entry.plate,
        caseNumber: entry.caseNumber,
        detail: { before, after: { ...entry, expiresAt: expiresAt === undefined ? had : expiresAt } },
      }),
    ],
    "Someone else changed this plate while you had it open. Your changes were not saved. Reload the plate and try again.",
  );
  return { plate: await requireEntry(app, { groupId: group.id, id: String(before.id) }) };
}

/**
 * Renews up to RENEW_AT_ONCE plates that have expired or expire soon, earliest expiry first. Their new expiry follows
 * the agency's policy; if it sets none, they no longer expire. Throws AppError conflict if another user changed one of
 * them at the same time.
 */
export async function renewPlates(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; part: "near" | "expired" },
): Promise<{ renewed: number; expires_at: string | null; message: string }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const at = app.clock();
  const expiresAt = policyExpiry({
    now: at,
    policyDays: await findExpiryDays(app.db, group.agencyId),
  });
  const entries = await listRenewable(app.db, {
    groupId: group.id,
    part: input.part,
    now: at,
    limit: RENEW_AT_ONCE,
  });
  const keys = keysOf(entries);
  if (entries.length > 0)
    await writeChange(
      app,
      [
        uncountMissing(app.db, { groupId: group.id, keys }),
        ...replaceStaged(app, group.id, entries),
        keepMissing(app.db, { groupId: group.id, keys }),
        ...renewEntries(app.db, { groupId: group.id, entries, expiresAt, at }),
        auditAct(app, actor, {
          at,
          action: "plate.renew",
          object: group.id,
          detail: {
            before: entries.map(({ id, plate, state, expires_at }) => ({ id, plate, state, expires_at })),
            after: { expires_at: expiresAt },
          },
        }),
      ],
      "Someone else changed one of these plates at the same time. Nothing was renewed. Reload the list and try again.",
    );
  const one = entries.length === 1;
  const end = expiresAt === null ? ` and no longer ${one ? "expires" : "expire"}` : "";
  const message = `${numberText(entries.length)} ${one ? "plate has" : "plates have"} been renewed${end}.`;
  return {
    renewed: entries.length,
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    message,
  };
}
