import { believableTime, LATEST_READ } from "#app/entities/ingest/read-time.ts";
import { placeAt, type ResultColumns } from "#app/entities/search/result-columns.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { type Bounds, latitudeAt, longitudeAt, mercatorX, mercatorY } from "./camera.ts";

/**
 * The mappable reads of a result set, created once: sorted by time, so that a time range is a slice found by two binary
 * searches. Reads without a plausible time are at the end.
 */
export type MapPoints = {
  count: number;
  /** Number of points with a time. */
  timed: number;
  /** The row of each point in the result set. */
  rows: Uint32Array;
  /** The point of each row, or -1. */
  pointOfRow: Int32Array;
  /** Milliseconds; NaN without one. */
  times: Float64Array;
  /** Web Mercator, 0 to 1. */
  x: Float64Array;
  y: Float64Array;
  /** Index of the program in SOURCE_PROGRAMS. */
  programs: Uint8Array;
  /** The spot of each point: reads within a meter share one, such as those of a fixed camera. */
  spots: Uint32Array;
  spotCount: number;
  /** Points by spot, oldest first: those of spot s are at spotStarts[s] to spotStarts[s + 1]. */
  spotPoints: Uint32Array;
  spotStarts: Uint32Array;
};

/** One hundred-thousandth of a degree is about a meter. */
const SPOT_SCALE = 1e5;

/** Returns the points of a set; times later than `latest` count as missing. */
export function mapPoints(columns: ResultColumns, latest = LATEST_READ): MapPoints {
  const believable = (time: number) => believableTime(time, latest);
  const rows = sortedRows(columns, believable);
  const count = rows.length;
  const pointOfRow = new Int32Array(columns.count).fill(-1);
  const times = new Float64Array(count);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const programs = new Uint8Array(count);
  const [east, north] = [new Int32Array(count), new Int32Array(count)];
  let timed = 0;
  for (let point = 0; point < count; point++) {
    const row = rows[point] ?? 0;
    const place = placeAt(columns, row) as Place;
    pointOfRow[row] = point;
    times[point] = believable(columns.times[row] ?? 0);
    if (!Number.isNaN(times[point])) timed++;
    x[point] = mercatorX(place.longitude);
    y[point] = mercatorY(place.latitude);
    programs[point] = columns.programs[row] ?? 0;
    east[point] = Math.round(place.longitude * SPOT_SCALE);
    north[point] = Math.round(place.latitude * SPOT_SCALE);
  }
  const { spots, spotCount } = groupBySpot(east, north);
  return {
    count,
    timed,
    rows,
    pointOfRow,
    times,
    x,
    y,
    programs,
    spots,
    spotCount,
    ...indexBySpot(spots, spotCount),
  };
}

/** Returns mappable rows, oldest first, those without a time last. Stored sets are newest first and need no sorting. */
function sortedRows(columns: ResultColumns, believable: (time: number) => number): Uint32Array {
  const kept = new Uint32Array(columns.count);
  const late: number[] = [];
  let length = 0;
  let isSorted = true;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = columns.count - 1; row >= 0; row--) {
    const place = placeAt(columns, row);
    if (!place || !isMappable(place.latitude, place.longitude)) continue;
    const time = believable(columns.times[row] ?? 0);
    if (Number.isNaN(time)) {
      late.push(row);
      continue;
    }
    if (time < last) isSorted = false;
    last = time;
    kept[length++] = row;
  }
  const timed = kept.subarray(0, length);
  if (!isSorted) timed.sort((a, b) => (columns.times[a] ?? 0) - (columns.times[b] ?? 0) || b - a);
  kept.set(late, length);
  return kept.slice(0, length + late.length);
}

