// Viewing hits: a group's history, one hit with its images, and its disposition. Anyone who may see a group may see
// its hits; for other users the hits do not exist. Every view of a hit is audited.

import type { AppContext } from "#app/context.ts";
import { groupImageUrl, requireGroupOrArchived, viewerOf } from "#app/domain/hotlists/groups.ts";
import { announceToWebhooks } from "#app/domain/integrations/outgoing-announce.ts";
import { addressOfPlace, knownAddress, type NearestAddress, NO_ADDRESS } from "#app/domain/search/address.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { DispositionCall } from "#app/entities/alerts/calls.ts";
import {
  ALERT_PAGE_SIZE,
  type Alert,
  type AlertKey,
  type AlertPage,
  type AlertRow,
  dispositionLabel,
  LIVE_COUNT_MOST,
  parseAlertFilter,
  readAlertKey,
  writeAlertKey,
} from "#app/entities/alerts/hit.ts";
import { matchText } from "#app/entities/alerts/match.ts";
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { impossibleTrips, type TripRead } from "#app/entities/search/analysis/impossible-trips.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { strippableTypeOf } from "#app/lib/images/strip.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, isoTime } from "#app/lib/time/dates.ts";
import {
  countAlertsSince,
  findAlert,
  findLatest,
  listAlerts,
  listCameraNames,
  listCamerasOfGroup,
  listReadsOfGroup,
  openAlertImage,
  type StoredAlert,
  type StoredAlertRow,
  updateDisposition,
} from "#app/store/alerts/history.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { findGroup, type StoredGroup } from "#app/store/hotlists/groups.ts";
import { insertAlertEvent, webhooksTold } from "#app/store/integrations/outgoing-events.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";

const NOT_FOUND = "Alert not found.";
const LATEST_TIME = 8.64e15;

type ImageKind = "vehicle" | "plate";

/**
 * Returns the URL of a hit's picture; null if there is none. A new picture gets a new URL, so that browsers may cache it.
 * Keys are random and grant no access.
 */
export function hitImageUrl(id: string, kind: ImageKind, key: string | null): string | null {
  if (key === null) return null;
  const version = /([\w-]{1,8})[^/]*$/.exec(key)?.[1] ?? "";
  return `/api/alerts/${encodeURIComponent(id)}/image/${kind}?v=${version}`;
}

function toRow(alert: StoredAlertRow): AlertRow {
  return {
    id: alert.id,
    plate: alert.plate,
    state: alert.plateState,
    timestamp: Math.abs(alert.capturedAt) <= LATEST_TIME ? isoTime(alert.capturedAt) : null,
    camera: alert.cameraName,
    agency: alert.cameraAgency,
    justification: alert.reason,
    notes: alert.notes,
    date_added: isoTime(alert.listedAt),
    image_url: hitImageUrl(alert.id, "vehicle", alert.vehicleImageKey),
    latitude: degreesOf(alert.latitude),
    longitude: degreesOf(alert.longitude),
    source_program: alert.program,
    created_at: isoTime(alert.createdAt),
    match_kind: alert.matchKind,
    priority: alert.priority,
    differences: alert.differences,
    disposition: alert.disposition,
  };
}

function degreesOf(e6: number | null): number | null {
  return e6 === null ? null : e6 / 1e6;
}

function toAlert(alert: StoredAlert & { groupName: string }): Omit<Alert, "impossible_trips"> {
  return {
    ...toRow(alert),
    added_by: alert.listedBy,
    added_by_agency: alert.listedByAgency,
    case_number: alert.caseNumber,
    plate_image_url: hitImageUrl(alert.id, "plate", alert.plateImageKey),
    images_pending: alert.vendorImages !== null,
    make: alert.make,
    color: alert.color,
    body_type: alert.bodyType,
    confidence: alert.confidence,
    listed_plate: alert.listedPlate,
    listed_state: alert.listedState,
    match: matchText({ ...alert, state: alert.plateState }),
    group: { id: alert.groupId, name: alert.groupName },
    disposition_note: alert.dispositionNote,
    disposition_by: alert.dispositionByName,
    disposition_at: alert.dispositionAt === null ? null : isoTime(alert.dispositionAt),
  };
}

