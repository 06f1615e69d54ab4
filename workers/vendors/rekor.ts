/**
 * Rekor Scout's search API as openalpr/doc describes it (scout.yaml 2.0.1, web_server_api.yaml 1.0.2), with the fields
 * that real servers add. A key is for one agency. An answer has at most 1,000 records, even if `topn` is higher.
 */

import { at } from "#app/lib/at.ts";
import { rekorApiKey } from "./credentials.ts";
import { type Env, jpegResponse, plateMatcher, segments, worldOf } from "./setup.ts";
import { cropImage, vehicleImage } from "./world/pictures/draw.ts";
import type { WorldRead } from "./world/traffic.ts";
import { PICTURE, plateCorners, vehicleBox } from "./world/view.ts";

const MAX_RECORDS = 1000;

/** Returns the agency of a key, or null. */
export async function rekorAgency(env: Env, apiKey: string | null): Promise<string | null> {
  if (!apiKey) return null;
  for (const { id } of worldOf(env).agencies) {
    if ((await rekorApiKey(env.VENDOR_SECRET, id)) === apiKey) return id;
  }
  return null;
}

export async function handleRekor(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  if (request.method !== "GET") return text("Method not allowed", 405);
  const agencyId = await rekorAgency(env, url.searchParams.get("api_key"));
  if (!agencyId) return text("Unauthorized: no valid api_key or session", 401);
  const path = segments(url.pathname);
  if (path[0] === "img") return image(env, url, agencyId);
  const world = worldOf(env);
  const cameras = world.cameras.filter(
    (camera) => camera.program === "rekor" && camera.agencyId === agencyId,
  );
  const resource = `${path[1]}/${path[2] ?? ""}`;
  if (resource === "search/group") return search(env, url, agencyId, "alpr.plategroup");
  if (resource === "search/plate") return search(env, url, agencyId, "alpr.plate");
  if (resource === "cameras/") {
    return Response.json(
      cameras.map((camera) => ({
        pk: cameraNumber(camera.index),
        model: "alpr.camera",
        fields: {
          camera_id: cameraNumber(camera.index),
          name: camera.name,
          agent_uid: agentUid(agencyId),
          gps_latitude: String(camera.latitude),
          gps_longitude: String(camera.longitude),
          direction_of_travel_degrees: camera.heading,
        },
      })),
    );
  }
  if (resource === "agents/") {
    const name = world.agencies.find(({ id }) => id === agencyId)?.name ?? agencyId;
    return Response.json([
      {
        pk: 1,
        model: "alpr.agent",
        fields: {
          agent_uid: agentUid(agencyId),
          name,
          version: "4.1.12",
          last_heartbeat: new Date().toISOString(),
        },
      },
    ]);
  }
  return text("Not found", 404);
}

function search(env: Env, url: URL, agencyId: string, model: string): Response {
  const query = url.searchParams;
  const start = query.get("start");
  const end = query.get("end");
  if (!start && !end) return text("Bad input: at least one of start or end is required", 400);
  const from = start ? Date.parse(start) : Date.parse(end as string) - 30 * 86_400_000;
  const to = Math.min(end ? Date.parse(end) : Date.now(), Date.now());
  if (Number.isNaN(from) || Number.isNaN(to))
    return text("Bad input: start and end must be ISO-8601 dates", 400);
  const asked = query.has("topn") ? Number(query.get("topn")) : 100;
  if (!Number.isInteger(asked) || asked < 1) return text("Bad input: topn must be a positive number", 400);
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") return text("Bad input: order must be asc or desc", 400);
  const plate = query.get("plate");
  const matches = plate ? plateMatcher(plate) : null;
  const records: unknown[] = [];
  for (const read of worldOf(env).walk({ program: "rekor", agencyId, from, to, order })) {
    if (matches && !matches(read.plate)) continue;
    const fields = rekorFields(read);
    if (!same(query, "make", fields.vehicle_make) || !same(query, "body", fields.vehicle_body_type)) continue;
    if (!same(query, "color", fields.vehicle_color) || !same(query, "region", fields.region)) continue;
    if (!same(query, "camera_id", String(fields.camera_id))) continue;
    records.push({ pk: recordNumber(read), model, fields });
    if (records.length >= Math.min(asked, MAX_RECORDS)) break;
  }
  return Response.json(records);
}

