/**
 * Some of many, all of them in turn: whoever comes every `every` milliseconds and takes `count` has seen each once after
 * `items.length / count` visits.
 */
export function inTurn<T>(items: readonly T[], turn: { now: number; every: number; count: number }): T[] {
  const { now, every, count } = turn;
  if (items.length <= count) return [...items];
  const first = Math.floor(now / every) * count;
  return Array.from({ length: count }, (_, i) => items[(first + i) % items.length] as T);
}

/** The first of each list, then the second of each, and so on. */
export function alternately<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