/** Hits before and after a hit that are compared with it. */
const TRIP_WINDOW = DAY;
const MOST_COMPARED = 500;

/** Returns an alert with the trips to and from its read that no car can drive. */
async function withTrips(app: AppContext, alert: StoredAlert & { groupName: string }): Promise<Alert> {
  const nearest = await listReadsOfGroup(app.db, {
    groupId: alert.groupId,
    at: alert.capturedAt,
    span: TRIP_WINDOW,
    limit: MOST_COMPARED,
  });
  const hits = nearest.sort((a, b) => b.capturedAt - a.capturedAt || (a.id < b.id ? 1 : -1));
  const reads = hits.map((hit, row): TripRead => {
    const [latitude, longitude] = [degreesOf(hit.latitude), degreesOf(hit.longitude)];
    const place = isMappable(latitude, longitude)
      ? { latitude, longitude }
      : { latitude: null, longitude: null };
    const { plate, capturedAt: time, plateState: state, make, color, cameraName: camera } = hit;
    return { row, plate, time, state, make, color, camera, ...place };
  });
  const own = hits.findIndex(({ id }) => id === alert.id);
  const looksAlike = (a: string, b: string) => foldLookalikes(a) === foldLookalikes(b);
  const { trips } = impossibleTrips(reads, { looksAlike });
  return {
    ...toAlert(alert),
    impossible_trips: trips.filter(({ from, to }) => from.row === own || to.row === own),
  };
}

/** Returns the alert if the actor may see its group. Throws AppError not_found. */
async function requireAlert(app: AppContext, actor: Actor, id: string) {
  const alert = await findAlert(app.db, id);
  const group = alert && (await findGroup(app.db, viewerOf(actor), alert.groupId, "archive too"));
  if (!group) throw new AppError("not_found", NOT_FOUND);
  return alert;
}

function viewed(app: AppContext, actor: Actor, input: { alert: StoredAlert; image?: ImageKind }) {
  const { alert, image } = input;
  return insertAudit(app.db, {
    ...auditWho(actor),
    at: app.clock(),
    action: image ? "image.view" : "alert.view",
    outcome: "ok",
    object: alert.id,
    plate: alert.plate,
    caseNumber: alert.caseNumber,
    detail: { group: alert.groupId, ...(image && { image }) },
  });
}

/** Returns one hit with everything that was copied into it. Audited. Throws AppError not_found. */
export async function describeAlert(app: AppContext, actor: Actor, id: string): Promise<Alert> {
  const alert = await requireAlert(app, actor, id);
  await inOneStep(app.db, [viewed(app, actor, { alert })]);
  return withTrips(app, alert);
}

/**
 * Returns one hit with its nearest address, if that is known without a call to the geocoder, so that the page never
 * waits for one. Audited. Throws AppError not_found.
 */
export async function openAlert(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<{ alert: Alert; address: NearestAddress }> {
  const alert = await describeAlert(app, actor, id);
  const { latitude, longitude } = alert;
  const isKnown = latitude !== null && longitude !== null && isMappable(latitude, longitude);
  const address = isKnown ? await knownAddress(app, { latitude, longitude }) : NO_ADDRESS;
  return { alert, address };
}

/** A group as the pages of its alerts show it. */
export type GroupOfAlerts = {
  id: string;
  name: string;
  description: string;
  created_at: string;
  image_url: string | null;
  last_alert: string | null;
  archived_at: string | null;
};

function groupOfAlerts(group: StoredGroup): GroupOfAlerts {
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

/** Alerts per read while a whole history is streamed. */
const STREAM_PAGE = 2000;

/**
 * Returns every alert of a group that passes the filter, newest first, as pages that are read on demand. Throws
 * AppError not_found, and bad_request for an invalid filter.
 */
export async function streamAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: URLSearchParams },
): Promise<{
  head: { group: GroupOfAlerts; older: null; newer: null; latest: string };
  pages: AsyncGenerator<AlertRow[]>;
}> {
  const filter = await requireFilter(app, actor, input.query);
  const group = await requireGroupOrArchived(app, actor, input.groupId);
  const latest = await findLatest(app.db, group.id);
  async function* pages() {
    let beside: AlertKey | undefined;
    for (;;) {
      const asked = { groupId: group.id, filter, beside, limit: STREAM_PAGE };
      const rows = await listAlerts(app.db, { ...asked, towards: "past" });
      yield rows.map(toRow);
      beside = rows.at(-1);
      if (rows.length < STREAM_PAGE) return;
    }
  }
  const head = { group: groupOfAlerts(group), older: null, newer: null, latest: String(latest ?? 0) };
  return { head, pages: pages() };
}

