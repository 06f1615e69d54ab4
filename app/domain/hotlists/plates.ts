// The plates of groups as users see them: paged, in parts by expiry, with attachments. Changes are in plate-changes.ts,
// the check of a plate before it is added in plate-check.ts.

import type { AppContext } from "#app/context.ts";
import { auditNow, auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type HotlistPlate, LIST_PARTS, type ListPart } from "#app/entities/hotlists/entry.ts";
import { PLATE_PAGE_SIZE, type PlatePage } from "#app/entities/hotlists/group.ts";
import { compactPlate, isGlobPattern } from "#app/entities/search/plate.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { findAttachment } from "#app/store/hotlists/attachments.ts";
import { findGroup, listGroups, type StoredGroup } from "#app/store/hotlists/groups.ts";
import { countExpiring } from "#app/store/hotlists/list-parts.ts";
import {
  findEntry,
  findGroupOfEntry,
  findPlateKey,
  listEntries,
  listWatched,
  type PlateKey,
} from "#app/store/hotlists/plates.ts";
import { insertLookUpOnce } from "#app/store/oversight/audit.ts";
import { openFile } from "./attachments.ts";
import { groupRecheck, requireGroupOrArchived, viewerOf } from "./groups.ts";

/** Sorts after every possible plate. */
const AFTER_ALL = "\u{10FFFF}";
/** Parts up to this size are found by expiry and sorted; larger ones by scanning the plates in order. */
const SMALL_PART = 5000;

/**
 * Returns a page of a group's plates in order. `search` is the beginning of a plate, or a pattern with `*` and `?`;
 * `after` is the `next` of the previous page; `part` keeps one part of the list. Plates that the same group or the
 * actor's other groups also watch are marked. A lookup of a plate is audited. Throws AppError not_found.
 */
export async function pagePlates(
  app: AppContext,
  actor: Actor,
  input: {
    groupId: string;
    search?: string | null;
    after?: string | null;
    part?: string | null;
    limit?: number;
  },
): Promise<PlatePage> {
  const now = app.clock();
  const limit = Math.min(Math.max(1, input.limit ?? PLATE_PAGE_SIZE), 500);
  const part = LIST_PARTS.find(({ value }) => value === input.part)?.value;
  const text = compactPlate(visibleText(input.search ?? ""));
  const range = rangeOf(text);
  const { groupId } = input;
  const [group, groups, expiring, after] = await Promise.all([
    requireGroupOrArchived(app, actor, groupId),
    listGroups(app.db, viewerOf(actor)),
    countExpiring(app.db, { groupId, now }),
    range && startOf(app, { groupId, after: input.after ?? null, from: range.from }),
  ]);
  const counts = partsOf(group, expiring);
  if (!range || !after) return { plates: [], next: null, counts };
  const [found] = await Promise.all([
    listEntries(app.db, {
      groupId,
      after,
      ...range,
      limit: limit + 1,
      ...(part && { part: { name: part, now, few: counts[part] <= SMALL_PART } }),
    }),
    text !== "" && noteLookUp(app, actor, { groupId, plate: text }),
  ]);
  const plates = found.slice(0, limit);
  const next = found.length > limit ? String(plates.at(-1)?.id) : null;
  await markDuplicates(app, { groups, groupId, plates, now });
  return { plates, next, counts };
}

/** Plates per query while a whole list is streamed. */
const STREAM_PAGE = 2500;
/**
 * Maximum number of entries that are compared with a page of plates: 10 for each plate of a streamed page, 50 for each
 * plate of the largest other page.
 */
const MAX_WATCHED = 10 * STREAM_PAGE;

/**
 * Returns every plate of a group, in order, as pages that are read on demand, with the counts of its parts. The list is
 * the one at the time of the call: an import applied meanwhile does not show. Throws AppError not_found; reading fails
 * once the actor may no longer see the group.
 */
