import type { PerProgram } from "#app/entities/search/query.ts";
import { css, type Palette, type Rgb } from "./palette.ts";

/**
 * Marker shapes by program, like the logos in the table: a disc, a diamond, a rounded square, each with a letter and a
 * ring. Drawn once per theme for both renderers.
 */
const SHAPES: PerProgram<string> = [
  "M12 2a10 10 0 1 1 0 20a10 10 0 1 1 0-20z",
  "M12 1L23 12L12 23L1 12z",
  "M5.5 3h13A2.5 2.5 0 0 1 21 5.5v13a2.5 2.5 0 0 1-2.5 2.5h-13A2.5 2.5 0 0 1 3 18.5v-13A2.5 2.5 0 0 1 5.5 3z",
];

const LETTERS: PerProgram<string> = [
  "M9.4 16.6v-9.2h3.3a2.7 2.7 0 0 1 0 5.4H9.4M12.4 12.8l2.9 3.8",
  "M8.7 16.2l3.3-8.4l3.3 8.4M9.9 13.4h4.2",
  "M8.6 7.6l6.8 8.8M15.4 7.6l-6.8 8.8",
];

export const PROGRAM_COUNT = SHAPES.length;

export type MarkerLook = { pixels: number; ratio: number; palette: Palette; withLetter: boolean };

/** Draws one marker in the center of a square of `pixels` CSS pixels. */
export function drawMarker(
  program: number,
  { pixels, ratio, palette, withLetter }: MarkerLook,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(pixels * ratio);
  const context = contextOf(canvas);
  paintMarker(context, { program, side: canvas.width, palette, withLetter });
  return canvas;
}

function paintMarker(
  context: CanvasRenderingContext2D,
  input: { program: number; side: number; palette: Palette; withLetter: boolean; color?: Rgb },
): void {
  const { program, side, palette, withLetter } = input;
  const shape = new Path2D(SHAPES[program] ?? SHAPES[0]);
  // Leaves room for the ring and a thin outline.
  const unit = side / 29;
  context.setTransform(unit, 0, 0, unit, 2.5 * unit, 2.5 * unit);
  context.lineJoin = "round";
  // Fully opaque, so that markers on one spot do not add up to a shadow.
  context.strokeStyle = css(palette.outline);
  context.lineWidth = withLetter ? 4.9 : 6;
  context.stroke(shape);
  context.strokeStyle = css(palette.ring);
  context.lineWidth = withLetter ? 3.6 : 4.4;
  context.stroke(shape);
  context.fillStyle = css(input.color ?? palette.programs[program] ?? palette.programs[0]);
  context.fill(shape);
  if (!withLetter) return;
  context.strokeStyle = css(palette.onBadge);
  context.lineWidth = 2.1;
  context.lineCap = "round";
  context.stroke(new Path2D(LETTERS[program] ?? LETTERS[0]));
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("The browser has no 2D canvas.");
  return context;
}

/** The opaque pixels of a marker, which can be copied into an image without a canvas call per marker. */
export type Stamp = { side: number; dx: Int16Array; dy: Int16Array; colors: Uint32Array };

export function stampOf(canvas: HTMLCanvasElement): Stamp {
  const context = contextOf(canvas);
  const side = canvas.width;
  const pixels = new Uint32Array(context.getImageData(0, 0, side, side).data.buffer);
  const [dx, dy, colors]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < pixels.length; i++) {
    const color = pixels[i] ?? 0;
    if (color >>> 24 < 150) continue;
    dx.push((i % side) - (side >> 1));
    dy.push(Math.floor(i / side) - (side >> 1));
    colors.push((color | 0xff000000) >>> 0);
  }
  return {
    side,
    dx: Int16Array.from(dx),
    dy: Int16Array.from(dy),
    colors: Uint32Array.from(colors),
  };
}
