// The map below the markers: which basemap is configured, and its tiles through Odin's own origin.

import type { AppContext } from "#app/context.ts";
import { type BasemapInfo, EMBEDDED_BASEMAP, parseTile } from "#app/entities/search/map/basemap.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { AppError } from "#app/lib/errors.ts";
import { logWarning } from "#app/lib/log.ts";
import { DAY } from "#app/lib/time/dates.ts";

/** Returns the configured basemap, or the embedded one if it does not answer, so that there is always a map. */
export async function describeBasemap(app: Pick<AppContext, "basemap">): Promise<BasemapInfo> {
  try {
    return await app.basemap.describe();
  } catch (error) {
    logWarning("the configured basemap is not available", error);
    return EMBEDDED_BASEMAP;
  }
}

const KEPT_MS = 7 * DAY;

/**
 * Returns one tile, or a null content if there is none; browsers cache either for a week. Throws AppError bad_request,
 * or unavailable if the basemap fails.
 */
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