function same(query: URLSearchParams, name: string, value: string): boolean {
  const wanted = query.getAll(name).filter(Boolean);
  return wanted.length === 0 || wanted.some((one) => one.toLowerCase().split(",").includes(value));
}

/** Returns one read in Rekor's format: lower case, hyphens, coordinates as strings or numbers depending on the agent. */
export function rekorFields(read: WorldRead) {
  const { vehicle, camera } = read;
  const [a, b, c, d] = plateCorners(read);
  const box = vehicleBox(read);
  const make = rekorWord(vehicle.make);
  const strings = camera.index % 2 === 0;
  return {
    agent_uid: agentUid(read.agencyId),
    agent_type: "alprd",
    best_confidence: read.confidence,
    best_plate: read.plate,
    best_index: 0,
    best_uuid: rekorImageId(read),
    epoch_time_start: new Date(read.at).toISOString(),
    epoch_time_end: new Date(read.at + 2000).toISOString(),
    camera: camera.name,
    camera_id: cameraNumber(camera.index),
    company: 12,
    site: camera.town,
    site_id: 3,
    crop_location: 0,
    direction_of_travel_degrees: read.heading,
    direction_of_travel_id: -1,
    gps_latitude: strings ? String(camera.latitude) : camera.latitude,
    gps_longitude: strings ? String(camera.longitude) : camera.longitude,
    hit_count: 1,
    img_width: PICTURE.width,
    img_height: PICTURE.height,
    plate_x1: a[0],
    plate_y1: a[1],
    plate_x2: b[0],
    plate_y2: b[1],
    plate_x3: c[0],
    plate_y3: c[1],
    plate_x4: d[0],
    plate_y4: d[1],
    processing_time_ms: 5.86,
    region: read.state ? `us-${read.state.toLowerCase()}` : "",
    region_confidence: read.state ? 90 : 0,
    vehicle_body_type: bodyWord(read),
    vehicle_body_type_confidence: 94.1,
    vehicle_color: read.color === "Gold/Beige" ? "gold-beige" : rekorWord(read.color),
    vehicle_color_confidence: 91.3,
    vehicle_make: make,
    vehicle_make_confidence: 96.2,
    vehicle_make_model: `${make}_${rekorWord(vehicle.model)}`,
    vehicle_make_model_confidence: 88.7,
    vehicle_region_x: box.x,
    vehicle_region_y: box.y,
    vehicle_region_width: box.width,
    vehicle_region_height: box.height,
  };
}

/** Rekor has three kinds of SUV; every model always has the same one. */
function bodyWord({ vehicle }: WorldRead): string {
  if (vehicle.bodyType === "SUV") {
    return at(["suv-crossover", "suv-standard", "suv-wagon"], vehicle.model.length % 3);
  }
  return vehicle.bodyType.toLowerCase();
}

function rekorWord(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

export function agentUid(agencyId: string): string {
  return agencyId
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .padEnd(40, "ODINSIM0")
    .slice(0, 40);
}

export function cameraNumber(index: number): number {
  return 177600 + index;
}

function recordNumber({ id }: WorldRead): number {
  const [day, index] = id.split("-").map(Number) as [number, number];
  return day * 1_000_000 + index;
}

/** Rekor's format is `{agent}-{camera}-{epoch}`; here the read's id replaces the epoch, to find the read again. */
function rekorImageId(read: WorldRead): string {
  return `${agentUid(read.agencyId)}-${cameraNumber(read.camera.index)}-${read.id}`;
}

function image(env: Env, url: URL, agencyId: string): Response {
  const [, agent, uuid = ""] = segments(url.pathname);
  const id = /-(\d+-\d+)(?:\.jpg)?$/.exec(uuid)?.[1];
  const read = id ? worldOf(env).readById(id) : undefined;
  if (!read || read.agencyId !== agencyId || read.program !== "rekor" || agent !== agentUid(agencyId)) {
    return text("Not found", 404);
  }
  const number = (name: string) => {
    const value = Number(url.searchParams.get(name));
    return url.searchParams.has(name) && Number.isFinite(value) ? value : undefined;
  };
  const [x, y, width, height] = [number("x"), number("y"), number("width"), number("height")];
  const maxWidth = number("max_width");
  if (width === undefined && height === undefined && maxWidth === undefined)
    return jpegResponse(vehicleImage(read));
  return jpegResponse(
    cropImage(read, { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0, maxWidth }),
  );
}

function text(message: string, status: number): Response {
  return new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
