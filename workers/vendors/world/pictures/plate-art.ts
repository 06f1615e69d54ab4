import type { UsStateCode } from "#app/entities/search/jurisdiction-names.ts";
import type { Vehicle } from "../fleet.ts";
import { textPolygons } from "./glyphs.ts";
import { type Canvas, fill, fillAll, mixColors, type Point, type Rgb, scaleColor } from "./raster.ts";

/** A plate's coordinates are inches from its top left corner: twelve wide and six high. */
export const PLATE_WIDTH = 12;
export const PLATE_HEIGHT = 6;

interface Design {
  top: Rgb;
  bottom: Rgb;
  ink: Rgb;
  name: string;
  nameInk: Rgb;
  motto: string;
  /** Colored bands behind the name or the motto. */
  bands?: readonly { y: number; height: number; color: Rgb }[];
  wave?: Rgb;
}

const NAVY: Rgb = [18, 38, 92];
const WHITE: Rgb = [246, 247, 248];

const DESIGNS: Partial<Record<UsStateCode, Design>> = {
  CT: {
    top: [92, 148, 206],
    bottom: WHITE,
    ink: [16, 44, 110],
    name: "CONNECTICUT",
    nameInk: [10, 32, 92],
    motto: "CONSTITUTION STATE",
  },
  MA: {
    top: WHITE,
    bottom: [240, 240, 240],
    ink: [184, 24, 40],
    name: "MASSACHUSETTS",
    nameInk: [30, 60, 130],
    motto: "THE SPIRIT OF AMERICA",
  },
  NY: {
    top: WHITE,
    bottom: WHITE,
    ink: NAVY,
    name: "NEW YORK",
    nameInk: NAVY,
    motto: "EXCELSIOR",
    bands: [
      { y: 1.42, height: 0.12, color: [232, 178, 40] },
      { y: 4.95, height: 1.05, color: [238, 186, 52] },
    ],
  },
  RI: {
    top: WHITE,
    bottom: [226, 238, 248],
    ink: [14, 34, 82],
    name: "RHODE ISLAND",
    nameInk: [20, 62, 128],
    motto: "OCEAN STATE",
    wave: [70, 138, 200],
  },
  NJ: {
    top: [250, 214, 92],
    bottom: [252, 246, 214],
    ink: [24, 24, 26],
    name: "NEW JERSEY",
    nameInk: [24, 24, 26],
    motto: "GARDEN STATE",
  },
  PA: {
    top: WHITE,
    bottom: WHITE,
    ink: [22, 42, 104],
    name: "PENNSYLVANIA",
    nameInk: WHITE,
    motto: "VISIT PA.COM",
    bands: [
      { y: 0, height: 1.45, color: [28, 58, 130] },
      { y: 4.9, height: 1.1, color: [248, 206, 70] },
    ],
  },
  NH: {
    top: [206, 226, 204],
    bottom: WHITE,
    ink: [24, 92, 52],
    name: "NEW HAMPSHIRE",
    nameInk: [24, 92, 52],
    motto: "LIVE FREE OR DIE",
  },
  VT: {
    top: [18, 96, 56],
    bottom: [14, 82, 48],
    ink: [240, 244, 240],
    name: "VERMONT",
    nameInk: [240, 244, 240],
    motto: "GREEN MOUNTAIN STATE",
  },
  ME: {
    top: WHITE,
    bottom: [232, 240, 240],
    ink: [22, 52, 92],
    name: "MAINE",
    nameInk: [22, 84, 60],
    motto: "VACATIONLAND",
  },
};

const EMPIRE_GOLD: Design = {
  top: [242, 170, 44],
  bottom: [236, 156, 34],
  ink: NAVY,
  name: "NEW YORK",
  nameInk: [240, 190, 70],
  motto: "EMPIRE STATE",
  bands: [{ y: 0, height: 1.4, color: NAVY }],
};

/** Returns the serial as it is embossed, with a gap for the state's separator. */
function spacedSerial({ plate, state }: Vehicle): string {
  if (state === "CT" && /^[A-Z]{2}\d{5}$/.test(plate)) return `${plate.slice(0, 2)}·${plate.slice(2)}`;
  if (plate.length === 7 && /^[A-Z]{3}/.test(plate)) return `${plate.slice(0, 3)} ${plate.slice(3)}`;
  if (plate.length === 6 && /^([A-Z]{3}\d{3}|\d{3}[A-Z]{3})$/.test(plate))
    return `${plate.slice(0, 3)} ${plate.slice(3)}`;
  return plate;
}

