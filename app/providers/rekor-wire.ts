// Converts Rekor's documents to sightings: rows of its search, and group documents of its webhook. `best_plate` is a
// text in the former and an object in the latter; times are ISO texts in the former and milliseconds in the latter.

import * as z from "zod/mini";
import { rekorCameraId } from "#app/entities/ingest/camera.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import type { ListedCamera } from "./provider.ts";
import { bodyTypeFromRekor, colorFromRekor, makeFromVendor, stateFromRekor } from "./vehicle-words.ts";
import {
  confidenceOf,
  looseNumber,
  looseObject,
  looseText,
  looseTime,
  placeOf,
  plateOf,
  textOf,
} from "./wire-values.ts";

/** The parts of a source that identify its reads. */
export type RekorOrigin = Pick<SearchSource, "id" | "agency" | "baseUrl">;

/** Rekor shows an attribute only above this confidence. */
const ATTRIBUTE_CONFIDENCE = 40;

const Row = z.object({
  pk: looseText,
  fields: z.object({
    agent_uid: looseText,
    best_uuid: looseText,
    best_index: looseNumber,
    best_plate: looseText,
    best_confidence: looseNumber,
    epoch_time_start: looseTime,
    camera: z.optional(z.unknown()),
    camera_id: looseText,
    region: looseText,
    vehicle_color: looseText,
    vehicle_color_confidence: looseNumber,
    vehicle_make: looseText,
    vehicle_make_confidence: looseNumber,
    vehicle_body_type: looseText,
    vehicle_body_type_confidence: looseNumber,
    gps_latitude: looseNumber,
    gps_longitude: looseNumber,
    plate_x1: looseNumber,
    plate_y1: looseNumber,
    plate_x2: looseNumber,
    plate_y2: looseNumber,
    plate_x3: looseNumber,
    plate_y3: looseNumber,
    plate_x4: looseNumber,
    plate_y4: looseNumber,
  }),
});

/** Returns whether a row has the documented form of a read, even if its plate could not be read. */
export function isRekorRow(row: unknown): boolean {
  if (typeof row !== "object" || row === null || !("fields" in row)) return false;
  return typeof row.fields === "object" && row.fields !== null && "best_plate" in row.fields;
}

const RowTime = z.object({ fields: z.object({ epoch_time_start: looseTime }) });

/** Returns the time of a row in milliseconds, even if its plate could not be read; undefined if it has none. */
export function timeOfRow(row: unknown): number | undefined {
  return RowTime.safeParse(row).data?.fields.epoch_time_start;
}

/** Returns the read of one row of /api/search/group, or undefined if it has no plate or no id. */
export function sightingFromRow(row: unknown, source: RekorOrigin): Sighting | undefined {
  const parsed = Row.safeParse(row);
  if (!parsed.success) return undefined;
  const { pk, fields } = parsed.data;
  const guess = (word: string | undefined, confidence: number | undefined) =>
    word !== undefined && (confidence ?? 100) > ATTRIBUTE_CONFIDENCE ? word : "";
  return toSighting(source, {
    key: plateKey(fields.best_uuid, fields.best_index) ?? pk,
    plate: fields.best_plate,
    region: fields.region,
    color: guess(fields.vehicle_color, fields.vehicle_color_confidence),
    make: guess(fields.vehicle_make, fields.vehicle_make_confidence),
    bodyType: guess(fields.vehicle_body_type, fields.vehicle_body_type_confidence),
    capturedAt: fields.epoch_time_start,
    cameraName: cameraName(fields.camera, fields.camera_id),
    cameraId: rekorCameraId(fields.agent_uid, fields.camera_id),
    latitude: fields.gps_latitude,
    longitude: fields.gps_longitude,
    confidence: fields.best_confidence,
    agent: fields.agent_uid,
    uuid: fields.best_uuid,
    corners: [
      fields.plate_x1,
      fields.plate_y1,
      fields.plate_x2,
      fields.plate_y2,
      fields.plate_x3,
      fields.plate_y3,
      fields.plate_x4,
      fields.plate_y4,
    ],
  });
}

const Guesses = looseObject(z.array(z.object({ name: looseText, confidence: looseNumber })));

