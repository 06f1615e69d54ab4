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
 * Joins the windows of each list until all lists together have at most `most`, the smallest gaps first, so that as
 * little time as possible is added. A list keeps at least one window.
 */
export function joinedToFit(lists: readonly (readonly Window[])[], most: number): Window[][] {
  const fitted = lists.map((list) => joined(list));
  for (;;) {
    const total = fitted.reduce((sum, list) => sum + list.length, 0);
    if (total <= most) return fitted;
    let best: { list: Window[]; index: number; gap: number } | undefined;
    for (const list of fitted) {
      for (let index = 1; index < list.length; index++) {
        const gap = (list[index]?.from ?? 0) - (list[index - 1]?.to ?? 0);
        if (!best || gap < best.gap) best = { list, index, gap };
      }
    }
    if (!best) return fitted;
    const [next] = best.list.splice(best.index, 1);
    const before = best.list[best.index - 1];
    if (before && next) before.to = next.to;
  }
}
