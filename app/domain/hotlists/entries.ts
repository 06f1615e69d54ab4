// Checks of new plates before they are written: fields, expiry, duplicates in the group, attached files. Used by the
// edit form and by adding a single plate.

import type { AppContext } from "#app/context.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { entryOf, type NewPlate } from "#app/entities/hotlists/calls.ts";
import { entryDigest, expiryOf } from "#app/entities/hotlists/entry.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { AppError, inField } from "#app/lib/errors.ts";
import type { Statement } from "#app/store/database.ts";
import { insertAttachments, type StoredAttachment } from "#app/store/hotlists/attachments.ts";
import { findExpiryDays, type StoredGroup } from "#app/store/hotlists/groups.ts";
import { uncountMissing, yieldToChanges } from "#app/store/hotlists/imports.ts";
import {
  endExpired,
  insertEntries,
  listWatched,
  type NewEntry,
  type Watched,
} from "#app/store/hotlists/plates.ts";
import { insertAudits } from "#app/store/oversight/audit.ts";
import { type CheckedFile, checkFile, keepFile, type OfferedFile, requireClean } from "./attachments.ts";

/** The most entries of one group that match the plates of one save: a plate can be listed with several states. */
const MAX_WATCHED = 50_000;

export type OfferedPlate = { plate: NewPlate; file: OfferedFile | null };

/** Returns the requested expiry in milliseconds, or null for never. Throws AppError bad_request. */
export function expiryFor(
  wish: string,
  input: { now: number; policyDays: number; zone: string },
): number | null {
  try {
    return expiryOf(wish, input);
  } catch (error) {
    if (error instanceof RangeError) throw new AppError("bad_request", error.message, { cause: error });
    throw error;
  }
}

/** Returns plates with their states in the JSON form that `yieldToChanges` takes. */
export function keysOf(entries: { plate: string; state: string }[]): string {
  return JSON.stringify(entries.map(({ plate, state }) => [plate, state]));
}

type Draft = { entry: NewEntry; file: CheckedFile | null };

type NewPlates = { group: StoredGroup; drafts: Draft[]; at: number };

const fieldOf = (index: number, name: string) => `plates[${index}][${name}]`;
const keyOf = ({ plate, state }: { plate: string; state: string }) => `${plate}|${state}`;

/**
 * Checks new plates of a group. The returned `keep` stores their files and returns the statements that write them, in place
 * of expired entries for the same plates: clients that know no expiry have no other way to list them again. Throws AppError
 * bad_request, and conflict for a plate that is in force in the group or appears twice; both name the field as the edit
 * form does.
 */
export async function newEntries(
  app: AppContext,
  actor: Actor,
  { group, plates, at }: { group: StoredGroup; plates: OfferedPlate[]; at: number },
) {
  const [policyDays, zone] = await Promise.all([
    findExpiryDays(app.db, group.agencyId),
    zoneFor(
      app,
      actor,
      plates.map(({ plate }) => plate.expires),
    ),
  ]);
  const drafts = plates.map((plate, index) => draftOf(plate, index, { now: at, policyDays, zone }));
  const expired = await requireUnlisted(app, { group, drafts, at });
  const offered = drafts.flatMap(({ file }) => (file ? [file] : []));
  await requireClean(app, actor, { files: offered, groupId: group.id });
  return {
    drafts,
    async keep(owner: {
      groupId: string;
      userId: string;
    }): Promise<{ files: StoredAttachment[]; statements: Statement[] }> {
      const files: StoredAttachment[] = [];
      for (const draft of drafts) {
        if (!draft.file) continue;
        const kept = await keepFile(app, draft.file, owner);
        files.push(kept);
        draft.entry.attachmentId = kept.id;
      }
      const written = drafts.length === 0 ? [] : writeEntries(app, actor, { group, drafts, expired, at });
      return { files, statements: [...insertAttachments(app.db, files), ...written] };
    },
  };
}

