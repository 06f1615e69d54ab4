import { at } from "#app/lib/at.ts";
/** A small software rasterizer: polygons filled with exact coverage (signed areas summed along each row). */
export type Rgb = readonly [number, number, number];
export type Point = readonly [number, number];

export interface Canvas {
  width: number;
  height: number;
  /** RGBA, row by row. */
  data: Uint8ClampedArray;
  /** From picture coordinates (1280 x 720) to this canvas: (x - left) * scale. */
  left: number;
  top: number;
  scale: number;
}

export interface Paint {
  color: Rgb;
  /** Color at the bottom, for a vertical gradient. */
  bottom?: Rgb;
  alpha?: number;
  /** Alpha at the bottom, if it fades. */
  bottomAlpha?: number;
}

export function makeCanvas(box: {
  x: number;
  y: number;
  width: number;
  height: number;
  outWidth: number;
}): Canvas {
  const scale = box.outWidth / box.width;
  const width = Math.max(1, Math.round(box.outWidth));
  const height = Math.max(1, Math.round(box.height * scale));
  return {
    width,
    height,
    data: new Uint8ClampedArray(width * height * 4).fill(255),
    left: box.x,
    top: box.y,
    scale,
  };
}

let areas = new Float32Array(1 << 16);

/** Fills one polygon. */
export function fill(canvas: Canvas, polygon: readonly Point[], paint: Paint): void {
  fillAll(canvas, [polygon], paint);
}

/** Fills several polygons as one shape. Overlaps are painted once if all polygons have the same direction. */
export function fillAll(canvas: Canvas, polygons: readonly (readonly Point[])[], paint: Paint): void {
  const { left, top, scale, width, height, data } = canvas;
  let x0 = width;
  let y0 = height;
  let x1 = 0;
  let y1 = 0;
  for (const polygon of polygons) {
    for (const [px, py] of polygon) {
      const x = (px - left) * scale;
      const y = (py - top) * scale;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
    }
  }
  const gradientFrom = y0;
  const gradientSpan = Math.max(1, y1 - y0);
  const minX = Math.max(0, Math.floor(x0));
  const minY = Math.max(0, Math.floor(y0));
  const columns = Math.min(width, Math.ceil(x1)) - minX;
  const rows = Math.min(height, Math.ceil(y1)) - minY;
  if (columns <= 0 || rows <= 0) return;
  const stride = columns + 2;
  if (areas.length < stride * rows + 2) areas = new Float32Array(stride * rows * 2);
  areas.fill(0, 0, stride * rows + 2);
  for (const polygon of polygons) {
    const count = polygon.length;
    for (let n = 0; n < count; n++) {
      const [ax, ay] = at(polygon, n);
      const [bx, by] = at(polygon, n + 1 === count ? 0 : n + 1);
      addEdge({
        ax: (ax - left) * scale - minX,
        ay: (ay - top) * scale - minY,
        bx: (bx - left) * scale - minX,
        by: (by - top) * scale - minY,
        columns,
        rows,
        stride,
      });
    }
  }
  const from = paint.color;
  const to = paint.bottom ?? from;
  const alphaFrom = paint.alpha ?? 1;
  const alphaTo = paint.bottomAlpha ?? alphaFrom;
  for (let row = 0; row < rows; row++) {
    const share = Math.min(1, Math.max(0, (row + minY + 0.5 - gradientFrom) / gradientSpan));
    const red = from[0] + (to[0] - from[0]) * share;
    const green = from[1] + (to[1] - from[1]) * share;
    const blue = from[2] + (to[2] - from[2]) * share;
    const alpha = alphaFrom + (alphaTo - alphaFrom) * share;
    let sum = 0;
    let at = row * stride;
    let pixel = ((row + minY) * width + minX) * 4;
    for (let column = 0; column < columns; column++, at++, pixel += 4) {
      sum += areas[at] ?? 0;
      const covered = sum < 0 ? -sum : sum;
      if (covered < 0.004) continue;
      const mix = Math.min(covered, 1) * alpha;
      const keep = 1 - mix;
      data[pixel] = (data[pixel] ?? 0) * keep + red * mix;
      data[pixel + 1] = (data[pixel + 1] ?? 0) * keep + green * mix;
      data[pixel + 2] = (data[pixel + 2] ?? 0) * keep + blue * mix;
    }
  }
}

