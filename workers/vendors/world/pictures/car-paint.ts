import type { VehicleColor } from "#app/entities/search/vehicle.ts";
import { at } from "#app/lib/at.ts";
import type { View } from "../view.ts";
import { type Canvas, fill, type Point, type Rgb } from "./raster.ts";

const BODY_COLORS: Record<VehicleColor, readonly Rgb[]> = {
  Black: [
    [34, 35, 38],
    [26, 28, 34],
  ],
  Blue: [
    [38, 74, 148],
    [30, 52, 104],
    [66, 118, 176],
  ],
  Brown: [
    [98, 66, 44],
    [82, 58, 46],
  ],
  "Gold/Beige": [
    [196, 172, 124],
    [206, 190, 158],
  ],
  Green: [
    [42, 92, 62],
    [66, 104, 78],
  ],
  Orange: [[222, 104, 30]],
  Pink: [[226, 132, 164]],
  Purple: [[94, 56, 138]],
  Red: [
    [172, 30, 34],
    [132, 24, 34],
  ],
  "Silver/Gray": [
    [168, 172, 177],
    [118, 123, 129],
    [190, 193, 196],
  ],
  White: [
    [234, 236, 237],
    [242, 241, 236],
  ],
  Yellow: [[232, 192, 44]],
};

export function bodyColor({ read: { vehicle } }: View): Rgb {
  const shades = BODY_COLORS[vehicle.color];
  return at(shades, vehicle.id % shades.length);
}

/** Returns the z coordinate (away from the camera) of a distance from the front bumper. */
export function depthOf(view: View, along: number): number {
  return view.rear ? view.shape.length - along : along;
}

/** Returns a round lamp or wheel that faces the camera. */
export function disc(view: View, x: number, y: number, z: number, wide: number, high = wide): Point[] {
  return Array.from({ length: 24 }, (_, n) => {
    const angle = (n / 24) * 2 * Math.PI;
    return view.project(x + Math.cos(angle) * wide, y + Math.sin(angle) * high, z);
  });
}

export function drawGlass(canvas: Canvas, { light }: View, quad: readonly Point[], inset = 0.07): void {
  const middle = quad.reduce<Point>(
    ([x, y], [px, py]) => [x + px / quad.length, y + py / quad.length],
    [0, 0],
  );
  const pane = quad.map(([x, y]): Point => [x + (middle[0] - x) * inset, y + (middle[1] - y) * inset]);
  fill(canvas, pane, { color: light.lit([96, 112, 124]), bottom: light.lit([26, 32, 38]) });
  const [a, b, c, d] = pane as [Point, Point, Point, Point];
  // One slanted reflection of the sky.
  const along = (p: Point, q: Point, share: number): Point => [
    p[0] + (q[0] - p[0]) * share,
    p[1] + (q[1] - p[1]) * share,
  ];
  fill(canvas, [along(a, b, 0.12), along(a, b, 0.34), along(d, c, 0.22), along(d, c, 0.04)], {
    color: light.lit([226, 236, 242]),
    alpha: 0.16,
  });
}
