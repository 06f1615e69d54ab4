import { at } from "./at.ts";

/**
 * Returns the next items of a rotation: a caller that comes every `every` milliseconds and takes `count` has seen
 * each item once after `items.length / count` calls.
 */
export function nextInRotation<T>(
  items: readonly T[],
  turn: { now: number; every: number; count: number },
): T[] {
  const { now, every, count } = turn;
  if (items.length <= count) return [...items];
  const first = Math.floor(now / every) * count;
  return Array.from({ length: count }, (_, i) => at(items, (first + i) % items.length));
}

/** Returns all items, each time from another one on: a caller that comes every `every` milliseconds begins with each. */
export function rotated<T>(items: readonly T[], { now, every }: { now: number; every: number }): T[] {
  const first = Math.floor(now / every) % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * Returns the next items of a rotation, which together cost at most `most`, or one item that costs more. The items are
 * divided into such parts, and a caller that comes every `every` milliseconds gets the next part each time. So, while
 * their costs stay the same, it has seen each item once after as many calls as there are parts.
 */
export function affordableInTurn<T>(
  items: readonly T[],
  turn: { now: number; every: number; most: number; costOf: (item: T) => number },
): T[] {
  const { now, every, most, costOf } = turn;
  const parts: T[][] = [];
  let spent = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const cost = costOf(item);
    if (spent + cost > most) {
      parts.push([]);
      spent = 0;
    }
    parts.at(-1)?.push(item);
    spent += cost;
  }
  return parts.length === 0 ? [] : at(parts, Math.floor(now / every) % parts.length);
}

/** Returns the first item of each list, then the second of each, and so on. */
export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
