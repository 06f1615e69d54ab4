/** Makes the demo's cameras post their current passes, each in its vendor's format and to its own webhook. */
import { axisHeartbeat, axisRequest, deliver } from "./axis-camera.ts";
import { axisCameraSecret } from "./credentials.ts";
import { post, rekorHeartbeat, rekorPosts, rekorWebhook } from "./rekor-webhook.ts";
import { type Env, worldOf } from "./setup.ts";
import type { WorldRead } from "./world/traffic.ts";

const MINUTE = 60_000;
/** The agency whose Rekor agents post to a webhook. Odin searches other agencies' reads through their vendor. */
const POSTING = "hartford-pd";

interface Live {
  /** The origin of Odin. */
  origin: string;
  from: string;
  to: string;
}

/** Posts the reads of a window, and heartbeats if a minute begins in it. Answers with the counts of posts. */
export async function handleLive(request: Request, env: Env): Promise<Response> {
  const live = (await request.json().catch(() => null)) as Live | null;
  const [from, to] = [Date.parse(live?.from ?? ""), Date.parse(live?.to ?? "")];
  if (!live || typeof live.origin !== "string" || Number.isNaN(from) || Number.isNaN(to))
    return Response.json({ error: "Needs origin, from and to" }, { status: 400 });
  const world = worldOf(env);
  const usual = world.reads({ program: "rekor", agencyId: POSTING, from, to: to - 1 });
  const reads = [...usual, ...world.live(from, to)].sort((a, b) => a.at - b.at);
  const counts = { sent: 0, failed: 0, lastError: "" };
  const send = async (address: string, init: RequestInit) => {
    const error = await deliver(address, init);
    counts.sent++;
    if (error === null) return;
    counts.failed++;
    counts.lastError = error;
  };
  if (Math.floor(to / MINUTE) > Math.floor(from / MINUTE)) {
    await send(await rekorWebhook(env, live.origin, POSTING), post(rekorHeartbeat(env, POSTING, to)));
    for (const camera of world.cameras.filter(({ program }) => program === "axis"))
      await send(await axisWebhook(env, live.origin, camera.id), post(axisHeartbeat(camera)));
  }
  for (const read of reads)
    for (const [address, init] of await posts(env, live.origin, read)) await send(address, init);
  return Response.json(counts);
}

async function posts(env: Env, origin: string, read: WorldRead): Promise<[string, RequestInit][]> {
  if (read.program === "rekor") return rekorPosts(env, origin, read);
  const address = await axisWebhook(env, origin, read.camera.id);
  return (["new", "lost"] as const).map((state) => [address, axisRequest(read, { state, format: "json" })]);
}

async function axisWebhook(env: Env, origin: string, cameraId: string): Promise<string> {
  return `${origin}/ingest/axis/${await axisCameraSecret(env.VENDOR_SECRET, cameraId)}`;
}
