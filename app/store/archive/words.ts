// Words: numbers that stand for the parts of a plate by which it can be found. These are its runs of three characters,
// and features that shorter fragments have too. Pure; tags.ts turns words into tags, plan.ts chooses those that a
// search needs.

import { foldConfused } from "#app/entities/search/look-alikes.ts";

/** Digits and letters; any other character counts as one more, because every find is compared in full anyway. */
const SIGNS = 37;
/** The characters that have their own number, which is their position here. */
export const SIGN_TEXTS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const TRIGRAMS = SIGNS ** 3;
const PAIRS = TRIGRAMS;
const GAPS = PAIRS + SIGNS ** 2;
const FIRST = GAPS + SIGNS ** 2;
const LAST = FIRST + SIGNS;
/** All words are below this number. */
export const WORDS = LAST + SIGNS;

/** Characters of a run. */
export const RUN = 3;

/** Returns the distinct runs of a plate, or those that every plate matching a pattern has, each where it is first. */
export function runPlaces(glob: string): { run: number; at: number }[] {
  const places: { run: number; at: number }[] = [];
  for (let at = 0; at + RUN <= glob.length; at++) {
    if (!isRun(glob, at)) continue;
    const run = runAt(glob, at);
    if (!places.some((place) => place.run === run)) places.push({ run, at });
  }
  return places;
}

/** Returns the distinct runs of a plate, or those that every plate matching a pattern has. */
export function runsOf(glob: string): number[] {
  return runPlaces(glob).map(({ run }) => run);
}

/** Returns the run that a run is in a folded plate. */
export function foldRun(run: number): number {
  const [first, second, third] = signsOf(run);
  return (foldSign(first) * SIGNS + foldSign(second)) * SIGNS + foldSign(third);
}

const FOLDED_SIGNS = Array.from(SIGN_TEXTS, (sign) => signAt(foldConfused(sign), 0));
const foldSign = (sign: number) => FOLDED_SIGNS[sign] ?? sign;

function signsOf(run: number): [first: number, second: number, third: number] {
  return [Math.floor(run / SIGNS ** 2), Math.floor(run / SIGNS) % SIGNS, run % SIGNS];
}

/** Returns the characters of a run; any other character than digits and A-Z is replaced by `other`. */
export function textOfRun(run: number, other: string): string {
  return signsOf(run)
    .map((sign) => SIGN_TEXTS[sign] ?? other)
    .join("");
}

/**
 * Returns the features of a plate, or those that every plate matching a pattern has: pairs, pairs around one other
 * character, first, last. Repeated features are returned repeatedly.
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

/** Returns the number of a character, in the archive's own order: 0-9, A-Z, all others. */
function signAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 90) return code - 55;
  return SIGNS - 1;
}

function isSign(glob: string, at: number): boolean {
  return at < glob.length && glob[at] !== "*" && glob[at] !== "?";
}

function isRun(glob: string, at: number): boolean {
  return isSign(glob, at) && isSign(glob, at + 1) && isSign(glob, at + 2);
}

function runAt(text: string, at: number): number {
  return (signAt(text, at) * SIGNS + signAt(text, at + 1)) * SIGNS + signAt(text, at + 2);
}

/**
 * Returns the approximate information of a character in bits: letters are rarer than digits, and "all others" is a wide
 * class.
 */
function weightAt(text: string, at: number): number {
  const sign = signAt(text, at);
  if (sign === SIGNS - 1) return 1;
  return sign < 10 ? 3.3 : 4.5;
}

/**
 * Returns the possible runs of three characters of a glob, one of which is unknown: every matching plate has one of
 * these runs. Uses the three characters that are probably the rarest; returns none if no two known characters are that
 * close.
 */
export function gapRunsOf(glob: string, signs: readonly string[]): number[] {
  let best = { at: -1, weight: 0 };
  for (let at = 0; at + 2 < glob.length; at++) {
    const known = [at, at + 1, at + 2].filter((n) => isSign(glob, n));
    if (known.length !== 2 || glob.slice(at, at + 3).includes("*")) continue;
    const weight = known.reduce((sum, n) => sum + weightAt(glob, n), 0);
    if (weight > best.weight) best = { at, weight };
  }
  if (best.at < 0) return [];
  const three = glob.slice(best.at, best.at + 3);
  return signs.map((sign) => runAt(three.replace("?", sign), 0));
}

/** The positions at which a pattern with a leading `*` may begin, in bits. */
const FREE_START = 2;

/** Returns the approximate rarity of the plates that match a glob: one plate in two to this power. */
export function rarityOf(glob: string): number {
  let bits = glob.startsWith("*") ? -FREE_START : 0;
  for (let at = 0; at < glob.length; at++) if (isSign(glob, at)) bits += weightAt(glob, at);
  return bits;
}

/**
 * Returns the run that is probably the rarest, and the one that narrows the search most in addition; none if the glob
 * has no run.
 */
export function bestRuns(glob: string): number[] {
  const places: number[] = [];
  for (let at = 0; at + RUN <= glob.length; at++) if (isRun(glob, at)) places.push(at);
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
