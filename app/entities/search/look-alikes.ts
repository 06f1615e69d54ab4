// Look-alikes: plates that a camera or a witness may have meant when another was read or remembered. One table of
// confusable characters serves searches, the tags of the archive, and hotlist entries. Pure, runs in the browser too.
//
// A plate resembles a pattern if it matches after three kinds of changes:
// - any number of characters of one set in CONFUSED (0 read as O);
// - with three known characters in a row: one pair of CONFUSED_SOMETIMES (3 read as 8);
// - with two such groups, as in every plate of six: instead of that, one missing, extra or wrong character.
// Shorter patterns allow less: one edit in four characters matches plates that share three with it, mostly by chance.

import { at } from "#app/lib/at.ts";
import { type PlatePattern, plateMatches } from "./plate.ts";

/**
 * Characters that cameras often confuse (equivalence sets of plate readers; I and L for witnesses). The first of each
 * set stands for all in the archive's tags: changing a set requires tagging all stored reads again.
 */
export const CONFUSED = ["0ODQ", "1IL", "2Z", "5S", "8B", "6G"] as const;

/** Pairs that cameras confuse less often, from users' corrections and published lists. */
const CONFUSED_SOMETIMES =
  "08 27 35 38 39 3B 49 4A 58 68 BP CG EF EP FP HK HM HR KM KR KX MR PR TV TY UV VW VY XY".split(" ");

/**
 * What each change multiplies the score by. No measured rates for American plates are published; these weights only
 * rank, in the order of what is likelier.
 */
const WEIGHTS = { confused: 0.9, sometimes: 0.7, wrong: 0.5, missing: 0.4, extra: 0.4 } as const;

const SOMETIMES = new Set(CONFUSED_SOMETIMES.flatMap((pair) => [pair, pair.charAt(1) + pair.charAt(0)]));

/** Returns a function that replaces each character of a text that is in a set by the first character of the set. */
export function foldingTo(sets: readonly string[]): (text: string) => string {
  const firsts = new Map(sets.flatMap((set) => Array.from(set, (character) => [character, set.charAt(0)])));
  return (text) => {
    let folded = "";
    for (const character of text) folded += firsts.get(character) ?? character;
    return folded;
  };
}

/** Returns a text with each confusable character replaced by the first of its set. */
export const foldConfused = foldingTo(CONFUSED);

/** Returns the characters that a character is sometimes confused with. */
export function sometimesConfusedWith(character: string): string[] {
  return [...SOMETIMES].filter((pair) => pair.startsWith(character)).map((pair) => pair.charAt(1));
}

/** Returns every character that is confused with a character, with itself first. */
export function confusedWith(character: string): string[] {
  const set = CONFUSED.find((others) => others.includes(character)) ?? "";
  return [...new Set([character, ...set])];
}

/** What a pattern allows besides confused characters: nothing, one pair confused sometimes, or any one edit. */
type Leeway = "none" | "sometimes" | "edit";

/** Returns the leeway of a pattern, by its groups of three known characters in a row. */
export function leewayOf(pattern: PlatePattern): Leeway {
  if (pattern.kind === "any") return "none";
  const pieces = pattern.text.split(/[*?]+/);
  const groups = pieces.reduce((sum, { length }) => sum + Math.floor(length / 3), 0);
  if (groups === 0) return "none";
  return groups === 1 ? "sometimes" : "edit";
}

/** How a plate matches: `score` is 1 if exact, else below; `reason` is empty if exact, else "8 read as B". */
export type PlateMatch = { score: number; reason: string };

const EXACT: PlateMatch = { score: 1, reason: "" };
/** Longest plate that is compared, so that a vendor's long text costs nothing. */
const MAX_PLATE = 40;
/** Scores have two decimals. */
const DECIMALS = 100;

/** Returns a function that compares plates with a pattern; it returns undefined for plates that do not resemble it. */
export function lookAlikeMatcher(pattern: PlatePattern): (plate: string) => PlateMatch | undefined {
  if (pattern.kind === "any") return () => EXACT;
  const glob = pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
  const leeway = leewayOf(pattern);
  const shortest = glob.replaceAll("*", "").length - (leeway === "edit" ? 1 : 0);
  const longest = glob.includes("*") ? MAX_PLATE : shortest + 2;
  const align = aligner(glob, leeway);
  return (plate) => {
    if (plateMatches(pattern, plate)) return EXACT;
    if (plate.length < shortest || plate.length > longest) return undefined;
    return align(plate);
  };
}

/**
 * Returns a function that tells whether one whole plate may have been read as another. Fast if calls with the same first
 * plate follow each other.
 */
export function plateComparer(): (plate: string, other: string) => boolean {
  let compared: string | undefined;
  let matches: ReturnType<typeof lookAlikeMatcher> = () => undefined;
  return (plate, other) => {
    if (plate !== compared) matches = lookAlikeMatcher({ kind: "pattern", text: plate });
    compared = plate;
    return matches(other) !== undefined;
  };
}

