// Ingests what Axis cameras post. An event starts or amends the read of its pass and is matched before the response.
// Images are stored before the row that names them, so that no read names a missing image; images that no read uses are
// removed.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import {
  type AxisEvent,
  type AxisPush,
  arrivedAt,
  isAxisHeartbeat,
  parseAxisEvent,
} from "#app/entities/ingest/axis-event.ts";
import { clockNotice } from "#app/entities/ingest/camera-clock.ts";
import { LOST_CHARACTER } from "#app/entities/ingest/rekor-event.ts";
import { at } from "#app/lib/at.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { logWarning } from "#app/lib/log.ts";
import { numberText } from "#app/lib/number-text.ts";
import { countEvents, type Rate } from "#app/lib/rate-limit.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { type ImageKeys, newReadImageName, putImages } from "#app/store/archive/images.ts";
import type { NewRead, TakenEvent } from "#app/store/archive/reads.ts";
import { removeObjects } from "#app/store/files.ts";
import { ARRIVALS_KEPT, findArrivals } from "#app/store/ingest/arrivals.ts";
import { findCameraBySecret, touchCamera, type WebhookCamera } from "#app/store/ingest/cameras.ts";
import { queueLateEvent } from "./late-events.ts";

/**
 * Bounds what a misconfigured camera, or an attacker who knows its address, can cost: each event is about three writes to
 * a database that handles one at a time. A camera sends three events per car; two full lanes are about three cars a
 * second. The burst is one full list.
 */
const CAMERA_RATE: Rate = { policy: "camera", burst: 5000, perSecond: 60 };
/** Maximum number of events in one list: a gateway that was offline for hours sends its backlog in a few posts. */
const LIST_LIMIT = 5000;
/** Events whose images are stored at once: a request may have six open connections, and each put takes about 30 ms. */
const PUTS_AT_ONCE = 6;

/**
 * Stores one post of the camera that has one of the secrets: an event, a heartbeat, or a list of both that a gateway
 * collected while offline. An unreadable event does not make the rest of its list fail: a gateway would send the same
 * list again. `push` reads the body and is called only for a known sender, so that strangers cannot make Odin read
 * megabytes. Returns the id of the read, null for a heartbeat; for a list, an array of these and the refused events.
 * Throws AppError unauthenticated for an unknown or revoked secret, bad_request if nothing could be read, too_many, and
 * what `push` throws.
 */
export async function takeAxisEvent(
  app: AppContext,
  input: { secrets: string[]; push: () => Promise<AxisPush> },
): Promise<Taken> {
  const hashes = await Promise.all(input.secrets.map(sha256));
  const camera = hashes.length === 0 ? null : await findCameraBySecret(app.db, hashes);
  if (!camera) throw new AppError("unauthenticated", "No camera has this secret.");
  try {
    return await takePush(app, camera, input.push);
  } catch (error) {
    // A busy archive is not the camera's fault.
    if (isAppError(error) && error.code !== "unavailable") await noteRefusal(app, camera, error.message);
    throw error;
  }
}

/** `ids` has null for heartbeats and refused events. A position counts from 1. */
type Taken =
  | { id: string | null }
  | { ids: (string | null)[]; refused: { position: number; error: string }[] };

/**
 * Notes what is wrong with a camera's events, for the list of cameras. At most once a minute, so that a camera in a retry
 * loop does not write to the database each time.
 */
async function noteRefusal(app: AppContext, camera: WebhookCamera, refusal: string): Promise<void> {
  const now = app.clock();
  if (camera.lastRefusedAt !== null && now - camera.lastRefusedAt < MINUTE) return;
  await touchCamera(app.db, camera.id, { lastRefusedAt: now, lastRefusal: refusal.slice(0, 200) });
}

async function takePush(
  app: AppContext,
  camera: WebhookCamera,
  read: () => Promise<AxisPush>,
): Promise<Taken> {
  const now = app.clock();
  const counted = { source: `camera ${camera.id}`, rate: CAMERA_RATE };
  countEvents(app, counted);
  const push = await read();
  const { json } = push;
  const list: unknown[] = Array.isArray(json) ? json : [json];
  const isList = list === json;
  if (list.length === 0 || list.length > LIST_LIMIT)
    throw new AppError("bad_request", `A list has one to ${numberText(LIST_LIMIT)} events.`);
  countEvents(app, { ...counted, count: list.length - 1 });
  const parsed = list.map((one) => (isAxisHeartbeat(one) ? "heartbeat" : parsedEvent(one, now)));
  const refused = parsed.flatMap((one, i) =>
    isAppError(one) ? [{ position: i + 1, error: one.message }] : [],
  );
  const [first] = refused;
  if (first) {
    const refusal = isList ? `Event ${first.position} of ${list.length}: ${first.error}` : first.error;
    if (refused.length === list.length) throw new AppError("bad_request", refusal);
    await noteRefusal(app, camera, refusal);
  }
  if (parsed.includes("heartbeat")) await touchCamera(app.db, camera.id, { lastHeartbeatAt: now });
  const events = parsed.filter((one): one is AxisEvent => one !== "heartbeat" && !isAppError(one));
  if (events.some(({ caveats }) => caveats.includes(LOST_CHARACTER)))
    await noteRefusal(app, camera, `${LOST_CHARACTER}. The camera must send its events in UTF-8.`);
  const stored = await takeEvents(app, { camera, push, events, now });
  const idOf = new Map<unknown, string>(events.map((event, i) => [event, at(stored, i)]));
  const ids = parsed.map((one) => idOf.get(one) ?? null);
  return isList ? { ids, refused } : { id: at(ids, 0) };
}

