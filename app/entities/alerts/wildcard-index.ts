/**
 * Finds, among many plates with `*` and `?`, those that a read could fit. A pattern is filed under up to four of its
 * given characters and where they stand: counted from the start, from the end, or anywhere; a read looks itself up
 * once a way of filing, of which there are few however many patterns there are. Pure.
 */
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { plateMatches } from "#app/entities/search/plate.ts";

/** A way of filing: places of the characters, from the start, from the end (negative), or from any place on. */
type Shape = { floating: boolean; places: number[]; filed: Map<number, number[]> };

export type WildcardIndex = {
  /** The patterns with look-alikes folded, by their number. */
  folded: string[];
  shapes: Shape[];
  /** Patterns with too little in one piece to be filed: each is tried. */
  loose: number[];
};

/** Characters that a pattern is filed under. */
const FILED = 4;
/** Six bits a character: what shares a code is told apart when the pattern is tried. */
const codeOf = (text: string, at: number) => text.charCodeAt(at) & 63;

/** Files patterns; they are named by their place in the list from then on. */
export function indexWildcards(patterns: string[]): WildcardIndex {
  const folded = patterns.map(foldLookalikes);
  const shapes = new Map<string, Shape>();
  const loose: number[] = [];
  for (const [number, pattern] of folded.entries()) {
    const filing = filingOf(pattern);
    if (!filing) {
      loose.push(number);
      continue;
    }
    const name = `${filing.floating} ${filing.places}`;
    const shape = shapes.get(name) ?? { floating: filing.floating, places: filing.places, filed: new Map() };
    shapes.set(name, shape);
    const others = shape.filed.get(filing.key);
    if (others) others.push(number);
    else shape.filed.set(filing.key, [number]);
  }
  return { folded, shapes: [...shapes.values()], loose };
}

/** Numbers of the patterns that a plate fits when look-alikes count as one; the entry's own rule decides after that. */
export function findWildcards(index: WildcardIndex, plate: string): number[] {
  const text = foldLookalikes(plate);
  const found = new Set<number>();
  const tryOne = (number: number) => {
    if (plateMatches({ kind: "pattern", text: index.folded[number] as string }, text)) found.add(number);
  };
  for (const { floating, places, filed } of index.shapes) {
    const reach = floating ? text.length - (places.at(-1) as number) : 1;
    for (let from = 0; from < reach; from++) {
      let key = 0;
      let inside = true;
      for (const place of places) {
        const at = place < 0 ? text.length + place : from + place;
        if (at < 0 || at >= text.length) {
          inside = false;
          break;
        }
        key = key * 64 + codeOf(text, at);
      }
      const numbers = inside ? filed.get(key) : undefined;
      if (numbers) for (const number of numbers) tryOne(number);
    }
  }
  for (const number of index.loose) tryOne(number);
  return [...found];
}

type Filing = { floating: boolean; places: number[]; key: number };

/** The surest of a pattern's filings: where three or more characters stand in a known place, or else a piece of it. */
function filingOf(pattern: string): Filing | null {
  const parts = pattern.split("*");
  const first = fixedPlaces(parts[0] as string);
  // Without a run the plate has the pattern's length, and its start says it all.
  const last = parts.length > 1 ? fixedPlaces(parts.at(-1) as string) : [];
  const lastLength = (parts.at(-1) as string).length;
  const anchored = [
    ...first.map((at) => ({ place: at, at })),
    ...last.map((at) => ({ place: at - lastLength, at: pattern.length - lastLength + at })),
  ].slice(0, FILED);
  const pieces = parts.map((part, i) => ({
    places: fixedPlaces(part).slice(0, FILED),
    start: parts.slice(0, i).reduce((sum, one) => sum + one.length + 1, 0),
  }));
  const piece = pieces.reduce((best, one) => (one.places.length > best.places.length ? one : best));
  if (anchored.length >= Math.min(3, Math.max(2, piece.places.length))) {
    return {
      floating: false,
      places: anchored.map(({ place }) => place),
      key: keyOf(anchored.map(({ at }) => codeOf(pattern, at))),
    };
  }
  if (piece.places.length < 2) return null;
  const from = piece.places[0] as number;
  return {
    floating: true,
    places: piece.places.map((at) => at - from),
    key: keyOf(piece.places.map((at) => codeOf(pattern, piece.start + at))),
  };
}

function fixedPlaces(part: string): number[] {
  return Array.from({ length: part.length }, (_, at) => at).filter((at) => part[at] !== "?");
}

function keyOf(codes: number[]): number {
  return codes.reduce((key, code) => key * 64 + code, 0);
}
