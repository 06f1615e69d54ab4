/** Returns the element of a list at an index. Throws RangeError if the list has none there. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  if (index < 0 || index >= list.length)
    throw new RangeError(`There is no element ${index} in a list of ${list.length}.`);
  return list[index] as T;
}
