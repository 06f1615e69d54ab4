// What the model of searches is compared with: agencies, users and cameras of the product.

import { vi } from "vitest";
import { DAY } from "#app/lib/time/dates.ts";
import { bindings, newAgency, newUser, setUpPart, unique } from "../../factories.ts";
import type * as model from "./search.ts";
import { AGENCIES, CAMERAS, type Commands } from "./search-commands.ts";
import { signedInClients, status } from "./sequences.ts";

export const SUBJECT = { justification: "Stolen vehicle, case 26-1044", case_number: "26-1044" };

/** Creates agencies with users, two administrators each, and cameras, at a time of whole seconds. */
export async function newWorld(start: number) {
  vi.setSystemTime(start);
  const agencies = await Promise.all(Array.from({ length: AGENCIES }, () => newAgency()));
  const users = await Promise.all(agencies.map(({ id }) => newUser(id)));
  const admins = await Promise.all(
    agencies.map(({ id }) => Promise.all([0, 1].map(() => newUser(id, { role: "admin" })))),
  );
  const cameras = agencies.map(({ id: agencyId }, a) =>
    Array.from({ length: CAMERAS }, (_, c) => {
      const id = unique("camera");
      return {
        id,
        agencyId,
        name: `Camera ${id}`,
        latitude: 41.5 + a / 10,
        longitude: -72.5 - c / 10,
        secret: unique("secret"),
      };
    }),
  );
  await setUpPart({ axisCameras: cameras.flat() });
  await bindings.DB.prepare("UPDATE agencies SET investigations_per_day = 1000").run();
  const is: model.Archive = {
    now: start,
    keptDays: Array.from({ length: AGENCIES }, () => 90),
    ...{ reads: [], shares: new Map(), holds: [] },
  };
  const as = signedInClients(is);
  return {
    ...{ agencies, users, admins, cameras, as, is },
    sent: [] as { at: number; send: () => Promise<Response> }[],
    cars: new Map<model.Read, { carId: string; secret: string }>(),
    holds: [] as { id: string; hold: model.Hold }[],
    /** The number of reads and plates that searches found. */
    found: 0,
    results: [] as { id: string; viewer: number; owners: Set<number>; until: number }[],
    searches: users.map(() => ({ ok: 0, refused: 0 })),
  };
}
export type World = Awaited<ReturnType<typeof newWorld>>;

export const ok = (answer: Promise<Response>, what: string, wanted = 200) => status(answer, wanted, what);

export function timeOf({ is }: World, { near, n, by }: Commands["read"]["when"]): number {
  const read = is.reads[n % is.reads.length];
  const midnight = (Math.floor(is.now / DAY) - (n % 6)) * DAY;
  return (near === "read" && read ? read.at : near === "midnight" ? midnight : is.now) + by;
}
