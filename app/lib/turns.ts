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

/** Does all of these, in their order and never more than so many at a time. */
export async function inTurns<T>(
  tasks: readonly T[],
  atOnce: number,
  work: (task: T) => Promise<void>,
): Promise<void> {
  const waiting = tasks.values();
  const worker = async () => {
    for (const task of waiting) await work(task);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
