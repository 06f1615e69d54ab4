// Plans how the reads of a plate pattern are found: by runs, by runs with a gap, or by features alone. Every plan finds
// candidates, which are compared when they are opened. Pure. A plan for look-alikes lists the patterns within one edit
// and takes the smallest set of runs of which each pattern contains one.

import {
  confusedWith,
  foldConfused,
  leewayOf,
  sometimesConfusedWith,
} from "#app/entities/search/look-alikes.ts";
import { PLATE_MAX_LENGTH, type PlatePattern } from "#app/entities/search/plate.ts";
import type { RunTags } from "./tags.ts";
import {
  bestRuns,
  featuresOf,
  gapRunsOf,
  RUN,
  rarityOf,
  runPlaces,
  runsOf,
  SIGN_TEXTS,
  textOfRun,
} from "./words.ts";

/** Plates with a run that also have one of the other runs and all features of one of the sets, if there are any. */
export type Way = { run: number; others: number[]; features: number[][] };

export type PlatePlan =
  /** No plate can match: nothing is queried. */
  | { kind: "impossible" }
  /** By runs, in any of the ways. */
  | { kind: "runs"; tags: RunTags; ways: Way[] }
  /** By plates that have any one of the runs and all of the features. */
  | { kind: "gap"; tags: RunTags; runs: number[]; features: number[] }
  /** By time, skipping reads that lack a feature; without features, every read is opened. */
  | { kind: "time"; features: number[] };

/** Returns the plan for the plates that match a pattern or, with `lookAlikes`, resemble it. */
export function planPlate(pattern: PlatePattern, lookAlikes: boolean): PlatePlan {
  const glob = globOf(pattern);
  if (lookAlikes || isTooLong(glob, 0)) return planFolded(pattern, lookAlikes);
  return gapPlan(glob, "read") ?? exactPlan(glob, "read");
}

/** Returns the plan that also finds reads whose tags do not say how runs are spelled. It finds look-alikes, too. */
export function planFolded(pattern: PlatePattern, lookAlikes: boolean): PlatePlan {
  const glob = globOf(pattern);
  const leeway = lookAlikes ? leewayOf(pattern) : "none";
  if (isTooLong(glob, lookAlikes ? 1 : 0)) return { kind: "impossible" };
  if (leeway === "none") return gapPlan(glob, "folded") ?? exactPlan(foldConfused(glob), "folded");
  const globs = leeway === "edit" ? edited(foldConfused(glob)) : misread(glob);
  return { kind: "runs", tags: "folded", ways: cover(globs) };
}

/** Returns whether a plan misses reads whose tags do not say how runs are spelled. */
export function isOfRunsAsRead(plan: PlatePlan): boolean {
  return (plan.kind === "runs" || plan.kind === "gap") && plan.tags === "read";
}

/** How many days are searched together, newest first. */
export type DaySteps = {
  /** The number of days that are searched first. */
  first: number;
  /** Returns the number of days to search next, after `days` days with `found` rows, if more rows are wanted. */
  next: (days: number, progress: { found: number; wanted: number }) => number;
  /** The share of the wanted rows with which the next days are left for later. */
  share: number;
};

/** By time, every row of the days is looked at, and the first row may be many days ago. */
const BY_TIME: DaySteps = { first: 1, next: (days) => 3 * days + 1, share: 1 / 8 };
/** By a run that nothing else narrows. The newest days show how many are needed; a few more than that are searched. */
const BY_WIDE_RUN: DaySteps = {
  first: 2,
  next: (days, { found, wanted }) => Math.ceil((1.2 * days * wanted) / found),
  share: 1,
};

/** Returns the steps of a search that many reads match; undefined for one that searches all days together. */
export function daySteps(plan: PlatePlan): DaySteps | undefined {
  if (plan.kind === "time") return BY_TIME;
  const isWide = ({ others, features }: Way) => others.length === 0 && features.length === 0;
  return plan.kind === "runs" && plan.ways.some(isWide) ? BY_WIDE_RUN : undefined;
}

