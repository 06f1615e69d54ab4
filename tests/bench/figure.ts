/** A measurement of ours and of a peer in the same run, and how many times better ours must be. */
export type Figure = { name: string; own: number; peer: number; unit: string; goal: number };

/** Returns how many times better ours is; lower values are better in every unit. */
export function ratioOf(figure: Figure): number {
  return figure.peer / figure.own;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
