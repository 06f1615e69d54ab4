// Where an address is, for a circle around it. The server asks the geocoder, so that no browser tells a third party
// which place is investigated. Without a geocoder, only towns of Odin's own list are found.

import type { AppContext } from "#app/context.ts";
import { PLACES } from "#app/entities/search/map/places.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { bookTurn } from "#app/store/search/address.ts";
import { PATIENCE_MS, PAUSE_MS } from "./address.ts";

type FoundPlace = { name: string; latitude: number; longitude: number };

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
  if (turn > now) await new Promise((resolve) => setTimeout(resolve, turn - now));
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