/** Steps of an alignment. The first four change nothing; the others are those of CHANGES. */
const [END, PASS_STAR, STAR_TAKES, SAME, CONFUSED_STEP] = [0, 1, 2, 3, 4];
const CHANGES = ["confused", "sometimes", "wrong", "missing", "extra"] as const;
const [SOMETIMES_STEP, WRONG, MISSING, EXTRA] = [5, 6, 7, 8];
const FACTORS = [1, 1, 1, 1, ...CHANGES.map((change) => WEIGHTS[change])];
const ASCII = 128;
/** The step of two different ASCII characters, because looking up texts takes most of the time otherwise. */
const STEPS = stepsOfPairs();

function stepsOfPairs(): Uint8Array {
  const steps = new Uint8Array(ASCII * ASCII).fill(WRONG);
  const put = (pair: string, step: number) => {
    steps[pair.charCodeAt(0) * ASCII + pair.charCodeAt(1)] = step;
  };
  for (const pair of SOMETIMES) put(pair, SOMETIMES_STEP);
  for (const set of CONFUSED) for (const a of set) for (const b of set) put(a + b, CONFUSED_STEP);
  return steps;
}

/**
 * Returns a function that finds the likeliest alignment of a glob and a plate. It visits each combination of a place in
 * the glob, a place in the plate, and edits used (0 or 1) once, so that no pattern is slow.
 */
function aligner(glob: string, leeway: Leeway): (plate: string) => PlateMatch | undefined {
  const places = (glob.length + 1) * (MAX_PLATE + 1);
  const best = new Float64Array(2 * places);
  const steps = new Uint8Array(2 * places);
  const lastEdits = leeway === "none" ? 0 : 1;
  const anyEdit = leeway === "edit";
  const indexOf = (edits: number, i: number, j: number) => edits * places + i * (MAX_PLATE + 1) + j;

  function take(own: number, step: number, from: number): void {
    const score = at(FACTORS, step) * (best[from] ?? 0);
    if (score <= (best[own] ?? 0)) return;
    best[own] = score;
    steps[own] = step;
  }

  function visit(edits: number, i: number, j: number, plate: string): void {
    const own = indexOf(edits, i, j);
    best[own] = i === glob.length && j === plate.length ? 1 : 0;
    steps[own] = END;
    if (glob[i] === "*") {
      take(own, PASS_STAR, indexOf(edits, i + 1, j));
      if (j < plate.length) take(own, STAR_TAKES, indexOf(edits, i, j + 1));
      return;
    }
    const mayEdit = edits < lastEdits;
    if (i < glob.length && j < plate.length) {
      const step = pairStep(glob, i, plate, j);
      if (step <= CONFUSED_STEP) take(own, step, indexOf(edits, i + 1, j + 1));
      else if (mayEdit && (anyEdit || step === SOMETIMES_STEP)) take(own, step, indexOf(1, i + 1, j + 1));
    }
    if (!mayEdit || !anyEdit) return;
    if (i < glob.length) take(own, MISSING, indexOf(1, i + 1, j));
    if (j < plate.length) take(own, EXTRA, indexOf(1, i, j + 1));
  }

  return (plate) => {
    for (let edits = lastEdits; edits >= 0; edits--)
      for (let i = glob.length; i >= 0; i--)
        for (let j = plate.length; j >= 0; j--) visit(edits, i, j, plate);
    const score = best[0] ?? 0;
    if (score === 0) return undefined;
    const reasons: string[] = [];
    let [edits, i, j] = [0, 0, 0];
    for (;;) {
      const step = steps[indexOf(edits, i, j)] ?? END;
      if (step === END) break;
      if (step >= CONFUSED_STEP) reasons.push(reasonOf(step, glob.charAt(i), plate.charAt(j)));
      if (step > CONFUSED_STEP) edits = 1;
      if (step !== STAR_TAKES && step !== EXTRA) i++;
      if (step !== PASS_STAR && step !== MISSING) j++;
    }
    return { score: Math.round(score * DECIMALS) / DECIMALS, reason: reasons.join(", ") };
  };
}

function pairStep(glob: string, i: number, plate: string, j: number): number {
  const [wanted, read] = [glob.charCodeAt(i), plate.charCodeAt(j)];
  if (wanted === read || glob[i] === "?") return SAME;
  return wanted < ASCII && read < ASCII ? at(STEPS, wanted * ASCII + read) : WRONG;
}

function reasonOf(step: number, wanted: string, read: string): string {
  if (step === MISSING) return "1 character missing";
  if (step === EXTRA) return "1 extra character";
  return `${step === WRONG ? "1 wrong character: " : ""}${wanted} read as ${read}`;
}
