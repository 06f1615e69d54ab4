/** Returns the element of a list at an index. Throws RangeError if the list has none there. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  if (index < 0 || index >= list.length)
    throw new RangeError(`There is no element ${index} in a list of ${list.length}.`);
  return list[index] as T;
}

/** Returns the chunks of a list, in order, with at most `size` elements each. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}

/** Returns the list typed as having a first element. Throws RangeError if it is empty. */
export function nonEmpty<T>([first, ...rest]: readonly T[]): [T, ...T[]] {
  if (first === undefined) throw new RangeError("The list is empty.");
  return [first, ...rest];
}

/** Returns each element once by id: the last of several, in the position of the first. */
export function uniqueById<T extends { id: string }>(list: readonly T[]): T[] {
  return [...new Map(list.map((one) => [one.id, one])).values()];
}
