// What each sequence ends with: looks at everything that there is by those who have it and by those who may not have it,
// and look-ups and changes by agencies that lost a right or never had it.

import { at } from "#app/lib/at.ts";
import { attempt } from "./asks.ts";
import { exportReads, lookUp, search } from "./finds.ts";
import { nameMembers } from "./groups.ts";
import { list } from "./lists.ts";
import { lookAt } from "./looks.ts";
import { decideHold } from "./rights.ts";
import { ROUTES } from "./routes.ts";
import type { Person } from "./rules.ts";
import { AGENCIES, chiefOf, clientOf, type ThingKind, type World } from "./world.ts";

const KINDS: ThingKind[] = ["result", "export", "image", "attachment", "hit", "group", "outgoing", "service"];
const AGENCY_NUMBERS = Array.from({ length: AGENCIES }, (_, agency) => agency);

const viewerOf = async (world: World, person: Person) => ({
  person,
  by: await clientOf(world, person),
  isStale: false,
});

/** The place of a person among those who can sign in. */
const placeOf = ({ is }: World, person: Person) =>
  is.people.filter(({ isService, disabled }) => !isService && !disabled).indexOf(person);

export async function finish(world: World): Promise<void> {
  await tryAgain(world);
  let n = 0;
  const active = world.is.people.filter(({ disabled, isService }) => !disabled && !isService);
  for (const kind of KINDS)
    for (const thing of world.things.filter((one) => one.kind === kind).slice(-2)) {
      const having = active.filter((person) => person === thing.by || (!thing.by && thing.mayOpen(person)));
      const others = active.filter((person) => !thing.mayOpen(person) && person !== thing.by);
      const chief = others.find((person) => person === chiefOf(world, person.agency));
      const viewers = new Set([having.at(-1), others[n % others.length], chief]);
      for (const route of ROUTES.filter(({ kinds }) => kinds?.includes(kind)))
        for (const person of viewers)
          if (person)
            await lookAt(world, await viewerOf(world, person), { route, thing, data: true, n: n++ });
    }
  for (const route of ROUTES.filter(({ kinds, pattern }) => !kinds && !pattern.includes(":"))) {
    const viewers = [chiefOf(world, n % AGENCIES), at(active, n % active.length)];
    for (const person of viewers)
      await lookAt(world, await viewerOf(world, person), { route, thing: undefined, data: true, n: n++ });
  }
}

/** Searches, exports and changes of others, which the rules now allow or not. */
async function tryAgain(world: World): Promise<void> {
  const results = world.is.results.length;
  for (const owner of AGENCY_NUMBERS)
    for (const viewer of AGENCY_NUMBERS) {
      if (owner === viewer) continue;
      const by = placeOf(world, chiefOf(world, viewer));
      await search(world, { by, agencies: [owner], plate: undefined, stale: false, forPerson: undefined });
      if (owner === (viewer + 1) % AGENCIES) {
        const log = { by, group: 0, plate: 0, agency: viewer, stale: 1 };
        await lookUp(world, [{ ...log, how: 6 }]);
      }
    }
  const other = placeOf(world, chiefOf(world, 1));
  for (let result = 0; result < Math.min(results, 2); result++)
    await exportReads(world, { by: other, result, other: result });
  for (const [n, group] of world.is.groups.entries()) {
    const by = placeOf(world, chiefOf(world, (group.agency + 1) % AGENCIES));
    await nameMembers(world, { by, group: n, users: [] });
    await list(world, { by, group: n, withFile: false });
  }
  for (const [n, hold] of world.holds.entries()) {
    const by = placeOf(world, chiefOf(world, (hold.agency + 1) % AGENCIES));
    await decideHold(world, { by, hold: n, how: hold.state === "active" ? "release" : "approve" });
  }
  for (const made of world.is.exports.slice(-1)) {
    const stranger = chiefOf(world, (made.by.agency + 1) % AGENCIES);
    const request = { path: `/exports/${made.id}`, init: { method: "DELETE" } };
    if (stranger !== made.by) await attempt(world, stranger, { ...request, allowed: false, action: "" });
  }
}
