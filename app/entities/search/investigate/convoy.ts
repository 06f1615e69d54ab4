// Convoy: the plates that were read shortly before or after a given plate at several cameras.

import { HOUR } from "#app/lib/time/dates.ts";
import { activityOf, chanceOfPassing, logChanceOfAtLeast } from "./chance.ts";

/** A read with its time (milliseconds) and camera; `row` is its row in the gathered reads. */
export type CameraRead = { row: number; at: number; camera: string };
export type OtherRead = CameraRead & { plate: string };

/** A read of the given plate and the nearest read of the other one at the same camera. */
type Pair = { anchor: number; row: number; camera: string; at: number; apartMs: number };

type Companion = {
  plate: string;
  /** Oldest first. */
  pairs: Pair[];
  cameras: number;
  /** Pairs more than an hour after the pair before them start a new trip. */
  trips: number;
  /** How many pairs the cameras' traffic yields by chance, and how many times that was found. */
  expected: number;
  lift: number;
  /** Natural logarithm of the chance of this many pairs or more. */
  logChance: number;
};

export type ConvoyInput = {
  /** Reads of the given plate. */
  anchors: readonly CameraRead[];
  /** Gathered reads of other plates, in any order. */
  others: readonly OtherRead[];
  withinMs: number;
  /** The fewest cameras a plate must have been read at together with the given one. */
  atLeast: number;
};

const TRIP_GAP_MS = HOUR;

/**
 * Returns the plates that were read within `withinMs` of the given plate at `atLeast` cameras or more, least likely by
 * chance first, then those at more cameras, then those with more pairs, then by plate.
 *
 * Model: each pass of the given plate is a trial. A vehicle of average activity is read around it by coincidence with
 * the chance that the traffic of that moment yields: the other vehicles read there within the time, among all vehicles
 * gathered. More active vehicles coincide more often. Passes count as independent, so that the number of pairs is
 * Poisson distributed; vehicles that merely use the same road at the same hour violate that and rank too high.
 */
export function rankConvoy({ anchors, others, withinMs, atLeast }: ConvoyInput): Companion[] {
  const passes = passesOf(anchors, withinMs);
  const byCamera = Map.groupBy(others, ({ camera }) => camera);
  for (const reads of byCamera.values()) reads.sort((a, b) => a.at - b.at || a.row - b.row);

  const pairsOf = new Map<string, Pair[]>();
  const beside = new Set<number>();
  const traffic = passes.map(({ row: anchor, at, camera }) => {
    const nearest = new Map<string, OtherRead>();
    const reads = byCamera.get(camera) ?? [];
    for (let i = firstFrom(reads, at - withinMs); i < reads.length; i++) {
      const read = reads[i];
      if (!read || read.at > at + withinMs) break;
      beside.add(read.row);
      const known = nearest.get(read.plate);
      if (!known || Math.abs(read.at - at) < Math.abs(known.at - at)) nearest.set(read.plate, read);
    }
    for (const [plate, read] of nearest) {
      const pair = { anchor, row: read.row, camera, at, apartMs: read.at - at };
      const pairs = pairsOf.get(plate);
      if (pairs) pairs.push(pair);
      else pairsOf.set(plate, [pair]);
    }
    return { anchor, vehicles: nearest.size };
  });

  const outside = new Map<string, number>();
  let outsideReads = 0;
  const plates = new Set<string>();
  for (const { plate, row } of others) {
    plates.add(plate);
    if (beside.has(row)) continue;
    outside.set(plate, (outside.get(plate) ?? 0) + 1);
    outsideReads++;
  }
  const average = outsideReads / Math.max(1, plates.size);

  const companions: Companion[] = [];
  for (const [plate, pairs] of pairsOf) {
    const cameras = new Set(pairs.map(({ camera }) => camera)).size;
    if (cameras < atLeast) continue;
    const activity = activityOf(outside.get(plate) ?? 0, average);
    const together = new Set(pairs.map(({ anchor }) => anchor));
    let expected = 0;
    for (const { anchor, vehicles } of traffic) {
      const others = vehicles - (together.has(anchor) ? 1 : 0);
      expected += chanceOfPassing({ others, population: plates.size - 1, trials: passes.length, activity });
    }
    companions.push({
      plate,
      pairs,
      cameras,
      trips: pairs.filter(({ at }, i) => at - (pairs[i - 1]?.at ?? Number.NEGATIVE_INFINITY) > TRIP_GAP_MS)
        .length,
      expected,
      lift: pairs.length / expected,
      logChance: logChanceOfAtLeast(pairs.length, expected),
    });
  }
  return companions.sort(
    (a, b) =>
      a.logChance - b.logChance ||
      b.cameras - a.cameras ||
      b.pairs.length - a.pairs.length ||
      (a.plate < b.plate ? -1 : 1),
  );
}

/**
 * Returns the passes among the reads of one plate, oldest first: a read at the same camera within the time of the one
 * before it belongs to the same pass.
 */
function passesOf(anchors: readonly CameraRead[], withinMs: number): CameraRead[] {
  const last = new Map<string, number>();
  return [...anchors]
    .sort((a, b) => a.at - b.at || a.row - b.row)
    .filter(({ camera, at }) => {
      const before = last.get(camera);
      last.set(camera, at);
      return before === undefined || at - before > withinMs;
    });
}

/** Returns the index of the first read at or after a time. */
function firstFrom(reads: readonly OtherRead[], time: number): number {
  let [low, high] = [0, reads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reads[middle]?.at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
