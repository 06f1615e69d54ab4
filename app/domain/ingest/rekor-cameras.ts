// Rekor's cameras of all agencies, for the owner: location and agency. A correction applies at once to results, map and
// exports (camera-places.ts). The vendor's location is kept and applies again when the correction is removed.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type CameraChange,
  isChosen,
  type RekorCamera,
  type RekorCameraChoice,
} from "#app/entities/ingest/camera.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, pageOfRows } from "#app/lib/pages.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import {
  CAMERAS_LISTED,
  findRekorCamera,
  listRekorCameras,
  updateRekorCamera,
} from "#app/store/ingest/rekor-cameras.ts";
import { findAgency, listAgencies } from "#app/store/users/agencies.ts";

/** GET /rekor-cameras: returns the first cameras by name, or those whose id, name or site contains a text. */
export async function rekorCameras(app: AppContext, find: string): Promise<RekorCamera[]> {
  return listRekorCameras(app.db, { find: find.trim(), now: app.clock() });
}

/** Cameras on one page of the screen. If all fit on one page, the screen filters them itself. */
const PAGE_SIZE = 500;

/**
 * Returns a page of the cameras that the choice and the text select. `limit` is the limit of the list if there may be
 * more cameras than it allows, otherwise null.
 */
export async function rekorCameraPage(
  app: AppContext,
  { find, page, choice }: AskedPage & { choice: RekorCameraChoice },
): Promise<NumberedPage<RekorCamera> & { limit: number | null }> {
  const cameras = await rekorCameras(app, find);
  const chosen = cameras.filter((camera) => isChosen(camera, choice));
  const shown = pageOfRows(chosen, { page, size: PAGE_SIZE });
  return { ...shown, limit: cameras.length === CAMERAS_LISTED ? CAMERAS_LISTED : null };
}

/** GET /agencies-data: returns ids and names, by name. */
export async function agencyNames(app: AppContext): Promise<NamedAgency[]> {
  return (await listAgencies(app.db)).map(({ id, name }) => ({ id, name }));
}

/**
 * PATCH /rekor-cameras/{cameraId}. Throws AppError not_found (no such camera), bad_request (no such agency) or conflict if
 * the camera was corrected since the client read it, unless it is already as the client wants it.
 */
export async function correctRekorCamera(
  app: AppContext,
  actor: Actor,
  { id, change }: { id: string; change: CameraChange },
): Promise<RekorCamera> {
  const now = app.clock();
  const before = await findRekorCamera(app.db, id, now);
  if (!before) throw new AppError("not_found", "There is no such camera.");
  const agencyId = change.agency_id === undefined ? before.agency_id : change.agency_id;
  if (agencyId !== null && !(await findAgency(app.db, agencyId)))
    throw new AppError("bad_request", "There is no such agency.");
  const place = changedPlace(before, change);
  const [updated] = await inOneStep(app.db, [
    updateRekorCamera(app.db, { id, place, agencyId, known: change.corrected_at, now }),
    auditIfChanged(app, actor, {
      action: "camera.change",
      object: id,
      detail: { program: "Rekor", before: shown(before), after: { ...place, agency_id: agencyId } },
    }),
  ]);
  const after = await findRekorCamera(app.db, id, now);
  if (!after) throw new AppError("not_found", "There is no such camera.");
  // The same change, sent again because its answer was lost, is no conflict.
  if (changesOf(updated) === 0 && !hasPlace(after, { place, agencyId }))
    throw new AppError(
      "conflict",
      "Someone else, or you in another window, changed this camera after you opened this page. Your changes have not been saved. Open the page again to see the newer ones.",
    );
  return after;
}

/**
 * Returns the correction that a change asks for: null to remove one, undefined to leave the location as it is. If Rekor
 * knows no location, a change to a location that is not manual does not remove the only one that is known.
 */
function changedPlace(camera: RekorCamera, change: CameraChange): Place | null | undefined {
  const { corrected_latitude: latitude, corrected_longitude: longitude } = change;
  if (change.is_manual === false && camera.vendor_latitude !== null) return null;
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

function hasPlace(
  camera: RekorCamera,
  { place, agencyId }: { place: Place | null | undefined; agencyId: string | null },
): boolean {
  if (camera.agency_id !== agencyId) return false;
  if (place === undefined) return true;
  if (place === null) return !camera.is_manual;
  const { corrected_latitude, corrected_longitude, is_manual } = camera;
  return is_manual && corrected_latitude === place.latitude && corrected_longitude === place.longitude;
}

const shown = (camera: RekorCamera) => ({
  latitude: camera.corrected_latitude,
  longitude: camera.corrected_longitude,
  agency_id: camera.agency_id,
  is_manual: camera.is_manual,
});
