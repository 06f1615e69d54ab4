/**
 * Axon. Only the token call is Axon's own (form-encoded client credentials). No public contract for searching Axon's
 * plate reads exists, so this file defines ours:
 *
 * POST /api/v1/agencies/{partner_id}/alpr/reads/search, bearer token, JSON
 *   { from, to: ISO 8601, inclusive; plate?: "*" and "?" are wildcards, else the whole plate; plateState?: "CT";
 *     color?, make?, bodyType?: one of Axon's words or a list of them; marks?: reads must have all of them;
 *     pageSize?: 1 to 500, default 100; cursor? }
 *   returns { reads: [...], nextCursor: string | null }, newest first.
 * GET /api/v1/agencies/{partner_id}/alpr/reads/{id}/images/{vehicle|plate} returns image/jpeg.
 *
 * Words: colors black blue brown green red silver gray white yellow (one car's silver is another's gray);
 * bodies sedan convertible wagon coupe hatchback suv pickup semi van minivan motorcycle; makes in lower case;
 * marks top_rack back_rack bumper_stickers window_stickers.
 */
import type { VehicleBodyType } from "#app/entities/search/vehicle.ts";
import { agencyOfToken, axonCredentials, makeToken } from "./credentials.ts";
import { type Env, jpegResponse, plateMatcher, segments, worldOf } from "./setup.ts";
import { plateImage, vehicleImage } from "./world/pictures/draw.ts";
import type { WorldRead } from "./world/traffic.ts";

const TOKEN_SECONDS = 3600;
const MAX_PAGE_SIZE = 500;

const BODIES: Record<VehicleBodyType, string> = {
  "sedan-standard": "sedan",
  "sedan-convertible": "convertible",
  "sedan-wagon": "wagon",
  "sedan-sports": "coupe",
  "sedan-compact": "hatchback",
  SUV: "suv",
  "truck-standard": "pickup",
  "tractor-trailer": "semi",
  "van-full": "van",
  "van-mini": "minivan",
  Motorcycle: "motorcycle",
};

export async function handleAxon(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const path = segments(url.pathname);
  if (url.pathname === "/api/oauth2/token") return token(request, env);
  const header = request.headers.get("authorization") ?? "";
  const bearer = /^Bearer (\S+)$/i.exec(header)?.[1];
  const agencyId = bearer ? await agencyOfToken(env.VENDOR_SECRET, bearer, Date.now()) : null;
  if (!agencyId) return problem(401, "invalid_token", "The access token is missing, unknown or expired");
  const { partnerId } = await axonCredentials(env.VENDOR_SECRET, agencyId);
  if (path[3] !== partnerId) return problem(403, "forbidden", "This client belongs to another agency");
  if (path[4] !== "alpr" || path[5] !== "reads") return problem(404, "not_found", "No such resource");
  if (path[6] === "search" && request.method === "POST") return search(request, env, agencyId);
  if (path[7] === "images" && request.method === "GET") {
    const read = worldOf(env).readById(path[6] ?? "");
    if (read?.program !== "axon" || read.agencyId !== agencyId)
      return problem(404, "not_found", "No such read");
    if (path[8] === "vehicle") return jpegResponse(vehicleImage(read));
    if (path[8] === "plate") return jpegResponse(plateImage(read));
  }
  return problem(404, "not_found", "No such resource");
}

/** Returns the agency of a call, for the fault list, by the partner id in its path or form. */
export async function axonAgency(env: Env, partnerId: string | null): Promise<string | null> {
  if (!partnerId) return null;
  for (const { id } of worldOf(env).agencies) {
    if ((await axonCredentials(env.VENDOR_SECRET, id)).partnerId === partnerId) return id;
  }
  return null;
}

async function token(request: Request, env: Env): Promise<Response> {
  if (request.method !== "POST") return problem(405, "method_not_allowed", "Use POST");
  if (!request.headers.get("content-type")?.includes("application/x-www-form-urlencoded")) {
    return problem(400, "invalid_request", "Use application/x-www-form-urlencoded");
  }
  const form = new URLSearchParams(await request.text());
  if (form.get("grant_type") !== "client_credentials")
    return problem(400, "unsupported_grant_type", "Use client_credentials");
  const agencyId = await axonAgency(env, form.get("partner_id"));
  const wanted = agencyId ? await axonCredentials(env.VENDOR_SECRET, agencyId) : null;
  if (
    !agencyId ||
    !wanted ||
    form.get("client_id") !== wanted.clientId ||
    form.get("client_secret") !== wanted.clientSecret
  ) {
    return problem(401, "invalid_client", "Unknown client");
  }
  const now = Math.floor(Date.now() / 1000);
  return Response.json({
    access_token: await makeToken(env.VENDOR_SECRET, agencyId, (now + TOKEN_SECONDS) * 1000),
    token_type: "Bearer",
    expires_in: TOKEN_SECONDS,
    expires_on: now + TOKEN_SECONDS,
    not_before: now,
    version: "1.0",
    entity: { type: "partner", id: wanted.clientId, partner_id: wanted.partnerId },
  });
}

