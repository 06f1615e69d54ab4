// Finds an agency's cameras that have stopped sending reads. Each camera's usual gap between reads is updated with
// every read.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type CameraHealth, isSilent } from "#app/entities/ingest/camera.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { type AskedPage, type NumberedPage, pageOfRows, rowsWith } from "#app/lib/pages.ts";
import { compareNames } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { listCameraTimes } from "#app/store/ingest/cameras.ts";

/** Returns the cameras of the actor's agency whose reads arrive live: silent cameras first, then by name. */
export async function listCameraHealth(app: AppContext, actor: Actor): Promise<CameraHealth[]> {
  const now = app.clock();
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  const cameras = (await listCameraTimes(app.db, actor.agencyId)).map((camera) => ({
    camera_id: camera.id,
    camera_name: camera.name,
    source_program: camera.program,
    last_read_at: time(camera.lastReadAt),
    last_heartbeat_at: time(camera.lastHeartbeatAt),
    usual_gap_ms: camera.usualGapMs,
    silent: isSilent(camera, now),
  }));
  return cameras.sort(
    (a, b) => Number(b.silent) - Number(a.silent) || compareNames(a.camera_name, b.camera_name),
  );
}

/** Cameras on one page of a screen. */
const PAGE_SIZE = 100;

/** Returns a page of the agency's cameras of a program: all, or those whose name or id contains a text. */
export async function cameraHealthPage(
  app: AppContext,
  actor: Actor,
  { program, find, page }: AskedPage & { program: SourceProgram },
): Promise<NumberedPage<CameraHealth>> {
  const cameras = (await listCameraHealth(app, actor)).filter(
    ({ source_program }) => source_program === program,
  );
  const found = rowsWith(cameras, find, ({ camera_id, camera_name }) => [camera_id, camera_name]);
  return pageOfRows(found, { page, size: PAGE_SIZE });
}
