import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { createAddresses } from "#app/domain/exports/addresses.ts";
import { findAddress, nearestPlace } from "#app/domain/search/address.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { Geocoder } from "#app/providers/geocoder.ts";
import { openControl } from "#app/store/database.ts";
import { columnsKey } from "#app/store/files.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { addresses, geocoderTurns, resultSets } from "#app/store/schema/search.ts";
import { bookTurn, findPlaceOfRow, positionKey } from "#app/store/search/address.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { BLANK_SIGHTING, sightingId } from "../../support/search/sighting.ts";

const bindings = env as unknown as { DB: D1Database; RESULTS?: R2Bucket; IMAGES: R2Bucket };
const results = bindings.RESULTS ?? bindings.IMAGES;
const db = openControl(bindings.DB);
const ID = "0123456789abcdefABCDEF";

let now = Date.UTC(2026, 10, 20, 12);
let asked: { latitude: number; longitude: number }[] = [];
let answer: Geocoder["nearest"] = async () => ({ address: "1 Main St, Hartford", attribution: "Somebody" });
const geocoder: Geocoder = {
  find: async () => null,
  nearest: async (place) => {
    asked.push(place);
    return answer(place);
  },
};
const app = (withGeocoder = true) =>
  ({ db, results, clock: () => now, geocoder: withGeocoder ? geocoder : null }) as unknown as AppContext;
const actor = { userId: "u1", agencyId: "a1" } as Actor;

function sighting(over: Partial<Sighting>, i: number): Sighting {
  return {
    ...BLANK_SIGHTING,
    id: sightingId(i),
    plate: "AB12345",
    capturedAt: now - i * 1000,
    cameraName: "C",
    latitude: 41.7637,
    longitude: -72.6851,
    ...over,
  };
}

beforeEach(async () => {
  now = Date.UTC(2026, 10, 20, 12);
  asked = [];
  answer = async () => ({ address: "1 Main St, Hartford", attribution: "Somebody" });
  await db.delete(addresses);
  await db.delete(geocoderTurns);
  await db.delete(resultSets);
  await db.insert(agencies).values({ id: "a1", name: "Address Police", createdAt: 0 }).onConflictDoNothing();
  for (const id of ["u1", "u2"]) {
    await db
      .insert(users)
      .values({
        id,
        agencyId: "a1",
        username: id,
        name: id,
        email: id,
        role: "user",
        passwordHash: "",
        createdAt: 0,
      })
      .onConflictDoNothing();
  }
  await db.insert(resultSets).values({
    id: ID,
    userId: "u1",
    agencyId: "a1",
    state: "ready",
    request: {},
    statuses: [],
    count: 4,
    createdAt: now,
    expiresAt: now + DAY,
  });
  const builder = createColumns();
  appendSightings(builder, [
    sighting({}, 0),
    sighting({ latitude: 41.76371, longitude: -72.68512 }, 1),
    sighting({ latitude: null, longitude: null }, 2),
    sighting({ latitude: 0, longitude: 0 }, 3),
  ]);
  await results.put(columnsKey(ID), encodeColumns(builder, newestFirst(builder)));
});

describe("the nearest address of a read", () => {
  it("is found by reading only parts of the stored columns", async () => {
    expect(await findPlaceOfRow(results, { id: ID, row: 1 })).toEqual({
      latitude: 41.76371,
      longitude: -72.68512,
    });
    expect(await findPlaceOfRow(results, { id: ID, row: 2 })).toBeNull();
    expect(await findPlaceOfRow(results, { id: ID, row: 4 })).toBeNull();
    expect(await findPlaceOfRow(results, { id: "gone", row: 0 })).toBeNull();
  });

  it("is requested once per position, and again after it expires", async () => {
    const first = await findAddress(app(), actor, { id: ID, row: "0" });
    expect(first).toEqual({ address: "1 Main St, Hartford", approximate: false, attribution: "Somebody" });
    expect(await findAddress(app(), actor, { id: ID, row: "1" })).toEqual(first);
    expect(asked).toHaveLength(1);
    now += 181 * DAY;
    await db.update(resultSets).set({ expiresAt: now + DAY });
    await findAddress(app(), actor, { id: ID, row: "0" });
    expect(asked).toHaveLength(2);
  });

  it("is unavailable without a location, a result or a working geocoder, and is requested again later", async () => {
    const unavailable = { address: null, approximate: false, attribution: "" };
    expect(await findAddress(app(), actor, { id: ID, row: "2" })).toEqual(unavailable);
    expect(await findAddress(app(), actor, { id: ID, row: "3" })).toEqual(unavailable);
    expect(asked).toHaveLength(0);
    answer = async () => {
      throw new Error("down");
    };
    expect(await findAddress(app(), actor, { id: ID, row: "0" })).toEqual(unavailable);
    now += 2000;
    answer = async () => null;
    expect(await findAddress(app(), actor, { id: ID, row: "0" })).toEqual(unavailable);
    now += 2000;
    expect(await findAddress(app(), actor, { id: ID, row: "0" })).toEqual(unavailable);
    expect(asked).toHaveLength(2);
  });

  it("is available only to the user who searched", async () => {
    const other = { ...actor, userId: "u2" };
    await expect(findAddress(app(), other, { id: ID, row: "0" })).rejects.toMatchObject({
      code: "not_found",
    });
    for (const row of ["4", "-1", "x", "1.5", "00000000"]) {
      await expect(findAddress(app(), actor, { id: ID, row })).rejects.toMatchObject({ code: "not_found" });
    }
    now += 2 * DAY;
    await expect(findAddress(app(), actor, { id: ID, row: "0" })).rejects.toMatchObject({ code: "gone" });
    expect(asked).toHaveLength(0);
  });

  it("is the nearest known place, marked as approximate, if there is no geocoder", async () => {
    const found = await findAddress(app(false), actor, { id: ID, row: "0" });
    expect(found).toMatchObject({ address: "Hartford, CT", approximate: true });
    expect(nearestPlace({ latitude: 41.83, longitude: -72.68 }).address).toMatch(
      /^\d+\.\d mi (N|NE|NW|E|W|S|SE|SW) of .+, CT$/,
    );
    expect(nearestPlace({ latitude: 36, longitude: -60 }).address).toBeNull();
  });
});

