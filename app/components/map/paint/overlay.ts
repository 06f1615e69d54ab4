import type { Frame, Pixel, Size } from "#app/entities/search/map/camera.ts";
import { type MapPoints, spotPlace } from "#app/entities/search/map/points.ts";
import { stopsBySpot, type Track } from "#app/entities/search/map/track.ts";
import { at } from "#app/lib/at.ts";
import { type Box, LABEL_FONT, overlaps } from "./basemap.ts";
import { shortCount } from "./density.ts";
import { css, type Palette } from "./palette.ts";

type Drawing = { frame: Frame; size: Size; palette: Palette };

const toPixel = ({ x, y }: { x: number; y: number }, { scale, left, top }: Frame): Pixel => ({
  x: x * scale + left,
  y: y * scale + top,
});

const isNear = ({ x, y }: Pixel, { width, height }: Size, margin = 40) =>
  x > -margin && y > -margin && x < width + margin && y < height + margin;

/** Paints the track of a plate: each leg widens toward its end and has an arrow in the middle. */
export function paintTrack(context: CanvasRenderingContext2D, track: Track, drawing: Drawing): void {
  const { frame, palette } = drawing;
  const legs = track.stops.slice(1).map((stop, i) => ({
    from: toPixel(at(track.stops, i), frame),
    to: toPixel(stop, frame),
  }));
  context.lineJoin = "round";
  for (const [color, extra] of [
    [css(palette.ring, 0.9), 2.5],
    [css(palette.track, 0.85), 0],
  ] as const) {
    context.fillStyle = color;
    for (const { from, to } of legs) {
      taper(context, { from, to, start: 0.8 + extra, end: 3 + extra });
      context.fill();
      if (Math.hypot(to.x - from.x, to.y - from.y) < 36) continue;
      arrow(context, { from, to, length: 8 + extra });
      context.fill();
    }
  }
  paintStopNumbers(context, track, drawing);
}

type Leg = { from: Pixel; to: Pixel };

function taper(
  context: CanvasRenderingContext2D,
  { from, to, start, end }: Leg & { start: number; end: number },
) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [nx, ny] = [-(to.y - from.y) / length, (to.x - from.x) / length];
  context.beginPath();
  context.moveTo(from.x + nx * start, from.y + ny * start);
  context.lineTo(to.x + nx * end, to.y + ny * end);
  context.lineTo(to.x - nx * end, to.y - ny * end);
  context.lineTo(from.x - nx * start, from.y - ny * start);
  context.closePath();
}

function arrow(context: CanvasRenderingContext2D, { from, to, length }: Leg & { length: number }) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / distance, (to.y - from.y) / distance];
  const middle = { x: from.x + (to.x - from.x) * 0.55, y: from.y + (to.y - from.y) * 0.55 };
  context.beginPath();
  context.moveTo(middle.x + ux * length, middle.y + uy * length);
  context.lineTo(
    middle.x - ux * length * 0.6 - uy * length * 0.9,
    middle.y - uy * length * 0.6 + ux * length * 0.9,
  );
  context.lineTo(middle.x - ux * length * 0.2, middle.y - uy * length * 0.2);
  context.lineTo(
    middle.x - ux * length * 0.6 + uy * length * 0.9,
    middle.y - uy * length * 0.6 - ux * length * 0.9,
  );
  context.closePath();
}

/** Longest list of stop numbers at a place; a daily commuter would have dozens. */
const MOST_NUMBERS = 3;

