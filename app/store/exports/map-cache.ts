// Caches street maps of reports in the data center. They show only streets: no plate, read or user.

import { DAY } from "#app/lib/time/dates.ts";

const KEPT_SECONDS = (7 * DAY) / 1000;

const CACHE = "report-maps";

const address = (key: string) => `https://report-maps.odin.internal/${key}`;

/** Returns a cached map, or undefined. */
export async function findMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await (await caches.open(CACHE)).match(address(key));
  return found && new Uint8Array(await found.arrayBuffer());
}

/** Caches a map for seven days, as browsers cache tiles. */
export async function saveMap(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const headers = { "content-type": "image/jpeg", "cache-control": `max-age=${KEPT_SECONDS}` };
  await (await caches.open(CACHE)).put(address(key), new Response(bytes, { headers }));
}
