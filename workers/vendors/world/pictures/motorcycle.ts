import { at } from "#app/lib/at.ts";
import type { View } from "../view.ts";
import { bodyColor, disc } from "./car-paint.ts";
import { type Canvas, fill, glow, type Rgb, scaleColor } from "./raster.ts";

/** Draws a motorcycle and its rider, from behind. */
export function drawMotorcycle(canvas: Canvas, view: View): void {
  const { project, light, read } = view;
  const paint = bodyColor(view);
  const shape = (
    points: readonly (readonly [number, number])[],
    z: number,
    color: Rgb,
    to = scaleColor(color, 0.7),
  ) =>
    fill(
      canvas,
      points.map(([x, y]) => project(x, y, z)),
      { color: light.lit(color), bottom: light.lit(to) },
    );
  const mirrored = (points: readonly (readonly [number, number])[]) =>
    [...points, ...[...points].reverse().map(([x, y]) => [-x, y] as const)] as const;
  fill(canvas, disc(view, 0.1, 0.02, 0.4, 0.5, 0.1), { color: [8, 9, 11], alpha: 0.35 });
  const jacket: readonly Rgb[] = [
    [44, 46, 52],
    [60, 48, 40],
    [36, 52, 84],
  ];
  const cloth = at(jacket, read.vehicle.id % jacket.length);
  shape(
    mirrored([
      [-0.07, 0.02],
      [-0.09, 0.12],
      [-0.09, 0.58],
      [-0.06, 0.66],
    ]),
    1.3,
    [26, 26, 28],
  );
  // Handlebar, mirrors and arms are farther away than the rider's back, so they are drawn first.
  shape(
    [
      [-0.42, 1.04],
      [-0.4, 1.08],
      [0.4, 1.08],
      [0.42, 1.04],
    ],
    0.75,
    [70, 72, 76],
  );
  for (const side of [-1, 1]) {
    shape(
      [
        [side * 0.4, 1.24],
        [side * 0.54, 1.26],
        [side * 0.54, 1.17],
        [side * 0.42, 1.15],
      ],
      0.75,
      [34, 35, 38],
    );
    shape(
      [
        [side * 0.18, 1.42],
        [side * 0.27, 1.36],
        [side * 0.43, 1.12],
        [side * 0.4, 1.02],
        [side * 0.31, 1.05],
        [side * 0.16, 1.2],
      ],
      0.42,
      scaleColor(cloth, 0.85),
    );
    shape(
      [
        [side * 0.08, 0.9],
        [side * 0.3, 0.86],
        [side * 0.33, 0.55],
        [side * 0.3, 0.3],
        [side * 0.2, 0.3],
        [side * 0.18, 0.6],
        [side * 0.06, 0.76],
      ],
      0.36,
      [36, 40, 54],
    );
    shape(
      [
        [side * 0.19, 0.32],
        [side * 0.31, 0.32],
        [side * 0.32, 0.22],
        [side * 0.18, 0.22],
      ],
      0.34,
      [20, 20, 22],
    );
    shape(
      [
        [side * 0.11, 0.44],
        [side * 0.19, 0.44],
        [side * 0.19, 0.3],
        [side * 0.11, 0.3],
      ],
      0.2,
      [196, 198, 204],
      [96, 98, 104],
    );
  }
  shape(
    mirrored([
      [-0.1, 0],
      [-0.115, 0.1],
      [-0.115, 0.5],
      [-0.09, 0.66],
    ]),
    0.06,
    [40, 41, 43],
    [18, 18, 20],
  );
  for (let y = 0.06; y < 0.5; y += 0.07)
    shape(
      [
        [-0.1, y],
        [0, y + 0.035],
        [0.1, y],
        [0, y + 0.012],
      ],
      0.05,
      [66, 67, 70],
    );
  shape(
    mirrored([
      [-0.12, 0.5],
      [-0.13, 0.72],
      [-0.17, 0.86],
      [-0.14, 0.92],
    ]),
    0.02,
    paint,
    scaleColor(paint, 0.6),
  );
  shape(
    mirrored([
      [-0.2, 0.86],
      [-0.22, 0.94],
      [-0.16, 1],
    ]),
    0.2,
    [28, 28, 30],
  );
  shape(
    mirrored([
      [-0.17, 0.94],
      [-0.2, 1.1],
      [-0.25, 1.34],
      [-0.22, 1.43],
      [-0.1, 1.48],
    ]),
    0.45,
    cloth,
    scaleColor(cloth, 0.7),
  );
  shape(
    [
      [-0.012, 1.44],
      [0.012, 1.44],
      [0.012, 1],
      [-0.012, 1],
    ],
    0.44,
    scaleColor(cloth, 1.4),
  );
  fill(canvas, disc(view, 0, 1.6, 0.5, 0.145, 0.155), {
    color: light.lit(scaleColor(paint, 1.05)),
    bottom: light.lit(scaleColor(paint, 0.45)),
  });
  shape(
    [
      [-0.1, 1.53],
      [0.1, 1.53],
      [0.085, 1.48],
      [-0.085, 1.48],
    ],
    0.48,
    [24, 24, 26],
  );
  fill(canvas, disc(view, -0.05, 1.66, 0.48, 0.035, 0.025), { color: [255, 255, 255], alpha: 0.35 });
  for (const side of [-1, 1]) {
    fill(canvas, disc(view, side * 0.21, 0.84, 0, 0.035), {
      color: light.lamps ? [250, 170, 60] : light.lit([214, 128, 36]),
    });
  }
  fill(canvas, disc(view, 0, 0.81, -0.02, 0.085, 0.04), {
    color: light.lamps ? [244, 44, 36] : light.lit([184, 26, 30]),
  });
  if (light.lamps) glow(canvas, project(0, 0.81, -0.02), 70, [210, 24, 14]);
}
