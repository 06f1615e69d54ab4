import { at } from "#app/lib/at.ts";
import type { View } from "../view.ts";
import { type Canvas, fill, mixColors, type Point, type Rgb } from "./raster.ts";
import { halfWidth } from "./sedan-shape.ts";

const STICKER_COLORS: readonly Rgb[] = [
  [240, 240, 236],
  [206, 44, 44],
  [40, 96, 180],
  [246, 206, 60],
  [46, 140, 84],
];

/** Draws the racks and stickers that distinguish a vehicle from others of its model. */
export function drawMarks(canvas: Canvas, view: View): void {
  const { shape, project, light, rear, read } = view;
  const top = Math.max(...shape.profile.map(([, y]) => y));
  const marks = new Set(read.vehicle.marks);
  const color = (n: number) =>
    light.lit(at(STICKER_COLORS, (view.read.vehicle.id + n) % STICKER_COLORS.length));
  const bar = (
    from: readonly [number, number, number],
    to: readonly [number, number, number],
    thick: number,
    ink: Rgb,
  ) => {
    const [a, b] = [project(...from), project(...to)];
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const size = Math.max(1.6, (thick * 2150) / (shape.distance + (from[2] + to[2]) / 2) / 2);
    const [nx, ny] = [(-(b[1] - a[1]) / long) * size, ((b[0] - a[0]) / long) * size];
    fill(
      canvas,
      [
        [a[0] - nx, a[1] - ny],
        [b[0] - nx, b[1] - ny],
        [b[0] + nx, b[1] + ny],
        [a[0] + nx, a[1] + ny],
      ],
      { color: light.lit(ink) },
    );
  };
  if (marks.has("top_rack")) {
    const half = halfWidth(shape, shape.length / 2, top) * 0.92;
    const roof = shape.profile.filter(([, y]) => y > top - 0.16).map(([along]) => along);
    const ends = [Math.min(...roof), Math.max(...roof)].map((along) =>
      rear ? shape.length - along : along,
    ) as [number, number];
    for (const share of [0.85, 0.2]) {
      const z = ends[0] + (ends[1] - ends[0]) * share;
      for (const side of [-1, 1])
        bar([side * half * 0.9, top - 0.03, z], [side * half * 0.9, top + 0.1, z], 0.05, [30, 31, 33]);
      bar([-half, top + 0.1, z], [half, top + 0.1, z], 0.06, [52, 54, 58]);
    }
    for (const side of [-1, 1])
      bar([side * half, top + 0.08, ends[0]], [side * half, top + 0.08, ends[1]], 0.05, [44, 46, 50]);
  }
  if (marks.has("back_rack") && rear) {
    const low = shape.rearLamp + 0.12;
    const high = Math.max(low + 0.55, Math.min(top - 0.2, low + 0.8));
    for (const x of [-0.32, 0.32]) bar([x, low, -0.05], [x, high, -0.22], 0.05, [28, 29, 31]);
    bar([-0.6, high, -0.22], [0.6, high, -0.22], 0.055, [36, 37, 40]);
    bar([-0.45, low + 0.1, -0.1], [0.45, low + 0.1, -0.1], 0.045, [36, 37, 40]);
    for (const x of [-0.42, 0.42]) {
      const wheel = (radius: number) =>
        Array.from({ length: 28 }, (_, n): Point => {
          const angle = (n / 28) * 2 * Math.PI;
          return project(x + Math.cos(angle) * radius, high - 0.1 + Math.sin(angle) * radius, -0.26);
        });
      let before: Point | undefined;
      for (const point of [...wheel(0.3), at(wheel(0.3), 0)]) {
        if (before)
          fill(canvas, [before, point, [point[0] + 5, point[1] + 3], [before[0] + 5, before[1] + 3]], {
            color: light.lit([24, 24, 26]),
          });
        before = point;
      }
    }
    bar([-0.42, high - 0.1, -0.26], [0, high + 0.14, -0.26], 0.04, [198, 40, 44]);
    bar([0, high + 0.14, -0.26], [0.42, high - 0.1, -0.26], 0.04, [198, 40, 44]);
  }
  const sticker = (x: number, y: number, width: number, height: number, z: number, ink: Rgb) => {
    fill(
      canvas,
      [
        project(x, y + height, z),
        project(x + width, y + height, z),
        project(x + width, y, z),
        project(x, y, z),
      ],
      { color: ink },
    );
    fill(
      canvas,
      [
        project(x + width * 0.15, y + height * 0.62, z),
        project(x + width * 0.85, y + height * 0.62, z),
        project(x + width * 0.85, y + height * 0.42, z),
        project(x + width * 0.15, y + height * 0.42, z),
      ],
      {
        color: mixColors(ink, [20, 20, 30], 0.75),
      },
    );
  };
  const half = shape.width / 2;
  const low = at(shape.profile, rear ? shape.profile.length - 1 : 0)[1];
  if (marks.has("bumper_stickers")) {
    sticker(-half * 0.78, low + 0.2, 0.26, 0.09, -0.03, color(0));
    sticker(half * 0.5, low + 0.19, 0.22, 0.1, -0.03, color(2));
  }
  if (marks.has("window_stickers")) {
    // The window is slanted, so a sticker's depth depends on its height.
    const glass = shape.profile.findIndex(([, , kind], n) => kind === "glass" && (rear ? n > 4 : n < 6));
    const a = shape.profile[glass];
    const b = shape.profile[glass + 1];
    if (!a || !b) return;
    const [lower, upper] = a[1] < b[1] ? [a, b] : [b, a];
    const along = lower[0] + (upper[0] - lower[0]) * 0.25;
    const z = (rear ? shape.length - along : along) - 0.02;
    const y = lower[1] + (upper[1] - lower[1]) * 0.2;
    sticker(-half * 0.62, y, 0.16, 0.11, z, color(1));
    sticker(half * 0.34, y, 0.12, 0.12, z, color(3));
  }
}
