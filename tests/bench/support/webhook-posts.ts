// Measures how long the webhooks of the built product take to answer over HTTP. Before the answer, the read is archived
// with its pictures and matched, and its alert is committed. Posts run sequentially, each with a different car.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { TEST_SECRETS } from "../../support/secrets.ts";
import { type Figure, median } from "../figure.ts";
import type { BenchWorker, Sent } from "../harness.ts";
import { listThrough, withDatabases } from "../workers/live-harness.ts";
import { plateOf } from "../workers/plates.ts";
import { WEBHOOK_SECRETS } from "../workers/webhook-secrets.ts";

/** Limit of the median answer time. */
const LIMIT_MS = 100;
const WARM_UP = 10;
const POSTS = 60;
/** One post in five has a listed plate. */
const HIT_EVERY = 5;
const ROOT = `${import.meta.dirname}/../../..`;

/** Returns the median answer times of the webhooks, with `entries` plates on a list. */
export async function measureWebhooks(entries: number): Promise<Figure[]> {
  if (!existsSync(`${ROOT}/build/server/index.js`))
    spawnSync(`${ROOT}/node_modules/.bin/remix`, ["vite:build"], { cwd: ROOT, stdio: "ignore" });
  const vars = { ...TEST_SECRETS, OWNER_USERNAME: "owner", PUBLIC_ORIGIN: "", ALLOW_LOOPBACK_VENDORS: "" };
  return withDatabases({ name: "webhooks", main: "webhooks.ts", vars }, async (call, send) => {
    await call("/bench/start");
    await listThrough(call, { path: "/bench/list", from: 0, to: entries });
    const timed = (post: Post) => timePosts(send, post);
    const figures: Figure[] = [];
    for (const [what, post] of POSTED)
      figures.push({
        name: `ingest: median answer to ${what}, vs. ${LIMIT_MS} ms`,
        own: await timed(post),
        peer: LIMIT_MS,
        unit: "ms",
        goal: 1,
      });
    return figures;
  });
}

type Post = (plate: string) => { path: string; body: FormData | string };

const POSTED: [what: string, post: Post][] = [
  ["an Axis event with two pictures", (plate) => ({ path: axis, body: axisEvent(plate, 150_000, 15_000) })],
  ["a Rekor group of 60 kB", (plate) => ({ path: rekor, body: documentOf(plate, 20_000) })],
  ["a Rekor group of 4.8 MB", (plate) => ({ path: rekor, body: documentOf(plate, 1_750_000) })],
];
const axis = `/ingest/axis/${WEBHOOK_SECRETS.axis}`;
const rekor = `/ingest/rekor/${WEBHOOK_SECRETS.rekor}`;

let cars = 0;

async function timePosts(send: BenchWorker["post"], post: Post): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + POSTS; n++) {
    const car = cars++;
    const { path, body } = post(plateOf(car, car % HIT_EVERY === 0 ? "7" : "8"));
    const sent = await sentOf(body);
    const start = performance.now();
    const answer = await send(path, sent);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a webhook answered ${answer.status}`);
    if (n >= WARM_UP) times.push(performance.now() - start);
  }
  return median(times);
}

/** Returns the encoded body, so that encoding is not part of the measured time. */
export async function sentOf(body: FormData | string): Promise<Sent> {
  const made = new Response(body);
  const type = typeof body === "string" ? "application/json" : (made.headers.get("content-type") ?? "");
  return { type, body: new Uint8Array(await made.arrayBuffer()) };
}

/** Returns `size` bytes with the first and last bytes of a JPEG. */
function picture(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size).fill(0x5a);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  bytes.set([0xff, 0xd9], size - 2);
  return bytes;
}

/** Returns an event of an Axis camera with two pictures of these sizes in bytes; none if they are 0. */
export function axisEvent(
  plate: string,
  vehicleSize: number,
  plateSize = vehicleSize,
  capturedAt = Date.now(),
): FormData {
  const form = new FormData();
  const event = {
    capture_timestamp: String(capturedAt),
    plateUTF8: plate,
    plateCountry: "USA",
    plateRegionCode: "CT",
    plateConfidence: "0.91",
    carState: "new",
    carID: plate,
  };
  form.set("event", JSON.stringify(event));
  if (vehicleSize === 0) return form;
  form.append("image", new File([picture(vehicleSize)], "vehicle.jpg", { type: "image/jpeg" }));
  form.append("image", new File([picture(plateSize)], "plate.jpg", { type: "image/jpeg" }));
  return form;
}

function documentOf(plate: string, size: number): string {
  const at = Date.now();
  return JSON.stringify({
    data_type: "alpr_group",
    version: 3,
    epoch_start: at,
    epoch_end: at + 3000,
    agent_uid: plate,
    camera_id: 7,
    best_plate_number: plate,
    best_confidence: 93.2,
    best_region: "us-ct",
    is_preview: false,
    vehicle_crop_jpeg: base64(picture(size)),
    overview_jpeg: base64(picture(size)),
    best_plate: { plate, plate_crop_jpeg: base64(picture(Math.round(size / 20))) },
  });
}