export async function streamPlates(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<{ counts: PlatePage["counts"]; pages: AsyncGenerator<HotlistPlate[]> }> {
  const [group, groups] = await Promise.all([
    requireGroupOrArchived(app, actor, groupId),
    listGroups(app.db, viewerOf(actor)),
  ]);
  const now = app.clock();
  const counts = await countParts(app, group, now);
  const recheck = groupRecheck(app, actor, group.id);
  async function* pages() {
    let after: PlateKey = ["", "", 0];
    for (;;) {
      const plates = await listEntries(app.db, {
        groupId: group.id,
        after,
        below: null,
        glob: null,
        limit: STREAM_PAGE,
        version: group.listVersion,
      });
      await markDuplicates(app, { groups, groupId: group.id, plates, now });
      yield plates;
      const last = plates.at(-1);
      if (!last || plates.length < STREAM_PAGE) return;
      after = [last.plate_number, last.state, last.id];
      await recheck();
    }
  }
  return { counts, pages: pages() };
}

/** Returns how many plates of a group are in each part of its list. */
export async function countParts(
  app: AppContext,
  group: Pick<StoredGroup, "id" | "plateCount">,
  now: number,
): Promise<Record<ListPart, number>> {
  return partsOf(group, await countExpiring(app.db, { groupId: group.id, now }));
}

function partsOf(
  { plateCount }: Pick<StoredGroup, "plateCount">,
  { expired, near }: { expired: number; near: number },
): Record<ListPart, number> {
  return { "in-force": Math.max(0, plateCount - expired), near, expired };
}

/** Returns the entry that a page starts after. Its cursor is an id, because plates must not appear in URLs. */
async function startOf(
  app: AppContext,
  input: { groupId: string; after: string | null; from: string },
): Promise<PlateKey> {
  const { groupId, after, from } = input;
  const id = /^\d{1,15}$/.test(after ?? "") ? Number(after) : undefined;
  const key = id === undefined ? undefined : await findPlateKey(app.db, { groupId, id });
  return key ?? [from, "", 0];
}

/** Within this time, the audit log records the pages of one search, and a reloaded list, as one lookup. */
const LOOKED_UP_MS = 10 * MINUTE;

/**
 * Records that a plate was looked up in a list, which shows who watches it and why. Listing all plates is not a lookup.
 */
export async function noteLookUp(
  app: AppContext,
  actor: Actor,
  { groupId, plate }: { groupId: string; plate: string },
): Promise<void> {
  const row = auditRow(app, actor, { action: "plates.view", object: groupId, plate });
  await inOneStep(app.db, [insertLookUpOnce(app.db, row, row.at - LOOKED_UP_MS)]);
}

/**
 * Returns the range of plates that begin with a text, and the pattern of a text with `*` or `?`; undefined if no plate can
 * match.
 */
export function rangeOf(
  text: string,
): { from: string; below: string | null; glob: string | null } | undefined {
  if (text === "") return { from: "", below: null, glob: null };
  if (text.length > 20 || !/^[\p{L}\p{N}*?]+$/u.test(text)) return undefined;
  const beginning = /^[^*?]*/.exec(text)?.[0] ?? "";
  // Without wildcards the range is enough. An entry's own wildcards are then part of the text.
  const glob = beginning === text ? null : text;
  if (glob !== null && !isGlobPattern(glob)) return undefined;
  return { from: beginning, below: beginning === "" ? null : beginning + AFTER_ALL, glob };
}

async function markDuplicates(
  app: AppContext,
  input: { groups: { id: string }[]; groupId: string; plates: HotlistPlate[]; now: number },
): Promise<void> {
  const watched = await listWatched(app.db, {
    groupIds: input.groups.map(({ id }) => id),
    plates: [...new Set(input.plates.map((plate) => plate.plate_number))],
    limit: MAX_WATCHED,
  });
  const byPlate = Map.groupBy(watched, (other) => other.plate);
  for (const plate of input.plates) {
    const same = (byPlate.get(plate.plate_number) ?? []).filter(
      (other) =>
        statesOverlap(other.state, plate.state) && (other.expiresAt === null || other.expiresAt > input.now),
    );
    const here = same.filter((other) => other.groupId === input.groupId && other.state !== plate.state);
    const elsewhere = same.filter((other) => other.groupId !== input.groupId);
    plate.also_in = [
      ...here.map((other) => `this group (${other.state || "any state"})`),
      ...new Set(elsewhere.map((other) => other.group)),
    ];
  }
}

/**
 * Returns whether two entries of one plate watch the same vehicle: yes, unless both have a state and the states differ.
 */
export function statesOverlap(one: string, other: string): boolean {
  return one === "" || other === "" || one === other;
}

/** Returns a plate's attachment, if the actor can see its group. Viewing is audited. Throws AppError not_found. */
export async function openAttachmentOf(
  app: AppContext,
  actor: Actor,
  input: { file: string; plateId: string | null },
): Promise<ServedFile> {
  const missing = new AppError("not_found", "This attachment does not exist.");
  const id = /^\d{1,15}$/.test(input.plateId ?? "") ? Number(input.plateId) : undefined;
  const groupId = id === undefined ? undefined : await findGroupOfEntry(app.db, id);
  const group =
    groupId === undefined
      ? undefined
      : await findGroup(app.db, viewerOf(actor), groupId, "including archived");
  const entry = group && id !== undefined ? await findEntry(app.db, { groupId: group.id, id }) : undefined;
  if (!group || entry?.attachment_path !== input.file) throw missing;
  const file = await findAttachment(app.db, input.file);
  if (!file) throw missing;
  await auditNow(app, actor, {
    action: "attachment.view",
    object: file.id,
    plate: entry.plate_number,
    detail: { name: file.name, bytes: file.size, sha256: file.sha256 },
  });
  return openFile(app, file);
}
