import type { Basemap, DrawnLine } from "#app/components/map/use-basemap.ts";
import { labelZoom } from "#app/entities/search/map/basemap.ts";
import {
  type Camera,
  type Frame,
  frameOf,
  mercatorX,
  mercatorY,
  type Size,
} from "#app/entities/search/map/camera.ts";
import { css, type Palette } from "./palette.ts";

export const LABEL_FONT = '"Inter Variable", ui-sans-serif, system-ui, sans-serif';

/** Draws the embedded base map on a canvas in CSS pixels, and raster tiles above it if there are any. */
export function paintBasemap(
  context: CanvasRenderingContext2D,
  input: { basemap: Basemap; palette: Palette; camera: Camera; size: Size; tiles?: TileImages },
): void {
  const { basemap, palette, camera, size, tiles } = input;
  const frame = frameOf(camera, size);
  const { drawn } = basemap;
  context.fillStyle = css(palette.water);
  context.fillRect(0, 0, size.width, size.height);
  context.lineJoin = "round";
  fill(context, drawn.neighbours, { frame, size, color: css(palette.neighbor) });
  fill(context, drawn.land, { frame, size, color: css(palette.land) });
  if (camera.zoom >= 6) {
    stroke(context, drawn.counties, { frame, size, color: css(palette.countyLine), width: 1 });
  }
  stroke(context, drawn.states, { frame, size, color: css(palette.stateLine), width: 1.5 });
  if (tiles) paintTiles(context, { tiles, frame, size });
}

type Style = { frame: Frame; size: Size; color: string };

function trace(context: CanvasRenderingContext2D, line: DrawnLine, { frame, size }: Style): boolean {
  const { scale, left, top } = frame;
  const [west, north, east, south] = line.box;
  if (
    east * scale + left < -4 ||
    west * scale + left > size.width + 4 ||
    south * scale + top < -4 ||
    north * scale + top > size.height + 4
  ) {
    return false;
  }
  const { x, y } = line;
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [(x[i] ?? 0) * scale + left, (y[i] ?? 0) * scale + top];
    if (i === 0) context.moveTo(px, py);
    else context.lineTo(px, py);
  }
  return true;
}

function fill(context: CanvasRenderingContext2D, rings: DrawnLine[], style: Style): void {
  context.beginPath();
  for (const ring of rings) if (trace(context, ring, style)) context.closePath();
  context.fillStyle = style.color;
  context.fill("evenodd");
}

function stroke(
  context: CanvasRenderingContext2D,
  lines: DrawnLine[],
  style: Style & { width: number },
): void {
  context.beginPath();
  for (const line of lines) trace(context, line, style);
  context.strokeStyle = style.color;
  context.lineWidth = style.width;
  context.stroke();
}

export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Draws place names, largest places first. A name moves aside for other names and markers, or is left out. */
export function paintLabels(
  context: CanvasRenderingContext2D,
  input: { basemap: Basemap; palette: Palette; camera: Camera; size: Size; obstacles: readonly Box[] },
): void {
  const { basemap, palette, camera, size } = input;
  const frame = frameOf(camera, size);
  const taken: Box[] = [...input.obstacles];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.strokeStyle = css(palette.halo, 0.9);
  context.fillStyle = css(palette.label);
  context.lineWidth = 3;
  for (const { name, population, longitude, latitude } of basemap.vectors.places) {
    const from = labelZoom(population);
    if (from > camera.zoom) break;
    const x = mercatorX(longitude) * frame.scale + frame.left;
    const y = mercatorY(latitude) * frame.scale + frame.top;
    if (x < -60 || x > size.width + 60 || y < -20 || y > size.height + 20) continue;
    const px = Math.min(17, 11 + (camera.zoom - from) * 0.9 + (population >= 100_000 ? 1.5 : 0));
    context.font = `${population >= 100_000 ? 600 : 500} ${px}px ${LABEL_FONT}`;
    const half = context.measureText(name).width / 2;
    const free = anchors(half, px)
      .map(([dx, dy]) => ({ x: x + dx, y: y + dy }))
      .find((at) => {
        const box: Box = [at.x - half - 5, at.y - px * 0.75, at.x + half + 5, at.y + px * 0.75];
        if (taken.some((other) => overlaps(other, box))) return false;
        taken.push(box);
        return true;
      });
    if (!free) continue;
    context.strokeText(name, free.x, free.y);
    context.fillText(name, free.x, free.y);
  }
}

/** Returns the possible offsets of a name from its place: on it, below, above, right, left. */
function anchors(half: number, px: number): readonly (readonly [number, number])[] {
  const aside = half + 22;
  return [
    [0, 0],
    [0, px + 16],
    [0, -px - 16],
    [aside, 0],
    [-aside, 0],
    [aside, px + 8],
    [-aside, px + 8],
  ];
}

export function overlaps(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

/** Raster tiles by `z/x/y`; `get` starts loading a tile that is missing. */
export type TileImages = {
  zoom: number;
  get: (z: number, x: number, y: number) => HTMLImageElement | undefined;
};

function paintTiles(
  context: CanvasRenderingContext2D,
  { tiles, frame, size }: { tiles: TileImages; frame: Frame; size: Size },
): void {
  const side = 2 ** tiles.zoom;
  const pixels = frame.scale / side;
  const first = (offset: number) => Math.max(0, Math.floor(-offset / pixels));
  const last = (offset: number, length: number) => Math.min(side - 1, Math.floor((length - offset) / pixels));
  for (let x = first(frame.left); x <= last(frame.left, size.width); x++) {
    for (let y = first(frame.top); y <= last(frame.top, size.height); y++) {
      const image = tiles.get(tiles.zoom, x, y);
      if (image)
        context.drawImage(image, x * pixels + frame.left, y * pixels + frame.top, pixels + 0.5, pixels + 0.5);
    }
  }
}
