/** A measurement of our code and of a peer in the same run, and how many times better ours must be. */
export type Figure = {
  name: string;
  own: number;
  peer: number;
  unit: string;
  /** The ratio to reach. */
  goal: number;
  /** The highest allowed value of ours, for figures with a limit instead of a ratio. */
  limit?: number;
};

/** Returns whether the goal is reached: the limit if there is one, otherwise the ratio. */
export function isMet(figure: Figure): boolean {
  return figure.limit === undefined ? ratioOf(figure) >= figure.goal : figure.own <= figure.limit;
}

/** Returns how many times better ours is; lower values are better in every unit. */
export function ratioOf(figure: Figure): number {
  return figure.peer / figure.own;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the value that this percentage of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}
