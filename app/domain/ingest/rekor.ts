// Ingests what Rekor's webhooks post. Reads are matched and not stored: the vendor keeps them, and only hits are
// stored. The response is sent after the alerts are committed; if anything fails before, the sender is asked to retry.

import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import type { CameraSeen } from "#app/entities/ingest/camera.ts";
import { clockCaveat, isWrongClock } from "#app/entities/ingest/camera-clock.ts";
import {
  type EventCamera,
  type RekorRead,
  type StreamedCamera,
  TIME_OF_ARRIVAL,
} from "#app/entities/ingest/rekor-event.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { countEvents, isDue, type Rate } from "#app/lib/rate-limit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import { findRekorWebhook, touchWebhook, type Webhook } from "#app/store/ingest/webhooks.ts";

/** A webhook carries the reads of all of an agency's cameras. */
export const WEBHOOK_RATE: Rate = { policy: "webhook", burst: 3000, perSecond: 500 };
/** How often a camera's last read or heartbeat is recorded. */
const CAMERA_PAUSE_MS = MINUTE / 2;
/** Maximum number of values in `custom_data` that are tried as the secret. */
const MAX_SECRETS = 4;

/**
 * Handles one document of a webhook. The secret is one of `secrets` or, if `mayBeWithin`, part of the document's custom
 * data. `document` reads the body; without `mayBeWithin` it is called only for a known sender. Throws AppError
 * unauthenticated for an unknown or revoked secret, too_many, and what `document` throws.
 */
export async function takeRekorEvent(
  app: AppContext,
  input: { secrets: string[]; mayBeWithin?: boolean; document: () => Promise<object> },
): Promise<{ taken: true }> {
  const { secrets, mayBeWithin = false } = input;
  let webhook = await findWebhook(app, secrets);
  if (!webhook && !mayBeWithin) throw unknownSender();
  try {
    const document = await input.document();
    webhook ??= await findWebhook(app, secretsWithin(document));
    if (!webhook) throw unknownSender();
    await takeDocument(app, webhook, document);
    return { taken: true };
  } catch (error) {
    if (webhook && isAppError(error)) await noteRefusal(app, webhook, error.message);
    throw error;
  }
}

const unknownSender = () =>
  new AppError(
    "unauthenticated",
    "No webhook has this secret. Compare it with the address that Odin showed.",
  );

/** Returns the webhook that has one of the secrets, and counts one event of it. Returns null if there is none. */
async function findWebhook(app: AppContext, secrets: string[]): Promise<Webhook | null> {
  if (secrets.length === 0) return null;
  const webhook = await findRekorWebhook(app.db, await Promise.all(secrets.map(sha256)));
  if (webhook) countEvents(app, { source: `webhook ${webhook.id}`, rate: WEBHOOK_RATE });
  return webhook;
}

/** Returns the texts in `custom_data`, which is a text or an object of texts. */
function secretsWithin(document: object): string[] {
  const custom = "custom_data" in document ? document.custom_data : undefined;
  const values = typeof custom === "object" && custom !== null ? Object.values(custom) : [custom];
  return values
    .filter((value): value is string => typeof value === "string" && value.length <= 200)
    .slice(0, MAX_SECRETS);
}

async function takeDocument(app: AppContext, webhook: Webhook, document: object): Promise<void> {
  const event = app.parseRekorEvent(document);
  const now = app.clock();
  switch (event.kind) {
    case "read":
      await matchReads(app, [liveRead(webhook, event.read, now)]);
      return noteRead(app, webhook, event.read.camera);
    case "vehicle":
      return noteRead(app, webhook, event.camera);
    case "heartbeat":
      return noteHeartbeat(app, webhook, event.cameras);
    case "test":
      return touchWebhook(app.db, webhook.id, { testAt: now });
    case "other":
      return;
  }
}

