// A group's history of hits, page by page or as a stream. Anyone who may see a group may see its hits.

import type { AppContext } from "#app/context.ts";
import {
  type GroupHead,
  groupHead,
  groupRecheck,
  requireGroupOrArchived,
} from "#app/domain/hotlists/groups.ts";
import { auditNow, auditRow } from "#app/domain/oversight/audit-act.ts";
import { rangesInUtc, zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  ALERT_PAGE_SIZE,
  type AlertCameras,
  type AlertKey,
  type AlertPage,
  type AlertQuery,
  type AlertRow,
  type AlertTexts,
  MAX_LIVE_COUNT,
  parseAlertFilter,
  writeAlertKey,
} from "#app/entities/alerts/hit.ts";
import { loggedPlate } from "#app/entities/search/plate.ts";
import { AppError } from "#app/lib/errors.ts";
import { compareNames } from "#app/lib/text.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { countAlertsSince, listAlerts } from "#app/store/alerts/archived.ts";
import { findLatest, listCamerasOfGroup } from "#app/store/alerts/history.ts";
import { inOneStep } from "#app/store/database.ts";
import type { StoredGroup } from "#app/store/hotlists/groups.ts";
import { insertLookUpOnce } from "#app/store/oversight/audit.ts";
import { toRow } from "./hit.ts";

/** Alerts per read while a whole history is streamed. */
const STREAM_PAGE = 2000;

/**
 * Returns every alert of a group that passes the filter, newest first, as pages that are read on demand. A lookup of a
 * plate is audited. Throws AppError not_found, and bad_request for an invalid filter; reading also fails once the actor
 * may no longer see the group.
 */
export async function streamAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: AlertQuery },
): Promise<{
  head: { group: GroupHead; older: null; newer: null; latest: string };
  pages: AsyncGenerator<AlertRow[]>;
}> {
  const filter = await requireFilter(app, actor, input.query.filter);
  const group = await requireGroupOrArchived(app, actor, input.groupId);
  await noteLookUp(app, actor, { group, query: input.query });
  const latest = await findLatest(app.db, group.id);
  const recheck = groupRecheck(app, actor, group.id);
  async function* pages() {
    let beside: AlertKey | undefined;
    for (;;) {
      const asked = { groupId: group.id, filter, beside, limit: STREAM_PAGE };
      const rows = await listAlerts(app, { ...asked, towards: "past" });
      yield rows.map(toRow);
      beside = rows.at(-1);
      if (rows.length < STREAM_PAGE) return;
      await recheck();
    }
  }
  const head = { group: groupHead(group), older: null, newer: null, latest: String(latest ?? 0) };
  return { head, pages: pages() };
}

/**
 * Returns a page of a group's history, filtered, of ALERT_PAGE_SIZE alerts or `limit`. A lookup of a plate is audited.
 * Throws AppError not_found, and bad_request for an invalid filter.
 */
export async function pageAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: AlertQuery; limit?: number },
): Promise<AlertPage & { group: GroupHead }> {
  const { query, limit = ALERT_PAGE_SIZE } = input;
  const [filter, group, latest] = await Promise.all([
    requireFilter(app, actor, query.filter),
    requireGroupOrArchived(app, actor, input.groupId),
    // Read before the list: a hit that is written between the two queries is then counted as new rather than missed.
    findLatest(app.db, input.groupId),
  ]);
  await noteLookUp(app, actor, { group, query });
  const newerThan = query.newer;
  const olderThan = newerThan ? undefined : query.older;
  const asked = { groupId: group.id, filter, limit: limit + 1 };
  const newer = newerThan && (await listAlerts(app, { ...asked, beside: newerThan, towards: "present" }));
  // If less than a page is newer, show the newest page, full and with nothing newer.
  const isInside = newer !== undefined && newer.length > limit;
  const found = isInside ? newer : await listAlerts(app, { ...asked, beside: olderThan, towards: "past" });
  const rows = found.slice(0, limit);
  if (isInside) rows.reverse();
  const [first, last] = [rows.at(0), rows.at(-1)];
  const hasOlder = isInside || found.length > limit;
  const hasNewer = isInside || olderThan !== undefined;
  return {
    group: groupHead(group),
    alerts: rows.map(toRow),
    older: hasOlder && last ? writeAlertKey(last) : null,
    newer: hasNewer && first ? writeAlertKey(first) : null,
    latest: String(latest ?? 0),
  };
}

