import type { Frame, Size } from "#app/entities/search/map/camera.ts";
import { type HexBins, hexBins } from "#app/entities/search/map/density.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import type { Box } from "./basemap.ts";
import { css, type Palette, type Rgb } from "./palette.ts";

const HEXAGON = 22;
/** A cell of the heat grid, in CSS pixels. */
const CELL = 4;
/** Standard deviation of the blur in cells, 22 px. A Gaussian is round; repeated box blurs leave squares. */
const SIGMA = 5.5;
const KERNEL = Float32Array.from({ length: Math.ceil(SIGMA * 3.2) + 1 }, (_, i) =>
  Math.exp(-(i * i) / (2 * SIGMA * SIGMA)),
);

/** Returns the points that pass the filter. */
export function visiblePoints(points: MapPoints, pass: Uint8Array): Uint32Array {
  const visible = new Uint32Array(points.count);
  let length = 0;
  for (let point = 0; point < points.count; point++) {
    if (pass[points.rows[point] ?? 0] === 1) visible[length++] = point;
  }
  return visible.subarray(0, length);
}

/** Returns hexagons about 40 px wide at any zoom, aligned to the ground within a whole zoom level. */
export function hexagonsAt(
  points: MapPoints,
  visible: Uint32Array,
  zoom: number,
): HexBins & { radius: number } {
  const radius = HEXAGON / (256 * 2 ** Math.round(zoom));
  return { ...hexBins(points, { visible, radius }), radius };
}

/** Returns the boxes of the hexagons as obstacles for place names; none if there are too many. */
export function hexagonBoxes(bins: HexBins & { radius: number }, frame: Frame): Box[] {
  if (bins.counts.length > 400) return [];
  const half = bins.radius * frame.scale * 0.9;
  return Array.from(bins.counts, (_, i) => {
    const x = (bins.x[i] ?? 0) * frame.scale + frame.left;
    const y = (bins.y[i] ?? 0) * frame.scale + frame.top;
    return [x - half, y - half, x + half, y + half];
  });
}

export function paintHexagons(
  context: CanvasRenderingContext2D,
  {
    bins,
    frame,
    size,
    palette,
  }: {
    bins: HexBins & { radius: number };
    frame: Frame;
    size: Size;
    palette: Palette;
  },
): void {
  const radius = bins.radius * frame.scale;
  context.font = `600 ${Math.min(13, radius * 0.55)}px "Inter Variable", sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let i = 0; i < bins.counts.length; i++) {
    const x = (bins.x[i] ?? 0) * frame.scale + frame.left;
    const y = (bins.y[i] ?? 0) * frame.scale + frame.top;
    if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue;
    const count = bins.counts[i] ?? 0;
    const share = Math.log1p(count) / Math.log1p(Math.max(bins.most, 2));
    context.beginPath();
    for (let corner = 0; corner < 6; corner++) {
      const angle = (Math.PI / 3) * corner + Math.PI / 6;
      context.lineTo(x + Math.cos(angle) * (radius - 1), y + Math.sin(angle) * (radius - 1));
    }
    context.closePath();
    const color = rampAt(palette, share);
    context.fillStyle = css(color, 0.55 + 0.35 * share);
    context.fill();
    context.strokeStyle = css(palette.ring, 0.7);
    context.lineWidth = 1;
    context.stroke();
    context.fillStyle = css(contrasting(color));
    if (radius > 14) context.fillText(shortCount(count), x, y);
  }
}

/** Paints a heat map of the number of reads. */
export function paintHeat(
  context: CanvasRenderingContext2D,
  {
    points,
    visible,
    frame,
    size,
    palette,
  }: {
    points: MapPoints;
    visible: Uint32Array;
    frame: Frame;
    size: Size;
    palette: Palette;
  },
): void {
  const [width, height] = [Math.ceil(size.width / CELL), Math.ceil(size.height / CELL)];
  let field = new Float32Array(width * height);
  for (let i = 0; i < visible.length; i++) {
    const point = visible[i] ?? 0;
    const x = Math.floor(((points.x[point] ?? 0) * frame.scale + frame.left) / CELL);
    const y = Math.floor(((points.y[point] ?? 0) * frame.scale + frame.top) / CELL);
    if (x >= 0 && y >= 0 && x < width && y < height) field[y * width + x] = (field[y * width + x] ?? 0) + 1;
  }
  field = blurred(blurred(field, { width, height, step: 1 }), { width, height, step: width });
  let most = 0;
  for (const value of field) if (value > most) most = value;
  if (most === 0) return;
  const image = new ImageData(width, height);
  for (let i = 0; i < field.length; i++) {
    const share = Math.log1p(((field[i] ?? 0) / most) * 40) / Math.log1p(40);
    if (share < 0.01) continue;
    const [red, green, blue] = rampAt(palette, share);
    // Low values fade out without an edge.
    const alpha = Math.min(215, 40 + share * 230) * Math.min(1, share / 0.2);
    image.data.set([red, green, blue, alpha], i * 4);
  }
  const small = document.createElement("canvas");
  small.width = width;
  small.height = height;
  small.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(small, 0, 0, width * CELL, height * CELL);
}

/** A Gaussian blur along rows (`step` 1) or columns (`step` the width). Empty cells cost nothing. */
function blurred(
  field: Float32Array,
  { width, height, step }: { width: number; height: number; step: number },
) {
  const out = new Float32Array(field.length);
  for (let cell = 0; cell < field.length; cell++) {
    const value = field[cell] ?? 0;
    if (value === 0) continue;
    const [place, length] = step === 1 ? [cell % width, width] : [Math.floor(cell / width), height];
    const first = Math.max(-place, 1 - KERNEL.length);
    const last = Math.min(length - 1 - place, KERNEL.length - 1);
    for (let i = first; i <= last; i++) {
      const into = cell + i * step;
      out[into] = (out[into] ?? 0) + value * (KERNEL[Math.abs(i)] ?? 0);
    }
  }
  return out;
}

function rampAt({ density: [few, some, many] }: Palette, share: number): Rgb {
  const [from, to, part] = share < 0.5 ? [few, some, share * 2] : [some, many, share * 2 - 1];
  const between = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * part);
  return [between(0), between(1), between(2)];
}

function contrasting([red, green, blue]: Rgb): Rgb {
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? [16, 20, 24] : [255, 255, 255];
}

/** `950`, `1.2k`, `31k`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 9950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}
