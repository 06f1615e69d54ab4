// The addresses that vendors and cameras post to. The secret is a part of the address, made here and shown once; what is
// kept is its SHA-256. A revoked address takes nothing from the next request on.

import type { AppContext } from "#app/context.ts";
import { integrationEntry } from "#app/domain/integrations/rekor-keys.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { DoorRow, NewDoor } from "#app/entities/integrations/settings.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertDoor, listDoors, revokeDoor } from "#app/store/ingest/webhooks.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";

/** An address with its secret, for the one answer that holds it. */
export type ShownAddress = { id: string; address: string; msg: string };

/** A new secret: 192 random bits, as text and as what is kept of it. */
export async function newSecret(): Promise<{ secret: string; hash: string; lastFour: string }> {
  const secret = randomToken(24);
  return { secret, hash: await sha256(secret), lastFour: secret.slice(-4) };
}

/** The whole address of a door, at the product's own origin where that is configured. */
export function doorAddress(
  app: AppContext,
  input: { origin: string; path: string; secret: string },
): string {
  return `${app.config.publicOrigin || input.origin}${input.path}/${input.secret}`;
}

/** The agency's webhook addresses, none of them whole. */
export async function doorsOf(app: AppContext, actor: Actor): Promise<DoorRow[]> {
  return listDoors(app.db, actor.agencyId);
}

/** POST /rekor-webhooks: a new address for Rekor's webhooks, shown in this answer and never again. */
export async function addDoor(
  app: AppContext,
  actor: Actor,
  { door, origin }: { door: NewDoor; origin: string },
): Promise<ShownAddress> {
  const { secret, hash, lastFour } = await newSecret();
  const id = randomToken();
  const row = { id, agencyId: actor.agencyId, program: "rekor" as const, name: door.name };
  await inOneStep(app.db, [
    insertDoor(app.db, {
      ...row,
      secretHash: hash,
      secretLast4: lastFour,
      createdAt: app.clock(),
      createdBy: actor.userId,
    }),
    insertAudit(
      app.db,
      integrationEntry(app, actor, {
        action: "door.add",
        object: id,
        detail: { program: "Rekor", after: { name: door.name, last_four: lastFour } },
      }),
    ),
  ]);
  return {
    id,
    address: doorAddress(app, { origin, path: "/ingest/rekor", secret }),
    msg: `The webhook ${door.name} was added`,
  };
}

/** DELETE /rekor-webhooks/{id}. Throws AppError not_found for one that is not there, not ours or revoked already. */
export async function closeDoor(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const door = (await doorsOf(app, actor)).find((one) => one.id === id);
  if (!door || door.revoked_at !== null) throw new AppError("not_found", "There is no such webhook.");
  await inOneStep(app.db, [
    revokeDoor(app.db, { id, agencyId: actor.agencyId, now: app.clock() }),
    insertAuditIfChanged(
      app.db,
      integrationEntry(app, actor, {
        action: "door.revoke",
        object: id,
        detail: { program: "Rekor", before: { name: door.name, last_four: door.last_four } },
      }),
    ),
  ]);
  return { msg: `${door.name} takes nothing any more` };
}
