/**
 * Simulates the vendors over HTTP in one Worker, for the demo and the tests: Rekor, Axon, a set of Axis cameras that
 * push, a geocoder, a tile server, a virus scanner, two push services, and receivers of Odin's outgoing webhooks. Paths
 * below /_simulator control it.
 */

import { handleAxisPush } from "./axis-camera.ts";
import { axonAgency, handleAxon } from "./axon.ts";
import {
  type Call,
  clearCalls,
  countCall,
  currentCalls,
  currentFaults,
  setFaults,
  startFaults,
  withFaults,
} from "./faults.ts";
import { handleGeocoder } from "./geocoder.ts";
import { handleLive } from "./live.ts";
import { handleApns, handlePushLog, handleSubscribe, handleWebPush, pushedDevice } from "./push.ts";
import { handleReceived, handleReceiver, receiverName } from "./receiver.ts";
import { handleRekor, rekorAgency } from "./rekor.ts";
import { handleScanner } from "./scanner.ts";
import { type Env, segments, worldOf } from "./setup.ts";
import { handleTiles, isTilePath } from "./tiles.ts";

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!env.VENDOR_SECRET) return new Response("VENDOR_SECRET is not set", { status: 500 });
    startFaults(env.FAULTS);
    const url = new URL(request.url);
    if (url.pathname.startsWith("/_simulator/")) return simulator(request, env, url.pathname);
    const asked = withoutTenant(request, url);
    const call = await callOf(asked, env, new URL(asked.url));
    if (!call) return new Response("Not found", { status: 404 });
    countCall(call);
    return withFaults(call, () => answer(call, asked, env));
  },
};

/** Axon has a host per agency; here each agency has a folder instead: /axon/{agency}/api/… */
function withoutTenant(request: Request, url: URL): Request {
  const inner = /^\/axon\/[\w-]+(\/.*)$/.exec(url.pathname)?.[1];
  return inner ? new Request(new URL(inner + url.search, url), request) : request;
}

async function answer({ program, agencyId }: Call, request: Request, env: Env): Promise<Response> {
  if (program === "axon") return handleAxon(request, env);
  if (program === "apns") return handleApns(request, agencyId ?? "");
  if (program === "webpush") return handleWebPush(request, agencyId ?? "");
  if (program === "tiles") return handleTiles(request);
  if (program === "receiver") return handleReceiver(request, agencyId ?? "");
  if (program === "scanner") return handleScanner(request);
  return program === "rekor" ? handleRekor(request, env) : handleGeocoder(request, env);
}

/** Returns the vendor and the agency that a request is for, or null if no vendor has such a path. */
async function callOf(request: Request, env: Env, url: URL): Promise<Call | null> {
  const path = segments(url.pathname);
  if (url.pathname === "/reverse" || url.pathname === "/search")
    return { program: "geocoder", agencyId: null, about: "data" };
  if (url.pathname === "/scan" && request.method === "POST")
    return { program: "scanner", agencyId: null, about: "data" };
  const receiver = receiverName(request, path);
  if (receiver !== null) return { program: "receiver", agencyId: receiver, about: "data" };
  if (isTilePath(url.pathname)) return { program: "tiles", agencyId: null, about: "data" };
  if (request.method === "POST" && /^\/(3\/device|wpush)\/[^/]+$/.test(url.pathname)) {
    const program = path[0] === "3" ? "apns" : "webpush";
    return { program, agencyId: pushedDevice(path), about: "data" };
  }
  if (url.pathname === "/api/oauth2/token") {
    const form = new URLSearchParams(await request.clone().text());
    return { program: "axon", agencyId: await axonAgency(env, form.get("partner_id")), about: "token" };
  }
  if (path[0] === "api" && path[1] === "v1") {
    const agencyId = await axonAgency(env, path[3] ?? null);
    return { program: "axon", agencyId, about: path[7] === "images" ? "image" : "data" };
  }
  if (path[0] === "img" || path[0] === "api") {
    const agencyId = await rekorAgency(env, url.searchParams.get("api_key"));
    return { program: "rekor", agencyId, about: path[0] === "img" ? "image" : "data" };
  }
  return null;
}

async function simulator(request: Request, env: Env, path: string): Promise<Response> {
  switch (`${request.method} ${path}`) {
    case "GET /_simulator/health":
      return Response.json({ ok: true });
    case "GET /_simulator/world": {
      const { agencies, cameras } = worldOf(env);
      return Response.json({ agencies, cameras });
    }
    case "POST /_simulator/axis/push":
      return handleAxisPush(request, env);
    case "POST /_simulator/live":
      return handleLive(request, env);
    case "GET /_simulator/faults":
      return Response.json(currentFaults());
    case "PUT /_simulator/faults":
      try {
        setFaults(await request.json());
      } catch {
        return Response.json({ error: "Faults are a JSON list" }, { status: 400 });
      }
      return Response.json(currentFaults());
    case "DELETE /_simulator/faults":
      setFaults([]);
      return Response.json(currentFaults());
    case "POST /_simulator/push/subscriptions":
      return handleSubscribe(new URL(request.url));
    case "GET /_simulator/push":
    case "DELETE /_simulator/push":
      return handlePushLog(request);
    case "GET /_simulator/receiver":
    case "DELETE /_simulator/receiver":
      return handleReceived(request);
    case "GET /_simulator/calls":
      return Response.json(currentCalls());
    case "DELETE /_simulator/calls":
      clearCalls();
      return Response.json(currentCalls());
    default:
      return new Response("Not found", { status: 404 });
  }
}
