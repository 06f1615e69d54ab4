// Plates of groups: listed, looked up before they are added, added, changed, taken out. What was is never lost: each
// act writes its audit row, with before and after, in the batch that does it.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import { PLATE_PAGE_SIZE, type PlatePage } from "#app/entities/alert-group.ts";
import { auditWho } from "#app/entities/audit.ts";
import {
  entryDigest,
  type HotlistPlate,
  isWildcardPlate,
  type PlateCheck,
  parseEntryPlate,
  SEEN_DAYS,
  SEEN_LIMIT,
} from "#app/entities/hotlist.ts";
import { type AddPlate, type EntryDetails, entryOf } from "#app/entities/hotlist-calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { DAY, isoTime } from "#app/lib/dates.ts";
import { AppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json.ts";
import { visibleText } from "#app/lib/text.ts";
import { findExpiryDays, findGroup, listGroups } from "#app/store/alert-groups.ts";
import { findAttachment } from "#app/store/attachments.ts";
import { insertAudit } from "#app/store/audit.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  findEntry,
  findGroupOfEntry,
  listEntries,
  listWatched,
  type PlateKey,
  removeEntry,
  updateEntry,
} from "#app/store/hotlists.ts";
import { listAxisSources } from "#app/store/integrations.ts";
import { requireEditableGroup, requireGroup, viewerOf } from "./alert-groups.ts";
import { serveFile } from "./attachments.ts";
import { expiryFor, newEntries } from "./hotlist-entries.ts";
import { onlyOnce } from "./saved-once.ts";

/** Behind every plate that there can be. */
const AFTER_ALL = "\u{10FFFF}";

/**
 * A page of a group's plates in their order. `search` is the beginning of a plate, or a pattern with `*` and `?`;
 * `after` is the `next` of the page before. Plates that other groups of the actor watch too are marked.
 */
export async function pagePlates(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; search?: string | null; after?: string | null; limit?: number },
): Promise<PlatePage> {
  const group = await requireGroup(app, actor, input.groupId);
  const limit = Math.min(Math.max(1, input.limit ?? PLATE_PAGE_SIZE), 500);
  const range = rangeOf(input.search ?? "");
  if (!range) return { plates: [], next: null };
  const after = cursorOf(input.after ?? null) ?? [range.from, "", 0];
  const found = await listEntries(app.db, { groupId: group.id, after, ...range, limit: limit + 1 });
  const plates = found.slice(0, limit);
  const last = plates.at(-1);
  const next = found.length > limit && last ? JSON.stringify([last.plate_number, last.state, last.id]) : null;
  await markDuplicates(app, actor, { groupId: group.id, plates });
  return { plates, next };
}

function rangeOf(search: string): { from: string; below: string | null; glob: string | null } | undefined {
  const text = visibleText(search)
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\-.·•]/g, "");
  if (text === "") return { from: "", below: null, glob: null };
  if (text.length > 20 || !/^[\p{L}\p{N}*?]+$/u.test(text)) return undefined;
  const beginning = /^[^*?]*/.exec(text)?.[0] ?? "";
  // An entry's own wildcards are found by the characters around them.
  const glob = beginning === text ? null : text;
  return { from: beginning, below: beginning === "" ? null : beginning + AFTER_ALL, glob };
}

function cursorOf(text: string | null): PlateKey | undefined {
  const value = text === null ? undefined : parseJson(text);
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [plate, state, id] = value;
  return typeof plate === "string" && typeof state === "string" && Number.isSafeInteger(id)
    ? [plate, state, id]
    : undefined;
}

async function markDuplicates(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; plates: HotlistPlate[] },
): Promise<void> {
  const others = (await listGroups(app.db, viewerOf(actor))).filter(({ id }) => id !== input.groupId);
  const watched = await listWatched(app.db, {
    groupIds: others.map(({ id }) => id),
    plates: [...new Set(input.plates.map((plate) => plate.plate_number))],
  });
  for (const plate of input.plates) {
    const same = watched.filter(
      (other) => other.plate === plate.plate_number && fitsState(other.state, plate.state),
    );
    plate.also_in = [...new Set(same.map((other) => other.group))];
  }
}

