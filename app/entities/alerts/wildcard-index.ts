/**
 * Finds, among many plates with `*` and `?`, those that a read could match. A pattern is indexed under up to four
 * of its known characters and their positions, counted from the start, from the end, or anywhere (floating). A
 * shape is one set of positions; a read is looked up once per shape, and there are few shapes, however many
 * patterns. Pure.
 */
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import { at } from "#app/lib/at.ts";

/** One set of positions of characters: from the start, from the end (negative), or floating. */
type Shape = { name: string; floating: boolean; places: number[]; filed: Map<number, number[]> };

export type WildcardIndex = {
  /** The patterns with look-alikes folded, by number. */
  folded: string[];
  shapes: Shape[];
  /** Patterns with too few adjacent characters for the index: each is tried. */
  loose: number[];
};

/** Maximum number of characters that a pattern is indexed under. */
const FILED = 4;
/** Six bits per character; collisions are resolved when the pattern is tried. */
const codeOf = (text: string, at: number) => text.charCodeAt(at) & 63;

/** Indexes patterns; a pattern's number is its position in the list. */
export function indexWildcards(patterns: string[]): WildcardIndex {
  const index: WildcardIndex = { folded: [], shapes: [], loose: [] };
  addWildcards(index, patterns);
  return index;
}

/** Adds patterns to an index; their numbers follow those of the patterns that it has. */
export function addWildcards(index: WildcardIndex, patterns: string[]): void {
  const shapes = new Map(index.shapes.map((shape) => [shape.name, shape]));
  for (const plate of patterns) {
    const pattern = foldLookalikes(plate);
    const number = index.folded.push(pattern) - 1;
    const filing = filingOf(pattern);
    if (!filing) {
      index.loose.push(number);
      continue;
    }
    const name = `${filing.floating} ${filing.places}`;
    let shape = shapes.get(name);
    if (!shape) {
      shape = { name, floating: filing.floating, places: filing.places, filed: new Map() };
      shapes.set(name, shape);
      index.shapes.push(shape);
    }
    const others = shape.filed.get(filing.key);
    if (others) others.push(number);
    else shape.filed.set(filing.key, [number]);
  }
}

/**
 * Returns the numbers of the patterns that match a plate with look-alikes folded; the entry's own rule decides
 * afterwards.
 */
export function findWildcards(index: WildcardIndex, plate: string): number[] {
  const text = foldLookalikes(plate);
  const found = new Set<number>();
  const tryOne = (number: number) => {
    if (plateMatches({ kind: "pattern", text: at(index.folded, number) }, text)) found.add(number);
  };
  for (const { floating, places, filed } of index.shapes) {
    const reach = floating ? text.length - at(places, places.length - 1) : 1;
    for (let from = 0; from < reach; from++) {
      let key = 0;
      let inside = true;
      for (const place of places) {
        const position = place < 0 ? text.length + place : from + place;
        if (position < 0 || position >= text.length) {
          inside = false;
          break;
        }
        key = key * 64 + codeOf(text, position);
      }
      const numbers = inside ? filed.get(key) : undefined;
      if (numbers) for (const number of numbers) tryOne(number);
    }
  }
  for (const number of index.loose) tryOne(number);
  return [...found];
}

type Filing = { floating: boolean; places: number[]; key: number };

/**
 * Returns the most selective index key of a pattern: three or more characters at fixed positions, or else its
 * longest piece; null if it has too few characters.
 */
function filingOf(pattern: string): Filing | null {
  const parts = pattern.split("*");
  const tail = at(parts, parts.length - 1);
  const first = fixedPlaces(at(parts, 0));
  // Without * the plate has the pattern's length, so that positions from the start are enough.
  const last = parts.length > 1 ? fixedPlaces(tail) : [];
  const anchored = [
    ...first.map((index) => ({ place: index, index })),
    ...last.map((index) => ({ place: index - tail.length, index: pattern.length - tail.length + index })),
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
      key: keyOf(anchored.map(({ index }) => codeOf(pattern, index))),
    };
  }
  if (piece.places.length < 2) return null;
  const from = at(piece.places, 0);
  return {
    floating: true,
    places: piece.places.map((place) => place - from),
    key: keyOf(piece.places.map((place) => codeOf(pattern, piece.start + place))),
  };
}

function fixedPlaces(part: string): number[] {
  return Array.from({ length: part.length }, (_, index) => index).filter((index) => part[index] !== "?");
}

function keyOf(codes: number[]): number {
  return codes.reduce((key, code) => key * 64 + code, 0);
}
