import type { Camera } from "./places.ts";

/** Shortest paths between cameras, over a graph that links near cameras and those on the same road. */
export interface Roads {
  /** Camera indexes from the first to the last, both included. */
  path(from: number, to: number): number[];
  /** Seconds between two cameras in free-flowing traffic. */
  seconds(from: number, to: number): number;
}

const NEIGHBORS = 5;

export function kilometresBetween(
  a: { latitude: number; longitude: number },
  b: { latitude: number; longitude: number },
): number {
  const radians = Math.PI / 180;
  const x = (b.longitude - a.longitude) * radians * Math.cos(((a.latitude + b.latitude) / 2) * radians);
  const y = (b.latitude - a.latitude) * radians;
  return Math.hypot(x, y) * 6371;
}

/** Degrees clockwise from north. */
export function bearing(
  a: { latitude: number; longitude: number },
  b: { latitude: number; longitude: number },
): number {
  const radians = Math.PI / 180;
  const x = (b.longitude - a.longitude) * Math.cos(a.latitude * radians);
  return (Math.atan2(x, b.latitude - a.latitude) / radians + 360) % 360;
}

export function roadsBetween(cameras: readonly Camera[]): Roads {
  const count = cameras.length;
  const cost = new Float64Array(count * count).fill(Number.POSITIVE_INFINITY);
  const next = new Int16Array(count * count).fill(-1);

  function join(a: Camera, b: Camera): void {
    // Roads are not straight: they are a quarter longer than the direct line.
    const speed = a.highway && b.highway ? 92 : a.highway || b.highway ? 60 : 40;
    const seconds = ((kilometresBetween(a, b) * 1.25) / speed) * 3600 + 20;
    for (const [from, to] of [
      [a.index, b.index],
      [b.index, a.index],
    ] as const) {
      cost[from * count + to] = seconds;
      next[from * count + to] = to;
    }
  }

  for (const camera of cameras) {
    cost[camera.index * count + camera.index] = 0;
    const others = cameras
      .filter((other) => other !== camera)
      .sort((a, b) => kilometresBetween(camera, a) - kilometresBetween(camera, b));
    for (const other of others.slice(0, NEIGHBORS)) join(camera, other);
    const sameRoad = others.find((other) => other.road === camera.road && other.highway);
    if (sameRoad) join(camera, sameRoad);
    // Links towns to the rest of the state, so that the graph is connected.
    const north = others.find((other) => other.highway && other.latitude > camera.latitude);
    if (north && camera.highway) join(camera, north);
  }

  for (let via = 0; via < count; via++) {
    for (let from = 0; from < count; from++) {
      const first = cost[from * count + via] ?? 0;
      if (first === Number.POSITIVE_INFINITY) continue;
      for (let to = 0; to < count; to++) {
        const total = first + (cost[via * count + to] ?? 0);
        if (total < (cost[from * count + to] ?? 0)) {
          cost[from * count + to] = total;
          next[from * count + to] = next[from * count + via] ?? 0;
        }
      }
    }
  }

  return {
    seconds: (from, to) => cost[from * count + to] ?? 0,
    path(from, to) {
      const way = [from];
      let at = from;
      while (at !== to) {
        at = next[at * count + to] ?? 0;
        if (at < 0) throw new RangeError("These cameras are not connected");
        way.push(at);
      }
      return way;
    },
  };
}
