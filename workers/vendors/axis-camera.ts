/**
 * AXIS License Plate Verifier as developer.axis.com describes it: a camera sends `new`, `update` and `lost` events with
 * one carID for every pass, as JSON or as multipart. Numbers are strings, `datetime` is the camera's local time, and
 * plateRegionCode is the US state.
 */

import { US_STATES } from "#app/entities/search/jurisdiction-names.ts";
import type { VehicleBodyType, VehicleColor } from "#app/entities/search/vehicle.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { axisCameraSecret } from "./credentials.ts";
import { type Env, worldOf } from "./setup.ts";
import { easternText } from "./world/eastern-time.ts";
import { plateImage, vehicleImage } from "./world/pictures/draw.ts";
import { hashOf } from "./world/random.ts";
import type { WorldRead } from "./world/traffic.ts";
import { PICTURE, plateCorners, vehicleBox } from "./world/view.ts";

export type CarState = "new" | "update" | "lost";

const STATES: readonly CarState[] = ["new", "update", "lost"];

/** Body classes of the vehicle recognition that ships with newer firmware. */
const TYPES: Record<VehicleBodyType, string> = {
  "sedan-standard": "CAR",
  "sedan-convertible": "CAR",
  "sedan-wagon": "CAR",
  "sedan-sports": "CAR",
  "sedan-compact": "CAR",
  SUV: "SUV",
  "truck-standard": "PICKUP",
  "tractor-trailer": "TRUCK",
  "van-full": "VAN",
  "van-mini": "VAN",
  Motorcycle: "MOTORCYCLE",
};

const COLORS: Partial<Record<VehicleColor, string>> = { "Silver/Gray": "GRAY", "Gold/Beige": "BROWN" };

/** Returns one event of a pass. `withImages` adds the vehicle and the plate as base64, most of its size. */
export function axisEvent(read: WorldRead, { state, withImages }: { state: CarState; withImages: boolean }) {
  const { camera, vehicle } = read;
  const carId = String(hashOf(camera.index, read.at) % 10_000_000);
  const later = state === "new" ? 0 : state === "update" ? 700 : 12_000;
  const at = read.at;
  const stamp = String(at);
  const box = plateBox(read);
  const region = US_STATES.find(({ code }) => code === read.state);
  const serial = `ACCC8E${hashOf(camera.index, 3).toString(16).toUpperCase().padStart(8, "0").slice(0, 6)}`;
  const file = easternText(at).replace(/[-:]/g, "").replace(" ", "");
  const imageName = `${file}_${stamp.slice(-6)}lp_${read.plate}_${carId}.jpg`;
  const wide = vehicleBox(read);
  return {
    packetCounter: String((hashOf(at, STATES.indexOf(state)) % 9_000_000) + 1),
    capture_timestamp: stamp,
    frame_timestamp: state === "lost" ? "0" : `${stamp}000`,
    capture_ts: `${stamp}000000`,
    datetime: `${easternText(at + later).replace(/[-:]/g, "")}${stamp.slice(-3)}`,
    plateText: read.plate,
    plateUnicode: read.plate,
    plateUTF8: read.plate,
    plateASCII: read.plate,
    plateCountry: "USA",
    "plateISO3166-2": read.state ? `US-${read.state}` : "",
    plateRegion: region?.name ?? "",
    plateRegionCode: read.state ?? "",
    plateList: "",
    plateListMode: "",
    plateListDescription: "",
    plateConfidence: (read.confidence / 100).toFixed(6),
    carState: state,
    roiID: "1",
    geotag: { lat: camera.latitude, lon: camera.longitude },
    imageType: "plate",
    plateImageType: "jpeg",
    plateImageSize: "0",
    carMoveDirection: state === "new" ? "unknown" : read.view === "rear" ? "out" : "in",
    timeProcessing: "0",
    plateCoordinates: box,
    plateCoordinatesRelative: box,
    carID: carId,
    GEOtarget: camera.name,
    imagesURI: [`/local/fflprapp/tools.cgi?action=getImage&name=${file.slice(0, 2)}/${imageName}`],
    ImageArray: withImages
      ? [
          { ImageType: "vehicle", ImageFormat: "jpg", BinaryImage: base64(vehicleImage(read)) },
          { ImageType: "plate", ImageFormat: "jpg", BinaryImage: base64(plateImage(read)) },
        ]
      : [],
    imageFile: `/var/spool/storage/areas/SD_DISK/fflprapp/${imageName.replace("lp_", "roi_")}`,
    imageFile2: `/var/spool/storage/areas/SD_DISK/fflprapp/${imageName}`,
    profileID: "1",
    vehicle_info: {
      view: read.view,
      type: TYPES[vehicle.bodyType],
      color: COLORS[read.color] ?? read.color.toUpperCase(),
      brand: vehicle.make.toUpperCase(),
      model: vehicle.model.toUpperCase(),
      confidenceMMR: "0.871000",
      confidenceColor: "0.902000",
      coordinates: [wide.x, wide.y, wide.width, wide.height],
    },
    camera_info: {
      SerialNumber: serial,
      ProdShortName: "AXIS P1465-LE-3",
      IPAddress: `10.0.${camera.index}.90`,
      MACAddress: serial,
    },
    sensorProviderID: camera.id,
  };
}

