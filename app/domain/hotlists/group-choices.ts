// What screens without scripts offer for hotlists: the list of groups, and adding one plate.

import type { AppContext } from "#app/context.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { AddPlate } from "#app/entities/hotlists/calls.ts";
import { listGroupCards } from "./groups.ts";
import { addPlate } from "./plate-changes.ts";

/** Returns the groups that the actor may add plates to, by name; null for users without the permission. */
export async function listEditableGroups(
  app: AppContext,
  actor: Actor,
): Promise<{ id: string; name: string }[] | null> {
  if (!mayUse("hotlist-admin", actor)) return null;
  const groups = await listGroupCards(app, actor);
  return groups.filter((group) => group.can_edit).map(({ id, name }) => ({ id, name }));
}

/** Adds a plate as `addPlate` does, and returns its message for a page without scripts. */
export async function addPlateFromScreen(
  app: AppContext,
  actor: Actor,
  input: AddPlate,
): Promise<{ msg: string }> {
  const { msg, duplicates } = await addPlate(app, actor, input);
  return { msg: duplicates.length > 0 ? `${msg}. Also watched in ${duplicates.join(", ")}.` : msg };
}
