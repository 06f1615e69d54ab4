import { timeText } from "#app/components/search/sighting/text.ts";
import type { Frame, Pixel, Size } from "#app/entities/search/map/camera.ts";
import type { Track, TrackSpot } from "#app/entities/search/map/track.ts";
import { at } from "#app/lib/at.ts";
import { type Box, LABEL_FONT, overlaps } from "./basemap.ts";
import { type Drawing, toPixel } from "./overlay.ts";
import { css, type Palette, type Rgb } from "./palette.ts";

export type TrackMarks = {
  track: Track;
  spots: readonly TrackSpot[];
  /** The reads that the time filter shows, [start, end). */
  shown: readonly [number, number];
  /** Reads that no car could have reached from the read before, by row. */
  impossible: ReadonlySet<number>;
};

type Leg = { from: Pixel; to: Pixel };

/**
 * Paints the lines of a track, below all labels: each widens toward its end and has an arrow in the middle. There is no
 * line between two trips. Legs that no car can drive are dashed, in the color of hits.
 */
export function paintTrackLines(
  context: CanvasRenderingContext2D,
  marks: TrackMarks,
  { frame, size, palette }: Drawing,
): void {
  const { driven, impossible } = legsOf(marks, frame, size);
  context.lineJoin = "round";
  for (const [color, extra] of [
    [css(palette.ring, 0.9), 2.5],
    [css(palette.track, 0.85), 0],
  ] as const) {
    context.fillStyle = color;
    for (const leg of driven) {
      taper(context, { ...leg, start: 0.8 + extra, end: 3 + extra });
      context.fill();
      if (Math.hypot(leg.to.x - leg.from.x, leg.to.y - leg.from.y) < 36) continue;
      arrow(context, { ...leg, length: 8 + extra });
      context.fill();
    }
  }
  for (const { from, to } of impossible) {
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.strokeStyle = css(palette.ring, 0.9);
    context.lineWidth = 6;
    context.stroke();
    context.setLineDash([10, 6]);
    context.strokeStyle = css(palette.hit);
    context.lineWidth = 3;
    context.stroke();
    context.setLineDash([]);
  }
}

