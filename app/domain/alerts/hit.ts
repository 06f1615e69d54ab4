// One hit: its facts, images, address and disposition. Anyone who may see a group may see its hits; for other users the
// hits do not exist. Every view of a hit is audited.

import type { AppContext } from "#app/context.ts";
import { viewerOf } from "#app/domain/hotlists/groups.ts";
import { announceToWebhooks } from "#app/domain/integrations/outgoing-announce.ts";
import { auditAct, auditRow } from "#app/domain/oversight/audit-act.ts";
import { addressOfPlace, knownAddress, NO_ADDRESS } from "#app/domain/search/address.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { DispositionCall } from "#app/entities/alerts/calls.ts";
import { type Alert, type AlertRow, dispositionLabel } from "#app/entities/alerts/hit.ts";
import { matchText } from "#app/entities/alerts/match.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { impossibleTrips, type TripRead } from "#app/entities/search/analysis/impossible-trips.ts";
import { plateComparer } from "#app/entities/search/look-alikes.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { degrees } from "#app/lib/degrees.ts";
import { AppError } from "#app/lib/errors.ts";
import { strippableTypeOf } from "#app/lib/images/strip.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { writtenSpan } from "#app/lib/time/wall-clock.ts";
import { type FoundAlert, findHit, listReadsOfGroup } from "#app/store/alerts/archived.ts";
import { type StoredAlert, type StoredAlertRow, updateDisposition } from "#app/store/alerts/history.ts";
import { bringBack } from "#app/store/alerts/segments.ts";
import { readImage } from "#app/store/archive/images.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAlertEvent, webhooksTold } from "#app/store/integrations/outgoing-events.ts";
import { insertLookUpOnce } from "#app/store/oversight/audit.ts";

const NOT_FOUND = "Alert not found.";

const LATEST_TIME = 8.64e15;

/** Constraints that stop a hit from returning to the database: it is there, or its segment is gone. */
const MOVED = ["alerts.id", "alerts.entry_id", "alerts.group_id"];

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

/** Returns an alert as lists show it, with ISO times; `timestamp` is null if the read's time is not a valid date. */
export function toRow(alert: StoredAlertRow): AlertRow {
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
    latitude: degrees(alert.latitude),
    longitude: degrees(alert.longitude),
    source_program: alert.program,
    created_at: isoTime(alert.createdAt),
    match_kind: alert.matchKind,
    priority: alert.priority,
    differences: alert.differences,
    disposition: alert.disposition,
  };
}

function toAlert({ alert, group }: FoundAlert): Omit<Alert, "impossible_trips"> {
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
    group: { id: alert.groupId, name: group.name },
    disposition_note: alert.dispositionNote,
    disposition_by: alert.dispositionByName,
    disposition_at: alert.dispositionAt === null ? null : isoTime(alert.dispositionAt),
  };
}

/** Returns the location of a hit's read if a map can show it. */
function placeOfHit({ latitude, longitude }: Pick<StoredAlert, "latitude" | "longitude">): Place | null {
  return mappablePlace({ latitude: degrees(latitude), longitude: degrees(longitude) });
}

/** Hits before and after a hit that are compared with it. */
const TRIP_WINDOW = DAY;

const MAX_COMPARED = 500;

/** Returns the trips to and from the read of a hit that no car can drive. */
async function tripsOf(app: AppContext, alert: StoredAlert): Promise<Alert["impossible_trips"]> {
  const nearest = await listReadsOfGroup(app, {
    groupId: alert.groupId,
    at: alert.capturedAt,
    span: TRIP_WINDOW,
    limit: MAX_COMPARED,
  });
  const hits = nearest.sort((a, b) => b.capturedAt - a.capturedAt || (a.id < b.id ? 1 : -1));
  const reads = hits.map((hit, row): TripRead => {
    const place = placeOfHit(hit) ?? { latitude: null, longitude: null };
    const { plate, capturedAt: time, plateState: state, make, color, cameraName: camera } = hit;
    return { row, plate, time, state, make, color, camera, ...place };
  });
  const own = hits.findIndex(({ id }) => id === alert.id);
  const { trips } = impossibleTrips(reads, { looksAlike: plateComparer() });
  return trips.filter(({ from, to }) => from.row === own || to.row === own);
}

