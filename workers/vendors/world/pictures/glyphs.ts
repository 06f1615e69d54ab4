import { at } from "#app/lib/at.ts";
import type { Point } from "./raster.ts";

/** Stroke letters on a grid four wide and six high, chamfered like stamped ones. Strokes are separated by "/". */
const STROKES: Readonly<Record<string, string>> = {
  A: "06 02 20 42 46/04 44",
  B: "00 30 41 42 33 44 45 36 06 00/03 33",
  C: "41 30 10 01 05 16 36 45",
  D: "00 30 41 45 36 06 00",
  E: "40 00 06 46/03 33",
  F: "40 00 06/03 33",
  G: "41 30 10 01 05 16 36 45 43 23",
  H: "00 06/40 46/03 43",
  I: "20 26/10 30/16 36",
  J: "40 45 36 16 05 04",
  K: "00 06/40 03/13 46",
  L: "00 06 46",
  M: "06 00 23 40 46",
  N: "06 00 46 40",
  O: "10 30 41 45 36 16 05 01 10",
  P: "06 00 30 41 42 33 03",
  Q: "10 30 41 45 36 16 05 01 10/34 46",
  R: "06 00 30 41 42 33 03/23 46",
  S: "41 30 10 01 02 13 33 44 45 36 16 05",
  T: "00 40/20 26",
  U: "00 05 16 36 45 40",
  V: "00 26 40",
  W: "00 16 22 36 40",
  X: "00 46/40 06",
  Y: "00 23 40/23 26",
  Z: "00 40 06 46",
  0: "10 30 41 45 36 16 05 01 10",
  1: "11 20 26/16 36",
  2: "01 10 30 41 42 05 06 46",
  3: "01 10 30 41 42 33 44 45 36 16 05/13 33",
  4: "36 30 04 44",
  5: "40 00 02 32 43 45 36 16 05",
  6: "41 30 10 01 05 16 36 45 44 33 13 04",
  7: "00 40 16",
  8: "10 30 41 42 33 44 45 36 16 05 04 13 02 01 10/13 33",
  9: "05 16 36 45 41 30 10 01 02 13 33 42",
  "-": "03 43",
  ":": "21 22/24 25",
  ".": "25 26",
  "/": "40 06",
  "@": "43 23 22 32 42 43/44 41 30 10 01 05 16 36",
  "·": "23 24",
  "+": "03 43/21 25",
};

const PARSED = new Map<string, Point[][]>(
  Object.entries(STROKES).map(([character, strokes]) => [
    character,
    strokes
      .split("/")
      .map((stroke) => stroke.split(" ").map((pair): Point => [Number(pair[0]), Number(pair[1])])),
  ]),
);

export interface TextLine {
  text: string;
  /** Left end and top of the letters. */
  x: number;
  y: number;
  /** Width of one letter, without the gap. */
  width: number;
  height: number;
  gap: number;
  /** Stroke thickness. */
  weight: number;
}

/** Returns the polygons of a line of text, mapped by `place`; all have the same direction, as fillAll needs. */
export function textPolygons(line: TextLine, place: (x: number, y: number) => Point): Point[][] {
  const polygons: Point[][] = [];
  let x = line.x;
  const half = line.weight / 2;
  for (const character of line.text.toUpperCase()) {
    const strokes = PARSED.get(character) ?? [];
    // The letter's box includes the thickness of the strokes.
    const sx = (line.width - line.weight) / 4;
    const sy = (line.height - line.weight) / 6;
    for (const stroke of strokes) {
      const points = stroke.map((point): Point => [x + half + point[0] * sx, line.y + half + point[1] * sy]);
      for (let n = 0; n < points.length; n++) {
        const a = at(points, n);
        const b = points[n + 1];
        polygons.push(joint(a, half, place));
        if (b) polygons.push(bar(a, b, half, place));
      }
    }
    x += line.width + line.gap;
  }
  return polygons;
}

function bar(a: Point, b: Point, half: number, place: (x: number, y: number) => Point): Point[] {
  const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const nx = (-(b[1] - a[1]) / long) * half;
  const ny = ((b[0] - a[0]) / long) * half;
  return [
    place(a[0] - nx, a[1] - ny),
    place(b[0] - nx, b[1] - ny),
    place(b[0] + nx, b[1] + ny),
    place(a[0] + nx, a[1] + ny),
  ];
}

const ROUND = Array.from(
  { length: 8 },
  (_, n): Point => [Math.cos((n * Math.PI) / 4), Math.sin((n * Math.PI) / 4)],
);

function joint(at: Point, half: number, place: (x: number, y: number) => Point): Point[] {
  return ROUND.map(([x, y]) => place(at[0] + x * half, at[1] + y * half));
}
