// Many places: the plates that were read in several of up to five places, each with its own time window.

import { activityOf, chanceOfPassing } from "./chance.ts";

/** A read in one of the places; `row` is its row in the gathered reads. */
export type PlaceRead = { plate: string; row: number };

type RankedPlate = {
  plate: string;
  /** Indexes of the places it was read in. */
  places: number[];
  /** Rows of its reads in these places. */
  rows: number[];
  /** Natural logarithm of the chance that a vehicle as active as this one passes all of these places. */
  logChance: number;
  /** The number of such vehicles expected by chance alone. */
  expected: number;
};

export type PlacesInput = {
  /** The reads of each place, within its window. */
  places: readonly (readonly PlaceRead[])[];
  /** Plates of the other gathered reads, one per read. */
  elsewhere: readonly string[];
  /** The minimum number of places in which a plate must have been read. */
  atLeast: number;
};

/**
 * Returns the plates that were read in at least `atLeast` places, least likely by chance first, then those in more
 * places, then by plate.
 *
 * Model: vehicles drive independently of each other, and the visits of a vehicle to different places are independent. A
 * vehicle of average activity passes a place with the chance that the place's traffic yields: the vehicles read there
 * among all vehicles gathered. A vehicle that is read more often elsewhere passes every place more often. The chance of
 * a plate is the product over the places it was read in.
 */
export function rankPlaces({ places, elsewhere, atLeast }: PlacesInput): RankedPlate[] {
  const rowsOf = new Map<string, number[][]>();
  const traffic = places.map(() => 0);
  for (const [place, reads] of places.entries()) {
    for (const { plate, row } of reads) {
      const rows = rowsOf.get(plate) ?? [];
      if (rows.length === 0) rowsOf.set(plate, rows);
      const here = rows[place];
      if (here) here.push(row);
      else {
        rows[place] = [row];
        traffic[place] = (traffic[place] ?? 0) + 1;
      }
    }
  }
  const outside = new Map<string, number>();
  for (const plate of elsewhere) outside.set(plate, (outside.get(plate) ?? 0) + 1);
  let vehicles = rowsOf.size;
  for (const plate of outside.keys()) if (!rowsOf.has(plate)) vehicles++;
  const average = elsewhere.length / Math.max(1, vehicles);

  const ranked: RankedPlate[] = [];
  for (const [plate, rows] of rowsOf) {
    const seenIn = places.flatMap((_, place) => (rows[place] ? [place] : []));
    if (seenIn.length < atLeast) continue;
    const activity = activityOf(outside.get(plate) ?? 0, average);
    let logChance = 0;
    for (const place of seenIn) {
      const others = (traffic[place] ?? 1) - 1;
      logChance += Math.log(
        chanceOfPassing({ others, population: vehicles - 1, trials: places.length, activity }),
      );
    }
    ranked.push({
      plate,
      places: seenIn,
      rows: seenIn.flatMap((place) => rows[place] ?? []),
      logChance,
      expected: vehicles * Math.exp(logChance),
    });
  }
  return ranked.sort(
    (a, b) => a.logChance - b.logChance || b.places.length - a.places.length || (a.plate < b.plate ? -1 : 1),
  );
}
