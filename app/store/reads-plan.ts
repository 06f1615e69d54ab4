// How a plate is looked for. Which way is fastest depends on the pattern alone: the trigram index serves runs of
// three characters or more, the unique index a fixed beginning, and what has neither is a walk over the dictionary.

import { PLATE_MAX_LENGTH, type PlatePattern } from "#app/entities/plate.ts";
import { HOUR } from "#app/lib/dates.ts";

/** Up to this span, reading all reads of the range beats walking a dictionary that knows no time. */
const NARROW_SPAN = 24 * HOUR;

const TRIGRAM = 3;

export type PlatePlan =
  /** No plate can fit: nothing is asked. */
  | { kind: "impossible" }
  /** Every plate fits: the reads are walked by time. */
  | { kind: "any" }
  /** The reads are walked by time and each plate is tried. */
  | { kind: "slice"; glob: string }
  /** Fitting plates are looked up first: in the trigram index, between two plates, or among all. */
  | { kind: "trigram"; glob: string }
  | { kind: "prefix"; glob: string; from: string; below: string }
  | { kind: "walk"; glob: string };

/**
 * The way to the reads whose plate fits. `glob` holds letters, digits, `*` and `?` only, so nothing in it needs an
 * escape, which would turn the trigram index off. It never exceeds D1's 50 bytes: at most 15 characters of at most
 * three bytes, and of 20 characters in all the rest are stars.
 */
export function planPlate(pattern: PlatePattern, span: number): PlatePlan {
  if (pattern.kind === "any") return { kind: "any" };
  if (pattern.text.replaceAll("*", "").length > PLATE_MAX_LENGTH) return { kind: "impossible" };
  const glob = pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
  const runs = glob.split(/[*?]/);
  const prefix = runs[0] ?? "";
  if (length(prefix) >= TRIGRAM) return between(glob, prefix);
  if (runs.some((run) => length(run) >= TRIGRAM)) return { kind: "trigram", glob };
  if (prefix !== "") return between(glob, prefix);
  return span <= NARROW_SPAN ? { kind: "slice", glob } : { kind: "walk", glob };
}

/** In characters, as the index counts them; a letter beyond the basic plane is one. */
function length(text: string): number {
  return Array.from(text).length;
}

function between(glob: string, prefix: string): PlatePlan {
  return { kind: "prefix", glob, from: prefix, below: `${prefix}\u{10FFFF}` };
}
