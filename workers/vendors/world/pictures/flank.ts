import type { View } from "../view.ts";
import { depthOf, drawGlass } from "./car-paint.ts";
import { type Canvas, fill, type Point, type Rgb, scaleColor } from "./raster.ts";
import { halfWidth } from "./sedan-shape.ts";

/** Returns a point of the body: distance from the front, height, side, and distance from the surface. */
export type At = (along: number, height: number, side: number, out?: number) => Point;

/** Draws the lines, doors and handles of the side. */
export function drawFlankLines(canvas: Canvas, view: View, at: At, paint: Rgb): void {
  const { shape, light, side } = view;
  const from = 0.5;
  const to = shape.length - 0.5;
  const line = (height: number, thick: number, color: Rgb, alpha: number) =>
    fill(
      canvas,
      [
        at(from, height, side),
        at(to, height, side),
        at(to, height - thick, side),
        at(from, height - thick, side),
      ],
      {
        color: light.lit(color),
        alpha,
      },
    );
  line(shape.belt - 0.02, 0.08, [255, 255, 255], 0.22);
  line(shape.belt - 0.3, 0.05, [255, 255, 255], 0.12);
  line(shape.belt - 0.36, 0.14, [0, 0, 0], 0.14);
  line(0.34, 0.1, [24, 25, 27], 0.75);
  for (const [bottomFrom, bottomTo] of shape.windows) {
    for (const along of [bottomFrom, bottomTo]) {
      fill(
        canvas,
        [
          at(along - 0.012, shape.belt, side),
          at(along + 0.012, shape.belt, side),
          at(along + 0.012, 0.36, side),
          at(along - 0.012, 0.36, side),
        ],
        {
          color: light.lit(scaleColor(paint, 0.25)),
          alpha: 0.7,
        },
      );
    }
    const handle = bottomTo - 0.28;
    const y = shape.belt - 0.12;
    fill(
      canvas,
      [
        at(handle, y, side, 0.02),
        at(handle + 0.18, y, side, 0.02),
        at(handle + 0.18, y - 0.04, side, 0.02),
        at(handle, y - 0.04, side, 0.02),
      ],
      {
        color: light.lit(scaleColor(paint, 0.55)),
      },
    );
  }
}

export function drawWheels(canvas: Canvas, view: View): void {
  const { shape, project, light, side } = view;
  for (const axle of shape.axles) {
    const z = depthOf(view, axle);
    const half = halfWidth(shape, axle, shape.wheel);
    const disc = (radius: number, x: number, turn = 0, sides = 26): Point[] =>
      Array.from({ length: sides }, (_, n) => {
        const angle = (n / sides) * 2 * Math.PI + turn;
        return project(side * x, shape.wheel + Math.sin(angle) * radius, z + Math.cos(angle) * radius);
      });
    fill(canvas, disc(shape.wheel * 1.2, half), { color: light.lit([14, 15, 17]) });
    fill(canvas, disc(shape.wheel, half + 0.01), {
      color: light.lit([34, 35, 37]),
      bottom: light.lit([22, 22, 24]),
    });
    fill(canvas, disc(shape.wheel * 0.68, half + 0.015), {
      color: light.lit([176, 179, 184]),
      bottom: light.lit([112, 115, 120]),
    });
    for (let spoke = 0; spoke < 5; spoke++) {
      const angle = (spoke / 5) * 2 * Math.PI + (view.seed % 10) / 3;
      const hole = Array.from({ length: 8 }, (_, n): Point => {
        const turn = (n / 8) * 2 * Math.PI;
        const y = Math.sin(angle) * shape.wheel * 0.44 + Math.sin(turn) * shape.wheel * 0.16;
        const away = Math.cos(angle) * shape.wheel * 0.44 + Math.cos(turn) * shape.wheel * 0.16;
        return project(side * (half + 0.016), shape.wheel + y, z + away);
      });
      fill(canvas, hole, { color: light.lit([44, 45, 48]) });
    }
  }
}

/** Draws what is above the belt line: pillars and side windows. */
export function drawGreenhouse(canvas: Canvas, view: View, at: At, paint: Rgb): void {
  const { shape, light, side } = view;
  const upper = shape.profile.filter(([, y]) => y > shape.belt);
  const first = upper[0];
  const last = upper[upper.length - 1];
  if (!first || !last) return;
  const cloth = view.read.vehicle.bodyType === "sedan-convertible";
  const color = cloth ? ([40, 40, 44] as const) : paint;
  const outline = [
    at(first[0], shape.belt, side),
    ...upper.map(([along, y]) => at(along, y, side)),
    at(last[0], shape.belt, side),
  ];
  fill(canvas, outline, {
    color: light.lit(scaleColor(color, 0.84)),
    bottom: light.lit(scaleColor(color, 0.72)),
  });
  const top = Math.max(...shape.profile.map(([, y]) => y));
  for (const [bottomFrom, bottomTo, topFrom, topTo] of shape.windows) {
    const head = Math.min(top - 0.1, shape.belt + 0.75);
    const sillHeight = shape.belt + 0.03;
    const pane = [
      at(bottomFrom, sillHeight, side),
      at(topFrom, head, side),
      at(topTo, head, side),
      at(bottomTo, sillHeight, side),
    ];
    drawGlass(canvas, view, pane, 0);
  }
}