function isTooLong(glob: string, extra: number): boolean {
  return glob.replaceAll("*", "").length > PLATE_MAX_LENGTH + extra;
}

/** Maximum number of runs per key of a plan for former tags; with more, every read of the key is opened. */
const FORMER_RUNS = 300;

/** Returns the same plan for reads that still have the tags of the plate as read. */
export function planFormerTags(pattern: PlatePattern, lookAlikes: boolean): PlatePlan {
  const glob = globOf(pattern);
  const plan = planFolded(pattern, lookAlikes);
  if (plan.kind === "impossible") return plan;
  if (!lookAlikes) return exactPlan(glob, "former");
  if (plan.kind !== "runs")
    return exactPlan(
      glob
        .split("")
        .map((sign) => (confusedWith(sign).length > 1 ? "?" : sign))
        .join(""),
      "former",
    );
  const runs = plan.ways.flatMap(({ run }) => spellings(textOfRun(run, "?")));
  const ways = [...new Set(runs)].map((run): Way => ({ run, others: [], features: [] }));
  return ways.length > FORMER_RUNS ? { kind: "time", features: [] } : { kind: "runs", tags: "former", ways };
}

function globOf(pattern: PlatePattern): string {
  if (pattern.kind === "any") return "*";
  return pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
}

function exactPlan(glob: string, tags: RunTags): PlatePlan {
  const featuresIn = tags === "former" ? featuresOf : foldedFeatures;
  const [run, other] = bestRuns(glob);
  if (run === undefined) return { kind: "time", features: featuresIn(glob) };
  const others = other === undefined ? [] : [other];
  const features = setsOf([featuresBeyond([run, ...others], glob, featuresIn)]);
  return { kind: "runs", tags, ways: [{ run, others, features }] };
}

const foldedFeatures = (glob: string) => featuresOf(foldConfused(glob));

/** Returns the features of a glob to check in addition to its given runs; none if the runs are enough. */
function featuresBeyond(runs: number[], glob: string, featuresIn = foldedFeatures): number[] {
  if (runs.length > 1 && rarityOf(onlyRuns(glob, runs)) >= RARE_PLATE) return [];
  const own = runs.flatMap((run) => featuresIn(`*${textOfRun(run, OTHER)}*`));
  return featuresIn(glob).filter((feature) => !own.includes(feature));
}

/** Returns a glob with only those characters that are part of the runs. */
function onlyRuns(glob: string, runs: number[]): string {
  const places = runPlaces(glob).filter(({ run }) => runs.includes(run));
  return glob
    .split("")
    .map((sign, i) => (sign === "*" || places.some(({ at }) => i >= at && i < at + RUN) ? sign : "?"))
    .join("");
}

/** Returns the sets that contain no other one; none if one is empty, because every plate has its features. */
function setsOf(sets: number[][]): number[][] {
  return sets.some((set) => set.length === 0) ? [] : smallest(sets);
}

/** Patterns that match more than one plate in 2^8 fill a page sooner if reads are searched by time. */
const LEAST_RARE = 8;
/** If runs match at most one plate in 2^12, the reads are opened without comparing their features first. */
const RARE_PLATE = 12;
/** Stands for all characters but digits and A-Z. */
const OTHER = "\u00e9";
const SIGNS = [...SIGN_TEXTS, OTHER];
const FOLDED_SIGNS = [...new Set(SIGNS.map(foldConfused))];

/**
 * Returns the plan for a glob without a run, such as `A?B?C`: the rarest three characters with one unknown, as each of
 * the 37 runs that they may be, or 28 when folded. By time, every read of the range would be compared.
 */
function gapPlan(glob: string, tags: "read" | "folded"): PlatePlan | undefined {
  if (rarityOf(glob) < LEAST_RARE || runsOf(glob).length > 0) return undefined;
  const runs = tags === "read" ? gapRunsOf(glob, SIGNS) : gapRunsOf(foldConfused(glob), FOLDED_SIGNS);
  return runs.length > 0 ? { kind: "gap", tags, runs, features: foldedFeatures(glob) } : undefined;
}

