import type { View } from "../view.ts";
import { drawCar } from "./car.ts";
import { bodyColor, disc } from "./car-paint.ts";
import { type Canvas, fill, glow, type Point, type Rgb, scaleColor } from "./raster.ts";

/** Draws a tractor with its trailer: from the front the cab and the box, from behind the trailer's doors. */
export function drawTruck(canvas: Canvas, view: View): void {
  if (view.rear) {
    drawTrailer(canvas, view, 0);
    return;
  }
  drawTrailer(canvas, view, 6.2);
  drawCar(canvas, view);
}

function drawTrailer(canvas: Canvas, view: View, near: number): void {
  const { project, light, side, read } = view;
  const paint = scaleColor(bodyColor(view), view.rear ? 1 : 0.96);
  const far = near + 13.5;
  const half = 1.28;
  const floor = 1.12;
  const top = 3.95;
  const quad = (
    a: readonly number[],
    b: readonly number[],
    c: readonly number[],
    d: readonly number[],
  ): Point[] => [a, b, c, d].map((p) => project(p[0] ?? 0, p[1] ?? 0, p[2] ?? 0));
  const face = (x0: number, x1: number, y0: number, y1: number, color: Rgb, z = near - 0.01) =>
    fill(canvas, quad([x0, y1, z], [x1, y1, z], [x1, y0, z], [x0, y0, z]), {
      color: light.lit(color),
      bottom: light.lit(scaleColor(color, 0.84)),
    });
  fill(
    canvas,
    quad(
      [-half - 0.3, 0, near - 0.2],
      [half + 0.3, 0, near - 0.2],
      [half + 0.4, 0, far],
      [-half - 0.4, 0, far],
    ),
    { color: [8, 9, 11], alpha: 0.4 },
  );
  for (const z of [near + 2.2, near + 1]) {
    for (const x of [-1, 1]) {
      face(x * half * 0.98, x * (half - 0.56), 0, 1.02, [24, 24, 26], z);
      face(x * (half - 0.25), x * (half - 0.3), 0, 1, [60, 60, 62], z - 0.01);
    }
  }
  face(-half * 0.9, half * 0.9, 0.8, floor, [26, 27, 29], near + 0.5);
  const x = side * half;
  fill(canvas, quad([x, top, near], [x, top, far], [x, floor, far], [x, floor, near]), {
    color: light.lit(scaleColor(paint, 0.88)),
    bottom: light.lit(scaleColor(paint, 0.66)),
  });
  for (let z = near + 0.8; z < far; z += 0.8) {
    fill(canvas, quad([x, top, z], [x, top, z + 0.03], [x, floor, z + 0.03], [x, floor, z]), {
      color: [0, 0, 0],
      alpha: 0.12,
    });
  }
  for (let z = near + 0.3; z < far; z += 1.2) {
    fill(
      canvas,
      quad([x, floor + 0.1, z], [x, floor + 0.1, z + 0.6], [x, floor + 0.03, z + 0.6], [x, floor + 0.03, z]),
      { color: light.lit([206, 40, 40]) },
    );
  }
  face(-half, half, floor, top, paint);
  if (!view.rear) return;
  face(-half, half, top - 0.12, top, scaleColor(paint, 0.7));
  face(-half, half, floor, floor + 0.12, scaleColor(paint, 0.62));
  for (const edge of [-half, half - 0.07]) face(edge, edge + 0.07, floor, top, scaleColor(paint, 0.72));
  face(-0.02, 0.02, floor + 0.12, top - 0.12, [40, 41, 44]);
  for (const rod of [-0.75, -0.3, 0.3, 0.75]) {
    face(rod - 0.02, rod + 0.02, floor + 0.06, top - 0.08, [188, 192, 198]);
    face(rod - 0.09, rod + 0.02, 1.9, 1.96, [120, 124, 130]);
  }
  for (const hinge of [1.5, 2.3, 3.1, 3.7]) {
    for (const edge of [-half + 0.02, half - 0.2])
      face(edge, edge + 0.18, hinge, hinge + 0.07, [150, 154, 160]);
  }
  for (let n = 0; n < 8; n++)
    face(
      -half + n * 0.32,
      -half + n * 0.32 + 0.16,
      floor + 0.02,
      floor + 0.1,
      n % 2 ? [236, 236, 232] : [206, 36, 38],
    );
  face(-half * 0.92, half * 0.92, 0.42, 0.56, [196, 198, 202], near - 0.03);
  for (const x0 of [-0.8, 0.8]) face(x0 - 0.05, x0 + 0.05, 0.5, floor, [90, 92, 96]);
  face(-0.34, 0.34, 0.58, 1.02, [34, 35, 38], near - 0.02);
  for (const lamp of [-1, 1]) {
    for (const offset of [0.16, 0.36]) {
      const middle = lamp * (half - offset);
      fill(canvas, disc(view, middle, 0.93, near - 0.03, 0.075), {
        color: light.lamps ? [240, 44, 36] : light.lit([178, 26, 28]),
      });
      if (light.lamps) glow(canvas, project(middle, 0.93, near - 0.03), 46, [200, 22, 14]);
    }
  }
  for (const middle of [-0.2, 0, 0.2])
    fill(canvas, disc(view, middle, top - 0.06, near - 0.02, 0.035), {
      color: light.lamps ? [240, 60, 40] : light.lit([150, 24, 24]),
    });
  if (read.vehicle.id % 2 === 0) {
    face(-1.05, -0.15, 2.7, 3.2, scaleColor([70 + (read.vehicle.id % 120), 80, 150], 1), near - 0.012);
    face(0.15, 1.05, 2.85, 3.05, scaleColor([70 + (read.vehicle.id % 120), 80, 150], 1), near - 0.012);
  }
}
