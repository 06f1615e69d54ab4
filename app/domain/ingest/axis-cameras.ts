// An agency's own Axis cameras. Each posts its reads to an address that contains a secret. A revoked camera is refused
// from its next post on; its reads stay searchable until their retention ends.

import type { AppContext } from "#app/context.ts";
import { secretOnce } from "#app/domain/operations/idempotency.ts";
import { auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { AxisCameraChange, AxisCameraRow, NewAxisCamera } from "#app/entities/integrations/settings.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { millionths } from "#app/lib/degrees.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, pageOfRows, rowsWith } from "#app/lib/pages.ts";
import { changesOf, inOneStep, type Statement } from "#app/store/database.ts";
import {
  findActiveAxisCamera,
  insertAxisCamera,
  listAxisCameras,
  revokeAxisCamera,
  updateAxisCamera,
  updateAxisSecret,
} from "#app/store/ingest/axis-cameras.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import { newSecret, type ShownAddress, webhookAddress } from "./webhooks.ts";

const PATH = "/ingest/axis";

/** Returns the agency's cameras by name, including revoked ones. */
export async function axisCamerasOf(app: AppContext, actor: Actor): Promise<AxisCameraRow[]> {
  return listAxisCameras(app.db, { agencyId: actor.agencyId, now: app.clock() });
}

/** Cameras on one page. */
const PAGE_SIZE = 100;

/** Returns a page of the agency's cameras: all, or those whose name contains a text. */
export async function axisCameraPage(
  app: AppContext,
  actor: Actor,
  { find, page }: AskedPage,
): Promise<NumberedPage<AxisCameraRow>> {
  const cameras = await axisCamerasOf(app, actor);
  return pageOfRows(
    rowsWith(cameras, find, ({ name }) => [name]),
    { page, size: PAGE_SIZE },
  );
}

/** POST /axis-cameras: adds a camera. Its address is in this response and never shown again. */
export async function addAxisCamera(
  app: AppContext,
  actor: Actor,
  input: { camera: NewAxisCamera; origin: string },
): Promise<ShownAddress> {
  const { idempotency_key, ...camera } = input.camera;
  return secretOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "an Axis camera", fields: camera },
    again: `${camera.name} was added already. Its address cannot be shown again. Create a new address for it.`,
    work: async (noted) => {
      const { secret, hash } = await newSecret();
      const id = randomToken();
      const row = { ...camera, id, agencyId: actor.agencyId, secretHash: hash, createdAt: app.clock() };
      await inOneStep(app.db, [
        insertAxisCamera(app.db, row),
        insertAudit(app.db, cameraEntry(app, actor, { action: "camera.add", object: id, after: camera })),
        ...noted,
      ]);
      const address = webhookAddress(app, { origin: input.origin, path: PATH, secret });
      return { id, address, msg: `${camera.name} was added` };
    },
  });
}

async function requireCamera(app: AppContext, actor: Actor, id: string) {
  const camera = await findActiveAxisCamera(app.db, { id, agencyId: actor.agencyId });
  if (!camera) throw new AppError("not_found", "There is no such camera.");
  return camera;
}

/**
 * PATCH /axis-cameras/{id}: replaces name and location. Applies to reads that arrive from now on. Throws AppError
 * conflict if the camera has changed since the client read it: its form would undo someone else's change.
 */
export async function changeAxisCamera(
  app: AppContext,
  actor: Actor,
  { id, change }: { id: string; change: AxisCameraChange },
): Promise<{ msg: string }> {
  const { id: _, ...before } = await requireCamera(app, actor, id);
  const { known = before, ...camera } = change;
  const own = { id, agencyId: actor.agencyId };
  const changed = await act(app, {
    statement: updateAxisCamera(app.db, own, { known, camera }),
    entry: cameraEntry(app, actor, { action: "camera.change", object: id, before: known, after: camera }),
  });
  if (changed) return { msg: `${camera.name} was saved` };
  const now = await requireCamera(app, actor, id);
  // Sent again because the answer was lost: the first attempt made this change.
  const isDone =
    now.name === camera.name &&
    millionths(now.latitude) === millionths(camera.latitude) &&
    millionths(now.longitude) === millionths(camera.longitude);
  if (!isDone)
    throw new AppError(
      "conflict",
      "Someone else changed this camera after you opened it. Your changes have not been saved. Open it again to see theirs.",
    );
  return { msg: `${camera.name} was saved` };
}

/** POST /axis-cameras/{id}/secret: replaces the secret. The old address stops working. */
export async function renewAxisSecret(
  app: AppContext,
  actor: Actor,
  { id, origin }: { id: string; origin: string },
): Promise<ShownAddress> {
  const { name } = await requireCamera(app, actor, id);
  const { secret, hash } = await newSecret();
  await act(app, {
    statement: updateAxisSecret(app.db, { id, agencyId: actor.agencyId }, hash),
    entry: cameraEntry(app, actor, { action: "camera.secret", object: id, after: { name } }),
  });
  return {
    id,
    address: webhookAddress(app, { origin, path: PATH, secret }),
    msg: `${name} has a new address`,
  };
}

/** DELETE /axis-cameras/{id}: revokes the camera. */
export async function closeAxisCamera(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const { id: _, ...before } = await requireCamera(app, actor, id);
  await act(app, {
    statement: revokeAxisCamera(app.db, { id, agencyId: actor.agencyId }, app.clock()),
    entry: cameraEntry(app, actor, { action: "camera.revoke", object: id, before }),
  });
  return { msg: `${before.name} was revoked` };
}

/** Returns whether the statement changed the camera. */
async function act(
  app: AppContext,
  { statement, entry }: { statement: Statement; entry: AuditEntry },
): Promise<boolean> {
  const [changed] = await inOneStep(app.db, [statement, insertAuditIfChanged(app.db, entry)]);
  return changesOf(changed) > 0;
}

function cameraEntry(
  app: AppContext,
  actor: Actor,
  input: Pick<AuditEntry, "action" | "object"> & { before?: object; after?: object },
): AuditEntry {
  const { action, object, ...detail } = input;
  return auditRow(app, actor, { action, object, detail: { program: "Axis", ...detail } });
}