/** Returns the runs that fold to a run. "?" stands for the class of all other characters. */
function spellings(text: string): number[] {
  const choices = Array.from(text, (sign) => (sign === "?" ? [OTHER] : confusedWith(sign)));
  const texts = choices.reduce(
    (heads, signs) => heads.flatMap((head) => signs.map((sign) => head + sign)),
    [""],
  );
  return texts.flatMap(runsOf);
}

/** Returns the folded globs of a glob and of each reading with one character that is sometimes confused. */
function misread(glob: string): string[] {
  const readings = glob
    .split("")
    .flatMap((sign, i, signs) => sometimesConfusedWith(sign).map((other) => signs.with(i, other).join("")));
  return [...new Set([glob, ...readings].map(foldConfused))];
}

/**
 * Returns globs that every plate within one edit of a folded glob matches. An edit changes at most one of two groups of
 * three characters, so each glob has a run.
 */
function edited(glob: string): string[] {
  const globs = [glob];
  const signs = glob.split("");
  for (const i of [...signs.keys(), signs.length]) {
    const place = signs[i];
    globs.push([...signs.slice(0, i), "?", ...signs.slice(i)].join(""));
    if (place === undefined || place === "*") continue;
    globs.push(signs.toSpliced(i, 1).join(""));
    globs.push(signs.with(i, "?").join(""));
  }
  return [...new Set(globs)];
}

/**
 * Returns few ways, such that each glob has one of them. Every way costs a lookup per key, so each takes the run that
 * most of the remaining globs have. A few other runs then separate the wanted plates from others with that run; if a
 * glob has no other run, features do.
 */
function cover(globs: string[]): Way[] {
  const runs = new Map(globs.map((glob) => [glob, runsOf(glob)]));
  return fewest(runs).map(([run, having]) => {
    const rest = new Map(having.map((glob) => [glob, farthest(glob, run)]));
    const others = having.every((glob) => rest.get(glob)?.length !== 0) ? fewest(rest) : [];
    const sets =
      others.length > 0
        ? others.flatMap(([other, own]) => own.map((glob) => featuresBeyond([run, other], glob)))
        : having.map((glob) => featuresBeyond([run], glob));
    return { run, others: others.map(([other]) => other), features: setsOf(sets) };
  });
}

/** Returns the other runs of a glob that share the fewest characters with a run and so narrow the search most. */
function farthest(glob: string, run: number): number[] {
  const places = runPlaces(glob);
  const own = places.find((place) => place.run === run);
  if (!own) return [];
  const others = places.filter((place) => place.run !== run);
  const shared = ({ at }: { at: number }) => Math.max(0, RUN - Math.abs(at - own.at));
  const least = Math.min(...others.map(shared));
  return others.filter((place) => shared(place) === least).map((place) => place.run);
}

/** Returns the sets that contain no other one. */
function smallest(sets: number[][]): number[][] {
  const bySize = sets.toSorted((a, b) => a.length - b.length);
  const chosen: number[][] = [];
  for (const set of bySize)
    if (!chosen.some((smaller) => smaller.every((feature) => set.includes(feature)))) chosen.push(set);
  return chosen;
}

/** Returns few runs, each with globs that have it, such that every glob is listed once. */
function fewest(runs: Map<string, number[]>): [run: number, globs: string[]][] {
  const open = new Set(runs.keys());
  const chosen: [number, string[]][] = [];
  while (open.size > 0) {
    const having = new Map<number, string[]>();
    for (const glob of open)
      for (const run of runs.get(glob) ?? []) having.set(run, [...(having.get(run) ?? []), glob]);
    const best = [...having].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    for (const glob of best[1]) open.delete(glob);
    chosen.push(best);
  }
  return chosen;
}