/** Paints the stop numbers, in time order. */
function paintStopNumbers(
  context: CanvasRenderingContext2D,
  track: Track,
  { frame, size, palette }: Drawing,
) {
  context.font = `700 11px ${LABEL_FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  // The first stop is painted last, above the others.
  for (const { numbers, ...place } of stopsBySpot(track).reverse()) {
    const { x, y } = toPixel(place, frame);
    if (!isNear({ x, y }, size)) continue;
    const more = numbers.length > MOST_NUMBERS ? "…" : "";
    const text = numbers.slice(0, MOST_NUMBERS).join(", ") + more;
    const half = Math.max(10, context.measureText(text).width / 2 + 6);
    context.beginPath();
    context.roundRect(x - half, y - 10, half * 2, 20, 10);
    context.fillStyle = css(palette.track);
    context.fill();
    context.strokeStyle = css(palette.ring);
    context.lineWidth = 1.5;
    context.stroke();
    context.fillStyle = css(palette.onBadge);
    context.fillText(text, x, y + 0.5);
  }
}

/** Returns the boxes of the markers in view as obstacles for place names; none if there are too many. */
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
    if (boxes.length > MOST_BADGES) return [];
  }
  return boxes;
}

export type Marks = {
  points: MapPoints;
  /** The number of reads that pass, by spot. */
  counts: Uint32Array;
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
const MOST_BADGES = 400;
const NAMES_FROM_ZOOM = 13;

export function paintMarks(context: CanvasRenderingContext2D, marks: Marks, drawing: Drawing): void {
  const { points, counts, selected, current, hovered } = marks;
  const { frame, size, palette } = drawing;
  const radius = marks.isDense ? 9 : 14;
  for (const spot of selected.slice(0, 5000)) {
    if (counts[spot] === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    if (!isNear(place, size)) continue;
    ring(context, place, { radius, color: css(palette.selected), width: 3, halo: css(palette.ring, 0.9) });
  }
  for (const [spot, color] of [
    [hovered, palette.label],
    [current, palette.hit],
  ] as const) {
    if (spot === null || counts[spot] === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    ring(context, place, { radius: radius + 3, color: css(color), width: 3, halo: css(palette.ring, 0.9) });
  }
  const inView: { spot: number; place: Pixel; count: number }[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) {
    const count = counts[spot] as number;
    if (count === 0) continue;
    const place = toPixel(spotPlace(points, spot), frame);
    if (!isNear(place, size, 10)) continue;
    inView.push({ spot, place, count });
    if (inView.length > MOST_BADGES) return;
  }
  inView.sort((a, b) => b.count - a.count || a.spot - b.spot);
  const taken: [number, number, number, number][] = [];
  if (marks.hasCounts) for (const one of inView) paintCount(context, { ...one, taken, radius, palette });
  if (marks.zoom >= NAMES_FROM_ZOOM) {
    for (const { spot, place } of inView) {
      paintName(context, { name: marks.nameOf(spot), place, taken, radius, palette });
    }
  }
}

function ring(
  context: CanvasRenderingContext2D,
  { x, y }: Pixel,
  { radius, color, width, halo }: { radius: number; color: string; width: number; halo: string },
) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.strokeStyle = halo;
  context.lineWidth = width + 3;
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

type Labelled = {
  place: Pixel;
  taken: [number, number, number, number][];
  radius: number;
  palette: Palette;
};

function paintCount(context: CanvasRenderingContext2D, input: Labelled & { count: number }) {
  const { count, place, taken, radius, palette } = input;
  if (count < 2) return;
  const text = shortCount(count);
  context.font = `650 11px ${LABEL_FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const half = context.measureText(text).width / 2 + 5;
  const [x, y] = [place.x + radius * 0.6 + half - 3, place.y - radius * 0.85];
  const box: [number, number, number, number] = [x - half, y - 8, x + half, y + 8];
  if (taken.some((other) => overlaps(other, box))) return;
  taken.push(box);
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

function paintName(context: CanvasRenderingContext2D, input: Labelled & { name: string }) {
  const { name, place, taken, radius, palette } = input;
  if (name === "") return;
  context.font = `500 12px ${LABEL_FONT}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const width = context.measureText(name).width;
  const [x, y] = [place.x + radius + 6, place.y + 8];
  const box: [number, number, number, number] = [x - 2, y - 9, x + width + 2, y + 9];
  if (taken.some((other) => overlaps(other, box))) return;
  taken.push(box);
  context.lineJoin = "round";
  context.strokeStyle = css(palette.halo, 0.92);
  context.lineWidth = 3.5;
  context.strokeText(name, x, y);
  context.fillStyle = css(palette.label);
  context.fillText(name, x, y);
}