describe("the addresses of a report", () => {
  it("are the stored ones once the geocoder's time is used up, and only then the nearest known place", async () => {
    const north = (latitude: number) => ({ latitude, longitude: -72.68 });
    const stored = { address: "2 Elm St, Hartford", attribution: "Somebody", at: now };
    await db.insert(addresses).values({ position: positionKey(north(41.75)), ...stored });
    answer = async () => {
      now += 16_000;
      return { address: "1 Main St, Hartford", attribution: "Somebody" };
    };
    const addressOf = createAddresses(app(), [north(41.75), north(41.76), north(41.77)]);
    expect(await addressOf(north(41.76))).toContain("1 Main St");
    expect(await addressOf(north(41.75))).toContain("2 Elm St");
    expect(await addressOf(north(41.77))).toMatch(/Hartford, CT \(approximate\)$/);
    expect(asked).toHaveLength(1);
  });

  it("take far fewer than the thousand queries that D1 allows, however many places a report has", async () => {
    const places = Array.from({ length: 1500 }, (_, i) => ({ latitude: 41 + i / 10_000, longitude: -72.68 }));
    const position = positionKey(at(places, 1000));
    const stored = { address: "2 Elm St, Hartford", attribution: "Somebody", at: now };
    await db.insert(addresses).values({ position, ...stored });
    // Others have booked all turns at the geocoder.
    await db.insert(geocoderTurns).values({ id: 1, nextAt: now + DAY });
    let queries = 0;
    const counted = openControl(
      databaseThrough(bindings.DB, (work) => {
        queries += 1;
        return work();
      }),
    );
    const addressOf = createAddresses({ ...app(), db: counted }, places);
    const texts: string[] = [];
    for (const place of places) texts.push(await addressOf(place));
    expect(texts[1000]).toBe("2 Elm St, Hartford");
    expect(texts[0]).toBe("Unavailable");
    expect(texts[1499]).toMatch(/, CT \(approximate\)$/);
    expect(queries).toBeLessThan(150);
  });

  it("are unavailable if the database fails, and the report is made all the same", async () => {
    const broken = openControl(
      databaseThrough(bindings.DB, async () => {
        throw new Error("D1_ERROR: Network connection lost.");
      }),
    );
    const place = { latitude: 41.76, longitude: -72.68 };
    expect(await createAddresses({ ...app(), db: broken }, [place])(place)).toBe("Unavailable");
    expectLogged(/a report does without the stored addresses/);
  });
});

describe("requests to the geocoder", () => {
  it("are a second apart, even if many are made at once, and none waits forever", async () => {
    const ask = { now, pause: 1000, patience: 4000 };
    const turns = await Promise.all(Array.from({ length: 8 }, () => bookTurn(db, ask)));
    const booked = turns.filter((turn) => turn !== undefined).sort((a, b) => a - b);
    expect(booked).toEqual([now, now + 1000, now + 2000, now + 3000, now + 4000]);
    expect(await bookTurn(db, { ...ask, now: now + 60_000 })).toBe(now + 60_000);
  });

  it("have positions rounded to ten meters", () => {
    expect(positionKey({ latitude: 41.76371, longitude: -72.68512 })).toBe("41.7637,-72.6851");
  });
});