/**
 * Returns a page of a group's history, filtered, of ALERT_PAGE_SIZE alerts or `limit`. Throws AppError not_found,
 * and bad_request for an invalid filter.
 */
export async function pageAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: URLSearchParams; limit?: number },
): Promise<AlertPage & { group: GroupOfAlerts }> {
  const { query, limit = ALERT_PAGE_SIZE } = input;
  const filter = await requireFilter(app, actor, query);
  const group = await requireGroupOrArchived(app, actor, input.groupId);
  // Read first: a hit that is written between the two queries is then counted as new rather than missed.
  const latest = await findLatest(app.db, group.id);
  const newerThan = readAlertKey(query.get("newer"));
  const olderThan = newerThan ? undefined : readAlertKey(query.get("older"));
  const asked = { groupId: group.id, filter, limit: limit + 1 };
  const newer = newerThan && (await listAlerts(app.db, { ...asked, beside: newerThan, towards: "present" }));
  // If less than a page is newer, show the newest page, full and with nothing newer.
  const isInside = newer !== undefined && newer.length > limit;
  const found = isInside ? newer : await listAlerts(app.db, { ...asked, beside: olderThan, towards: "past" });
  const rows = found.slice(0, limit);
  if (isInside) rows.reverse();
  const [first, last] = [rows.at(0), rows.at(-1)];
  const hasOlder = isInside || found.length > limit;
  const hasNewer = isInside || olderThan !== undefined;
  return {
    group: groupOfAlerts(group),
    alerts: rows.map(toRow),
    older: hasOlder && last ? writeAlertKey(last) : null,
    newer: hasNewer && first ? writeAlertKey(first) : null,
    latest: String(latest ?? 0),
  };
}

/** Returns the cameras that a group has hits of, sorted by name. Throws AppError not_found. */
export async function listAlertCameras(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<{ id: string; name: string }[]> {
  const group = await requireGroupOrArchived(app, actor, groupId);
  const names = await listCameraNames(app.db, await listCamerasOfGroup(app.db, group.id));
  return [...names].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
}

async function requireFilter(app: AppContext, actor: Actor, query: URLSearchParams) {
  const zone = await zoneFor(app, actor, [query.get("from") ?? "", query.get("until") ?? ""]);
  const filter = parseAlertFilter(query, zone);
  if (typeof filter === "string") throw new AppError("bad_request", filter);
  return filter;
}

/**
 * Returns how many hits that pass the filter were created since `latest` of a page. Throws as `pageAlerts` does.
 */
export async function countNewAlerts(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; query: URLSearchParams },
): Promise<{ count: number }> {
  const filter = await requireFilter(app, actor, input.query);
  const since = /^\d{1,15}$/.exec(input.query.get("latest") ?? "");
  if (!since) throw new AppError("bad_request", 'The field "latest" is missing or invalid.');
  const group = await requireGroupOrArchived(app, actor, input.groupId);
  const most = LIVE_COUNT_MOST + 1;
  return {
    count: await countAlertsSince(app.db, { groupId: group.id, filter, since: Number(since[0]), most }),
  };
}

