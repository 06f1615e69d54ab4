// Addresses from the geocoder, by rounded position, and its rate limit of one call a second. Turns are booked in the
// database because an installation runs in many places at once.

import { and, eq, gt, sql } from "drizzle-orm";
import { coordinateOf, coordinateOffsets } from "#app/entities/search/result-codec.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { isOneOf } from "#app/store/conditions.ts";
import type { ControlDb } from "#app/store/database.ts";
import { columnsKey } from "#app/store/files.ts";
import { addresses, geocoderTurns } from "#app/store/schema/search.ts";

/** Returns a key in ten-thousandths of a degree, about ten meters: all reads of a fixed camera have one position. */
export function positionKey({ latitude, longitude }: Place): string {
  return `${latitude.toFixed(4)},${longitude.toFixed(4)}`;
}

/** Returns the address stored after `since` for a key of `positionKey`; empty text if the geocoder knows none. */
export async function findAddressAt(db: ControlDb, input: { position: string; since: number }) {
  return db.query.addresses.findFirst({
    where: and(eq(addresses.position, input.position), gt(addresses.at, input.since)),
  });
}

/** Returns the addresses stored after `since` for these keys of `positionKey`; unknown ones are left out. */
export async function listAddressesAt(
  db: ControlDb,
  { positions, since }: { positions: readonly string[]; since: number },
) {
  return db
    .select()
    .from(addresses)
    .where(and(isOneOf(addresses.position, positions), gt(addresses.at, since)));
}

/** Stores an address. An empty one records that the geocoder found nothing. */
export async function saveAddress(
  db: ControlDb,
  row: { position: string; address: string; attribution: string; at: number },
): Promise<void> {
  const { address, attribution, at } = row;
  await db
    .insert(addresses)
    .values(row)
    .onConflictDoUpdate({ target: addresses.position, set: { address, attribution, at } });
}

/**
 * Books the next turn at the geocoder, `pause` milliseconds after the one before. Returns its time, or undefined if it
 * would be later than `patience` milliseconds from now.
 */
export async function bookTurn(
  db: ControlDb,
  { now, pause, patience }: { now: number; pause: number; patience: number },
): Promise<number | undefined> {
  const [booked] = await db
    .insert(geocoderTurns)
    .values({ id: 1, nextAt: now + pause })
    .onConflictDoUpdate({
      target: geocoderTurns.id,
      set: { nextAt: sql`max(${geocoderTurns.nextAt}, ${now}) + ${pause}` },
      setWhere: sql`${geocoderTurns.nextAt} <= ${now + patience}`,
    })
    .returning({ nextAt: geocoderTurns.nextAt });
  return booked && booked.nextAt - pause;
}

/** Largest header of stored columns, in bytes. */
const HEAD = 8 * 1024;

/** Returns the location of a read, from three small range reads; null if it has none or the result set is gone. */
export async function findPlaceOfRow(
  bucket: R2Bucket,
  { id, row }: { id: string; row: number },
): Promise<Place | null> {
  const key = columnsKey(id);
  const read = async (offset: number, length: number) => {
    const object = await bucket.get(key, { range: { offset, length } });
    return object ? new Uint8Array(await object.arrayBuffer()) : null;
  };
  const head = await read(0, HEAD);
  const offsets = head && coordinateOffsets(head, row);
  if (!offsets) return null;
  const [latitude, longitude] = await Promise.all([read(offsets.latitude, 4), read(offsets.longitude, 4)]);
  const place = {
    latitude: latitude && coordinateOf(latitude),
    longitude: longitude && coordinateOf(longitude),
  };
  return place.latitude === null || place.longitude === null
    ? null
    : { latitude: place.latitude, longitude: place.longitude };
}