/** Draws the vehicle's plate; `place` maps plate inches to the picture, `light` is the plate's brightness. */
export function drawPlate(
  canvas: Canvas,
  { vehicle, place, light }: { vehicle: Vehicle; place: (x: number, y: number) => Point; light: number },
): void {
  const standard = DESIGNS[vehicle.state] ?? (DESIGNS.ME as Design);
  // New York's gold base of 2010 is still on the road.
  const design = vehicle.state === "NY" && vehicle.id % 3 === 0 ? EMPIRE_GOLD : standard;
  const lit = (color: Rgb) => scaleColor(color, light);
  fill(canvas, rounded(-0.35, -0.35, 12.7, 6.7, place), { color: [22, 23, 26], alpha: 0.92 });
  fill(canvas, rounded(0, 0, 12, 6, place), { color: lit(design.top), bottom: lit(design.bottom) });
  for (const band of design.bands ?? []) {
    fill(canvas, rounded(0.06, band.y + 0.03, 11.88, band.height - 0.06, place, 0.2), {
      color: lit(band.color),
    });
  }
  if (design.wave) drawWave(canvas, place, lit(design.wave));
  const small = canvas.scale * Math.abs(place(12, 0)[0] - place(0, 0)[0]);
  const line = (text: string, y: number, height: number, room: number, color: Rgb) => {
    const cell = Math.min(height * 0.82, room / text.length);
    const x = 6 - (cell * text.length - cell * 0.28) / 2;
    const shape = { text, x, y, width: cell * 0.72, height, gap: cell * 0.28, weight: height * 0.19 };
    fillAll(canvas, textPolygons(shape, place), { color: lit(color), alpha: small < 60 ? 0.75 : 1 });
  };
  line(design.name, 0.38, 0.78, 9, design.nameInk);
  if (small > 36) line(design.motto, 5.2, 0.46, 9, design.motto === "VISIT PA.COM" ? NAVY : design.ink);
  for (const [x, y] of [
    [1, 0.7],
    [11, 0.7],
    [1, 5.4],
    [11, 5.4],
  ] as const) {
    if (small > 60)
      fill(canvas, rounded(x - 0.16, y - 0.16, 0.32, 0.32, place, 0.16), { color: [70, 72, 76] });
  }
  drawSerial(canvas, spacedSerial(vehicle), place, lit(design.ink), lit(mixColors(design.ink, WHITE, 0.85)));
  // Light comes from above: the upper edge is bright, the lower one dark.
  fill(canvas, rounded(0, 0, 12, 6, place), {
    color: [255, 255, 255],
    bottom: [0, 0, 0],
    alpha: 0.07,
    bottomAlpha: 0.14,
  });
}

function drawSerial(
  canvas: Canvas,
  serial: string,
  place: (x: number, y: number) => Point,
  ink: Rgb,
  edge: Rgb,
): void {
  const cells = [...serial].map((character) => (character === " " ? 0.45 : character === "·" ? 0.5 : 1));
  const cell = Math.min(1.72, 10.9 / cells.reduce((sum, size) => sum + size, 0));
  let x = 6 - (cell * cells.reduce((sum, size) => sum + size, 0)) / 2;
  const shapes: Point[][] = [];
  const edges: Point[][] = [];
  for (const [index, character] of [...serial].entries()) {
    const size = cells[index] ?? 0;
    const box = {
      text: character,
      x: x + cell * 0.11,
      y: 1.68,
      width: cell * size - cell * 0.22,
      height: 3.05,
      gap: 0,
      weight: cell * 0.23,
    };
    if (character === "·") Object.assign(box, { x: x + cell * 0.1, width: cell * 0.3, y: 2.4 });
    shapes.push(...textPolygons(box, place));
    edges.push(...textPolygons({ ...box, x: box.x + 0.07, y: box.y + 0.09 }, place));
    x += cell * size;
  }
  // Embossed characters have a narrow bright edge.
  fillAll(canvas, edges, { color: edge, alpha: 0.55 });
  fillAll(canvas, shapes, { color: ink });
}

function drawWave(canvas: Canvas, place: (x: number, y: number) => Point, color: Rgb): void {
  for (const [n, alpha] of [0.28, 0.34, 0.5].entries()) {
    const points: Point[] = [];
    for (let x = 0.1; x <= 11.9; x += 0.6)
      points.push(place(x, 3.9 + n * 0.6 - Math.sin(x * 0.9 + n) * 0.45 - x * 0.06));
    points.push(place(11.9, 5.8), place(0.1, 5.8));
    fill(canvas, points, { color, alpha });
  }
}

function rounded(
  x: number,
  y: number,
  width: number,
  height: number,
  place: (x: number, y: number) => Point,
  radius = 0.45,
): Point[] {
  const r = Math.min(radius, width / 2, height / 2);
  const points: Point[] = [];
  for (const [cx, cy, from] of [
    [x + width - r, y + r, -90],
    [x + width - r, y + height - r, 0],
    [x + r, y + height - r, 90],
    [x + r, y + r, 180],
  ] as const) {
    for (const step of [0, 30, 60, 90]) {
      const angle = ((from + step) * Math.PI) / 180;
      points.push(place(cx + Math.cos(angle) * r, cy + Math.sin(angle) * r));
    }
  }
  return points;
}
