// Nearest addresses of reads, and the place of an address, for a circle around it. The server asks the geocoder, so
// that no third party learns from a browser what is viewed or investigated. Without a geocoder, Odin uses its own list
// of places: it names the nearest one, marked as approximate, and finds only towns.

import type { AppContext } from "#app/context.ts";
import { correctedPlace } from "#app/domain/ingest/camera-places.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { compassPoint, milesBetween } from "#app/entities/search/map/camera.ts";
import { PLACES } from "#app/entities/search/map/places.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import {
  bookTurn,
  findAddressAt,
  findPlaceOfRow,
  listAddressesAt,
  positionKey,
  saveAddress,
} from "#app/store/search/address.ts";
import { requireResultSet } from "./results.ts";

/** The answer if no address is available. */
export const NO_ADDRESS: NearestAddress = { address: null, approximate: false, attribution: "" };

/** Nominatim's usage policy: one request a second, over all users together. */
const PAUSE_MS = 1000;
/** A user waits for the answer: after this time the address is "Unavailable". */
const PATIENCE_MS = 4000;
const KEPT_MS = 180 * DAY;
const PLACES_ATTRIBUTION = "GeoNames (CC BY 4.0)";
/** If the nearest known place is farther away than this, its name would mislead. */
const FARTHEST_MILES = 50;

/**
 * Returns the nearest address of one read of the actor's own set. Throws AppError not_found, or gone if it was purged.
 */
export async function findAddress(
  app: AppContext,
  actor: Actor,
  input: { id: string; row: string },
): Promise<NearestAddress> {
  const set = await requireResultSet(app, actor, input.id);
  if (!/^\d{1,7}$/.test(input.row) || Number(input.row) >= set.count) {
    throw new AppError("not_found", "There is no such read.");
  }
  const row = Number(input.row);
  const [corrected, stored] = await Promise.all([
    correctedPlace(app, { set, row }),
    findPlaceOfRow(app.results, { id: set.id, row }),
  ]);
  const place = corrected ?? stored;
  return place ? addressOfRead(app, place) : NO_ADDRESS;
}

/** Returns the nearest address of a read, if a map can show its location. Never throws. */
export async function addressOfRead(
  app: AppContext,
  read: { latitude: number | null; longitude: number | null },
): Promise<NearestAddress> {
  const place = mappablePlace(read);
  return place ? addressOfPlace(app, place) : NO_ADDRESS;
}

/** Returns the nearest address of a mappable place. Never throws: on failure the address is not available. */
export async function addressOfPlace(app: AppContext, place: Place): Promise<NearestAddress> {
  return app.geocoder ? askGeocoder(app, place) : nearestPlace(place);
}

/** Returns the nearest address of a place without calling the geocoder. */
export async function knownAddress(app: AppContext, place: Place): Promise<NearestAddress> {
  if (!app.geocoder) return nearestPlace(place);
  return named((await keptAddress(app, place)) ?? NOTHING);
}

/**
 * Returns the addresses of these places that are stored from earlier, by `positionKey`, in one query. The address is
 * null for a place where the geocoder found nothing.
 */
export async function storedAddresses(
  { db, clock, geocoder }: AppContext,
  places: readonly Place[],
): Promise<Map<string, NearestAddress>> {
  if (!geocoder || places.length === 0) return new Map();
  const rows = await listAddressesAt(db, { positions: places.map(positionKey), since: clock() - KEPT_MS });
  return new Map(rows.map((row) => [row.position, named(row)]));
}

const NOTHING = { address: "", attribution: "" };

function keptAddress({ db, clock }: AppContext, place: Place) {
  return findAddressAt(db, { position: positionKey(place), since: clock() - KEPT_MS });
}

async function askGeocoder(app: AppContext, place: Place): Promise<NearestAddress> {
  const { db, clock, geocoder } = app;
  const position = positionKey(place);
  try {
    const kept = await keptAddress(app, place);
    if (kept) return named(kept);
    const now = clock();
    const turn = await bookTurn(db, { now, pause: PAUSE_MS, patience: PATIENCE_MS });
    if (turn === undefined || !geocoder) return NO_ADDRESS;
    if (turn > now) await sleep(turn - now);
    const found = (await geocoder.nearest(place)) ?? NOTHING;
    await saveAddress(db, { position, ...found, at: clock() });
    return named(found);
  } catch {
    return NO_ADDRESS;
  }
}

function named({ address, attribution }: { address: string; attribution: string }): NearestAddress {
  return address === "" ? NO_ADDRESS : { address, approximate: false, attribution };
}

/** Returns `1.2 mi NE of West Hartford, CT`, from the list of places that ships with Odin. */
export function nearestPlace(place: Place): NearestAddress {
  let nearest: { name: string; state: string; at: Place } | undefined;
  let miles = FARTHEST_MILES;
  for (const line of PLACES.split("\n")) {
    const [name = "", state = "", latitude, longitude] = line.split("|");
    const at = { latitude: Number(latitude), longitude: Number(longitude) };
    if (Math.abs(at.latitude - place.latitude) > 1) continue;
    const distance = milesBetween(at, place);
    if (distance >= miles) continue;
    miles = distance;
    nearest = { name, state, at };
  }
  if (!nearest) return NO_ADDRESS;
  const town = `${nearest.name}, ${nearest.state}`;
  const address = miles < 0.3 ? town : `${miles.toFixed(1)} mi ${compassPoint(nearest.at, place)} of ${town}`;
  return { address, approximate: true, attribution: PLACES_ATTRIBUTION };
}

type FoundPlace = Place & { name: string };

/** Returns the place that a text names. Throws AppError not_found, or unavailable if the geocoder does not answer. */
export async function findPlace(app: AppContext, text: string): Promise<FoundPlace> {
  const town = townNamed(text);
  if (town) return town;
  if (!app.geocoder)
    throw new AppError(
      "not_found",
      "Odin finds towns only, such as Hartford, CT. Addresses need a geocoder.",
    );
  const now = app.clock();
  const turn = await bookTurn(app.db, { now, pause: PAUSE_MS, patience: PATIENCE_MS });
  const busy = new AppError("unavailable", "The address could not be looked up. Try again.", {
    retryAfter: 5,
  });
  if (turn === undefined) throw busy;
  if (turn > now) await sleep(turn - now);
  const found = await app.geocoder.find(text).catch((cause: unknown) => {
    logError("the geocoder failed", cause);
    throw busy;
  });
  if (!found) throw new AppError("not_found", "This address was not found.");
  return found;
}

/** Returns a town written as `Hartford, CT`. */
function townNamed(text: string): FoundPlace | undefined {
  const [town = "", state = "", ...rest] = text.split(",").map((part) => part.trim().toLowerCase());
  if (rest.length > 0 || state === "") return undefined;
  for (const line of PLACES.split("\n")) {
    const [name = "", code = "", latitude, longitude] = line.split("|");
    if (name.toLowerCase() !== town || code.toLowerCase() !== state) continue;
    return { name: `${name}, ${code}`, latitude: Number(latitude), longitude: Number(longitude) };
  }
  return undefined;
}