/** Returns the hit if the actor may see its group. Throws AppError not_found, and ArchiveFault if it cannot be read. */
async function requireHit(app: AppContext, actor: Actor, id: string): Promise<FoundAlert> {
  const hit = await findHit(app, viewerOf(actor), id);
  if (!hit) throw new AppError("not_found", NOT_FOUND);
  return hit;
}

type View = { alert: StoredAlert; image?: ImageKind };

function viewOf({ alert, image }: View) {
  return {
    action: image ? "image.view" : "alert.view",
    object: alert.id,
    plate: alert.plate,
    caseNumber: alert.caseNumber,
    detail: { group: alert.groupId, ...(image && { image }) },
  } as const;
}

function viewed(app: AppContext, actor: Actor, view: View) {
  return auditAct(app, actor, viewOf(view));
}

/** Returns a hit with what belongs to it, and records that the actor saw it. */
async function viewHit(app: AppContext, actor: Actor, hit: FoundAlert): Promise<Alert> {
  const [impossible_trips] = await Promise.all([
    tripsOf(app, hit.alert),
    inOneStep(app.db, [viewed(app, actor, hit)]),
  ]);
  return { ...toAlert(hit), impossible_trips };
}

/** Returns one hit with everything that was copied into it. Audited. Throws AppError not_found. */
export async function describeAlert(app: AppContext, actor: Actor, id: string): Promise<Alert> {
  return viewHit(app, actor, await requireHit(app, actor, id));
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
  const hit = await requireHit(app, actor, id);
  const place = placeOfHit(hit.alert);
  const [alert, address] = await Promise.all([
    viewHit(app, actor, hit),
    place ? knownAddress(app, place) : NO_ADDRESS,
  ]);
  return { alert, address };
}

/** Returns an image of a hit, typed by its content, cacheable for an hour. Audited. Throws AppError not_found. */
export async function openHitImage(
  app: AppContext,
  actor: Actor,
  input: { id: string; kind: string },
): Promise<ServedFile> {
  const { kind } = input;
  if (kind !== "vehicle" && kind !== "plate") throw new AppError("not_found", NOT_FOUND);
  const { alert } = await requireHit(app, actor, input.id);
  const key = kind === "vehicle" ? alert.vehicleImageKey : alert.plateImageKey;
  const bytes = key === null ? null : await readImage(app.images, key, app.imageCopy);
  const type = bytes && strippableTypeOf(bytes);
  if (!type) throw new AppError("not_found", "There is no such image.");
  await inOneStep(app.db, [viewed(app, actor, { alert, image: kind })]);
  return { content: bytes, type, keptMs: HOUR, neverChanges: true, isolated: true };
}

/** Within this time, the audit log records a hit and its address as one view. */
const VIEWED_MS = 10 * MINUTE;

/**
 * Returns the nearest address of a hit's camera. Audited, unless the same session has viewed the hit before. Throws
 * AppError not_found.
 */
export async function findAlertAddress(app: AppContext, actor: Actor, id: string): Promise<NearestAddress> {
  const { alert } = await requireHit(app, actor, id);
  const row = auditRow(app, actor, viewOf({ alert }));
  await inOneStep(app.db, [insertLookUpOnce(app.db, row, row.at - VIEWED_MS)]);
  const place = placeOfHit(alert);
  return place ? addressOfPlace(app, place) : NO_ADDRESS;
}

/**
 * Saves the disposition of a hit, or removes it with null, which only a hotlist administrator may do. An archived hit
 * returns to the database with it. Throws AppError not_found, forbidden, and conflict if someone else changed it since
 * `known` or if the group is archived (hits of an archived group are read-only).
 */
