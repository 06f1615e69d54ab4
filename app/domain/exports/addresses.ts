// The addresses that a report prints beside its records.

import type { AppContext } from "#app/context.ts";
import { addressOfPlace, knownAddress, nearestPlace } from "#app/domain/search/address.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { addressText } from "#app/entities/search/address.ts";
import { isMappable } from "#app/entities/search/sighting.ts";

/** A rate-limited geocoder answers one address per second. After this total time, it is not asked any more. */
const ADDRESSES_MS = 15_000;

/**
 * Returns a lookup of each record's nearest address. Each place is queried once, within a time limit for all. After it,
 * addresses that are stored from earlier are used, and otherwise the nearest place from Odin's own data.
 */
export function createAddresses(
  app: AppContext,
): (record: Pick<ExportRecord, "latitude" | "longitude">) => Promise<string> {
  const known = new Map<string, string>();
  let spent = 0;
  return async ({ latitude, longitude }) => {
    if (latitude === null || longitude === null || !isMappable(latitude, longitude))
      return MESSAGES.unavailable;
    const key = `${latitude.toFixed(4)} ${longitude.toFixed(4)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const start = app.clock();
    const place = { latitude, longitude };
    let found = await (spent > ADDRESSES_MS ? knownAddress(app, place) : addressOfPlace(app, place));
    if (found.address === null && spent > ADDRESSES_MS) found = nearestPlace(place);
    const { address, approximate } = found;
    spent += app.clock() - start;
    const text =
      address === null
        ? MESSAGES.unavailable
        : approximate
          ? `${address} (approximate)`
          : addressText(address);
    known.set(key, text);
    return text;
  };
}
