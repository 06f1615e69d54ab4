// Parses documents of a Rekor webhook: groups of versions 2 and 3, alerts that contain one, vehicles without a plate,
// heartbeats. Tolerant like the search: missing or invalid values are left out and noted as caveats. Only documents
// without a plate or of unknown types are refused.

import * as z from "zod/mini";
import type { SentImage } from "#app/entities/alerts/match.ts";
import { rekorCameraId } from "#app/entities/ingest/camera.ts";
import {
  BROKEN_PICTURE,
  type EventCamera,
  LOST_CHARACTER,
  type RekorEvent,
  type RekorRead,
  type StreamedCamera,
} from "#app/entities/ingest/rekor-event.ts";
import { lostCharacter, PLATE_MAX_LENGTH, plateOfRead } from "#app/entities/search/plate.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { AppError } from "#app/lib/errors.ts";
import { imageIsWhole, imageTypeOf } from "#app/lib/images/type.ts";
import { fieldIn, isObject } from "#app/lib/json/parse.ts";
import { groupWithin, named, plateKey, sightingFromGroup } from "./rekor-wire.ts";
import { looseNumber, looseObject, looseText, looseTime, placeOf } from "./wire-values.ts";

const jpeg = z.optional(z.unknown());

const Envelope = z.object({ data_type: looseText, openalpr_webhook: looseText });

const Labels = z.object({
  agent_uid: looseText,
  camera_id: looseText,
  epoch_start: looseTime,
  epoch_end: looseTime,
  best_uuid: looseText,
  uuids: looseObject(z.array(looseText)),
  plate_indexes: looseObject(z.array(looseNumber)),
  is_preview: z.optional(z.unknown()),
  gps_latitude: looseNumber,
  gps_longitude: looseNumber,
  web_server_config: looseObject(z.object({ camera_label: looseText, agent_label: looseText })),
  best_plate_number: looseText,
  best_plate: looseObject(z.object({ plate: looseText, plate_index: looseNumber, plate_crop_jpeg: jpeg })),
  vehicle_crop_jpeg: jpeg,
  overview_jpeg: jpeg,
});
type Labels = z.infer<typeof Labels>;

const AlertLabels = z.object({ camera_name: looseText, camera_number: looseText, site_name: looseText });

const Heartbeat = z.object({
  agent_uid: looseText,
  video_streams: looseObject(
    z.array(
      looseObject(
        z.object({
          camera_id: looseText,
          camera_name: looseText,
          is_streaming: z.optional(z.unknown()),
          gps_latitude: looseNumber,
          gps_longitude: looseNumber,
        }),
      ),
    ),
  ),
});

/** Maximum number of cameras per heartbeat; an agent has a dozen. */
const MAX_STREAMS = 200;

/** Parses a document. Throws AppError bad_request if it names no plate or is not a Rekor document. */
export function parseRekorEvent(document: unknown): RekorEvent {
  const envelope = Envelope.safeParse(document).data;
  if (envelope?.data_type === undefined && envelope?.openalpr_webhook === "test") return { kind: "test" };
  switch (envelope?.data_type) {
    case "alpr_group":
    case "alpr_alert":
      return { kind: "read", read: readOf(document) };
    case "vehicle":
      return { kind: "vehicle", camera: cameraOf(labelsOf(document), document) };
    case "heartbeat":
      return { kind: "heartbeat", cameras: camerasOf(document) };
    case "alpr_results":
      return { kind: "other" };
    default:
      throw new AppError(
        "bad_request",
        "data_type is not one of Rekor's: alpr_group, alpr_alert, vehicle, heartbeat.",
      );
  }
}

function labelsOf(document: unknown): Labels {
  return Labels.safeParse(groupWithin(document)).data ?? {};
}