interface Edge {
  ax: number;
  ay: number;
  bx: number;
  by: number;
  columns: number;
  rows: number;
  stride: number;
}

function addEdge({ ax, ay, bx, by, columns, rows, stride }: Edge): void {
  if (ay === by) return;
  const down = ay < by;
  const topX = down ? ax : bx;
  const topY = down ? ay : by;
  const bottomY = down ? by : ay;
  const slope = (bx - ax) / (by - ay);
  let x = topY < 0 ? topX - topY * slope : topX;
  const lastRow = Math.min(rows, Math.ceil(bottomY));
  for (let row = Math.max(0, Math.floor(topY)); row < lastRow; row++) {
    const tall = Math.min(row + 1, bottomY) - Math.max(row, topY);
    const nextX = x + slope * tall;
    const area = down ? tall : -tall;
    // An edge left of the box still covers everything to its right.
    const a = Math.min(columns, Math.max(0, Math.min(x, nextX)));
    const b = Math.min(columns, Math.max(0, Math.max(x, nextX)));
    x = nextX;
    const line = row * stride;
    const first = Math.floor(a);
    const end = Math.ceil(b);
    if (end <= first + 1) {
      const middle = (a + b) / 2 - first;
      areas[line + first] = (areas[line + first] ?? 0) + area * (1 - middle);
      areas[line + first + 1] = (areas[line + first + 1] ?? 0) + area * middle;
      continue;
    }
    const per = 1 / (b - a);
    let before = 0;
    for (let column = first; column <= end; column++) {
      // Share of the edge's height to the left of each point of this column, averaged over the column.
      const covered = column === end ? 1 : columnShare(a, b, per, column);
      areas[line + column] = (areas[line + column] ?? 0) + area * (covered - before);
      before = covered;
    }
  }
}

/** Returns the share of the edge from a to b that is left of a point, averaged over the points of the column. */
function columnShare(a: number, b: number, per: number, column: number): number {
  const from = Math.max(a, column);
  const to = Math.min(b, column + 1);
  const start = (from - a) * per;
  const stop = (to - a) * per;
  return ((start + stop) / 2) * (to - from) + (column + 1 - to);
}

/** Adds light that decreases from the middle, for lamps and lit surfaces. */
export function glow(canvas: Canvas, middle: Point, radius: number, color: Rgb): void {
  const { left, top, scale, width, height, data } = canvas;
  const cx = (middle[0] - left) * scale;
  const cy = (middle[1] - top) * scale;
  const r = radius * scale;
  const right = Math.min(width, Math.ceil(cx + r));
  const bottom = Math.min(height, Math.ceil(cy + r));
  for (let y = Math.max(0, Math.floor(cy - r)); y < bottom; y++) {
    for (let x = Math.max(0, Math.floor(cx - r)); x < right; x++) {
      const share = 1 - ((x - cx) ** 2 + (y - cy) ** 2) / (r * r);
      if (share <= 0) continue;
      const light = share * share * share;
      const pixel = (y * width + x) * 4;
      data[pixel] = (data[pixel] ?? 0) + color[0] * light;
      data[pixel + 1] = (data[pixel + 1] ?? 0) + color[1] * light;
      data[pixel + 2] = (data[pixel + 2] ?? 0) + color[2] * light;
    }
  }
}

/** Adds sensor noise, which prevents banding of gradients. */
export function grain(canvas: Canvas, seed: number, strength: number): void {
  const { data } = canvas;
  let state = seed | 1;
  for (let pixel = 0; pixel < data.length; pixel += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const noise = ((state >>> 24) / 128 - 1) * strength;
    data[pixel] = (data[pixel] ?? 0) + noise;
    data[pixel + 1] = (data[pixel + 1] ?? 0) + noise;
    data[pixel + 2] = (data[pixel + 2] ?? 0) + noise;
  }
}

export function mixColors(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

export function scaleColor(color: Rgb, by: number): Rgb {
  return [Math.min(255, color[0] * by), Math.min(255, color[1] * by), Math.min(255, color[2] * by)];
}
