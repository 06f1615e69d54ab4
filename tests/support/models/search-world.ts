// What the model of searches is compared with: agencies, users and cameras of the product.

import { vi } from "vitest";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import {
  bindings,
  type Client,
  client,
  newAgency,
  newUser,
  setUpPart,
  type TestUser,
  unique,
} from "../../factories.ts";
import type * as model from "./search.ts";
import { AGENCIES, CAMERAS, type Commands } from "./search-commands.ts";

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
  const clients = new Map<TestUser, { since: number; client: Client }>();
  const as = async (user: TestUser) => {
    const known = clients.get(user);
    if (known && is.now - known.since < 5 * MINUTE) return known.client;
    const one = await client(user);
    clients.set(user, { since: is.now, client: one });
    return one;
  };
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

export async function ok(answer: Promise<Response>, what: string, wanted = 200): Promise<Response> {
  const got = await answer;
  if (got.status !== wanted) throw new Error(`${what}: ${got.status}: ${await got.text()}`);
  return got;
}

export function timeOf({ is }: World, { near, n, by }: Commands["read"]["when"]): number {
  const read = is.reads[n % is.reads.length];
  const midnight = (Math.floor(is.now / DAY) - (n % 6)) * DAY;
  return (near === "read" && read ? read.at : near === "midnight" ? midnight : is.now) + by;
}
