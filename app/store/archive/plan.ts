// Plans how the reads of a plate pattern are found: by runs, or by features alone. Every plan finds candidates, which
// are compared when they are opened. Pure. A plan for look-alikes lists the patterns that one edit leads to and takes
// the fewest runs that each of them contains.

import {
  confusedWith,
  foldConfused,
  leewayOf,
  sometimesConfusedWith,
} from "#app/entities/search/look-alikes.ts";
import { PLATE_MAX_LENGTH, type PlatePattern } from "#app/entities/search/plate.ts";
import { at } from "#app/lib/at.ts";
import { bestRuns, featuresOf, runsOf, textOfRun } from "./words.ts";

/** Plates with one run that also have the features, or with two runs. */
export type Way = { runs: [run: number, other?: number]; features: number[] };

export type PlatePlan =
  /** No plate can match: nothing is queried. */
  | { kind: "impossible" }
  /** By runs, in any of the ways. */
  | { kind: "runs"; ways: Way[] }
  /** By time, skipping reads that lack a feature; without features, every read is opened. */
  | { kind: "walk"; features: number[] };

/** Returns the plan for the plates that match a pattern, or that also resemble it, among reads tagged by folded plates. */
export function planPlate(pattern: PlatePattern, lookAlikes: boolean): PlatePlan {
  const glob = globOf(pattern);
  if (glob.replaceAll("*", "").length > PLATE_MAX_LENGTH + (lookAlikes ? 1 : 0))
    return { kind: "impossible" };
  const leeway = lookAlikes ? leewayOf(pattern) : "none";
  if (leeway === "none") return exactPlan(foldConfused(glob));
  return { kind: "runs", ways: cover(leeway === "edit" ? edited(foldConfused(glob)) : misread(glob)) };
}

/** Most runs per key of a plan for former tags; with more, every read of the key is opened. */
const FORMER_RUNS = 300;

/** Returns the same plan among reads that are still tagged by plates as read. */
export function planFormerTags(pattern: PlatePattern, lookAlikes: boolean): PlatePlan {
  const glob = globOf(pattern);
  const plan = planPlate(pattern, lookAlikes);
  if (plan.kind === "impossible") return plan;
  if (!lookAlikes) return exactPlan(glob);
  if (plan.kind === "walk")
    return exactPlan(
      glob
        .split("")
        .map((sign) => (confusedWith(sign).length > 1 ? "?" : sign))
        .join(""),
    );
  const spelled = (run: number) => spellings(textOfRun(run, "?"));
  const runs = plan.ways.flatMap(({ runs: [run, other] }) => {
    const [own, others] = [spelled(run), other === undefined ? undefined : spelled(other)];
    return others && others.length < own.length ? others : own;
  });
  const ways = [...new Set(runs)].map((run): Way => ({ runs: [run], features: [] }));
  return ways.length > FORMER_RUNS ? { kind: "walk", features: [] } : { kind: "runs", ways };
}

function globOf(pattern: PlatePattern): string {
  if (pattern.kind === "any") return "*";
  return pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
}

function exactPlan(glob: string): PlatePlan {
  const [run, other] = bestRuns(glob);
  if (run === undefined) return { kind: "walk", features: featuresOf(glob) };
  return { kind: "runs", ways: [{ runs: other === undefined ? [run] : [run, other], features: [] }] };
}

/** Returns the runs that fold to a run. "?" stands for the class of all other characters. */
function spellings(text: string): number[] {
  const other = "\u00e9";
  const choices = Array.from(text, (sign) => (sign === "?" ? [other] : confusedWith(sign)));
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
 * Returns globs that every plate within one edit of a folded glob matches. An edit spoils one of two groups of three
 * characters at most, so that each has a run.
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

/** Returns few ways, such that each glob has the runs and features of one of them. Two runs find far fewer than one. */
function cover(globs: string[]): Way[] {
  const open = new Set(globs);
  const runs = new Map(globs.map((glob) => [glob, runsOf(glob)]));
  const pairs = candidates(runs, (own) =>
    own.flatMap((run, i) => own.slice(i + 1).map((other): Way["runs"] => [run, other])),
  );
  const singles = candidates(runs, (own) => own.map((run): Way["runs"] => [run]));
  const ways: Way[] = [];
  for (const offered of [pairs, singles]) {
    for (;;) {
      let best: { runs: Way["runs"]; globs: string[] } | undefined;
      for (const { runs: own, globs: having } of offered) {
        const covered = having.filter((glob) => open.has(glob));
        if (covered.length > (best?.globs.length ?? 0)) best = { runs: own, globs: covered };
      }
      if (!best) break;
      for (const glob of best.globs) open.delete(glob);
      // Two runs are rare enough without features.
      const features = best.runs.length > 1 ? [] : common(best.globs.map(featuresOf));
      ways.push({ runs: best.runs, features });
    }
  }
  if (open.size > 0) throw new Error("a glob without a run cannot be covered");
  return ways;
}

type Candidate = { runs: Way["runs"]; globs: string[] };

function candidates(runs: Map<string, number[]>, list: (runs: number[]) => Way["runs"][]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const [glob, own] of runs)
    for (const wanted of list(own)) {
      const known = found.get(wanted.join()) ?? { runs: wanted, globs: [] };
      known.globs.push(glob);
      found.set(wanted.join(), known);
    }
  return [...found.values()];
}

function common(lists: number[][]): number[] {
  return [...new Set(at(lists, 0))].filter((feature) => lists.every((list) => list.includes(feature)));
}