/** Returns the visible legs, each once, however often the vehicle drove it. */
function legsOf({ track, shown, impossible }: TrackMarks, frame: Frame, size: Size) {
  const legs = { driven: [] as Leg[], impossible: [] as Leg[] };
  const seen = new Set<string>();
  for (let i = shown[0] + 1; i < shown[1]; i++) {
    const [before, read] = [at(track.reads, i - 1), at(track.reads, i)];
    const isImpossible = impossible.has(read.row);
    if (before.spot === read.spot || (before.trip !== read.trip && !isImpossible)) continue;
    const key = `${before.spot} ${read.spot} ${isImpossible}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const leg = { from: toPixel(before, frame), to: toPixel(read, frame) };
    if (isOutside(leg, size)) continue;
    (isImpossible ? legs.impossible : legs.driven).push(leg);
  }
  return legs;
}

function isOutside({ from, to }: Leg, { width, height }: Size): boolean {
  return (
    Math.max(from.x, to.x) < 0 ||
    Math.max(from.y, to.y) < 0 ||
    Math.min(from.x, to.x) > width ||
    Math.min(from.y, to.y) > height
  );
}

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

const NUMBER_FONT = `700 11px ${LABEL_FONT}`;
const TIME_FONT = `500 11px ${LABEL_FONT}`;
/** Longest list of numbers at a place; a daily commuter would have dozens. */
const MAX_NUMBERS = 3;
/** With more places than this, their times would be unreadable. */
const MAX_TIMES = 200;
/** Width of the zoom buttons on the right, which times must not overlap. */
const BUTTONS_WIDTH = 48;

type TrackLabel = { place: TrackSpot; number: Box; time: Box | undefined };

/**
 * Returns where the numbers and times of a track are painted. It depends on the whole track, not on the part that is
 * shown, so that no label moves during playback.
 */
export function trackLabels(
  context: CanvasRenderingContext2D,
  { spots }: TrackMarks,
  { frame, size }: Pick<Drawing, "frame" | "size">,
): TrackLabel[] {
  context.font = NUMBER_FONT;
  const labels: TrackLabel[] = [];
  for (const place of spots) {
    const { x, y } = toPixel(place, frame);
    if (x < -40 || y < -40 || x > size.width + 40 || y > size.height + 40) continue;
    const half = halfWidth(context, numbersText(place.indexes));
    labels.push({ place, number: [x - half, y - 10, x + half, y + 10], time: undefined });
  }
  if (labels.length > MAX_TIMES) return labels;
  context.font = TIME_FONT;
  const width = context.measureText("00-00 00:00").width;
  const taken: Box[] = labels.map(({ number }) => number);
  for (const label of labels) {
    const [left, top, right, bottom] = label.number;
    const beside: Box = [right + 3, top, right + width + 7, bottom];
    const below: Box = [(left + right - width) / 2, bottom + 2, (left + right + width) / 2, bottom + 16];
    const before: Box = [left - width - 7, top, left - 3, bottom];
    label.time = [beside, below, before].find(
      (box) => box[2] <= size.width - BUTTONS_WIDTH && !taken.some((other) => overlaps(other, box)),
    );
    if (label.time) taken.push(label.time);
  }
  return labels;
}

/** Returns the boxes of the numbers and times, which other labels avoid. */
export function trackBoxes(labels: readonly TrackLabel[]): Box[] {
  return labels.flatMap(({ number, time }) => (time ? [number, time] : [number]));
}

/** Paints the numbers of the shown reads in time order, and at each place the time of its latest shown read. */
export function paintTrackLabels(
  context: CanvasRenderingContext2D,
  { marks, labels, palette }: { marks: TrackMarks; labels: readonly TrackLabel[]; palette: Palette },
): void {
  const { track, shown, impossible } = marks;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const latest = track.reads[shown[1] - 1]?.spot;
  const isLatestSpot = ({ place }: TrackLabel) => place.spot === latest;
  // The latest place is painted last, above the others, and the first place just before it.
  const order = [...labels.filter((label) => !isLatestSpot(label)).reverse(), ...labels.filter(isLatestSpot)];
  for (const { place, number, time } of order) {
    const indexes = place.indexes.filter((index) => index >= shown[0] && index < shown[1]);
    const last = indexes.at(-1);
    if (last === undefined) continue;
    const isLatest = last === shown[1] - 1;
    const isImpossible = indexes.some((index) => impossible.has(at(track.reads, index).row));
    paintNumber(context, {
      text: numbersText(indexes),
      box: number,
      fill: isImpossible ? palette.hit : palette.track,
      ring: isLatest ? palette.current : palette.ring,
      palette,
    });
    if (!time) continue;
    const text = timeText(at(track.reads, last).time).slice(5, 16);
    context.font = TIME_FONT;
    context.textAlign = "left";
    context.strokeStyle = css(palette.halo, 0.92);
    context.lineWidth = 3.5;
    context.strokeText(text, time[0], (time[1] + time[3]) / 2);
    context.fillStyle = css(palette.label);
    context.fillText(text, time[0], (time[1] + time[3]) / 2);
  }
}

type NumberLook = { text: string; box: Box; fill: Rgb; ring: Rgb; palette: Palette };

/** Paints numbers in the middle of their box, which has room for all numbers of the place. */
function paintNumber(context: CanvasRenderingContext2D, { text, box, fill, ring, palette }: NumberLook) {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  context.font = NUMBER_FONT;
  const half = halfWidth(context, text);
  context.beginPath();
  context.roundRect(x - half, y - 10, half * 2, 20, 10);
  context.fillStyle = css(fill);
  context.fill();
  context.strokeStyle = css(ring);
  context.lineWidth = ring === palette.ring ? 1.5 : 3;
  context.stroke();
  context.textAlign = "center";
  context.fillStyle = css(palette.onBadge);
  context.fillText(text, x, y + 0.5);
}

function halfWidth(context: CanvasRenderingContext2D, text: string): number {
  return Math.max(10, context.measureText(text).width / 2 + 6);
}

/** Returns the numbers of reads, the last one always included: `1, 4 … 57`. */
function numbersText(indexes: readonly number[]): string {
  const numbers = indexes.map((index) => index + 1);
  if (numbers.length <= MAX_NUMBERS) return numbers.join(", ");
  return `${numbers.slice(0, MAX_NUMBERS - 1).join(", ")} … ${numbers.at(-1)}`;
}