export async function decideAlert(
  app: AppContext,
  actor: Actor,
  input: { id: string; decision: DispositionCall },
): Promise<Alert> {
  const hit = await requireHit(app, actor, input.id);
  try {
    await decide(app, actor, { hit, decision: input.decision });
  } catch (error) {
    // Someone else returned it to the database, or its segment was purged.
    const isMoved = MOVED.includes(brokenConstraint(error) ?? "");
    if (!isMoved || hit.segment === null) throw error;
    const fresh = await requireHit(app, actor, input.id);
    await decide(app, actor, { hit: fresh, decision: input.decision });
  }
  const [decided, impossible_trips] = await Promise.all([
    requireHit(app, actor, input.id),
    tripsOf(app, hit.alert),
  ]);
  return { ...toAlert(decided), impossible_trips };
}

/**
 * Returns whether the disposition that the caller saw is the stored one, by their times; null stands for no
 * disposition. Throws AppError bad_request if `known` is not a time.
 */
function isKnown(known: string | null, dispositionAt: number | null): boolean {
  const span = known === null ? null : writtenSpan(known);
  if (span === undefined) throw new AppError("bad_request", "The time of the known disposition is invalid.");
  if (span === null || dispositionAt === null) return span === dispositionAt;
  return dispositionAt >= span.from && dispositionAt <= span.to;
}

async function decide(
  app: AppContext,
  actor: Actor,
  { hit, decision }: { hit: FoundAlert; decision: DispositionCall },
): Promise<void> {
  const { alert, group, segment } = hit;
  const { disposition, note, known } = decision;
  if (group.archivedAt !== null)
    throw new AppError("conflict", "The group of this hit was archived. Its hits are read-only.");
  if (disposition === null && !mayUse("hotlist-admin", actor))
    throw new AppError("forbidden", "Only a hotlist administrator can remove a disposition.");
  if (!isKnown(known, alert.dispositionAt)) return requireOwnDecision(actor, { alert, decision });
  // Two decisions never have the same time; otherwise they could not be distinguished.
  const at = Math.max(app.clock(), (alert.dispositionAt ?? 0) + 1);
  const after = disposition && { disposition, note: visibleText(note) };
  const before = alert.disposition && {
    disposition: alert.disposition,
    note: alert.dispositionNote,
    by: alert.dispositionByName,
  };
  try {
    const results = await inOneStep(
      app.db,
      nonEmpty([
        ...(segment === null ? [] : bringBack(app.db, alert, segment)),
        updateDisposition(app.db, {
          id: alert.id,
          known: alert.dispositionAt,
          to: after && { ...after, by: actor.userId, byName: actor.name, at },
        }),
        auditAct(app, actor, {
          at,
          action: "alert.disposition",
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
      ]),
    );
    await announceToWebhooks(app, webhooksTold(results.at(-1)));
  } catch (error) {
    if (brokenConstraint(error) !== "alerts.disposition_note") throw error;
    requireOwnDecision(actor, { alert: (await requireHit(app, actor, alert.id)).alert, decision });
  }
}

/**
 * Throws AppError conflict if the stored disposition is not the one that the caller sends: then someone else decided in
 * the meantime. Otherwise the caller sends it again because the answer was lost.
 */
function requireOwnDecision(
  actor: Actor,
  { alert, decision }: { alert: StoredAlert; decision: DispositionCall },
): void {
  const { disposition, note } = decision;
  const isOwn =
    disposition !== null &&
    alert.disposition === disposition &&
    alert.dispositionNote === visibleText(note) &&
    alert.dispositionByName === actor.name;
  if (!isOwn) throw decidedMeanwhile(alert);
}

function decidedMeanwhile(alert: StoredAlert): AppError {
  const who = alert.dispositionByName ?? "Another user";
  const what = alert.disposition
    ? `${who} marked this hit "${dispositionLabel(alert.disposition)}" in the meantime.`
    : "Another user removed the disposition of this hit in the meantime.";
  return new AppError("conflict", `${what} Your change was not saved.`);
}
