// The map of a record in the PDF: drawn once per place and shared by all records of that place.

import { drawMap, type MapDrawing, type MapSource } from "#app/entities/exports/map.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import type { Pdf, PdfDrawable } from "#app/lib/pdf/document.ts";
import { pdfNumber } from "#app/lib/pdf/objects.ts";
import { type Fonts, line } from "./page.ts";

export const MAP_SIZE = { width: 146, height: 92 } as const;
const ACROSS_METERS = 24_000;

/** Drawings kept for sharing. A report with more places draws some of them twice. */
const MOST_KEPT = 500;

export type MapPrinter = (latitude: number | null, longitude: number | null) => PdfDrawable | undefined;

export function createMapPrinter(input: { pdf: Pdf; fonts: Fonts; source: MapSource }): MapPrinter {
  const { pdf, fonts, source } = input;
  const drawn = new Map<string, PdfDrawable>();
  return (latitude, longitude) => {
    if (latitude === null || longitude === null || !isMappable(latitude, longitude)) return undefined;
    const place = { latitude, longitude };
    const key = `${place.latitude.toFixed(4)} ${place.longitude.toFixed(4)}`;
    const known = drawn.get(key);
    if (known) return known;
    const map = drawMap(source, { ...place, ...MAP_SIZE, across: ACROSS_METERS });
    const made = pdf.drawing(MAP_SIZE, operatorsOf(map, fonts));
    if (drawn.size < MOST_KEPT) drawn.set(key, made);
    return made;
  };
}

function operatorsOf(map: MapDrawing, fonts: Fonts): string {
  const { width, height, marker, scale } = map;
  const points = (numbers: number[]) => {
    let text = "";
    for (let i = 0; i < numbers.length; i += 2) {
      const [x, y] = [numbers[i] ?? 0, height - (numbers[i + 1] ?? 0)];
      text += `${pdfNumber(x)} ${pdfNumber(y)} ${i === 0 ? "m" : "l"}\n`;
    }
    return text;
  };
  const lines = (all: number[][], looks: string) =>
    all.length === 0 ? "" : `${looks} ${all.map(points).join("")}S\n`;
  const { x, y } = { x: marker.x, y: height - marker.y };
  return [
    `0 0 ${width} ${height} re W n 0.86 g 0 0 ${width} ${height} re f\n`,
    map.land.length === 0 ? "" : `1 g ${map.land.map((ring) => `${points(ring)}h\n`).join("")}f\n`,
    lines(map.counties, "0.65 G 0.4 w [1.5 1.5] 0 d"),
    lines(map.states, "0.3 G 0.7 w [] 0 d"),
    "[] 0 d 0.2 g\n",
    ...map.labels.map((label) => {
      const half = fonts.text.widthOf(fonts.text.shown(label.text), 5.5) / 2;
      return line(fonts.text, 5.5, label.x - half, height - label.y, label.text);
    }),
    circle(x, y, 4.4, "1 G 2.6 w", "S"),
    circle(x, y, 4.4, "0 G 1.4 w", "S"),
    circle(x, y, 1.3, "0 g", "f"),
    `1 g 3 3 ${pdfNumber(scale.length + 26)} 8 re f 0 G 0.7 w 5 7 m 5 5 l ${pdfNumber(5 + scale.length)} 5 l ${pdfNumber(5 + scale.length)} 7 l S 0 g\n`,
    line(fonts.text, 5.5, 8 + scale.length, 5, scale.text),
    `0.4 G 0.5 w 0.25 0.25 ${width - 0.5} ${height - 0.5} re S\n`,
  ].join("");
}

/** Approximates a circle by four Bézier curves. */
function circle(x: number, y: number, radius: number, looks: string, paint: "S" | "f"): string {
  const k = radius * 0.5523;
  const n = (...values: number[]) => values.map(pdfNumber).join(" ");
  return `${looks} ${n(x + radius, y)} m ${n(x + radius, y + k, x + k, y + radius, x, y + radius)} c ${n(x - k, y + radius, x - radius, y + k, x - radius, y)} c ${n(x - radius, y - k, x - k, y - radius, x, y - radius)} c ${n(x + k, y - radius, x + radius, y - k, x + radius, y)} c ${paint}\n`;
}
