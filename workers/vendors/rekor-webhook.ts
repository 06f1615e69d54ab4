/**
 * The documents that a Rekor Scout agent posts to a webhook (help.rekor.ai; openalpr/doc app_integration): for every
 * pass a preview and then a group of version 3, and heartbeats that list the cameras.
 */
import { base64 } from "#app/lib/crypto/encoding.ts";
import { rekorWebhookSecret } from "./credentials.ts";
import { agentUid, cameraNumber, rekorFields } from "./rekor.ts";
import type { Env } from "./setup.ts";
import { worldOf } from "./setup.ts";
import { cropImage, plateImage } from "./world/pictures/draw.ts";
import type { WorldRead } from "./world/traffic.ts";
import { plateCorners, vehicleBox } from "./world/view.ts";

/** Returns one `alpr_group` document. A preview has a lower confidence and no images yet. */
function rekorGroup(read: WorldRead, { isPreview }: { isPreview: boolean }) {
  const fields = rekorFields(read);
  const confidence = isPreview ? Math.max(50, read.confidence - 18) : read.confidence;
  const guess = (name: string, sure: number) => [{ name, confidence: sure }];
  const candidates = [{ plate: read.plate, confidence, matches_template: 1 }];
  return {
    data_type: "alpr_group",
    version: 3,
    epoch_start: read.at,
    epoch_end: read.at + (isPreview ? 400 : 2000),
    frame_start: 216,
    frame_end: isPreview ? 219 : 236,
    company_id: "00000000-0000-4000-8000-000000000012",
    agent_uid: fields.agent_uid,
    agent_version: "4.1.12",
    agent_type: "alprd",
    camera_id: fields.camera_id,
    gps_latitude: read.camera.latitude,
    gps_longitude: read.camera.longitude,
    country: "us",
    uuids: [fields.best_uuid],
    plate_indexes: [0],
    candidates,
    best_plate: {
      plate: read.plate,
      confidence,
      matches_template: 1,
      plate_index: 0,
      region: fields.region,
      region_confidence: fields.region_confidence,
      coordinates: plateCorners(read).map(([x, y]) => ({ x, y })),
      plate_crop_jpeg: isPreview ? "" : base64(plateImage(read)),
      vehicle_region: vehicleBox(read),
      vehicle_detected: true,
      candidates,
    },
    best_confidence: confidence,
    best_plate_number: read.plate,
    best_region: fields.region,
    best_region_confidence: fields.region_confidence,
    matches_template: true,
    vehicle_crop_jpeg: isPreview ? "" : base64(cropImage(read, { ...vehicleBox(read), maxWidth: 640 })),
    best_uuid: fields.best_uuid,
    best_uuid_epoch_ms: read.at + 300,
    best_image_width: fields.img_width,
    best_image_height: fields.img_height,
    travel_direction: read.heading,
    is_parked: false,
    is_preview: isPreview,
    vehicle: {
      color: guess(fields.vehicle_color, fields.vehicle_color_confidence),
      make: guess(fields.vehicle_make, fields.vehicle_make_confidence),
      make_model: guess(fields.vehicle_make_model, fields.vehicle_make_model_confidence),
      body_type: guess(fields.vehicle_body_type, fields.vehicle_body_type_confidence),
      missing_plate: guess("no", 99.9),
      is_vehicle: guess("yes", 99.9),
    },
    web_server_config: { camera_label: read.camera.name, agent_label: read.camera.town },
    direction_of_travel_id: -1,
  };
}

/** Returns the heartbeat of an agency's agent. */
export function rekorHeartbeat(env: Env, agencyId: string, now: number) {
  return {
    data_type: "heartbeat",
    version: 1,
    agent_uid: agentUid(agencyId),
    agent_version: "4.1.12",
    timestamp: now,
    video_streams: worldOf(env)
      .cameras.filter((camera) => camera.program === "rekor" && camera.agencyId === agencyId)
      .map((camera) => ({
        camera_id: cameraNumber(camera.index),
        camera_name: camera.name,
        is_streaming: true,
        fps: 15,
        gps_latitude: camera.latitude,
        gps_longitude: camera.longitude,
      })),
  };
}

/** Returns the posts that an agency's agent sends for one pass, in order. */
export async function rekorPosts(
  env: Env,
  origin: string,
  read: WorldRead,
): Promise<[string, RequestInit][]> {
  const address = await rekorWebhook(env, origin, read.agencyId);
  return [true, false].map((isPreview) => [address, post(rekorGroup(read, { isPreview }))]);
}

export async function rekorWebhook(env: Env, origin: string, agencyId: string): Promise<string> {
  return `${origin}/ingest/rekor/${await rekorWebhookSecret(env.VENDOR_SECRET, agencyId)}`;
}

export function post(document: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(document),
  };
}
