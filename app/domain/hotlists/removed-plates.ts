// The plates that were removed from a group's list, for the questions that follow a stop: was the plate on the list,
// why, and who removed it. They are kept as long as the agency keeps its records (retention-records.ts). Only the
// managers of the agency's groups see them: an agency that participates in a group may have joined after a plate was
// removed.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { RemovedPlates } from "#app/entities/hotlists/entry.ts";
import { compactPlate } from "#app/entities/search/plate.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { visibleText } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { findRemovedKey, listRemoved, type RemovedKey } from "#app/store/hotlists/former-entries.ts";
import { requireManagedGroup } from "./groups.ts";
import { noteLookUp, rangeOf } from "./plates.ts";

const PAGE_SIZE = 50;
/** Maximum number of plates that one page of a search compares, because they have no index: 20 ms in SQLite. */
const MOST_COMPARED = 100_000;
const NEWEST: RemovedKey = { endedAt: Number.MAX_SAFE_INTEGER, id: 0 };

/**
 * Returns a page of the plates that were removed from a group, the latest first, with the group's name. `find` is the
 * beginning of a plate, or a pattern with `*` and `?`; `after` is the `next` of the previous page of the same text.
 * With another text, `after` is ignored, because the latest plates would be missing. A lookup of a plate is audited.
 * Throws AppError not_found and forbidden.
 */
export async function pageRemovedPlates(
  app: AppContext,
  actor: Actor,
  { groupId, find, after }: { groupId: string; find: string; after: string | null },
): Promise<RemovedPlates & { group: string }> {
  const { id, name } = await requireManagedGroup(app, actor, groupId);
  const text = compactPlate(visibleText(find));
  const plates = rangeOf(text);
  const search = stableId(text);
  const key = keyOf(after, search);
  const nothing = { group: name, plates: [], older: key !== undefined, next: null, searched_to: null };
  if (!plates) return nothing;
  const start = key ?? NEWEST;
  const [end] = await Promise.all([
    text === "" ? undefined : findRemovedKey(app.db, { groupId: id, after: start, count: MOST_COMPARED }),
    text !== "" && noteLookUp(app, actor, { groupId: id, plate: text }),
  ]);
  const limit = PAGE_SIZE + 1;
  const found = await listRemoved(app.db, { groupId: id, after: start, until: end ?? null, plates, limit });
  const shown = found.slice(0, PAGE_SIZE);
  const isFull = found.length > PAGE_SIZE;
  const next = isFull ? shown.at(-1)?.key : end;
  return {
    ...nothing,
    plates: shown.map(({ plate }) => plate),
    next: next ? `${next.endedAt}-${next.id}-${search}` : null,
    searched_to: !isFull && end ? isoTime(end.endedAt) : null,
  };
}

function keyOf(after: string | null, search: string): RemovedKey | undefined {
  const [, endedAt, id, of] = /^(\d{1,15})-(\d{1,15})-(.+)$/.exec(after ?? "") ?? [];
  return endedAt === undefined || of !== search ? undefined : { endedAt: Number(endedAt), id: Number(id) };
}
