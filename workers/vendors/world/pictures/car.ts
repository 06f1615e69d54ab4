import type { View } from "../view.ts";
import { drawFace, drawMirrors } from "./car-face.ts";
import { bodyColor, depthOf, drawGlass } from "./car-paint.ts";
import { type At, drawFlankLines, drawGreenhouse, drawWheels } from "./flank.ts";
import { type Canvas, fill, mixColors, type Point, type Rgb, scaleColor } from "./raster.ts";
import { halfWidth, type Shape } from "./sedan-shape.ts";

/** Draws a car, van or pickup: its side, then its strips from far to near, then the near end. */
export function drawCar(canvas: Canvas, view: View): void {
  const { shape, light, project } = view;
  const paint = bodyColor(view);
  const at = (along: number, height: number, side: number, out = 0): Point =>
    project(side * (halfWidth(shape, along, height) + out), height, depthOf(view, along));
  drawShadow(canvas, view);
  drawUnderbody(canvas, view);
  if (view.rear) drawMirrors(canvas, view, paint);
  const lower = shape.profile.map(([along, y]) => at(along, Math.min(y, shape.belt), view.side));
  const sill = light.lit(scaleColor(paint, 0.42));
  fill(canvas, lower, { color: light.lit(scaleColor(paint, 0.86)), bottom: sill });
  drawFlankLines(canvas, view, at, paint);
  drawWheels(canvas, view);
  drawGreenhouse(canvas, view, at, paint);
  const strips = shape.profile.slice(0, -1).map(([along, y, kind], n) => {
    const [nextAlong, nextY] = shape.profile[n + 1] as Shape["profile"][number];
    return { along, y, nextAlong, nextY, kind, depth: depthOf(view, (along + nextAlong) / 2) };
  });
  strips.sort((a, b) => b.depth - a.depth);
  const soft = view.read.vehicle.bodyType === "sedan-convertible";
  for (const { along, y, nextAlong, nextY, kind } of strips) {
    const quad = [at(along, y, -1), at(along, y, 1), at(nextAlong, nextY, 1), at(nextAlong, nextY, -1)];
    const flat = Math.abs(nextAlong - along) / Math.hypot(nextAlong - along, nextY - y);
    const facing = nextY < y === view.rear || (flat > 0.93 && y < 1.7) || kind === "bed";
    if (!facing) continue;
    if (kind === "bed") {
      drawBed(canvas, view, at, [along, nextAlong, y]);
      continue;
    }
    const cover: Rgb = soft && (kind === "roof" || kind === "glass") ? [40, 40, 44] : paint;
    const bright = kind === "face" ? 0.98 : 0.98 + flat * 0.16;
    const sky = kind === "face" ? 0.02 : 0.12 * flat;
    const top = light.lit(
      mixColors(scaleColor(cover, bright), light.name === "day" ? [214, 226, 236] : [90, 96, 110], sky),
    );
    fill(canvas, quad, { color: top, bottom: light.lit(scaleColor(cover, kind === "face" ? 0.8 : 0.94)) });
    if (kind === "glass") drawGlass(canvas, view, quad);
  }
  drawFace(canvas, view, paint);
}

function drawShadow(canvas: Canvas, { shape, project, light, side }: View): void {
  const half = shape.width / 2;
  for (const grow of [0.5, 0.4, 0.31, 0.23, 0.16, 0.1, 0.05, 0]) {
    const z0 = -grow * 0.6;
    const z1 = shape.length + grow;
    const x0 = -half - grow + (side < 0 ? -0.15 : 0);
    const x1 = half + grow + (side > 0 ? 0.15 : 0);
    const points: Point[] = [];
    for (let step = 0; step < 24; step++) {
      // A superellipse: a rectangle with round corners.
      const angle = (step / 24) * 2 * Math.PI;
      const power = (value: number) => Math.sign(value) * Math.abs(value) ** 0.45;
      points.push(
        project(
          (x0 + x1) / 2 + (power(Math.cos(angle)) * (x1 - x0)) / 2,
          0,
          (z0 + z1) / 2 + (power(Math.sin(angle)) * (z1 - z0)) / 2,
        ),
      );
    }
    fill(canvas, points, { color: [8, 9, 11], alpha: light.name === "day" ? 0.13 : 0.1 });
  }
}

function drawUnderbody(canvas: Canvas, view: View): void {
  const { shape, project, light } = view;
  const half = shape.width / 2;
  const block = (x0: number, x1: number, y0: number, y1: number, z: number, color: Rgb) =>
    fill(canvas, [project(x0, y1, z), project(x1, y1, z), project(x1, y0, z), project(x0, y0, z)], {
      color: light.lit(color),
    });
  const floor = shape.wheel * 0.55;
  block(-half * 0.9, half * 0.9, floor, shape.wheel * 1.6, depthOf(view, shape.length / 2), [16, 17, 19]);
  for (const axle of shape.axles) {
    const z = depthOf(view, axle) - shape.wheel * 0.6;
    for (const side of [-1, 1])
      block(side * half * 0.97, side * (half - 0.24), 0, shape.wheel * 1.7, z, [22, 22, 24]);
  }
  block(-half * 0.82, half * 0.82, floor, 0.5, 0.25, [18, 19, 21]);
}

function drawBed(
  canvas: Canvas,
  view: View,
  at: At,
  [from, to, height]: readonly [number, number, number],
): void {
  const { light, side } = view;
  const quad = [
    at(from, height, -1, -0.08),
    at(from, height, 1, -0.08),
    at(to, height, 1, -0.08),
    at(to, height, -1, -0.08),
  ];
  fill(canvas, quad, { color: light.lit([28, 29, 31]), bottom: light.lit([54, 55, 58]) });
  fill(
    canvas,
    [
      at(from, height, side),
      at(to, height, side),
      at(to, height - 0.05, side),
      at(from, height - 0.05, side),
    ],
    {
      color: light.lit([20, 20, 22]),
    },
  );
}
