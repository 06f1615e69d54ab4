// What a sealed plate can be found by, as small numbers: its runs of three characters, and features that a short or
// broken fragment still has. Pure; which tags the numbers become is the business of a day's key.

import { PLATE_MAX_LENGTH, type PlatePattern } from "#app/entities/search/plate.ts";

/** Digits and letters; whatever else a plate holds counts as one more, since every find is checked in full anyway. */
const SIGNS = 37;
const TRIGRAMS = SIGNS ** 3;
const PAIRS = TRIGRAMS;
const GAPS = PAIRS + SIGNS ** 2;
const FIRST = GAPS + SIGNS ** 2;
const LAST = FIRST + SIGNS;
/** Runs and features are the numbers below this one. */
export const WORDS = LAST + SIGNS;

/** How a plate is looked for. Every way leads to reads that may fit; whether they do is seen when they are opened. */
export type PlatePlan =
  /** No plate can fit: nothing is asked. */
  | { kind: "impossible" }
  /** By one run of three, and by a second where there is one. */
  | { kind: "runs"; runs: number[] }
  /** By time, past reads that lack a feature; with none, each read is opened. */
  | { kind: "walk"; features: number[] };

/** The way to the reads whose plate fits a pattern. */
export function planPlate(pattern: PlatePattern): PlatePlan {
  if (pattern.kind === "any") return { kind: "walk", features: [] };
  if (pattern.text.replaceAll("*", "").length > PLATE_MAX_LENGTH) return { kind: "impossible" };
  const glob = pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
  const runs = bestRuns(glob);
  return runs.length > 0 ? { kind: "runs", runs } : { kind: "walk", features: featuresOf(glob) };
}

/** The runs of three of a plate, each once. */
export function runsOf(plate: string): number[] {
  const runs: number[] = [];
  for (let at = 0; at + 2 < plate.length; at++) {
    const run = runAt(plate, at);
    if (!runs.includes(run)) runs.push(run);
  }
  return runs;
}

/**
 * The features of a plate, or those that every plate of a pattern has: pairs, pairs around one other, first, last. One
 * that is there twice is given twice.
 */
export function featuresOf(glob: string): number[] {
  const features: number[] = [];
  for (let at = 0; at < glob.length; at++) {
    if (!isSign(glob, at)) continue;
    const own = signAt(glob, at);
    if (at === 0) features.push(FIRST + own);
    if (at === glob.length - 1) features.push(LAST + own);
    if (isSign(glob, at + 1)) features.push(PAIRS + own * SIGNS + signAt(glob, at + 1));
    if (at + 2 < glob.length && glob[at + 1] !== "*" && isSign(glob, at + 2))
      features.push(GAPS + own * SIGNS + signAt(glob, at + 2));
  }
  return features;
}

/** In the order of the archive's own numbers: 0-9, A-Z, all others. */
function signAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 90) return code - 55;
  return SIGNS - 1;
}

function isSign(glob: string, at: number): boolean {
  return at < glob.length && glob[at] !== "*" && glob[at] !== "?";
}

function runAt(text: string, at: number): number {
  return (signAt(text, at) * SIGNS + signAt(text, at + 1)) * SIGNS + signAt(text, at + 2);
}

/** What a character tells, in bits or so: letters are rarer than digits, and "all others" is a wide class. */
function weightAt(text: string, at: number): number {
  const sign = signAt(text, at);
  if (sign === SIGNS - 1) return 1;
  return sign < 10 ? 3.3 : 4.5;
}

/** The run that the fewest plates have, as far as one can tell, and the one that adds most to it. */
function bestRuns(glob: string): number[] {
  const places: number[] = [];
  for (let at = 0; at + 2 < glob.length; at++)
    if (isSign(glob, at) && isSign(glob, at + 1) && isSign(glob, at + 2)) places.push(at);
  const covered = new Set<number>();
  const runs: number[] = [];
  const gain = (at: number) =>
    [at, at + 1, at + 2].reduce((sum, n) => sum + (covered.has(n) ? 0 : weightAt(glob, n)), 0);
  while (runs.length < 2) {
    const best = places.reduce((a, b) => (gain(b) > gain(a) ? b : a), places[0] ?? -1);
    if (best < 0 || gain(best) === 0) return runs;
    for (const n of [best, best + 1, best + 2]) covered.add(n);
    const run = runAt(glob, best);
    if (!runs.includes(run)) runs.push(run);
  }
  return runs;
}
