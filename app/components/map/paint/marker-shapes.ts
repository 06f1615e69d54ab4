import { css, type Palette, type Rgb } from "./palette.ts";

/**
 * A marker by program, as its mark in the table: a disc, a diamond, a rounded square, each with its letter and a ring
 * that parts it from the ground. Drawn once for a theme; both renderers take their pictures from here.
 */
const SHAPES = [
  "M12 2a10 10 0 1 1 0 20a10 10 0 1 1 0-20z",
  "M12 1L23 12L12 23L1 12z",
  "M5.5 3h13A2.5 2.5 0 0 1 21 5.5v13a2.5 2.5 0 0 1-2.5 2.5h-13A2.5 2.5 0 0 1 3 18.5v-13A2.5 2.5 0 0 1 5.5 3z",
] as const;

const LETTERS = [
  "M9.4 16.6v-9.2h3.3a2.7 2.7 0 0 1 0 5.4H9.4M12.4 12.8l2.9 3.8",
  "M8.7 16.2l3.3-8.4l3.3 8.4M9.9 13.4h4.2",
  "M8.6 7.6l6.8 8.8M15.4 7.6l-6.8 8.8",
] as const;

export const PROGRAM_COUNT = SHAPES.length;

export type MarkerLook = { pixels: number; ratio: number; palette: Palette; withLetter: boolean };

/** One marker in the middle of a square of `pixels` CSS pixels. */
export function drawMarker(
  program: number,
  { pixels, ratio, palette, withLetter }: MarkerLook,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(pixels * ratio);
  const context = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  paintMarker(context, { program, side: canvas.width, palette, withLetter });
  return canvas;
}

function paintMarker(
  context: CanvasRenderingContext2D,
  input: { program: number; side: number; palette: Palette; withLetter: boolean; color?: Rgb },
): void {
  const { program, side, palette, withLetter } = input;
  const shape = new Path2D(SHAPES[program] ?? SHAPES[0]);
  // Room for the ring, and a hair's breadth of outline beyond it.
  const unit = side / 29;
  context.setTransform(unit, 0, 0, unit, 2.5 * unit, 2.5 * unit);
  context.lineJoin = "round";
  // Opaque throughout: a hundred markers on one spot must not add up to a shadow.
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

/** A marker as its opaque pixels, to be copied into a picture without asking a canvas for each. */
export type Stamp = { side: number; dx: Int16Array; dy: Int16Array; colors: Uint32Array };

export function stampOf(canvas: HTMLCanvasElement): Stamp {
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const side = canvas.width;
  const pixels = new Uint32Array(context.getImageData(0, 0, side, side).data.buffer);
  const [dx, dy, colors]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < pixels.length; i++) {
    const color = pixels[i] as number;
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