async function search(request: Request, env: Env, agencyId: string): Promise<Response> {
  const body: unknown = await request.json().catch(() => null);
  if (typeof body !== "object" || body === null)
    return problem(400, "invalid_request", "The body must be a JSON object");
  const query = body as Record<string, unknown>;
  const from = Date.parse(String(query.from));
  const to = Math.min(Date.parse(String(query.to)), Date.now());
  if (Number.isNaN(from) || Number.isNaN(to))
    return problem(400, "invalid_request", "from and to must be ISO 8601");
  const pageSize = query.pageSize === undefined ? 100 : Number(query.pageSize);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    return problem(400, "invalid_request", `pageSize must be 1 to ${MAX_PAGE_SIZE}`);
  }
  const cursor = query.cursor ? /^(\d+)\.(\d+-\d+)$/.exec(atobOrEmpty(String(query.cursor))) : null;
  if (query.cursor && !cursor) return problem(400, "invalid_request", "Unknown cursor");
  const matches = typeof query.plate === "string" && query.plate ? plateMatcher(query.plate) : null;
  const marks = list(query.marks);
  const until = cursor ? Math.min(to, Number(cursor[1])) : to;
  // Several reads may have the cursor's millisecond: skips those up to the cursor's own read.
  let skipping = cursor !== null;
  const name = worldOf(env).agencies.find(({ id }) => id === agencyId)?.name ?? agencyId;
  const reads: unknown[] = [];
  let last: WorldRead | undefined;
  for (const read of worldOf(env).walk({ program: "axon", agencyId, from, to: until })) {
    if (skipping) {
      if (read.id === cursor?.[2]) skipping = false;
      if (read.at === until) continue;
      skipping = false;
    }
    if (matches && !matches(read.plate)) continue;
    const record = axonRead(read, name);
    if (!isWanted(query.plateState, record.plateState) || !isWanted(query.color, record.vehicle.color))
      continue;
    if (!isWanted(query.make, record.vehicle.make) || !isWanted(query.bodyType, record.vehicle.bodyType))
      continue;
    if (!marks.every((mark) => (record.vehicle.marks as readonly string[]).includes(mark))) continue;
    if (reads.length === pageSize && last) {
      return Response.json({ reads, nextCursor: btoa(`${last.at}.${last.id}`) });
    }
    reads.push(record);
    last = read;
  }
  return Response.json({ reads, nextCursor: null });
}

/** Returns one read in the format of the contract above. */
function axonRead(read: WorldRead, agencyName: string) {
  const { vehicle, camera } = read;
  const silver = vehicle.id % 2 === 0 ? "silver" : "gray";
  return {
    id: read.id,
    plate: read.plate,
    plateState: read.state,
    capturedAt: new Date(read.at).toISOString(),
    camera: { id: camera.id, name: camera.name },
    agencyName,
    location: { latitude: camera.latitude, longitude: camera.longitude },
    heading: read.heading,
    vehicle: {
      make: vehicle.make.toLowerCase(),
      model: vehicle.model,
      color: read.color === "Silver/Gray" ? silver : read.color.toLowerCase(),
      bodyType: BODIES[vehicle.bodyType],
      marks: vehicle.marks,
    },
    images: { vehicle: "vehicle", plate: "plate" },
    confidence: Math.round(read.confidence * 100) / 10_000,
  };
}

function isWanted(wanted: unknown, value: string | null): boolean {
  const words = list(wanted);
  return (
    words.length === 0 || (value !== null && words.some((word) => word.toLowerCase() === value.toLowerCase()))
  );
}

function list(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" && value ? [value] : [];
}

function atobOrEmpty(value: string): string {
  try {
    return atob(value);
  } catch {
    return "";
  }
}

function problem(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status });
}
