// What lies beneath the markers: which basemap there is, and its tiles through our own origin.

import type { AppContext } from "#app/context.ts";
import { type BasemapInfo, EMBEDDED_BASEMAP, parseTile } from "#app/entities/search/map/basemap.ts";
import { AppError } from "#app/lib/errors.ts";

/** The configured basemap; the embedded one where that does not answer, so that there is always a map. */
export async function describeBasemap(app: AppContext): Promise<BasemapInfo> {
  try {
    return await app.basemap.describe();
  } catch (error) {
    console.warn("the configured basemap is not available:", (error as Error).message);
    return EMBEDDED_BASEMAP;
  }
}

const KEPT_SECONDS = 7 * 24 * 60 * 60;

/** One tile, kept by the browser for a week. Throws AppError bad_request, or unavailable where its source fails. */
export async function serveTile(
  app: AppContext,
  { z, x, y }: { z: string; x: string; y: string },
): Promise<Response> {
  const address = parseTile(z, x, y);
  if (!address) throw new AppError("bad_request", "There is no such tile.");
  const headers = { "cache-control": `private, max-age=${KEPT_SECONDS}` };
  try {
    const tile = await app.basemap.tile(address);
    if (!tile) return new Response(null, { status: 204, headers });
    return new Response(tile.bytes, { headers: { ...headers, "content-type": tile.type } });
  } catch (error) {
    throw new AppError("unavailable", "The basemap does not answer.", { cause: error });
  }
}