const Group = z.object({
  data_type: z.literal("alpr_group"),
  epoch_start: looseTime,
  agent_uid: looseText,
  camera_id: looseText,
  gps_latitude: looseNumber,
  gps_longitude: looseNumber,
  best_plate: looseObject(
    z.object({
      plate: looseText,
      plate_index: looseNumber,
      region: looseText,
      confidence: looseNumber,
      coordinates: looseObject(z.array(z.object({ x: looseNumber, y: looseNumber }))),
    }),
  ),
  best_plate_number: looseText,
  best_confidence: looseNumber,
  best_region: looseText,
  best_uuid: looseText,
  vehicle: looseObject(z.object({ color: Guesses, make: Guesses, body_type: Guesses })),
  web_server_config: looseObject(z.object({ camera_label: looseText })),
});

/**
 * Returns the read of an `alpr_group` document of versions 2 and 3, as webhooks and agents send it, even inside an
 * `alpr_alert`; undefined for other documents and for groups without a plate. Its id is the one that the search returns
 * for the same read, so that an early preview and the final document are one read.
 */
export function sightingFromGroup(
  document: unknown,
  { source, fallbackKey }: { source: RekorOrigin; fallbackKey?: string },
): Sighting | undefined {
  const parsed = Group.safeParse(groupWithin(document));
  if (!parsed.success) return undefined;
  const group = parsed.data;
  const likeliest = (guesses: z.infer<typeof Guesses>) => {
    const [first] = guesses ?? [];
    return (first?.confidence ?? 0) > ATTRIBUTE_CONFIDENCE ? (first?.name ?? "") : "";
  };
  // Without an image id, agent, camera and start identify the pass.
  const pass = [group.agent_uid, group.camera_id, group.epoch_start];
  return toSighting(source, {
    key:
      plateKey(group.best_uuid, group.best_plate?.plate_index) ??
      (pass.includes(undefined) ? fallbackKey : pass.join("-")),
    plate: group.best_plate_number ?? group.best_plate?.plate,
    region: group.best_region ?? group.best_plate?.region,
    color: likeliest(group.vehicle?.color),
    make: likeliest(group.vehicle?.make),
    bodyType: likeliest(group.vehicle?.body_type),
    capturedAt: group.epoch_start,
    cameraName: cameraName(group.web_server_config?.camera_label, group.camera_id),
    cameraId: rekorCameraId(group.agent_uid, group.camera_id),
    latitude: group.gps_latitude,
    longitude: group.gps_longitude,
    confidence: group.best_confidence ?? group.best_plate?.confidence,
    agent: group.agent_uid,
    uuid: group.best_uuid,
    corners: (group.best_plate?.coordinates ?? []).flatMap(({ x, y }) => [x, y]),
  });
}

const CameraFields = z.object({
  agent_uid: looseText,
  camera_id: looseText,
  name: looseText,
  camera: looseText,
  camera_name: looseText,
  site: looseText,
  site_name: looseText,
  gps_latitude: looseNumber,
  gps_longitude: looseNumber,
});
const ListedRow = z.object({ pk: looseText, fields: CameraFields });

/**
 * Returns the cameras of /api/cameras/, or undefined if the response is not a list. Rekor documents the URL but not the
 * fields: the fields of its other documents are used, and rows without a number are skipped.
 */
export function camerasFromList(list: unknown): ListedCamera[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const cameras = new Map<string, ListedCamera>();
  for (const row of list) {
    const parsed = ListedRow.safeParse(row);
    if (!parsed.success) continue;
    const { pk, fields } = parsed.data;
    const id = rekorCameraId(fields.agent_uid, fields.camera_id ?? pk);
    if (id === "") continue;
    cameras.set(id, {
      id,
      name: named(fields.name ?? fields.camera_name ?? fields.camera),
      siteName: named(fields.site_name ?? fields.site),
      ...placeOf(fields.gps_latitude, fields.gps_longitude),
    });
  }
  return [...cameras.values()];
}

/** Returns the group of a document: the document itself, or the group inside an alert. */
export function groupWithin(document: unknown): unknown {
  if (typeof document !== "object" || document === null) return undefined;
  return "data_type" in document && document.data_type === "alpr_alert" && "group" in document
    ? document.group
    : document;
}

