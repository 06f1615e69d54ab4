import { at } from "./at.ts";

/**
 * Returns the next `count` items of a rotation. A caller that calls every `every` milliseconds gets each item once in
 * `items.length / count` calls.
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

/**
 * Returns all items, starting at the next one each time: in the calls of a caller that calls every `every`
 * milliseconds, each item is first in turn.
 */
export function rotated<T>(items: readonly T[], { now, every }: { now: number; every: number }): T[] {
  const first = Math.floor(now / every) % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * Returns the next items of a rotation, which together cost at most `most`, or one item that costs more. The items are
 * divided into parts of at most that cost, and a caller that calls every `every` milliseconds gets the next part each
 * time. While the costs stay the same, it gets each item once in as many calls as there are parts.
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

/**
 * Repeats work that processes at most `limit` items at a time while it processes that many, at most `steps` times. The
 * rest waits for the next run.
 */
export async function repeatWhileFull(
  work: () => Promise<number>,
  { limit, steps }: { limit: number; steps: number },
): Promise<void> {
  for (let step = 0; step < steps; step++) if ((await work()) < limit) return;
}
