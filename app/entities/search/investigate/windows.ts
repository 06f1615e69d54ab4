/** A stretch of time, both ends included, in milliseconds since 1970. */
export type Window = { from: number; to: number };

/** Returns the windows joined where they touch or overlap, oldest first. */
export function joined(windows: readonly Window[]): Window[] {
  const found: Window[] = [];
  for (const window of [...windows].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && window.from <= last.to) last.to = Math.max(last.to, window.to);
    else found.push({ ...window });
  }
  return found;
}

/**
 * Returns the windows joined where they touch, and then across the smallest gaps until at most `most` are left (at least
 * one), so that as little time as possible is added.
 */
export function joinedToFit(windows: readonly Window[], most: number): Window[] {
  const list = joined(windows);
  const gapBefore = ({ from }: Window, i: number) => from - (list[i - 1]?.to ?? Number.NEGATIVE_INFINITY);
  // The first window has an infinite gap before it, so it always starts one.
  const starts = new Set(
    list
      .map((window, i) => ({ i, gap: gapBefore(window, i) }))
      .sort((a, b) => b.gap - a.gap)
      .slice(0, Math.max(1, most))
      .map(({ i }) => i),
  );
  const found: Window[] = [];
  for (const [i, window] of list.entries()) {
    const last = found.at(-1);
    if (starts.has(i) || !last) found.push({ ...window });
    else last.to = window.to;
  }
  return found;
}
