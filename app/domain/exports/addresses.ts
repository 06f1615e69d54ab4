// The addresses that a report prints beside its records.

import type { AppContext } from "#app/context.ts";
import { addressOfPlace, nearestPlace, storedAddresses } from "#app/domain/search/address.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { addressText, type NearestAddress } from "#app/entities/search/address.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";
import { logWarning } from "#app/lib/log.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { positionKey } from "#app/store/search/address.ts";

/** A rate-limited geocoder answers one address per second. After this total time, it is no longer asked. */
const ADDRESSES_MS = 15_000;
/**
 * The most places for which the geocoder is asked. Asking takes up to three of the 1,000 queries that D1 allows, but no
 * time while other requests use up the geocoder's rate, so ADDRESSES_MS alone is no limit.
 */
const MAX_ASKED = 40;

/**
 * Returns a lookup of each record's nearest address. Each of the places is queried once, within a limit for all. After it,
 * addresses that are stored from earlier are used, and otherwise the nearest place from Odin's own data. Never throws.
 */
export function createAddresses(
  app: AppContext,
  places: readonly Place[],
): (record: Pick<ExportRecord, "latitude" | "longitude">) => Promise<string> {
  const known = new Map<string, string>();
  let stored: Promise<Map<string, NearestAddress>> | undefined;
  let [spent, asked] = [0, 0];

  async function find(place: Place): Promise<NearestAddress> {
    stored ??= retryBriefly(() => storedAddresses(app, places)).catch((error: unknown) => {
      logWarning("a report does without the stored addresses", error);
      return new Map();
    });
    const kept = (await stored).get(positionKey(place));
    const isOver = spent > ADDRESSES_MS || asked === MAX_ASKED;
    if (kept && (kept.address !== null || !isOver)) return kept;
    if (isOver) return nearestPlace(place);
    const start = app.clock();
    asked += 1;
    const found = await addressOfPlace(app, place);
    spent += app.clock() - start;
    return found;
  }

  return async (record) => {
    const place = mappablePlace(record);
    if (!place) return MESSAGES.unavailable;
    const key = positionKey(place);
    const before = known.get(key);
    if (before !== undefined) return before;
    const text = textOf(await find(place));
    known.set(key, text);
    return text;
  };
}

function textOf({ address, approximate }: NearestAddress): string {
  if (address === null) return MESSAGES.unavailable;
  return approximate ? `${address} (approximate)` : addressText(address);
}
