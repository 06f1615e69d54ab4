import { at } from "#app/lib/at.ts";
import { type Canvas, fill, glow, mixColors, type Point, type Rgb } from "./pictures/raster.ts";
import { hashOf, randomFrom } from "./random.ts";
import { PICTURE, type View } from "./view.ts";

/** Draws everything except the vehicle: sky, trees or houses, verge, road, lines, street lamps. */
export function drawScene(canvas: Canvas, view: View): void {
  const { light, shape, ground, read } = view;
  const { horizon } = shape;
  const place = randomFrom(hashOf(read.camera.index, 11));
  fill(canvas, box(0, 0, PICTURE.width, horizon + 4), { color: light.skyTop, bottom: light.skyBottom });
  if (read.camera.highway) drawTrees(canvas, view, place);
  else drawHouses(canvas, view, place);
  const verge: Rgb = read.camera.highway ? [98, 112, 70] : [150, 148, 142];
  fill(canvas, box(0, horizon, PICTURE.width, PICTURE.height - horizon), {
    color: light.lit(mixColors(verge, [120, 124, 118], 0.4)),
    bottom: light.lit(verge),
  });
  const near = -shape.distance + 1;
  const strip = (from: number, to: number, z0: number, z1: number): Point[] => [
    ground(from, 0, z1),
    ground(to, 0, z1),
    ground(to, 0, z0),
    ground(from, 0, z0),
  ];
  fill(canvas, strip(-6.4, 6.4, near, 400), {
    color: light.lit([126, 127, 130]),
    bottom: light.lit([82, 83, 87]),
  });
  // Tires polish two tracks into each lane.
  for (const x of [-1, 0.75]) {
    fill(canvas, strip(x - 0.05, x + 0.45, near, 300), {
      color: light.lit([70, 71, 75]),
      alpha: 0.1,
      bottomAlpha: 0.3,
    });
  }
  const paint = light.lit([226, 226, 220]);
  for (const x of [-5.7, 5.7]) {
    const color = x < 0 && read.camera.highway ? light.lit([222, 182, 70]) : paint;
    fill(canvas, strip(x, x + 0.14, near, 200), { color, alpha: 0.85 });
  }
  for (let z = near - (hashOf(read.camera.index) % 5); z < 120; z += 9) {
    for (const x of [-2.1, 2.1])
      fill(canvas, strip(x, x + 0.13, Math.max(near, z), z + 3), { color: paint, alpha: 0.8 });
  }
  if (read.camera.highway) drawGuardRail(canvas, view);
  drawSpeckle(canvas, view);
  if (light.lamps) drawStreetLamps(canvas, view);
}

function drawTrees(canvas: Canvas, view: View, random: () => number): void {
  const { light, shape } = view;
  for (const [layer, color] of (
    [
      [112, 132, 112],
      [64, 88, 58],
    ] as const
  ).entries()) {
    const points: Point[] = [[-20, shape.horizon + 3]];
    let height = 30;
    for (let x = -20; x <= 1300; x += layer === 0 ? 34 : 15) {
      height = Math.max(14, Math.min(74, height + (random() - 0.5) * 34));
      points.push([x, shape.horizon - height * (layer === 0 ? 1.15 : 0.72)]);
    }
    points.push([1300, shape.horizon + 3]);
    fill(canvas, points, { color: light.lit(color), bottom: light.lit(mixColors(color, [30, 40, 30], 0.5)) });
  }
}

function drawHouses(canvas: Canvas, view: View, random: () => number): void {
  const { light, shape } = view;
  const walls: readonly Rgb[] = [
    [150, 104, 84],
    [172, 164, 152],
    [124, 128, 138],
    [186, 174, 148],
    [108, 88, 80],
  ];
  for (let x = -40; x < 1280; ) {
    const width = 90 + random() * 130;
    const height = Math.min(shape.horizon - 6, 60 + random() * 110);
    const wall = at(walls, Math.floor(random() * walls.length));
    const top = shape.horizon - height;
    fill(canvas, box(x, top, width, height + 6), {
      color: light.lit(wall),
      bottom: light.lit(mixColors(wall, [60, 60, 60], 0.35)),
    });
    fill(canvas, box(x - 3, top - 5, width + 6, 8), { color: light.lit(mixColors(wall, [40, 40, 44], 0.6)) });
    for (let wy = top + 16; wy < shape.horizon - 22; wy += 34) {
      for (let wx = x + 12; wx < x + width - 20; wx += 30) {
        const on = light.lamps && random() < 0.35;
        fill(canvas, box(wx, wy, 14, 20), { color: on ? [236, 196, 120] : light.lit([58, 70, 84]) });
      }
    }
    x += width + random() * 22;
  }
}

function drawGuardRail(canvas: Canvas, { light, ground, shape }: View): void {
  const steel: Rgb = [168, 172, 176];
  for (const x of [-7.2, 7.2]) {
    for (let z = -shape.distance + 4; z < 60; z += 4) {
      fill(
        canvas,
        [ground(x - 0.06, 0.6, z), ground(x + 0.06, 0.6, z), ground(x + 0.06, 0, z), ground(x - 0.06, 0, z)],
        {
          color: light.lit([120, 112, 100]),
        },
      );
    }
    const near = -shape.distance + 2;
    fill(canvas, [ground(x, 0.75, near), ground(x, 0.75, 150), ground(x, 0.5, 150), ground(x, 0.5, near)], {
      color: light.lit(steel),
      bottom: light.lit([118, 122, 128]),
    });
  }
}

function drawSpeckle(canvas: Canvas, { light, ground, read, shape }: View): void {
  const random = randomFrom(hashOf(read.camera.index, 12));
  for (let n = 0; n < 26; n++) {
    const x = (random() - 0.5) * 11;
    const z = -shape.distance + 2.5 + random() * 16;
    const size = 0.1 + random() * 0.3;
    const stain = [
      ground(x, 0, z),
      ground(x + size, 0, z + size),
      ground(x + size * 1.6, 0, z),
      ground(x + size, 0, z - size * 0.6),
    ];
    fill(canvas, stain, { color: light.lit(random() < 0.5 ? [60, 61, 64] : [140, 140, 142]), alpha: 0.22 });
  }
}

function drawStreetLamps(canvas: Canvas, { ground, light }: View): void {
  for (const [n, z] of [14, 34, 62, 100].entries()) {
    const x = n % 2 === 0 ? 7.6 : -7.6;
    const head = ground(x * 0.86, 7.2, z);
    fill(
      canvas,
      [ground(x - 0.07, 7.2, z), ground(x + 0.07, 7.2, z), ground(x + 0.09, 0, z), ground(x - 0.09, 0, z)],
      {
        color: light.lit([70, 72, 76]),
      },
    );
    glow(canvas, head, 90 - n * 12, light.name === "night" ? [200, 160, 96] : [120, 96, 60]);
    glow(canvas, ground(x * 0.8, 0, z), 150 - n * 22, light.name === "night" ? [46, 38, 24] : [16, 12, 8]);
  }
}

export function box(x: number, y: number, width: number, height: number): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}
