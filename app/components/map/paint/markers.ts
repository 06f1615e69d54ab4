import type { Frame } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import { at } from "#app/lib/at.ts";
import type { Stamp } from "./marker-shapes.ts";

/** An image in device pixels and a map of stamped markers. Kept between frames, since allocation is slow. */
export type Raster = {
  width: number;
  height: number;
  image: ImageData;
  pixels: Uint32Array;
  /** One bit per program for every 2x2 pixels: a second marker of a program there would be hidden. */
  stamped: Uint8Array;
};

export function createRaster(width: number, height: number): Raster {
  const image = new ImageData(width, height);
  return {
    width,
    height,
    image,
    pixels: new Uint32Array(image.data.buffer),
    stamped: new Uint8Array(((width + 1) >> 1) * ((height + 1) >> 1)),
  };
}

export type Stamped = {
  points: MapPoints;
  /** The range of points to draw, [start, end), oldest first. */
  slice: readonly [number, number];
  pass: Uint8Array;
  frame: Frame;
  ratio: number;
  stamps: readonly Stamp[];
};

/**
 * Copies a marker into the image for every point that passes, in the slice or without a time. Draws newest first and at
 * most one marker of a program per place, so that the cost depends on the visible markers, not on the reads.
 */
export function stampMarkers(raster: Raster, input: Stamped): void {
  raster.pixels.fill(0);
  raster.stamped.fill(0);
  const { points, slice } = input;
  const last = points.count;
  stampRun(raster, input, [points.timed, last]);
  stampRun(raster, input, slice);
}

function stampRun(raster: Raster, input: Stamped, [start, end]: readonly [number, number]): void {
  const { points, pass, frame, ratio, stamps } = input;
  const { width, height, pixels, stamped } = raster;
  const { rows, x, y, programs } = points;
  const scale = frame.scale * ratio;
  const [left, top] = [frame.left * ratio, frame.top * ratio];
  const across = (width + 1) >> 1;
  for (let point = end - 1; point >= start; point--) {
    if (pass[rows[point] ?? 0] !== 1) continue;
    const px = Math.floor((x[point] ?? 0) * scale + left + 0.5);
    const py = Math.floor((y[point] ?? 0) * scale + top + 0.5);
    const program = programs[point] ?? 0;
    const { dx, dy, colors, side } = at(stamps, program);
    if (px < -side || py < -side || px >= width + side || py >= height + side) continue;
    // A marker with its center outside may still be partly visible.
    if (px >= 0 && py >= 0 && px < width && py < height) {
      const cell = (py >> 1) * across + (px >> 1);
      const bit = 1 << program;
      if (((stamped[cell] ?? 0) & bit) !== 0) continue;
      stamped[cell] = (stamped[cell] ?? 0) | bit;
    }
    const isWhole = px >= side && py >= side && px < width - side && py < height - side;
    for (let i = 0; i < colors.length; i++) {
      const sx = px + (dx[i] ?? 0);
      const sy = py + (dy[i] ?? 0);
      if (!isWhole && (sx < 0 || sy < 0 || sx >= width || sy >= height)) continue;
      const at = sy * width + sx;
      // Newer markers are already drawn; older ones go below them.
      if (pixels[at] === 0) pixels[at] = colors[i] ?? 0;
    }
  }
}
