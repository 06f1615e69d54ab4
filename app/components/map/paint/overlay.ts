import type { Frame, Pixel, Size } from "#app/entities/search/map/camera.ts";
import { type MapPoints, spotPlace } from "#app/entities/search/map/points.ts";
import { type Box, LABEL_FONT, overlaps } from "./basemap.ts";
import { shortCount } from "./density.ts";
import { css, type Palette } from "./palette.ts";

export type Drawing = { frame: Frame; size: Size; palette: Palette };

export const toPixel = ({ x, y }: { x: number; y: number }, { scale, left, top }: Frame): Pixel => ({
  x: x * scale + left,
  y: y * scale + top,
});

const isNear = ({ x, y }: Pixel, { width, height }: Size, margin = 40) =>
  x > -margin && y > -margin && x < width + margin && y < height + margin;

/**
 * Returns the boxes of the markers in view as obstacles for place names; none if there are too many. `counts` ignores
 * the times, so that no name moves during playback.
 */
export function markerBoxes(
  points: MapPoints,
  { counts, frame, size }: { counts: Uint32Array; frame: Frame; size: Size },
): Box[] {
  const boxes: Box[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) {
    if (counts[spot] === 0) continue;
    const { x, y } = toPixel(spotPlace(points, spot), frame);
    if (!isNear({ x, y }, size, 20)) continue;
    boxes.push([x - 13, y - 18, x + 24, y + 13]);
    if (boxes.length > MAX_BADGES) return [];
  }
  return boxes;
}

export type Marks = {
  points: MapPoints;
  /** The number of reads that pass, by spot. */
  counts: Uint32Array;
  /** The same, ignoring the times. It decides which counts and names have room, so that none moves during playback. */
  countsAnyTime: Uint32Array;
  /** Boxes that names avoid: the numbers of a track. */
  obstacles: readonly Box[];
  /** Spots with selected reads. */
  selected: readonly number[];
  current: number | null;
  hovered: number | null;
  /** Returns the name of a spot: its camera. */
  nameOf: (spot: number) => string;
  zoom: number;
  /** Whether markers are small because there are many spots. */
  isDense: boolean;
  hasCounts: boolean;
};

/** With more spots in view than this, counts and names are unreadable and left out. */
const MAX_BADGES = 400;
const NAMES_FROM_ZOOM = 13;

export function paintMarks(context: CanvasRenderingContext2D, marks: Marks, drawing: Drawing): void {
  const { points, counts, selected, current, hovered } = marks;
  const { frame, size, palette } = drawing;
  const radius = marks.isDense ? 9 : 14;
  for (const spot of selected.slice(0, 5000)) {
    if (counts[spot] === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    if (!isNear(place, size)) continue;
    ring(context, place, { radius, color: css(palette.selected), halo: css(palette.ring, 0.9) });
  }
  for (const [spot, color] of [
    [hovered, palette.label],
    [current, palette.hit],
  ] as const) {
    if (spot === null || counts[spot] === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    ring(context, place, { radius: radius + 3, color: css(color), halo: css(palette.ring, 0.9) });
  }
  const inView: { spot: number; place: Pixel; most: number }[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) {
    const most = marks.countsAnyTime[spot] ?? 0;
    if (most === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    if (!isNear(place, size, 10)) continue;
    inView.push({ spot, place, most });
    if (inView.length > MAX_BADGES) return;
  }
  inView.sort((a, b) => b.most - a.most || a.spot - b.spot);
  const taken: Box[] = [...marks.obstacles];
  if (marks.hasCounts) {
    for (const { spot, place, most } of inView) {
      paintCount(context, { count: counts[spot] ?? 0, most, place, taken, radius, palette });
    }
  }
  if (marks.zoom >= NAMES_FROM_ZOOM) {
    for (const { spot, place } of inView) {
      const isShown = counts[spot] !== 0;
      paintName(context, { name: marks.nameOf(spot), isShown, place, taken, radius, palette });
    }
  }
}

const RING_WIDTH = 3;

function ring(
  context: CanvasRenderingContext2D,
  { x, y }: Pixel,
  { radius, color, halo }: { radius: number; color: string; halo: string },
) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.strokeStyle = halo;
  context.lineWidth = RING_WIDTH + 3;
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = RING_WIDTH;
  context.stroke();
}

type Labeled = {
  place: Pixel;
  taken: Box[];
  radius: number;
  palette: Palette;
};

/** Paints a count in the space reserved for the highest count that the place can have. */
function paintCount(context: CanvasRenderingContext2D, input: Labeled & { count: number; most: number }) {
  const { count, most, place, taken, radius, palette } = input;
  if (most < 2) return;
  context.font = `650 11px ${LABEL_FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const half = context.measureText(shortCount(most)).width / 2 + 5;
  const [x, y] = [place.x + radius * 0.6 + half - 3, place.y - radius * 0.85];
  const box: Box = [x - half, y - 8, x + half, y + 8];
  if (taken.some((other) => overlaps(other, box))) return;
  taken.push(box);
  if (count < 2) return;
  const text = shortCount(count);
  context.beginPath();
  context.roundRect(x - half, y - 8, half * 2, 16, 8);
  context.fillStyle = css(palette.badge);
  context.fill();
  context.strokeStyle = css(palette.ring);
  context.lineWidth = 1.25;
  context.stroke();
  context.fillStyle = css(palette.onBadge);
  context.fillText(text, x, y + 0.5);
}

function paintName(context: CanvasRenderingContext2D, input: Labeled & { name: string; isShown: boolean }) {
  const { name, isShown, place, taken, radius, palette } = input;
  if (name === "") return;
  context.font = `500 12px ${LABEL_FONT}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const width = context.measureText(name).width;
  const [x, y] = [place.x + radius + 6, place.y + 8];
  const box: Box = [x - 2, y - 9, x + width + 2, y + 9];
  if (taken.some((other) => overlaps(other, box))) return;
  taken.push(box);
  if (!isShown) return;
  context.lineJoin = "round";
  context.strokeStyle = css(palette.halo, 0.92);
  context.lineWidth = 3.5;
  context.strokeText(name, x, y);
  context.fillStyle = css(palette.label);
  context.fillText(name, x, y);
}