/**
 * Returns the text that identifies a plate: its image, and its number in the image unless that is 0. Several vehicles
 * may be in one image.
 */
export function plateKey(image: string | undefined, index: number | undefined): string | undefined {
  return image !== undefined && index ? `${image}/${index}` : image;
}

type RekorRead = {
  key: string | undefined;
  plate: string | undefined;
  region: string | undefined;
  color: string;
  make: string;
  bodyType: string;
  capturedAt: number | undefined;
  cameraName: string;
  cameraId: string;
  latitude: number | undefined;
  longitude: number | undefined;
  confidence: number | undefined;
  agent: string | undefined;
  uuid: string | undefined;
  corners: (number | undefined)[];
};

function toSighting(source: RekorOrigin, read: RekorRead): Sighting | undefined {
  const plate = plateOf(read.plate);
  if (plate === undefined || read.key === undefined) return undefined;
  const { agent, uuid } = read;
  const vehicleImage = agent && uuid && isHandle(agent) && isHandle(uuid) ? `${agent}|${uuid}` : null;
  const corners = eight(read.corners);
  const box = corners && boundingBox(corners);
  return {
    id: stableId("Rekor", new URL(source.baseUrl).host, read.key),
    program: "Rekor",
    sourceId: source.id,
    agency: source.agency,
    plate,
    plateState: stateFromRekor(read.region ?? ""),
    make: makeFromVendor(read.make),
    color: colorFromRekor(read.color),
    bodyType: bodyTypeFromRekor(read.bodyType),
    capturedAt: read.capturedAt ?? null,
    cameraName: read.cameraName,
    ...(read.cameraId !== "" && { cameraId: read.cameraId }),
    ...placeOf(read.latitude, read.longitude),
    confidence: confidenceOf(read.confidence),
    vehicleImage,
    plateImage: vehicleImage && box ? `${vehicleImage}|${box.join("|")}` : null,
    plateCorners: corners,
  };
}

/** Returns a camera's name. Rekor names cameras "unnamed" by default. */
export function named(name: string | undefined): string {
  return name === undefined || name.toLowerCase() === "unnamed" ? "" : name;
}

/** Servers send a camera as a name; Rekor's documentation has a number. */
function cameraName(camera: unknown, id: string | undefined): string {
  const name = named(textOf(camera));
  if (typeof camera === "string" && name !== "" && !/^\d+$/.test(name)) return name;
  const number = name || id;
  return number === undefined ? "" : `Camera ${number}`;
}

const isHandle = (text: string) => /^\w[\w.-]{0,119}$/.test(text);

function eight(corners: (number | undefined)[]): number[] | null {
  const known = corners.filter(
    (corner): corner is number => corner !== undefined && corner >= 0 && corner < 100_000,
  );
  return corners.length === 8 && known.length === 8 ? known : null;
}

/** Returns left, top, width and height of the box around four corners, in whole pixels; undefined if it is empty. */
function boundingBox(corners: number[]): number[] | undefined {
  const xs = corners.filter((_, index) => index % 2 === 0);
  const ys = corners.filter((_, index) => index % 2 === 1);
  const [left, top] = [Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))];
  const [width, height] = [Math.ceil(Math.max(...xs)) - left, Math.ceil(Math.max(...ys)) - top];
  return width > 0 && height > 0 ? [left, top, width, height] : undefined;
}

/** The content of an image locator: an image, and the part to cut out of it. */
export type RekorImage = {
  agent: string;
  uuid: string;
  crop?: { x: string; y: string; width: string; height: string };
};

/** Parses a locator that `toSighting` created. Returns undefined for any other text. */
export function parseRekorLocator(locator: string): RekorImage | undefined {
  const [agent = "", uuid = "", ...box] = locator.split("|");
  if (!isHandle(agent) || !isHandle(uuid)) return undefined;
  if (box.length === 0) return { agent, uuid };
  if (box.length !== 4 || !box.every((number) => /^\d{1,6}$/.test(number))) return undefined;
  const [x = "", y = "", width = "", height = ""] = box;
  return { agent, uuid, crop: { x, y, width, height } };
}
