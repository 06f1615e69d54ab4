import { isArrivalTime, type ResultColumns } from "#app/entities/search/result-columns.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { type Bounds, latitudeAt, longitudeAt, milesBetween } from "./camera.ts";
import type { MapPoints } from "./points.ts";

/** A read of the tracked plate: its row, spot and place (Mercator units), time, and the index of its trip. */
export type TrackRead = { row: number; spot: number; x: number; y: number; time: number; trip: number };

/** Consecutive reads without a long gap: those from index `start` up to, not including, `end`. */
export type Trip = { start: number; end: number; miles: number };

/** The reads of one plate in time order, divided into trips. Reads are numbered from 1 in this order. */
export type Track = {
  reads: TrackRead[];
  trips: Trip[];
  /** Passing reads of the plate that have no location, or no time but that of their arrival. */
  leftOut: number;
};

/** A longer time between two reads begins a new trip, by default. */
export const DEFAULT_GAP = 6 * HOUR;

/**
 * Returns the track of one plate through the passing reads. A read later than the one before by more than `gap`
 * milliseconds begins a new trip. Miles are straight lines from read to read.
 */
export function trackOf(
  points: MapPoints,
  input: { columns: ResultColumns; plate: string; pass: Uint8Array; gap: number },
): Track {
  const { columns, plate, pass, gap } = input;
  const code = columns.dictionaries.plate.indexOf(plate);
  const reads: TrackRead[] = [];
  const trips: Trip[] = [];
  if (code < 0) return { reads, trips, leftOut: 0 };
  const codes = columns.words.plate;
  let all = 0;
  for (let row = 0; row < columns.count; row++) if (codes[row] === code && pass[row] === 1) all++;
  for (let point = 0; point < points.timed; point++) {
    const row = points.rows[point] ?? 0;
    if (codes[row] !== code || pass[row] !== 1 || isArrivalTime(columns, row)) continue;
    const time = points.times[point] ?? 0;
    const [x, y] = [points.x[point] ?? 0, points.y[point] ?? 0];
    const last = reads.at(-1);
    let trip = trips.at(-1);
    if (!last || !trip || time - last.time > gap) {
      trip = { start: reads.length, end: reads.length, miles: 0 };
      trips.push(trip);
    } else {
      trip.miles += milesBetween(placeOf(last), placeOf({ x, y }));
    }
    trip.end++;
    reads.push({ row, spot: points.spots[point] ?? 0, x, y, time, trip: trips.length - 1 });
  }
  return { reads, trips, leftOut: all - reads.length };
}

/** Returns the part of a track that a time filter shows: the index of its first read, and the index after its last. */
export function shownReads(
  { reads }: Track,
  { from, to }: { from: number | null; to: number | null },
): [start: number, end: number] {
  const start = from === null ? 0 : reads.findIndex(({ time }) => time >= from);
  const end = to === null ? reads.length : reads.findLastIndex(({ time }) => time <= to) + 1;
  return start < 0 || end <= start ? [0, 0] : [start, end];
}

/** Returns the bounds of a track; null if it has no reads. */
export function boundsOfTrack({ reads }: Track): Bounds | null {
  if (reads.length === 0) return null;
  let [left, right, top, bottom] = [2, -1, 2, -1];
  for (const { x, y } of reads) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return {
    west: longitudeAt(left),
    east: longitudeAt(right),
    north: latitudeAt(top),
    south: latitudeAt(bottom),
  };
}

/** The reads of a track at one spot, by index, oldest first. */
export type TrackSpot = { spot: number; x: number; y: number; indexes: number[] };

/** Returns the spots of a track in order of first appearance, each with its reads. */
export function trackSpots({ reads }: Track): TrackSpot[] {
  const places = new Map<number, TrackSpot>();
  reads.forEach(({ spot, x, y }, index) => {
    const place = places.get(spot);
    if (place) place.indexes.push(index);
    else places.set(spot, { spot, x, y, indexes: [index] });
  });
  return [...places.values()];
}

function placeOf({ x, y }: { x: number; y: number }) {
  return { longitude: longitudeAt(x), latitude: latitudeAt(y) };
}