function liveRead(webhook: Webhook, read: RekorRead, now: number): LiveRead {
  const { sighting, camera, pass, isPreview } = read;
  const time = timeOf(sighting.capturedAt, now);
  return {
    origin: { program: "Rekor", agencyId: webhook.agencyId, integrationId: "" },
    // Senders choose the ids of agents and cameras, so the agency is part of the key.
    passKey: `Rekor ${webhook.agencyId} ${pass}`,
    plate: sighting.plate,
    plateState: sighting.plateState,
    seenAt: lastSeenAt(time.at, read.endedAt, now),
    facts: {
      plate: sighting.plate,
      plateState: sighting.plateState,
      make: sighting.make,
      color: sighting.color,
      bodyType: sighting.bodyType,
      confidence: sighting.confidence,
      capturedAt: time.at,
      cameraId: camera.id,
      cameraName: camera.name || sighting.cameraName || "Unnamed camera",
      latitude: sighting.latitude,
      longitude: sighting.longitude,
      vehicleImageKey: null,
      plateImageKey: null,
    },
    // A finished group outranks any preview; of two previews the one with more confidence wins.
    rank: 1 + (isPreview ? 0 : 1000) + Math.round(sighting.confidence ?? 0),
    caveats: [...time.caveats, ...read.caveats],
    vendorImages: sighting.vehicleImage
      ? {
          program: "Rekor",
          source: webhook.agencyName,
          vehicle: sighting.vehicleImage,
          plate: sighting.plateImage,
        }
      : null,
    sentImages: read.images,
  };
}

/** Returns the capture time, or the time of arrival if the capture time is missing or impossible. */
function timeOf(at: number | null, now: number): { at: number; caveats: string[] } {
  if (at === null) return { at: now, caveats: [TIME_OF_ARRIVAL] };
  if (isWrongClock(at, now)) return { at: now, caveats: [clockCaveat(at, now)] };
  return { at: Math.min(at, now), caveats: [] };
}

/** Returns the end of the pass, or its start if the end is missing, impossible or before the start. */
function lastSeenAt(startedAt: number, endedAt: number | null, now: number): number {
  if (endedAt === null || isWrongClock(endedAt, now)) return startedAt;
  return Math.max(startedAt, Math.min(endedAt, now));
}

async function noteRead(app: AppContext, webhook: Webhook, camera: EventCamera): Promise<void> {
  const now = app.clock();
  // A pass has several events, and some of a busy camera's reads are enough to know its usual gap.
  if (isDue({ what: `camera ${camera.id} of ${webhook.id}`, pauseMs: CAMERA_PAUSE_MS, now }))
    await noteCameras(app, webhook, [{ ...camera, kind: "read" }]);
  if (webhook.lastReadAt === null || now - webhook.lastReadAt > MINUTE)
    await touchWebhook(app.db, webhook.id, { readAt: now });
}

/** An agent sends about one a minute. A webhook may serve several agents, each with its own set of cameras. */
async function noteHeartbeat(app: AppContext, webhook: Webhook, cameras: StreamedCamera[]): Promise<void> {
  const now = app.clock();
  const set = stableId(...cameras.map(({ id }) => id).sort());
  if (isDue({ what: `heartbeat ${set} of ${webhook.id}`, pauseMs: CAMERA_PAUSE_MS, now }))
    await noteCameras(
      app,
      webhook,
      cameras.map(({ isStreaming, ...camera }) => ({ ...camera, kind: isStreaming ? "heartbeat" : "list" })),
    );
  if (isDue({ what: `heartbeat of ${webhook.id}`, pauseMs: CAMERA_PAUSE_MS, now }))
    await touchWebhook(app.db, webhook.id, { heartbeatAt: now });
}

async function noteCameras(
  app: AppContext,
  webhook: Webhook,
  cameras: (EventCamera & Pick<CameraSeen, "kind">)[],
): Promise<void> {
  const named = cameras.filter(({ id }) => id !== "");
  const at = app.clock();
  const seen = named.map((camera) => ({ ...camera, agencyId: webhook.agencyId, at }));
  const [first, ...others] = noteRekorCameras(app.db, seen);
  if (first) await inOneStep(app.db, [first, ...others]);
}

/** At most once a minute, so that a sender in a retry loop does not write to the database each time. */
async function noteRefusal(app: AppContext, webhook: Webhook, refusal: string): Promise<void> {
  const now = app.clock();
  if (webhook.lastRefusedAt !== null && now - webhook.lastRefusedAt < MINUTE) return;
  await touchWebhook(app.db, webhook.id, { refusedAt: now, refusal: refusal.slice(0, 200) });
}