/** Two entries of one plate watch the same car unless both name a state and these differ. */
function fitsState(one: string, other: string): boolean {
  return one === "" || other === "" || one === other;
}

/**
 * What is known of a plate before it is added: how often the reads that the actor may search have it, and which of
 * the actor's groups watch it. Looking is audited. Throws AppError bad_request for what is no plate.
 */
export async function checkPlate(
  app: AppContext,
  actor: Actor,
  input: { plate_number: string; state: string; group_id: string },
): Promise<PlateCheck> {
  const parsed = parseEntryPlate(input.plate_number, { wildcards: true });
  if (parsed.problem !== undefined) throw new AppError("bad_request", parsed.problem);
  const { plate } = parsed;
  const groups = await listGroups(app.db, viewerOf(actor));
  const watched = await listWatched(app.db, { groupIds: groups.map(({ id }) => id), plates: [plate] });
  const seen = await countReads(app, actor, plate);
  const check: PlateCheck = {
    plate,
    wildcard: isWildcardPlate(plate),
    ...seen,
    days: SEEN_DAYS,
    duplicates: watched
      .filter((other) => fitsState(other.state, input.state))
      .map((other) => ({
        group_id: other.groupId,
        group: other.group,
        state: other.state,
        reason: other.reason,
        added_by: other.addedBy,
        added_at: isoTime(other.createdAt),
        in_this_group: other.groupId === input.group_id && other.state === input.state,
      })),
  };
  await inOneStep(app.db, [
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "plate.check",
      outcome: "ok",
      plate,
      programsQueried: seen.reads === null ? "" : "Axis",
      detail: { reads: seen.reads, days: SEEN_DAYS, group: input.group_id },
    }),
  ]);
  return check;
}

async function countReads(
  app: AppContext,
  actor: Actor,
  plate: string,
): Promise<Pick<PlateCheck, "reads" | "more" | "newest">> {
  const sources = await listAxisSources(app.db, actor.agencyId);
  if (sources.length === 0) return { reads: null, more: false, newest: null };
  const now = app.clock();
  let reads = 0;
  let newest: number | null = null;
  let more = false;
  const pages = app.reads.searchReads({
    agencyIds: sources.map(({ id }) => id),
    cameraIds: sources.flatMap(({ cameraIds }) => cameraIds),
    maxReads: SEEN_LIMIT,
    signal: AbortSignal.timeout(10_000),
    query: {
      plate: { kind: "pattern", text: plate },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from: now - SEEN_DAYS * DAY,
      to: now,
    },
  });
  for await (const page of pages) {
    newest ??= page.reads[0]?.capturedAt ?? null;
    reads += page.reads.length;
    more ||= page.truncated;
  }
  return { reads, more, newest: newest === null ? null : isoTime(newest) };
}

export type PlateAdded = {
  message: string;
  msg: string;
  success: true;
  plate: string;
  group: string;
  duplicates: string[];
};

/** Adds one plate to a group. Throws AppError bad_request, not_found, forbidden, and conflict where it is there already. */
export async function addPlate(app: AppContext, actor: Actor, input: AddPlate): Promise<PlateAdded> {
  const { plate_number, group_id, idempotency_key, ...details } = input;
  if (details.reason === "" || group_id === "") throw new AppError("bad_request", MESSAGES.hotlistRequired);
  return onlyOnce<PlateAdded>(app, {
    actor,
    key: idempotency_key,
    work: async (noted) => {
      const group = await requireEditableGroup(app, actor, group_id);
      const at = app.clock();
      const plates = await newEntries(app, actor, {
        group,
        plates: [{ plate: { ...details, number: plate_number }, file: null }],
        at,
      });
      const { statements } = await plates.keep({ groupId: group.id, userId: actor.userId });
      const plate = plates.drafts[0]?.entry.plate ?? "";
      const others = (await listGroups(app.db, viewerOf(actor))).filter(({ id }) => id !== group.id);
      const watched = await listWatched(app.db, { groupIds: others.map(({ id }) => id), plates: [plate] });
      const message = `Successfully added '${plate}' to '${group.name}'`;
      const answer: PlateAdded = {
        message,
        msg: message,
        success: true,
        plate,
        group: group.name,
        duplicates: [...new Set(watched.map((other) => other.group))],
      };
      await writeChange(app, [...statements, ...noted(answer)], `${plate} is already in "${group.name}".`);
      return answer;
    },
  });
}

