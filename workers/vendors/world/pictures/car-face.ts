import { at } from "#app/lib/at.ts";
import { hashOf } from "../random.ts";
import type { View } from "../view.ts";
import { drawMarks } from "./marks.ts";
import { type Canvas, fill, glow, type Point, type Rgb, scaleColor } from "./raster.ts";
import { halfWidth } from "./sedan-shape.ts";

/** Draws the end that the camera sees: lamps, grille, bumper, mirrors, racks and stickers, but not the plate. */
export function drawFace(canvas: Canvas, view: View, paint: Rgb): void {
  const { shape, project, light, rear } = view;
  const style = hashOf(
    view.read.vehicle.make.length,
    view.read.vehicle.make.charCodeAt(0),
    view.read.vehicle.make.charCodeAt(2),
  );
  const along = rear ? shape.length : 0;
  const lamp = rear ? shape.rearLamp : shape.frontLamp;
  const half = halfWidth(shape, along, lamp);
  const rect = (x0: number, x1: number, y0: number, y1: number, z = -0.01): Point[] => [
    project(x0, y1, z),
    project(x1, y1, z),
    project(x1, y0, z),
    project(x0, y0, z),
  ];
  const bottom = at(shape.profile, rear ? shape.profile.length - 1 : 0)[1];
  fill(canvas, rect(-half * 0.95, half * 0.95, bottom - 0.02, bottom + 0.15), {
    color: light.lit([34, 35, 38]),
    bottom: light.lit([20, 20, 22]),
  });
  const bumper = bottom + 0.15 + (lamp - bottom) * 0.3;
  fill(canvas, rect(-half * 0.98, half * 0.98, bumper, bumper + 0.025), {
    color: light.lit(scaleColor(paint, 0.45)),
  });
  fill(canvas, rect(-half * 0.98, half * 0.98, bumper + 0.03, bumper + 0.05), {
    color: [255, 255, 255],
    alpha: 0.16,
  });
  const tall = rear && (shape.belt > 1.3 || lamp > 1) ? 0.24 : 0.085;
  const wide = tall > 0.2 ? 0.17 : 0.3 + (style % 12) / 100;
  if (rear) {
    for (const side of [-1, 1]) {
      const inner = side * (half - wide);
      const outer = side * (half + 0.005);
      fill(
        canvas,
        [
          project(outer, lamp + tall, 0),
          project(inner, lamp + tall * 0.8, -0.01),
          project(inner, lamp - tall * 0.7, -0.01),
          project(outer, lamp - tall, 0),
        ],
        {
          color: light.lamps ? [236, 44, 36] : light.lit([186, 28, 30]),
          bottom: light.lamps ? [176, 14, 16] : light.lit([112, 12, 18]),
        },
      );
      fill(
        canvas,
        rect(
          side * (half - wide * 0.55),
          side * (half - wide * 0.95),
          lamp - tall * 0.3,
          lamp + tall * 0.25,
          -0.02,
        ),
        {
          color: light.lit([236, 226, 220]),
          alpha: 0.85,
        },
      );
      if (light.lamps)
        glow(
          canvas,
          project(side * (half - wide / 2), lamp, -0.02),
          light.name === "night" ? 95 : 60,
          [210, 24, 14],
        );
    }
    const exhaust = style % 2 === 0 ? -1 : 1;
    fill(canvas, rect(exhaust * half * 0.58, exhaust * half * 0.74, bottom, bottom + 0.06, -0.02), {
      color: light.lit([190, 192, 196]),
      bottom: light.lit([40, 40, 42]),
    });
    fill(canvas, rect(-0.09, 0.09, lamp + 0.06, lamp + 0.1, -0.02), { color: light.lit([206, 209, 214]) });
  } else {
    const grille = 0.3 + (style % 20) / 100;
    const deep = shape.frontLamp > 0.8 ? 0.15 : 0.09;
    fill(canvas, rect(-half * grille - 0.03, half * grille + 0.03, lamp - deep - 0.02, lamp + deep + 0.01), {
      color: light.lit([196, 199, 204]),
    });
    fill(canvas, rect(-half * grille, half * grille, lamp - deep, lamp + deep * 0.9, -0.02), {
      color: light.lit([22, 23, 25]),
    });
    for (let y = lamp - deep + 0.03; y < lamp + deep * 0.8; y += 0.045) {
      fill(canvas, rect(-half * grille, half * grille, y, y + 0.012, -0.025), {
        color: light.lit([120, 124, 130]),
      });
    }
    fill(canvas, rect(-0.06, 0.06, lamp - 0.035, lamp + 0.035, -0.03), { color: light.lit([222, 224, 228]) });
    fill(canvas, rect(-half * 0.6, half * 0.6, bottom + 0.02, bottom + 0.12, -0.02), {
      color: light.lit([18, 18, 20]),
    });
    for (const side of [-1, 1]) {
      const inner = side * half * (grille + 0.16);
      const outer = side * (half - 0.015);
      fill(
        canvas,
        [
          project(outer, lamp + 0.09, 0),
          project(inner, lamp + 0.055, -0.01),
          project(inner, lamp - 0.06, -0.01),
          project(outer, lamp - 0.045, 0),
        ],
        {
          color: light.lamps ? [255, 250, 232] : light.lit([236, 240, 243]),
          bottom: light.lamps ? [255, 238, 200] : light.lit([150, 158, 166]),
        },
      );
      if (light.lamps)
        glow(
          canvas,
          project((inner + outer) / 2, lamp, -0.02),
          light.name === "night" ? 130 : 80,
          [226, 214, 180],
        );
      fill(canvas, rect(side * half * 0.78, side * half * 0.88, bottom + 0.12, bottom + 0.18, -0.02), {
        color: light.lit([206, 206, 196]),
      });
    }
  }
  if (!rear) drawMirrors(canvas, view, paint);
  drawMarks(canvas, view);
}

/** In a rear view the mirrors are behind the body and must be drawn before it. */
export function drawMirrors(canvas: Canvas, view: View, paint: Rgb): void {
  const { shape, project, light, rear } = view;
  const at = (shape.windows[0]?.[0] ?? 1.6) + 0.12;
  const z = rear ? shape.length - at : at;
  const half = halfWidth(shape, at, shape.belt);
  for (const side of [-1, 1]) {
    const y = shape.belt + 0.05;
    const points: Point[] = [
      project(side * (half - 0.02), y + 0.02, z),
      project(side * (half + 0.06), y + 0.13, z),
      project(side * (half + 0.2), y + 0.12, z),
      project(side * (half + 0.21), y, z),
      project(side * (half + 0.08), y - 0.03, z),
    ];
    fill(canvas, points, {
      color: light.lit(scaleColor(paint, 0.95)),
      bottom: light.lit(scaleColor(paint, 0.5)),
    });
  }
}