/** Numbers the distinct places in order of appearance, with open addressing over both coordinates. */
function groupBySpot(east: Int32Array, north: Int32Array): { spots: Uint32Array; spotCount: number } {
  const count = east.length;
  let capacity = 16;
  while (capacity < count * 2) capacity *= 2;
  const table = new Int32Array(capacity).fill(-1);
  const spots = new Uint32Array(count);
  const firsts = new Uint32Array(count);
  let spotCount = 0;
  for (let point = 0; point < count; point++) {
    const [e, n] = [east[point] ?? 0, north[point] ?? 0];
    let slot = (Math.imul(e, 0x9e3779b1) ^ Math.imul(n, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (capacity - 1);
    for (;;) {
      const spot = table[slot] ?? 0;
      if (spot === -1) {
        table[slot] = spotCount;
        firsts[spotCount] = point;
        spots[point] = spotCount++;
        break;
      }
      const first = firsts[spot] ?? 0;
      if (east[first] === e && north[first] === n) {
        spots[point] = spot;
        break;
      }
      slot = (slot + 1) & (capacity - 1);
    }
  }
  return { spots, spotCount };
}

function indexBySpot(spots: Uint32Array, spotCount: number) {
  const spotStarts = new Uint32Array(spotCount + 1);
  for (let point = 0; point < spots.length; point++) {
    const next = (spots[point] ?? 0) + 1;
    spotStarts[next] = (spotStarts[next] ?? 0) + 1;
  }
  for (let spot = 0; spot < spotCount; spot++) {
    spotStarts[spot + 1] = (spotStarts[spot + 1] ?? 0) + (spotStarts[spot] ?? 0);
  }
  const filled = spotStarts.slice();
  const spotPoints = new Uint32Array(spots.length);
  for (let point = 0; point < spots.length; point++) {
    const spot = spots[point] ?? 0;
    const at = filled[spot] ?? 0;
    spotPoints[at] = point;
    filled[spot] = at + 1;
  }
  return { spotPoints, spotStarts };
}

/** Returns the bounds of the points that pass, or null if none does. `pass` has one byte per row. */
export function boundsOf(points: MapPoints, pass: Uint8Array): Bounds | null {
  let [left, right, top, bottom] = [2, -1, 2, -1];
  for (let point = 0; point < points.count; point++) {
    if (pass[points.rows[point] ?? 0] !== 1) continue;
    const [x, y] = [points.x[point] ?? 0, points.y[point] ?? 0];
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
  }
  if (right < left) return null;
  return {
    west: longitudeAt(left),
    east: longitudeAt(right),
    north: latitudeAt(top),
    south: latitudeAt(bottom),
  };
}

/** Returns the slice of points between two times, inclusive: first index, and index after the last. */
export function timeSlice(points: MapPoints, from: number | null, to: number | null): [number, number] {
  return [
    from === null ? 0 : firstAtLeast(points, (time) => time >= from),
    to === null ? points.timed : firstAtLeast(points, (time) => time > to),
  ];
}

function firstAtLeast({ times, timed }: MapPoints, reached: (time: number) => boolean): number {
  let [low, high] = [0, timed];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reached(times[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the first and the last time, or null if no point has one. */
export function timeRange({ times, timed }: MapPoints): { from: number; to: number } | null {
  return timed === 0 ? null : { from: times[0] ?? 0, to: times[timed - 1] ?? 0 };
}

/** Returns the number of passing points per spot, and in total. */
export function countBySpot(points: MapPoints, pass: Uint8Array): { counts: Uint32Array; total: number } {
  const counts = new Uint32Array(points.spotCount);
  let total = 0;
  for (let point = 0; point < points.count; point++) {
    if (pass[points.rows[point] ?? 0] !== 1) continue;
    const spot = points.spots[point] ?? 0;
    counts[spot] = (counts[spot] ?? 0) + 1;
    total++;
  }
  return { counts, total };
}

/** Returns the passing rows on some spots, newest first, those without a time last. */
export function rowsOnSpots(points: MapPoints, spots: readonly number[], pass: Uint8Array): number[] {
  const found: number[] = [];
  for (const spot of spots) {
    const end = points.spotStarts[spot + 1] ?? 0;
    for (let at = points.spotStarts[spot] ?? 0; at < end; at++) {
      const point = points.spotPoints[at] ?? 0;
      if (pass[points.rows[point] ?? 0] === 1) found.push(point);
    }
  }
  const isTimed = (point: number) => (point < points.timed ? 1 : 0);
  found.sort((a, b) => isTimed(b) - isTimed(a) || b - a);
  return found.map((point) => points.rows[point] ?? 0);
}

/** Returns the spots with passing reads within `reach` of a place, nearest first. */
export function spotsNear(
  points: MapPoints,
  { x, y, reach, counts }: { x: number; y: number; reach: number; counts: Uint32Array },
): number[] {
  const found: { spot: number; distance: number }[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) {
    if (counts[spot] === 0) continue;
    const point = points.spotPoints[points.spotStarts[spot] ?? 0] ?? 0;
    const distance = Math.hypot((points.x[point] ?? 0) - x, (points.y[point] ?? 0) - y);
    if (distance <= reach) found.push({ spot, distance });
  }
  return found.sort((a, b) => a.distance - b.distance).map(({ spot }) => spot);
}

/** Returns the position of a spot in Mercator units. */
export function spotPlace(points: MapPoints, spot: number): { x: number; y: number } {
  const point = points.spotPoints[points.spotStarts[spot] ?? 0] ?? 0;
  return { x: points.x[point] ?? 0, y: points.y[point] ?? 0 };
}

/** Returns a single marker, for the small map of the detail view. */
export function onePoint(place: { latitude: number; longitude: number; program: number }): MapPoints {
  return {
    count: 1,
    timed: 0,
    rows: Uint32Array.of(0),
    pointOfRow: Int32Array.of(0),
    times: Float64Array.of(Number.NaN),
    x: Float64Array.of(mercatorX(place.longitude)),
    y: Float64Array.of(mercatorY(place.latitude)),
    programs: Uint8Array.of(place.program),
    spots: Uint32Array.of(0),
    spotCount: 1,
    spotPoints: Uint32Array.of(0),
    spotStarts: Uint32Array.of(0, 1),
  };
}