/** Maximum number of cameras in the filter of a history; a statewide group has hits from thousands. */
const CAMERAS_LISTED = 500;

/**
 * Returns the cameras of a group's hits, by name: those whose name contains the filter's text, at most CAMERAS_LISTED,
 * and the one that the filter chose. Throws AppError not_found.
 */
export async function listAlertCameras(
  app: AppContext,
  actor: Actor,
  { groupId, filter }: { groupId: string; filter: AlertTexts },
): Promise<AlertCameras> {
  const [, names] = await Promise.all([
    requireGroupOrArchived(app, actor, groupId),
    listCamerasOfGroup(app.db, groupId),
  ]);
  const text = (filter.cameras ?? "").toLowerCase();
  const found = [...names]
    .map(([id, name]) => ({ id, name }))
    .filter(({ name }) => name.toLowerCase().includes(text))
    .sort((a, b) => compareNames(a.name, b.name));
  const listed = found.slice(0, CAMERAS_LISTED);
  const chosen = names.get(filter.camera ?? "");
  if (filter.camera && chosen !== undefined && !listed.some(({ id }) => id === filter.camera))
    listed.unshift({ id: filter.camera, name: chosen });
  return { listed, others: names.size - listed.length };
}

/** An open list counts its new hits every few seconds. Within this time, the audit log records it as one lookup. */
const COUNTED_MS = 10 * MINUTE;

/**
 * Records that a plate was looked up among a group's hits, which show where it was. Listing all hits is not a lookup.
 */
async function noteLookUp(
  app: AppContext,
  actor: Actor,
  { group, query, isCount = false }: { group: StoredGroup; query: AlertQuery; isCount?: boolean },
): Promise<void> {
  const plate = loggedPlate((query.filter.plate ?? "").trim());
  if (plate === "") return;
  const act = { action: "hits.view", object: group.id, plate } as const;
  if (!isCount) return auditNow(app, actor, act);
  const row = auditRow(app, actor, act);
  await inOneStep(app.db, [insertLookUpOnce(app.db, row, row.at - COUNTED_MS)]);
}

async function requireFilter(app: AppContext, actor: Actor, texts: AlertTexts) {
  const zone = await zoneFor(app, actor, [texts.from ?? "", texts.until ?? ""]);
  const filter = parseAlertFilter(texts, zone);
  if (typeof filter === "string") throw new AppError("bad_request", filter);
  return filter;
}

/**
 * Returns the number of hits that pass the filter and were created after the page's `latest`. A lookup of a plate is
 * audited. Throws as `pageAlerts` does.
 */
export async function countNewAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: AlertQuery },
): Promise<{ count: number }> {
  const filter = await requireFilter(app, actor, input.query.filter);
  const since = input.query.latest;
  if (since === undefined) throw new AppError("bad_request", 'The field "latest" is missing or invalid.');
  const group = await requireGroupOrArchived(app, actor, input.groupId);
  await noteLookUp(app, actor, { group, query: input.query, isCount: true });
  const most = MAX_LIVE_COUNT + 1;
  return {
    count: await countAlertsSince(app, { groupId: group.id, filter, since, most }),
  };
}

/**
 * Filters a history for a form that works without scripts. Returns the page of hits and what was asked, its times as
 * ISO instants: those without a zone are in the agency's zone. Throws AppError as `pageAlerts` does.
 */
export async function filterAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: AlertQuery },
): Promise<{ query: AlertQuery; page: AlertPage & { group: GroupHead } }> {
  const page = await pageAlerts(app, actor, input);
  const { filter } = input.query;
  const asked = { start_time: filter.from ?? "", end_time: filter.until ?? "" };
  const [range] = await rangesInUtc(app, actor, [asked]);
  const inUtc = { ...filter, from: range?.start_time, until: range?.end_time };
  return { query: { ...input.query, filter: inUtc }, page };
}
