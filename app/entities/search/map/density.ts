/** Hexagons with the number of points in each; centers in the units of the points. */
export type HexBins = { x: Float64Array; y: Float64Array; counts: Uint32Array; most: number };

const ROOT3 = Math.sqrt(3);

/** Counts points in a grid of pointy-topped hexagons with a fixed origin. */
export function hexBins(
  points: { x: Float64Array; y: Float64Array },
  { visible, radius }: { visible: ArrayLike<number>; radius: number },
): HexBins {
  const bins = new Map<number, number>();
  for (let i = 0; i < visible.length; i++) {
    const point = visible[i] ?? 0;
    const key = hexagonOf(points.x[point] ?? 0, points.y[point] ?? 0, radius);
    bins.set(key, (bins.get(key) ?? 0) + 1);
  }
  const [x, y] = [new Float64Array(bins.size), new Float64Array(bins.size)];
  const counts = new Uint32Array(bins.size);
  let [i, most] = [0, 0];
  for (const [key, count] of bins) {
    const q = Math.floor(key / SPAN) - SPAN / 2;
    const r = (key % SPAN) - SPAN / 2;
    x[i] = radius * ROOT3 * (q + r / 2);
    y[i] = radius * 1.5 * r;
    counts[i++] = count;
    if (count > most) most = count;
  }
  return { x, y, counts, most };
}

/** Axial coordinates, both shifted to be positive and combined into one exact number. */
const SPAN = 2 ** 26;

function hexagonOf(x: number, y: number, radius: number): number {
  const q = ((ROOT3 / 3) * x - y / 3) / radius;
  const r = ((2 / 3) * y) / radius;
  let [roundQ, roundR] = [Math.round(q), Math.round(r)];
  const roundS = Math.round(-q - r);
  const [offQ, offR, offS] = [Math.abs(roundQ - q), Math.abs(roundR - r), Math.abs(roundS + q + r)];
  if (offQ > offR && offQ > offS) roundQ = -roundR - roundS;
  else if (offR > offS) roundR = -roundQ - roundS;
  return (roundQ + SPAN / 2) * SPAN + roundR + SPAN / 2;
}
