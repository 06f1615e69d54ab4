// How many answers of D1 and R2 a call waits for, one after the other: what users of a distributed platform feel, and one
// machine hides. The product runs as with `SIMULATED_LATENCY=1 npm start`, with a latency that is far above its own time, so
// that the time of a call divided by the latency is that number. The peer is a call that waits for its session alone.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type APIRequestContext, type APIResponse, request } from "playwright";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { ROOT } from "../../workers/local/settings.ts";
import { startProduct } from "../support/operations/product.ts";
import { freePort } from "../support/vendors.ts";
import type { Figure } from "./figure.ts";

export const name = "latency";

const LATENCY_MS = 200;
/** The least of these counts: other calls of the product only add time. The first one fills caches. */
const REPEATS = 4;

type Call = { what: string; most: number; send: () => Promise<APIResponse> };

export async function run(): Promise<Figure[]> {
  const temporary = mkdtempSync(join(tmpdir(), "odin-bench-latency-"));
  const port = await freePort();
  const stop = await startProduct(ROOT, {
    PORT: `${port}`,
    VENDORS_PORT: `${await freePort()}`,
    ODIN_STATE: temporary,
    DEMO_DAYS: "1",
    SIMULATED_LATENCY: `d1=${LATENCY_MS},r2=${LATENCY_MS},queue=${LATENCY_MS}`,
  });
  const client = await request.newContext({
    baseURL: `http://127.0.0.1:${port}`,
    extraHTTPHeaders: { "sec-fetch-site": "same-origin" },
  });
  try {
    const data = { username: "admin", password: DEMO_PASSWORD, notice: USE_NOTIFICATION.version };
    await client.post("/login", { data });
    const session = await answersOf(() => client.get("/review"));
    const figures: Figure[] = [];
    for (const { what, most, send } of await callsOf(client))
      figures.push({
        name: `latency: answers waited for in a row, ${what}`,
        own: await answersOf(send),
        peer: session,
        unit: "",
        goal: 1,
        limit: most,
      });
    return figures;
  } finally {
    await client.dispose();
    await stop();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns how many answers in a row a call waits for. Throws if it is refused. */
async function answersOf(send: () => Promise<APIResponse>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const start = performance.now();
    const answer = await send();
    times.push(performance.now() - start);
    if (!answer.ok()) throw new Error(`${answer.url()}: ${await answer.text()}`);
  }
  return Math.floor(Math.min(...times) / LATENCY_MS);
}

async function callsOf(client: APIRequestContext): Promise<Call[]> {
  const listOf = async (path: string): Promise<{ id: string; can_edit?: boolean }[]> =>
    (await client.get(path)).json();
  const [agency] = await listOf("/axis-authorized-agencies");
  const group = (await listOf("/alerts-data")).find(({ can_edit }) => can_edit);
  if (!agency || !group) throw new Error("The demo has no Axis agency or no group.");
  const search = () =>
    client.post("/search-data", {
      data: {
        plate: "ABC1234",
        justification: "Bench of latencies",
        purpose: "investigation",
        case_number: "26-1234",
        start_time: isoTime(Date.now() - 24 * HOUR),
        end_time: isoTime(Date.now()),
        agencies: [agency.id],
      },
    });
  const resultId = (await search()).headers()["odin-result-id"] ?? "";
  const hit = await firstHit(client, group.id);
  const get = (what: string, most: number, path: string): Call => ({
    what,
    most,
    send: () => client.get(path),
  });
  return [
    { what: "search of one Axis agency for a plate", most: 6, send: search },
    get("results", 4, `/results?id=${resultId}`),
    get("hits of a group", 4, `/alerts/group/${group.id}`),
    get("a hit", 3, `/alert-history-detail/${hit}`),
    get("poll for hits", 3, "/live-alerts"),
    get("list of groups", 3, "/alerts"),
    get("a group", 4, `/groups/${group.id}`),
    get("form of a group", 4, `/groups/${group.id}/edit`),
    get("search form", 2, "/search"),
    get("audit log", 2, "/audit-log"),
  ];
}

/** Returns the id of a hit of a group, once the demo's cameras have made one. Throws if they make none in two minutes. */
async function firstHit(client: APIRequestContext, group: string): Promise<string> {
  const until = Date.now() + 2 * MINUTE;
  for (;;) {
    const answer = await client.get(`/alerts/group/${group}/data?limit=1`);
    const { alerts }: { alerts: { id: string }[] } = await answer.json();
    if (alerts[0]) return alerts[0].id;
    if (Date.now() > until) throw new Error("The demo has no hit.");
    await sleep(SECOND);
  }
}
