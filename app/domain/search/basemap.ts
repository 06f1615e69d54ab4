// What lies beneath the markers: which basemap there is, and its tiles through our own origin.

import type { AppContext } from "#app/context.ts";
import { type BasemapInfo, EMBEDDED_BASEMAP, parseTile } from "#app/entities/search/map/basemap.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";

/** The configured basemap; the embedded one where that does not answer, so that there is always a map. */
export async function describeBasemap(app: AppContext): Promise<BasemapInfo> {
  try {
    return await app.basemap.describe();
  } catch (error) {
    console.warn("the configured basemap is not available:", (error as Error).message);
    return EMBEDDED_BASEMAP;
  }
}

const KEPT_MS = 7 * DAY;

/** One tile, kept by the browser for a week, also that there is none. Throws AppError bad_request, or unavailable where its source fails. */
export async function openTile(
  app: AppContext,
  { z, x, y }: { z: string; x: string; y: string },
): Promise<ServedFile> {
  const address = parseTile(z, x, y);
  if (!address) throw new AppError("bad_request", "There is no such tile.");
  try {
    const tile = await app.basemap.tile(address);
    return { content: tile?.bytes ?? null, type: tile?.type ?? "application/octet-stream", keptMs: KEPT_MS };
  } catch (error) {
    throw new AppError("unavailable", "The basemap does not answer.", { cause: error });
  }
}