function readOf(document: unknown): RekorRead {
  const labels = labelsOf(document);
  const { agent_uid: agent, camera_id: camera, epoch_start: start } = labels;
  const plate = labels.best_plate_number ?? labels.best_plate?.plate ?? "";
  // A start of 0 is not a time: all vehicles of the camera would be one pass.
  const whole = agent !== undefined && camera !== undefined && start !== undefined && start !== 0;
  // The number of the plate in the first image, since vehicles that are first seen together start together.
  const first = labels.plate_indexes?.[0];
  const image =
    plateKey(labels.best_uuid, labels.best_plate?.plate_index) ??
    plateKey(
      labels.uuids?.find((uuid) => uuid !== undefined),
      first,
    );
  // Without any id, the content identifies the pass, so that sending the document twice creates no second read.
  const fallbackKey = image ?? stableId("group", JSON.stringify(withoutPictures(document)));
  const source = { id: "", agency: "", baseUrl: "https://webhook.invalid" };
  const sighting = sightingFromGroup(document, { source, fallbackKey });
  if (!sighting) throw new AppError("bad_request", plateProblem(document, { labels, plate }));
  const { images, broken } = imagesOf(labels);
  return {
    sighting,
    pass: (whole ? plateKey(`${agent}/${camera}/${start}`, first) : undefined) ?? fallbackKey,
    isPreview: labels.is_preview === true || labels.is_preview === "true" || labels.is_preview === 1,
    endedAt: labels.epoch_end ?? null,
    camera: cameraOf(labels, document),
    images,
    caveats: [
      ...(camera === undefined ? ["Camera is not named"] : []),
      ...(lostCharacter(plate) ? [LOST_CHARACTER] : []),
      ...(broken ? [BROKEN_PICTURE] : []),
    ],
  };
}

/** Returns why a group is not a read. */
function plateProblem(document: unknown, { labels, plate }: { labels: Labels; plate: string }): string {
  if (!isObject(groupWithin(document)) || fieldIn(groupWithin(document), "data_type") !== "alpr_group")
    return "The alert has no group.";
  const field = labels.best_plate_number === undefined ? "best_plate.plate" : "best_plate_number";
  return plateOfRead(plate) === ""
    ? "The group names no plate."
    : `${field} is longer than ${PLATE_MAX_LENGTH} characters.`;
}

function cameraOf(labels: Labels, document: unknown): EventCamera {
  const alert = AlertLabels.safeParse(document).data ?? {};
  const label = named(labels.web_server_config?.camera_label) || named(alert.camera_name);
  return {
    id: rekorCameraId(labels.agent_uid, labels.camera_id ?? alert.camera_number),
    name: label,
    siteName: named(alert.site_name) || named(labels.web_server_config?.agent_label),
    ...placeOf(labels.gps_latitude, labels.gps_longitude),
  };
}

function camerasOf(document: unknown): StreamedCamera[] {
  const beat = Heartbeat.safeParse(document).data;
  const cameras = new Map<string, StreamedCamera>();
  for (const stream of beat?.video_streams?.slice(0, MAX_STREAMS) ?? []) {
    if (stream?.camera_id === undefined) continue;
    const id = rekorCameraId(beat?.agent_uid, stream.camera_id);
    const place = placeOf(stream.gps_latitude, stream.gps_longitude);
    const isStreaming = ![false, "false", 0].some((no) => no === stream.is_streaming);
    cameras.set(id, { id, name: named(stream.camera_name), siteName: "", ...place, isStreaming });
  }
  return [...cameras.values()];
}

function imagesOf(labels: Labels): { images: SentImage[]; broken: boolean } {
  const images: SentImage[] = [];
  let broken = false;
  const offered = [
    { kind: "vehicle" as const, text: labels.vehicle_crop_jpeg },
    { kind: "vehicle" as const, text: labels.overview_jpeg },
    { kind: "plate" as const, text: labels.best_plate?.plate_crop_jpeg },
  ];
  for (const { kind, text } of offered) {
    if (text === undefined || text === null || text === "") continue;
    if (images.some((image) => image.kind === kind)) continue;
    const bytes = typeof text === "string" ? bytesOf(text) : undefined;
    const type = bytes && imageTypeOf(bytes);
    if (bytes && type && imageIsWhole(bytes, type)) images.push({ kind, bytes, type });
    else broken = true;
  }
  return { images, broken };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}

/** Returns a document's short values, to identify it cheaply. */
function withoutPictures(document: unknown): unknown {
  const group = groupWithin(document);
  if (typeof group !== "object" || group === null) return null;
  return Object.entries(group).filter(
    ([, value]) => ["string", "number", "boolean"].includes(typeof value) && String(value).length < 200,
  );
}