/** Returns an image of a hit, typed by its content, cacheable for an hour. Audited. Throws AppError not_found. */
export async function openHitImage(
  app: AppContext,
  actor: Actor,
  input: { id: string; kind: string },
): Promise<ServedFile> {
  const { kind } = input;
  if (kind !== "vehicle" && kind !== "plate") throw new AppError("not_found", NOT_FOUND);
  const alert = await requireAlert(app, actor, input.id);
  const key = kind === "vehicle" ? alert.vehicleImageKey : alert.plateImageKey;
  const bytes = key === null ? null : await openAlertImage(app.images, key);
  const type = bytes && strippableTypeOf(bytes);
  if (!type) throw new AppError("not_found", "There is no such image.");
  await inOneStep(app.db, [viewed(app, actor, { alert, image: kind })]);
  return { content: bytes, type, keptMs: HOUR, neverChanges: true, isolated: true };
}

/** Returns the nearest address of a hit's camera. Throws AppError not_found. */
export async function findAlertAddress(app: AppContext, actor: Actor, id: string): Promise<NearestAddress> {
  const { latitude, longitude } = toAlert(await requireAlert(app, actor, id));
  if (latitude === null || longitude === null || !isMappable(latitude, longitude)) return NO_ADDRESS;
  return addressOfPlace(app, { latitude, longitude });
}

/**
 * Saves the disposition of a hit, or removes it with null, which only a hotlist administrator may do. Throws
 * AppError not_found, forbidden, and conflict if someone else changed it since `known` or if the group is archived
 * (hits of an archived group are read-only).
 */
export async function decideAlert(
  app: AppContext,
  actor: Actor,
  input: { id: string; decision: DispositionCall },
): Promise<Alert> {
  const { disposition, note, known } = input.decision;
  const alert = await requireAlert(app, actor, input.id);
  if (!(await findGroup(app.db, viewerOf(actor), alert.groupId)))
    throw new AppError("conflict", "The group of this hit was archived. Its hits are read-only.");
  if (disposition === null && !mayUse("hotlist-admin", actor))
    throw new AppError("forbidden", "Only a hotlist administrator can remove a disposition.");
  const knownAt = known === null ? null : Date.parse(known);
  if (Number.isNaN(knownAt))
    throw new AppError("bad_request", "The time of the known disposition is invalid.");
  if (knownAt !== alert.dispositionAt) throw decidedMeanwhile(alert);
  // Two decisions never have the same time; otherwise they could not be told apart.
  const at = Math.max(app.clock(), (alert.dispositionAt ?? 0) + 1);
  const after = disposition && { disposition, note: visibleText(note) };
  const before = alert.disposition && {
    disposition: alert.disposition,
    note: alert.dispositionNote,
    by: alert.dispositionByName,
  };
  try {
    const [, , told] = await inOneStep(app.db, [
      updateDisposition(app.db, {
        id: alert.id,
        known: knownAt,
        to: after && { ...after, by: actor.userId, byName: actor.name, at },
      }),
      insertAudit(app.db, {
        ...auditWho(actor),
        at,
        action: "alert.disposition",
        outcome: "ok",
        object: alert.id,
        plate: alert.plate,
        caseNumber: alert.caseNumber,
        detail: { group: alert.groupId, before, after },
      }),
      insertAlertEvent(app.db, {
        event: "disposition",
        alertId: alert.id,
        groupId: alert.groupId,
        key: `${alert.id}|${at}`,
        detail: { disposition },
        at,
      }),
    ]);
    await announceToWebhooks(app, webhooksTold(told));
  } catch (error) {
    if (brokenConstraint(error) !== "alerts.disposition_note") throw error;
    throw decidedMeanwhile(await requireAlert(app, actor, alert.id));
  }
  return withTrips(app, await requireAlert(app, actor, alert.id));
}

function decidedMeanwhile(alert: StoredAlert): AppError {
  const who = alert.dispositionByName ?? "Another user";
  const what = alert.disposition
    ? `${who} marked this hit "${dispositionLabel(alert.disposition)}" in the meantime.`
    : "Another user removed the disposition of this hit in the meantime.";
  return new AppError("conflict", `${what} Your change was not saved.`);
}