function draftOf(
  { plate: { number, ...details }, file }: OfferedPlate,
  index: number,
  policy: Parameters<typeof expiryFor>[1],
): Draft {
  const parsed = entryOf(number, details);
  if (parsed.problem !== undefined)
    throw new AppError("bad_request", `${number.trim().slice(0, 40)}: ${parsed.problem}`.replace(/^: /, ""), {
      field: fieldOf(index, parsed.field),
    });
  const expiresAt = inField(fieldOf(index, "expires"), () => expiryFor(details.expires, policy));
  const entry: NewEntry = {
    ...parsed.entry,
    expiresAt,
    digest: entryDigest(parsed.entry),
    attachmentId: null,
  };
  return { entry, file: inField(fieldOf(index, "file"), () => file && checkFile(file, "image or PDF")) };
}

/**
 * Returns the expired entries for the same plates. Throws AppError conflict for a plate that is listed twice or in
 * force.
 */
async function requireUnlisted(app: AppContext, { group, drafts, at }: NewPlates): Promise<Watched[]> {
  const seen = new Set<string>();
  for (const [index, { entry }] of drafts.entries()) {
    const field = fieldOf(index, "number");
    if (seen.has(keyOf(entry))) throw new AppError("conflict", `${entry.plate} is listed twice.`, { field });
    seen.add(keyOf(entry));
  }
  const watched = await listWatched(app.db, {
    groupIds: [group.id],
    plates: [...new Set(drafts.map(({ entry }) => entry.plate))],
    limit: MAX_WATCHED,
  });
  const listed = watched.filter((other) => seen.has(keyOf(other)));
  const active = listed.find(({ expiresAt }) => expiresAt === null || expiresAt > at);
  if (!active) return listed;
  const message = `${active.plate} is already in "${group.name}", added by ${active.addedBy}.`;
  const field = fieldOf([...seen].indexOf(keyOf(active)), "number");
  throw new AppError("conflict", message, { field });
}

/** Returns the statements that write new entries, at least one, in place of expired ones. */
function writeEntries(
  app: AppContext,
  actor: Actor,
  { group, drafts, expired, at }: NewPlates & { expired: Watched[] },
): Statement[] {
  const groupId = group.id;
  const entries = drafts.map(({ entry }) => entry);
  const author = { id: actor.userId, name: actor.name, agency: actor.agencyName };
  const replaced = new Map(expired.map((entry) => [keyOf(entry), entry]));
  const audits = entries.map(
    ({ plate, caseNumber, digest: _, ...after }): AuditEntry => ({
      ...auditWho(actor),
      at,
      action: "plate.add",
      outcome: "ok",
      object: groupId,
      plate,
      caseNumber,
      detail: { before: contentOf(replaced.get(keyOf({ plate, state: after.state }))), after },
    }),
  );
  return [
    ...endReplaced(app, actor, { groupId, entries: expired, at }),
    ...insertEntries(app.db, { groupId, entries, author, at }),
    ...yieldToChanges(app.db, { groupId, keys: keysOf(entries), staged: "added" }),
    ...insertAudits(app.db, audits),
  ];
}

/** Returns the statements that end expired entries which new ones replace, as if a user had removed them first. */
function endReplaced(
  app: AppContext,
  actor: Actor,
  { groupId, entries, at }: { groupId: string; entries: Watched[]; at: number },
): Statement[] {
  if (entries.length === 0) return [];
  const keys = keysOf(entries);
  return [
    uncountMissing(app.db, { groupId, keys }),
    ...endExpired(app.db, { groupId, ids: entries.map(({ id }) => id), at, by: actor.userId }),
    ...yieldToChanges(app.db, { groupId, keys, staged: "changed" }),
  ];
}

function contentOf(replaced: Watched | undefined) {
  if (!replaced) return null;
  const { state, reason, expiresAt, addedBy, createdAt } = replaced;
  return { state, reason, expiresAt, addedBy, createdAt };
}
