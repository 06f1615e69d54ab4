// A user's own searches: the list, names and pins, and a search to run again. They are rows of the audit log, read by
// user and agency. A search that is run again needs a new justification, so the earlier one is left out.

import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { fieldsOf, text } from "#app/entities/oversight/audit-words.ts";
import type { FindSearches, SaveSearch } from "#app/entities/search/history/calls.ts";
import {
  type AgainRange,
  expectedRange,
  listedSince,
  type PastSearch,
  rangeAgain,
  SAVED_SEARCHES_MAX,
  type SearchHistory,
  type SearchTool,
  searchesKeptDays,
} from "#app/entities/search/history/past-search.ts";
import { hasWords, searchSentence } from "#app/entities/search/history/words.ts";
import { AppError } from "#app/lib/errors.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { isoTime, localTime } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findPastSearch,
  listPastSearches,
  listPinnedSearches,
  putSavedSearch,
  removeUnsavedSearch,
} from "#app/store/search/history.ts";
import type { SearchCursor, SearchesOf, SearchRecord } from "#app/store/search/history-record.ts";
import { findSearchPolicy } from "#app/store/search/result-sets.ts";

const PAGE_SIZE = 25;

const TOOLS: ReadonlyMap<string, SearchTool> = new Map([
  ["search", "search"],
  ["search-places", "places"],
  ["search-convoy", "convoy"],
]);

/** Rows that a filter compares per query, and queries per page: no index finds words within a search. */
const COMPARED_AT_ONCE = 250;
const MAX_QUERIES = 20;

/**
 * Returns a page of the actor's own searches, newest first, and on the first page those that are pinned. With a filter,
 * at most 5,000 searches are compared per page. Throws AppError bad_request for an unknown cursor.
 */
export async function listSearches(
  app: AppContext,
  actor: Actor,
  { find, after: cursor }: FindSearches,
): Promise<SearchHistory> {
  const { whose, keptDays, timeZone } = await searchesOf(app, actor);
  const first = cursor === null ? null : cursorIn(cursor);
  const [pinned, listed] = await Promise.all([
    first === null ? listPinnedSearches(app, whose) : [],
    findUnpinned(app, { whose, after: first, timeZone, find }),
  ]);
  const { found, after, isEnd } = listed;
  const shown = found.slice(0, PAGE_SIZE);
  const hasMore = found.length > PAGE_SIZE;
  const next = hasMore ? shown.at(-1)?.at : isEnd ? undefined : after;
  return {
    pinned: pinned.map((row) => pastSearch(row, timeZone)).filter((search) => hasWords(search, find)),
    searches: shown.map(({ search }) => search),
    next: next ? `${next.at}-${next.seq}` : null,
    searched_to: !hasMore && next ? isoTime(next.at) : null,
    kept_days: keptDays,
  };
}

/** Returns at least a page of the searches that are not pinned, if there are enough, and where the next page starts. */
async function findUnpinned(
  app: AppContext,
  input: { whose: SearchesOf; after: SearchCursor | null; timeZone: string; find: string },
) {
  const { whose, timeZone, find } = input;
  const limit = find === "" ? PAGE_SIZE + 1 : COMPARED_AT_ONCE;
  const found: { search: PastSearch; at: SearchCursor }[] = [];
  let after = input.after;
  let isEnd = false;
  for (let i = 0; i < MAX_QUERIES && !isEnd && found.length <= PAGE_SIZE; i++) {
    const { rows, stoppedAt } = await listPastSearches(app, { ...whose, after, limit });
    for (const row of rows) {
      const search = pastSearch(row, timeZone);
      if (hasWords(search, find)) found.push({ search, at: row });
    }
    after = stoppedAt ?? rows.at(-1) ?? after;
    isEnd = rows.length < limit && stoppedAt === null;
  }
  return { found, after, isEnd };
}

/**
 * Names one of the actor's own searches, pins it, or both; omitted fields stay unchanged. Returns the search. Throws
 * AppError not_found for a search of another user or one that is no longer listed, and conflict at the limit.
 */
