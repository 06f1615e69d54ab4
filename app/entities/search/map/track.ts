import type { ResultColumns } from "#app/entities/search/result-columns.ts";
import { type Bounds, kilometersBetween, latitudeAt, longitudeAt } from "./camera.ts";
import type { MapPoints } from "./points.ts";

/** A stay of a vehicle at a spot: consecutive reads in the same place. */
type Stop = { spot: number; x: number; y: number; from: number; to: number; reads: number };

export type Track = { stops: Stop[]; kilometers: number };

/** Returns the route of one plate through the passing reads, ordered by time. Reads without a time are left out. */
export function trackOf(
  points: MapPoints,
  { columns, plate, pass }: { columns: ResultColumns; plate: string; pass: Uint8Array },
): Track {
  const code = columns.dictionaries.plate.indexOf(plate);
  const stops: Stop[] = [];
  let kilometers = 0;
  if (code < 0) return { stops, kilometers };
  const codes = columns.words.plate;
  for (let point = 0; point < points.timed; point++) {
    const row = points.rows[point] as number;
    if (codes[row] !== code || pass[row] !== 1) continue;
    const spot = points.spots[point] as number;
    const time = points.times[point] as number;
    const last = stops.at(-1);
    if (last && last.spot === spot) {
      last.to = time;
      last.reads++;
      continue;
    }
    const stop = {
      spot,
      x: points.x[point] as number,
      y: points.y[point] as number,
      from: time,
      to: time,
      reads: 1,
    };
    if (last) kilometers += kilometersBetween(placeOf(last), placeOf(stop));
    stops.push(stop);
  }
  return { stops, kilometers };
}

/** Returns the bounds of a track; null if it has no stops. */
export function boundsOfTrack({ stops }: Track): Bounds | null {
  if (stops.length === 0) return null;
  const [x, y] = [stops.map((stop) => stop.x), stops.map((stop) => stop.y)];
  return {
    west: longitudeAt(Math.min(...x)),
    east: longitudeAt(Math.max(...x)),
    north: latitudeAt(Math.min(...y)),
    south: latitudeAt(Math.max(...y)),
  };
}

/** Returns the stops on each spot, numbered from 1, in order of first appearance: `[[1, 3], [2]]`. */
export function stopsBySpot({ stops }: Track): { spot: number; x: number; y: number; numbers: number[] }[] {
  const places = new Map<number, { spot: number; x: number; y: number; numbers: number[] }>();
  stops.forEach(({ spot, x, y }, i) => {
    const place = places.get(spot);
    if (place) place.numbers.push(i + 1);
    else places.set(spot, { spot, x, y, numbers: [i + 1] });
  });
  return [...places.values()];
}

function placeOf({ x, y }: { x: number; y: number }) {
  return { longitude: longitudeAt(x), latitude: latitudeAt(y) };
}
