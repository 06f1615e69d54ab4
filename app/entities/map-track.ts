import { kilometresBetween, latitudeAt, longitudeAt } from "./map-camera.ts";
import type { MapPoints } from "./map-points.ts";
import type { ResultColumns } from "./result-columns.ts";

/** One stay of a vehicle at a spot: reads one after the other in the same place. */
export type Stop = { spot: number; x: number; y: number; from: number; to: number; reads: number };

export type Track = { stops: Stop[]; kilometres: number };

/** The way of one plate through the reads that pass, in the order of time. Reads without a time have no place in it. */
export function trackOf(
  points: MapPoints,
  { columns, plate, pass }: { columns: ResultColumns; plate: string; pass: Uint8Array },
): Track {
  const code = columns.dictionaries.plate.indexOf(plate);
  const stops: Stop[] = [];
  let kilometres = 0;
  if (code < 0) return { stops, kilometres };
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
    if (last) kilometres += kilometresBetween(placeOf(last), placeOf(stop));
    stops.push(stop);
  }
  return { stops, kilometres };
}

function placeOf({ x, y }: { x: number; y: number }) {
  return { longitude: longitudeAt(x), latitude: latitudeAt(y) };
}
