// The maps of a report: one per place, shared by all records of that place, and one of all places for the cover. Each
// is the embedded basemap, or a street map as a picture, below the same markers and scale.

import {
  drawMap,
  localCamera,
  type MapDrawing,
  type MapSource,
  nearestPlaces,
  overviewCamera,
} from "#app/entities/exports/map.ts";
import type { StreetView } from "#app/entities/exports/street-map.ts";
import type { Size } from "#app/entities/search/map/camera.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import type { Pdf, PdfDrawable, PdfPage } from "#app/lib/pdf/document.ts";
import { PdfImageProblem } from "#app/lib/pdf/image.ts";
import { pdfNumber } from "#app/lib/pdf/objects.ts";
import { type Fonts, line } from "./page.ts";

/** The size of the map of a record, in points. */
export const MAP_SIZE = { width: 146, height: 92 } as const;
/** The size of the map of all places, in points. */
export const OVERVIEW_SIZE = { width: 252, height: 206 } as const;

/** Drawings kept for sharing. A report with more places draws some of them twice. */
const MAX_KEPT = 500;
/** Markers of the overview that are closer than this many points are drawn as one. */
const MARKER_CELL = 3;
const NEAREST = 2;

/** A picture of streets and what it shows. */
export type Streets = { view: StreetView; bytes: Uint8Array };

export type PrintedMap = {
  /** Returns the operators that draw it with its lower left corner at (x, y). */
  draw: (page: PdfPage, at: { x: number; y: number }) => string;
  /** The nearest towns with their distance and direction. */
  nearest: string[];
};

/** Returns the same text for places within about ten meters. */
export function placeKey({ latitude, longitude }: Place): string {
  return `${latitude.toFixed(4)} ${longitude.toFixed(4)}`;
}

/** Creates the printer of a report's maps. It reuses the maps of up to MAX_KEPT places. */
export function createMapPrinter({ pdf, fonts, source }: { pdf: Pdf; fonts: Fonts; source: MapSource }) {
  const printed = new Map<string, PrintedMap>();

  function print(
    input: Size & { markers: readonly Place[]; camera: MapDrawing["camera"]; streets: Streets | undefined },
  ): PrintedMap {
    const { width, height, markers } = input;
    const size = { width, height };
    const ground = input.streets && picture(input.streets.bytes);
    const camera = ground && input.streets ? input.streets.view.camera : input.camera;
    const map = drawMap(source, { ...size, camera, markers });
    const layers: PdfDrawable[] = ground
      ? [ground, pdf.drawing(size, marksOf(map, fonts))]
      : [pdf.drawing(size, groundOf(map, fonts) + marksOf(map, fonts))];
    const [first] = markers;
    return {
      draw: (page, at) => layers.map((layer) => page.draw(layer, { ...at, ...size })).join(""),
      nearest: first ? nearestPlaces(source, first, NEAREST) : [],
    };
  }

  /** Returns the picture, or undefined if it is not one that a PDF can hold. */
  function picture(bytes: Uint8Array): PdfDrawable | undefined {
    try {
      return pdf.image(bytes, "image/jpeg");
    } catch (error) {
      if (error instanceof PdfImageProblem) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the map of a place. Only the first call for a place uses its streets. */
    place(place: Place, streets: Streets | undefined): PrintedMap {
      const key = placeKey(place);
      const known = printed.get(key);
      if (known) return known;
      const camera = localCamera(source, place, MAP_SIZE);
      const made = print({ ...MAP_SIZE, camera, markers: [place], streets });
      if (printed.size < MAX_KEPT) printed.set(key, made);
      return made;
    },
    /** Returns the map of all places of a report. */
    overview(places: readonly Place[], streets: Streets | undefined): PrintedMap {
      const camera = overviewCamera(source, places, OVERVIEW_SIZE);
      return print({ ...OVERVIEW_SIZE, camera, markers: places, streets });
    },
  };
}

function groundOf(map: MapDrawing, fonts: Fonts): string {
  const { width, height } = map;
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
  return [
    `0 0 ${width} ${height} re W n 0.86 g 0 0 ${width} ${height} re f\n`,
    map.land.length === 0 ? "" : `1 g ${map.land.map((ring) => `${points(ring)}h\n`).join("")}f\n`,
    lines(map.counties, "0.65 G 0.4 w [1.5 1.5] 0 d"),
    lines(map.states, "0.3 G 0.7 w [] 0 d"),
    "[] 0 d\n",
    ...map.labels.map((label) => {
      const half = fonts.text.widthOf(fonts.text.shown(label.text), 5.5) / 2;
      const dot = circle(label.dot.x, height - label.dot.y, 0.9, "0.45 g", "f");
      return `${dot}0.2 g\n${line(fonts.text, 5.5, label.x - half, height - label.y, label.text)}`;
    }),
  ].join("");
}

/** Returns the operators of markers, scale and frame. */
function marksOf(map: MapDrawing, fonts: Fonts): string {
  const { width, height, markers, scale } = map;
  const cells = new Map(
    markers.map((marker) => [
      `${Math.round(marker.x / MARKER_CELL)} ${Math.round(marker.y / MARKER_CELL)}`,
      marker,
    ]),
  );
  const end = pdfNumber(5 + scale.pixels);
  const box = scale.pixels + fonts.text.widthOf(scale.label, 5.5) + 8;
  return [
    `0 0 ${width} ${height} re W n\n`,
    ...[...cells.values()].map(({ x, y: fromTop }) => {
      const y = height - fromTop;
      if (cells.size > 1) return circle(x, y, 2.6, "1 G 0 g 0.8 w", "B");
      return (
        circle(x, y, 4.4, "1 G 2.6 w", "S") +
        circle(x, y, 4.4, "0 G 1.4 w", "S") +
        circle(x, y, 1.3, "0 g", "f")
      );
    }),
    `1 g 3 3 ${pdfNumber(box)} 8 re f 0 G 0.7 w 5 7 m 5 5 l ${end} 5 l ${end} 7 l S 0 g\n`,
    line(fonts.text, 5.5, 8 + scale.pixels, 5, scale.label),
    `0.4 G 0.5 w 0.25 0.25 ${width - 0.5} ${height - 0.5} re S\n`,
  ].join("");
}

/** Approximates a circle by four Bézier curves. */
function circle(x: number, y: number, radius: number, looks: string, paint: "S" | "f" | "B"): string {
  const k = radius * 0.5523;
  const n = (...values: number[]) => values.map(pdfNumber).join(" ");
  return `${looks} ${n(x + radius, y)} m ${n(x + radius, y + k, x + k, y + radius, x, y + radius)} c ${n(x - k, y + radius, x - radius, y + k, x - radius, y)} c ${n(x - radius, y - k, x - k, y - radius, x, y - radius)} c ${n(x + k, y - radius, x + radius, y - k, x + radius, y)} c ${paint}\n`;
}