export async function saveSearch(
  app: AppContext,
  actor: Actor,
  { id, ...change }: SaveSearch & { id: string },
): Promise<PastSearch> {
  const { record, timeZone, now } = await requirePastSearch(app, actor, id);
  const search = pastSearch(record, timeZone);
  const before = { name: search.name, pinned: search.pinned };
  const after = { name: change.name ?? before.name, pinned: change.pinned ?? before.pinned };
  if (after.name === before.name && after.pinned === before.pinned) return search;
  const key = { userId: actor.userId, agencyId: actor.agencyId, searchId: id };
  const pinnedAt = change.pinned ? (record.pinned_at ?? now) : null;
  const isKept = after.name !== "" || after.pinned;
  // Only what changes is written: another tab may be changing the rest.
  const saved = {
    ...key,
    searchedAt: record.at,
    name: change.name,
    pinnedAt: change.pinned === undefined ? undefined : pinnedAt,
  };
  try {
    await inOneStep(app.db, [
      putSavedSearch(app.db, saved, SAVED_SEARCHES_MAX),
      removeUnsavedSearch(app.db, key),
      auditAct(app, actor, {
        at: now,
        action: isKept ? "saved-search.save" : "saved-search.remove",
        object: id,
        caseNumber: record.case_number,
        detail: { before, after },
      }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "saved_searches.searched_at") throw error;
    const message = `You can save at most ${SAVED_SEARCHES_MAX} searches. Remove the name or the pin of one first.`;
    throw new AppError("conflict", message, { cause: error });
  }
  return { ...search, ...after };
}

/**
 * Removes the name and the pin of one of the actor's own searches, which stays in the history. Throws AppError
 * not_found.
 */
export async function forgetSearch(app: AppContext, actor: Actor, id: string): Promise<void> {
  const { record } = await requirePastSearch(app, actor, id);
  if (record.name === null) throw new AppError("not_found", "This search is not saved.");
  await saveSearch(app, actor, { id, name: "", pinned: false });
}

/** One of the actor's own searches, to fill a form with. */
export type SearchAgain = {
  id: string;
  tool: SearchTool;
  /** The request without its justification, and with the range to search. Not checked: the schema may have changed. */
  request: Record<string, unknown>;
  range: AgainRange;
  /** Says where the form's values come from, and what range it has. */
  note: string;
  /** The other range, if there is a choice. */
  other: { range: AgainRange; label: string } | null;
};

/**
 * Returns one of the actor's own searches to fill a form with, or undefined if it is not listed. The justification, and
 * the confirmation of a prohibited purpose, are left out.
 */
export async function searchAgain(
  app: AppContext,
  actor: Actor,
  { id, range: asked }: { id: string; range: AgainRange | undefined },
): Promise<SearchAgain | undefined> {
  const { whose, timeZone } = await searchesOf(app, actor);
  const record = await findPastSearch(app, { ...whose, id });
  const tool = record && TOOLS.get(record.action);
  if (!record || !tool) return undefined;
  const { confirmation: _, supervisor: __, ...query } = fieldsOf(parseJson(record.query));
  const request = { ...query, agencies: parseJson(record.agencies ?? "[]"), justification: "" };
  const searched = `Filled in from your search of ${localTime(record.at, timeZone)}. Enter a new justification.`;
  const [start, end] = [Date.parse(text(query.start_time)), Date.parse(text(query.end_time))];
  // The windows of a places search belong to an event in the past.
  if (tool === "places" || !(end > start))
    return {
      id,
      tool,
      request,
      range: "original",
      note: `${searched} The times are those of that search.`,
      other: null,
    };
  const range = asked ?? expectedRange({ end, searchedAt: record.at });
  const chosen = rangeAgain(range, { start, end, now: whose.now });
  const dates = `${localTime(start, timeZone)} to ${localTime(end, timeZone)}`;
  return {
    id,
    tool,
    request: { ...request, start_time: isoTime(chosen.start), end_time: isoTime(chosen.end) },
    range,
    note:
      range === "now"
        ? `${searched} The range has the same length as then, ending now.`
        : `${searched} The range is the original one, ${dates}.`,
    other:
      range === "now"
        ? { range: "original", label: `Use the original range, ${dates}` }
        : { range: "now", label: "Use a range of the same length, ending now" },
  };
}

async function requirePastSearch(app: AppContext, actor: Actor, id: string) {
  const { whose, timeZone } = await searchesOf(app, actor);
  const record = await findPastSearch(app, { ...whose, id });
  if (!record) throw new AppError("not_found", "There is no such search.");
  return { record, timeZone, now: whose.now };
}

async function searchesOf(
  app: AppContext,
  actor: Actor,
): Promise<{ whose: SearchesOf; keptDays: number; timeZone: string }> {
  const policy = await findSearchPolicy(app.db, actor.agencyId);
  const now = app.clock();
  const keptDays = searchesKeptDays({
    recordDays: policy?.recordRetentionDays ?? 0,
    auditDays: policy?.auditRetentionDays ?? 0,
  });
  const { userId, agencyId } = actor;
  return {
    whose: { userId, agencyId, since: listedSince(now, keptDays), now },
    keptDays,
    timeZone: policy?.timeZone ?? "UTC",
  };
}

function cursorIn(cursor: string): SearchCursor {
  const [, at, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || seq === undefined) throw new AppError("bad_request", "There is no such page.");
  return { at: Number(at), seq: Number(seq) };
}

function pastSearch(record: SearchRecord, zone: string): PastSearch {
  const { id, at, plate, name } = record;
  const query = fieldsOf(parseJson(record.query));
  const tool = TOOLS.get(record.action) ?? "search";
  const isOpen = record.results_state === "ready" && record.results_until !== null;
  return {
    id,
    tool,
    searched_at: isoTime(at),
    what: searchSentence({ tool, plate, query, agencies: record.agency_count, at, zone }),
    justification: typeof query.justification === "string" ? query.justification : "",
    purpose: text(query.purpose),
    case_number: record.case_number,
    programs: record.programs_queried.split(",").filter(Boolean),
    state: stateOf(record),
    reads: record.reads,
    truncated: record.truncated === 1,
    name: name ?? "",
    pinned: record.pinned_at !== null,
    results_until: isOpen ? isoTime(record.results_until ?? 0) : null,
    service_account: record.service_account,
  };
}

function stateOf({ ended_as: ending, results_state: results }: SearchRecord): PastSearch["state"] {
  // A search whose worker was killed has no ending.
  if (ending === null) return results === "running" ? "running" : "failed";
  if (ending === "ready") return "done";
  return ending === "cancelled" ? "canceled" : "failed";
}