function plateBox(read: WorldRead): [number, number, number, number] {
  const corners = plateCorners(read);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const clampX = (x: number) => Math.min(PICTURE.width, Math.max(0, x));
  const x = clampX(Math.min(...xs));
  return [x, Math.min(...ys), clampX(Math.max(...xs)) - x, Math.max(...ys) - Math.min(...ys)];
}

/** Returns the request that a camera sends for one event. */
export function axisRequest(
  read: WorldRead,
  { state, format }: { state: CarState; format: "json" | "multipart" },
): RequestInit {
  if (format === "json") {
    const body = JSON.stringify(axisEvent(read, { state, withImages: true }));
    return { method: "POST", headers: { "content-type": "application/json" }, body };
  }
  const form = new FormData();
  const event = { ...axisEvent(read, { state, withImages: false }), imageType: "vehicle" };
  form.append("event", new Blob([JSON.stringify(event)], { type: "application/json" }), "event.json");
  form.append(
    "image",
    new Blob([vehicleImage(read) as Uint8Array<ArrayBuffer>], { type: "image/jpeg" }),
    "vehicle.jpg",
  );
  form.append(
    "image",
    new Blob([plateImage(read) as Uint8Array<ArrayBuffer>], { type: "image/jpeg" }),
    "plate.jpg",
  );
  return { method: "POST", body: form };
}

/** Returns a camera's heartbeat. */
export function axisHeartbeat(camera: { id: string }) {
  return { system: {}, identify: {}, ALPV: { device_ID: camera.id, numberOfReads: 0 } };
}

interface Push {
  webhook: string;
  from: string;
  to: string;
  concurrency?: number;
  cameras?: string[];
  format?: "json" | "multipart" | "mixed";
  states?: CarState[];
}

/** Makes the Axis cameras push their passes of a window, oldest first; answers with NDJSON progress. */
export async function handleAxisPush(request: Request, env: Env): Promise<Response> {
  const push = (await request.json().catch(() => null)) as Push | null;
  const from = Date.parse(push?.from ?? "");
  const to = Math.min(Date.parse(push?.to ?? ""), Date.now());
  if (!push || typeof push.webhook !== "string" || Number.isNaN(from) || Number.isNaN(to)) {
    return Response.json({ error: "Needs webhook, from and to" }, { status: 400 });
  }
  const states = STATES.filter((state) => (push.states ?? ["lost"]).includes(state));
  const reads = worldOf(env)
    .reads({ program: "axis", from, to })
    .filter((read) => !push.cameras || push.cameras.includes(read.camera.id))
    .reverse();
  const progress = { sent: 0, total: reads.length * states.length, failed: 0, lastError: "" };
  const secrets = new Map<string, string>();
  for (const { id } of worldOf(env).cameras) secrets.set(id, await axisCameraSecret(env.VENDOR_SECRET, id));
  const queue = reads.values();

  async function work(): Promise<void> {
    for (const read of queue) {
      const address = `${push?.webhook.replace(/\/$/, "")}/${secrets.get(read.camera.id)}`;
      const mixed = hashOf(read.at) % 3 === 0 ? "multipart" : "json";
      const format = push?.format === "mixed" || !push?.format ? mixed : push.format;
      for (const state of states) {
        const error = await deliver(address, axisRequest(read, { state, format }));
        progress.sent++;
        if (error === null) continue;
        progress.failed++;
        progress.lastError = error;
      }
    }
  }

  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const writeProgress = () => writer.write(new TextEncoder().encode(`${JSON.stringify(progress)}\n`));
  const workers = Math.min(16, Math.max(1, push.concurrency ?? 4));
  const finished = Promise.all(Array.from({ length: workers }, work));
  async function report(): Promise<void> {
    let running = true;
    finished.finally(() => {
      running = false;
    });
    while (running) {
      await writeProgress();
      await Promise.race([finished, pause(500)]);
    }
    await finished;
    await writeProgress();
    await writer.close();
  }
  // A client that disconnects ends the report, not the Worker.
  report().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  return new Response(readable, { headers: { "content-type": "application/x-ndjson" } });
}

/** Posts with three retries, like a camera with an event buffer. Returns null, or what was wrong. */
export async function deliver(address: string, init: RequestInit): Promise<string | null> {
  let wrong = "";
  for (const wait of [0, 300, 1200, 4000]) {
    if (wait > 0) await pause(wait);
    try {
      const response = await fetch(address, init);
      await response.body?.cancel();
      if (response.ok) return null;
      wrong = `HTTP ${response.status}`;
      // A retry cannot change these answers.
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return wrong;
    } catch (error) {
      wrong = error instanceof Error ? error.message : String(error);
    }
  }
  return wrong;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
