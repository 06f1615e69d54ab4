// Convoy: the plates that were read shortly before or after a given plate at several cameras.

import { at } from "#app/lib/at.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { activityOf, chanceOfPassing, logChanceOfAtLeast } from "./chance.ts";

/** A read with its time (milliseconds) and camera; `row` is its row in the gathered reads. */
export type CameraRead = { row: number; at: number; camera: string };
export type OtherRead = CameraRead & { plate: string };

/** The read of a pass of the given plate, and the read of the other one at the same camera, that are nearest to each other. */
type Pair = { anchor: number; row: number; camera: string; at: number; apartMs: number };

type Companion = {
  plate: string;
  /** Oldest first. */
  pairs: Pair[];
  cameras: number;
  /** Pairs more than an hour after the pair before them start a new trip. */
  trips: number;
  /** The number of pairs that the cameras' traffic yields by chance, and the ratio of found pairs to it. */
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
  /** The minimum number of cameras at which a plate must have been read together with the given one. */
  atLeast: number;
};

const TRIP_GAP_MS = HOUR;

/**
 * Returns the plates that were read within `withinMs` of the given plate at `atLeast` cameras or more, least likely by
 * chance first, then those at more cameras, then those with more pairs, then by plate.
 *
 * A pass lasts from the given plate's first read at a camera to its last, if it is read again and again.
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

  const pairsOf = new Map<string, { pass: number; pair: Pair }[]>();
  const beside = new Set<number>();
  const traffic = passes.map(({ camera, reads }, pass) => {
    const nearest = new Map<string, { read: OtherRead; anchor: CameraRead }>();
    const [first, last] = [at(reads, 0), at(reads, reads.length - 1)];
    const there = byCamera.get(camera) ?? [];
    // Successive reads of a pass are at most `withinMs` apart, so every other read between them is close enough to one
    // of them.
    for (let i = firstFrom(there, first.at - withinMs); i < there.length; i++) {
      const read = at(there, i);
      if (read.at > last.at + withinMs) break;
      beside.add(read.row);
      const anchor = nearestTo(read, reads);
      const known = nearest.get(read.plate);
      if (!known || apart(read, anchor) < apart(known.read, known.anchor))
        nearest.set(read.plate, { read, anchor });
    }
    for (const [plate, { read, anchor }] of nearest) {
      const pair = { anchor: anchor.row, row: read.row, camera, at: anchor.at, apartMs: read.at - anchor.at };
      const pairs = pairsOf.get(plate);
      if (pairs) pairs.push({ pass, pair });
      else pairsOf.set(plate, [{ pass, pair }]);
    }
    return nearest.size;
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
  for (const [plate, found] of pairsOf) {
    const pairs = found.map(({ pair }) => pair).sort((a, b) => a.at - b.at);
    const cameras = new Set(pairs.map(({ camera }) => camera)).size;
    if (cameras < atLeast) continue;
    const activity = activityOf(outside.get(plate) ?? 0, average);
    const together = new Set(found.map(({ pass }) => pass));
    let expected = 0;
    for (const [pass, vehicles] of traffic.entries()) {
      const others = vehicles - (together.has(pass) ? 1 : 0);
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

/** The reads of one passing of a camera, oldest first; at least one. */
type Pass = { camera: string; reads: CameraRead[] };

/**
 * Returns the passes among the reads of one plate, oldest first: a read at the same camera within the time of the one
 * before it belongs to the same pass.
 */
function passesOf(anchors: readonly CameraRead[], withinMs: number): Pass[] {
  const passes: Pass[] = [];
  const open = new Map<string, Pass>();
  for (const read of [...anchors].sort((a, b) => a.at - b.at || a.row - b.row)) {
    const pass = open.get(read.camera);
    if (pass && read.at - at(pass.reads, pass.reads.length - 1).at <= withinMs) {
      pass.reads.push(read);
      continue;
    }
    const next = { camera: read.camera, reads: [read] };
    open.set(read.camera, next);
    passes.push(next);
  }
  return passes;
}

const apart = (a: CameraRead, b: CameraRead) => Math.abs(a.at - b.at);

/** Returns the read of a pass that is nearest to another read, the earlier among equals. */
function nearestTo(read: OtherRead, reads: readonly CameraRead[]): CameraRead {
  return reads.reduce((best, one) => (apart(one, read) < apart(best, read) ? one : best));
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