function parsedEvent(json: unknown, now: number): AxisEvent | AppError {
  try {
    return parseAxisEvent(json, now);
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

/** Stores and matches the events of a post. Returns the ids of their reads. */
async function takeEvents(
  app: AppContext,
  input: { camera: WebhookCamera; push: AxisPush; events: AxisEvent[]; now: number },
): Promise<string[]> {
  const { camera, push, now } = input;
  if (input.events.length === 0) return [];
  const timed = await withFirstArrivals(app, { camera, events: input.events, now });
  const events = timed.map((event) => ({
    ...event,
    images: [...push.images, ...event.images],
    caveats: [...new Set([...push.caveats, ...event.caveats])],
  }));
  const newestAt = Math.max(...events.map(({ capturedAt }) => capturedAt));
  const ids = await queueLateEvent({ newestAt, now, bytes: push.bytes }, () =>
    keepEvents(app, camera, events),
  );
  // At most once a minute, so that a busy camera does not write to the control database with every car.
  if (camera.lastReadAt === null || now - camera.lastReadAt > MINUTE) {
    await touchCamera(app.db, camera.id, { lastReadAt: now });
  }
  return ids;
}

/**
 * Gives events of a wrong clock the time at which each first arrived. An event that is posted again then changes
 * nothing, even once the time that a fast clock showed has come. The list of cameras says that the clock must be set.
 */
async function withFirstArrivals(
  app: AppContext,
  { camera, events, now }: { camera: WebhookCamera; events: AxisEvent[]; now: number },
): Promise<AxisEvent[]> {
  const wrong = events.filter(({ timeIsArrival, clock }) => timeIsArrival && clock !== null);
  const [first] = wrong;
  if (first) await noteRefusal(app, camera, clockNotice(first.clock ?? 0, now));
  const noted = first ? now : (camera.lastRefusedAt ?? 0);
  if (now - noted > ARRIVALS_KEPT + MINUTE) return events;
  const keys = new Map(events.map((event) => [event, arrivalKey(event)]));
  const keysOf = (some: AxisEvent[]) =>
    some.map((event) => keys.get(event)).filter((key) => key !== undefined);
  const wanted = keysOf(events);
  if (wanted.length === 0) return events;
  const arrivals = await findArrivals(app.db, {
    cameraId: camera.id,
    keys: wanted,
    fresh: keysOf(wrong),
    now,
  });
  return events.map((event) => {
    const arrival = arrivals.get(keys.get(event) ?? "");
    return arrival === undefined ? event : arrivedAt(event, arrival);
  });
}

/** Identifies an event of a camera. A clock that stands still at zero would give two cars after a restart the same key. */
function arrivalKey({ carId, carState, clock }: AxisEvent): string | undefined {
  return clock ? stableId(JSON.stringify([carId, carState, clock])) : undefined;
}

/** If the archive fails, it is unknown whether the read was stored, so the images are kept until the day's purge. */
async function keepEvents(app: AppContext, camera: WebhookCamera, events: AxisEvent[]): Promise<string[]> {
  const stored = await pMap(
    events,
    ({ capturedAt, images }) =>
      // A new name for each attempt: R2 refuses a second write to an object within a second.
      retryBriefly(() =>
        putImages(app.images, newReadImageName({ at: capturedAt, cameraId: camera.id }), images),
      ),
    { concurrency: PUTS_AT_ONCE },
  );
  const reads = events.map((event, i) => readOf(camera, event, at(stored, i)));
  const taken = await app.reads.takeEvents(reads);
  await matchReads(
    app,
    events.map((event, index) => liveRead(camera, event, at(taken, index))),
  );
  // Only after matching: if writing an alert fails, the sender posts again and the alert needs these images.
  await removeObjects(
    app.images,
    taken.flatMap(({ unused }) => unused),
  ).catch((error: unknown) => logWarning("unused pictures are kept until their day is purged", error));
  return taken.map(({ id }) => id);
}

/** Returns the event for matching: matched by its own plate, shown with everything known about its pass. */
function liveRead(camera: WebhookCamera, event: AxisEvent, taken: TakenEvent): LiveRead {
  const { facts, capturedAt } = taken;
  return {
    origin: { program: "Axis", agencyId: camera.agencyId, integrationId: "" },
    // With its time: if the database was restored or set back to an earlier minute, an earlier read had this id.
    passKey: `Axis ${taken.id} ${capturedAt}`,
    plate: event.plate,
    plateState: event.plateState,
    seenAt: event.capturedAt,
    facts: { ...facts, capturedAt, cameraId: camera.id, cameraName: camera.name },
    rank: 1 + taken.revision,
    caveats: event.caveats,
    vendorImages: null,
    sentImages: event.images,
  };
}

function readOf(camera: WebhookCamera, event: AxisEvent, stored: ImageKeys): NewRead {
  const { images: _, caveats: __, clock: ___, ...facts } = event;
  const placed = event.latitude !== null;
  return {
    ...facts,
    agencyId: camera.agencyId,
    cameraId: camera.id,
    cameraName: camera.name,
    latitude: placed ? event.latitude : camera.latitude,
    longitude: placed ? event.longitude : camera.longitude,
    eventAt: event.capturedAt,
    vehicleImageKey: stored.vehicle,
    plateImageKey: stored.plate,
  };
}