async function writeChange(app: AppContext, statements: Statement[], conflict: string): Promise<void> {
  try {
    await inOneStep(app.db, statements as [Statement, ...Statement[]]);
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

/** Takes a plate out of force at once. Throws AppError not_found where it is not in this group. */
export async function removePlate(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; plateId: string },
): Promise<{ success: true; message: string }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const before = await requireEntry(app, { groupId: group.id, id: input.plateId });
  const at = app.clock();
  await writeChange(
    app,
    [
      ...removeEntry(app.db, { groupId: group.id, id: before.id, at, by: actor.userId }),
      insertAudit(app.db, {
        ...auditWho(actor),
        at,
        action: "plate.remove",
        outcome: "ok",
        object: group.id,
        plate: before.plate_number,
        caseNumber: before.case_number,
        detail: { before, after: null },
      }),
    ],
    "Somebody else removed that plate at the same moment.",
  );
  return { success: true, message: `${before.plate_number} has been removed.` };
}

/**
 * Changes what an entry says, or renews it. An empty `expires` leaves its end as it is. Throws AppError conflict where
 * somebody changed it since `revision`.
 */
export async function editPlate(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; plateId: string; details: EntryDetails & { revision: number; renew: boolean } },
): Promise<{ plate: HotlistPlate }> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const before = await requireEntry(app, { groupId: group.id, id: input.plateId });
  const { revision, renew, ...details } = input.details;
  const parsed = entryOf(before.plate_number, details);
  if (parsed.problem !== undefined) throw new AppError("bad_request", parsed.problem);
  const at = app.clock();
  const policyDays = await findExpiryDays(app.db, group.agencyId);
  const had = before.expires_at === null ? null : Date.parse(before.expires_at);
  const expiresAt =
    details.expires === "" && !renew ? had : expiryFor(details.expires, { now: at, policyDays });
  const { entry } = parsed;
  if (entry.state !== before.state) {
    const same = await listWatched(app.db, { groupIds: [group.id], plates: [entry.plate] });
    if (same.some((other) => other.state === entry.state))
      throw new AppError(
        "conflict",
        `${entry.plate} of ${entry.state || "no state"} is already in "${group.name}".`,
      );
  }
  await writeChange(
    app,
    [
      updateEntry(app.db, {
        id: before.id,
        revision,
        entry: { ...entry, expiresAt, digest: entryDigest(entry), attachmentId: before.attachment_path },
      }),
      insertAudit(app.db, {
        ...auditWho(actor),
        at,
        action: "plate.edit",
        outcome: "ok",
        object: group.id,
        plate: entry.plate,
        caseNumber: entry.caseNumber,
        detail: { before, after: { ...entry, expiresAt } },
      }),
    ],
    "Somebody else changed that plate while you had it open. Look at it again; nothing of yours was saved.",
  );
  return { plate: await requireEntry(app, { groupId: group.id, id: String(before.id) }) };
}

/** A plate's attachment, for whoever may see its group. Viewing is audited. Throws AppError not_found. */
export async function serveAttachment(
  app: AppContext,
  actor: Actor,
  input: { file: string; plateId: string | null },
): Promise<Response> {
  const missing = new AppError("not_found", "There is no such attachment.");
  const id = /^\d{1,15}$/.test(input.plateId ?? "") ? Number(input.plateId) : undefined;
  const groupId = id === undefined ? undefined : await findGroupOfEntry(app.db, id);
  const group = groupId === undefined ? undefined : await findGroup(app.db, viewerOf(actor), groupId);
  const entry = group && id !== undefined ? await findEntry(app.db, { groupId: group.id, id }) : undefined;
  if (!group || entry?.attachment_path !== input.file) throw missing;
  const file = await findAttachment(app.db, input.file);
  if (!file) throw missing;
  await inOneStep(app.db, [
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "attachment.view",
      outcome: "ok",
      object: file.id,
      plate: entry.plate_number,
      detail: { name: file.name, sha256: file.sha256 },
    }),
  ]);
  return serveFile(app, file);
}
