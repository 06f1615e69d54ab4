import type { EmbeddedBasemap, Line } from "#app/entities/search/map/basemap.ts";
import { at } from "#app/lib/at.ts";

/**
 * The map snapshot as plain shapes, for PDF and SVG: the embedded basemap around a place, a marker and a scale.
 * North is up; at this scale the distortion of the projection is thinner than a line.
 */
export type MapDrawing = {
  width: number;
  height: number;
  land: number[][];
  counties: number[][];
  states: number[][];
  labels: { x: number; y: number; text: string }[];
  marker: { x: number; y: number };
  scale: { length: number; text: string };
};

/** Lines with their bounding boxes, so that most can be skipped. */
export type MapSource = {
  land: Boxed[];
  states: Boxed[];
  counties: Boxed[];
  places: EmbeddedBasemap["places"];
};
type Box = { west: number; east: number; south: number; north: number };
/** `boxes` bound each stretch of the points: of a coastline, only a stretch or two are near a place. */
type Boxed = Box & { line: Line; boxes: Box[] };
type Point = [x: number, y: number];
type Size = { width: number; height: number };

/** Points per stretch. */
const STRETCH = 32;
const METERS_PER_DEGREE = 111_320;
const MOST_LABELS = 7;
/** Maximum width of a letter of a label, in the drawing's units. */
const LETTER = 3.6;

export function mapSource(basemap: EmbeddedBasemap): MapSource {
  const boxed = (lines: Line[]) => lines.map(boxOf);
  return {
    land: boxed([...basemap.land, ...basemap.neighbours]),
    states: boxed(basemap.states),
    counties: boxed(basemap.counties),
    places: basemap.places,
  };
}

function boxOf(line: Line): Boxed {
  const boxes: Box[] = [];
  for (let from = 0; from < line.longitudes.length; from += STRETCH)
    boxes.push(boxOfStretch(line, from, Math.min(from + STRETCH, line.longitudes.length)));
  const all = { west: 180, east: -180, south: 90, north: -90 };
  for (const { west, east, south, north } of boxes) {
    all.west = Math.min(all.west, west);
    all.east = Math.max(all.east, east);
    all.south = Math.min(all.south, south);
    all.north = Math.max(all.north, north);
  }
  return { ...all, line, boxes };
}

function boxOfStretch({ longitudes, latitudes }: Line, from: number, to: number): Box {
  let [west, east, south, north] = [180, -180, 90, -90];
  for (let i = from; i < to; i++) {
    const x = longitudes[i] ?? 0;
    const y = latitudes[i] ?? 0;
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return { west, east, south, north };
}

/** Draws `across` meters around a place into a box of the given size. */
export function drawMap(
  source: MapSource,
  input: { latitude: number; longitude: number; width: number; height: number; across: number },
): MapDrawing {
  const { latitude, longitude, width, height, across } = input;
  const vertical = (METERS_PER_DEGREE * width) / across;
  const horizontal = vertical * Math.cos((latitude * Math.PI) / 180);
  const size = { width, height };
  const pointOf = (x: number, y: number): Point => [
    width / 2 + (x - longitude) * horizontal,
    height / 2 - (y - latitude) * vertical,
  ];
  const [toEast, toNorth] = [width / 2 / horizontal, height / 2 / vertical];
  const [west, east, south, north] = [
    longitude - toEast,
    longitude + toEast,
    latitude - toNorth,
    latitude + toNorth,
  ];
  const sideOf = (x: number, y: number) => (x < west ? 1 : x > east ? 2 : y < south ? 3 : y > north ? 4 : 0);
  /** The edge of the map that a whole box is beyond; zero if its points may differ. */
  const sideOfBox = (box: Box) => {
    if (box.east < west) return 1;
    if (box.west > east) return 2;
    if (box.west < west || box.east > east) return 0;
    return box.north < south ? 3 : box.south > north ? 4 : 0;
  };
  /** Drops points between two others beyond the same edge: they change nothing in the visible area. */
  const pointsOf = ({ line: { longitudes, latitudes }, boxes }: Boxed) => {
    const sideAt = (i: number) => sideOf(longitudes[i] ?? 0, latitudes[i] ?? 0);
    const points: Point[] = [];
    let [before, side] = [0, longitudes.length > 0 ? sideAt(0) : 0];
    for (let i = 0; i < longitudes.length; i++) {
      if (i % STRETCH === 1) {
        const whole = sideOfBox(at(boxes, (i - 1) / STRETCH));
        if (whole !== 0) {
          i = Math.min(i - 1 + STRETCH, longitudes.length) - 1;
          [before, side] = [whole, whole];
        }
      }
      const after = i + 1 < longitudes.length ? sideAt(i + 1) : 0;
      if (side === 0 || side !== before || side !== after)
        points.push(pointOf(longitudes[i] ?? 0, latitudes[i] ?? 0));
      before = side;
      side = after;
    }
    return points;
  };
  const isNear = (box: Box) =>
    box.east >= west && box.west <= east && box.north >= south && box.south <= north;
  const isSeen = (place: { longitude: number; latitude: number }) =>
    sideOf(place.longitude, place.latitude) === 0;
  const near = (lines: Boxed[]) => lines.filter(isNear).map(pointsOf);
  return {
    width,
    height,
    land: near(source.land)
      .map((ring) => clippedRing(ring, size))
      .filter((ring) => ring.length > 2)
      .map(flat),
    counties: near(source.counties)
      .flatMap((line) => clippedLine(line, size))
      .map(flat),
    states: near(source.states)
      .flatMap((line) => clippedLine(line, size))
      .map(flat),
    labels: labelsOf(source.places.filter(isSeen), input, pointOf),
    marker: { x: width / 2, y: height / 2 },
    scale: scaleOf(width / across, width),
  };
}

/** Flattens points and rounds coordinates to a tenth, finer than a printer's resolution. */
const flat = (points: Point[]) =>
  points.flatMap(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);

const [METERS_PER_MILE, METERS_PER_FOOT] = [1609.344, 0.3048];

/** Returns a round distance of at most a third of the width, in miles, or in feet below a tenth of a mile. */
function scaleOf(perMeter: number, width: number): MapDrawing["scale"] {
  const most = width / 3 / perMeter;
  const inMiles = most >= METERS_PER_MILE / 10;
  const unit = inMiles ? METERS_PER_MILE : METERS_PER_FOOT;
  const power = 10 ** Math.floor(Math.log10(most / unit));
  const count = [5, 2, 1].map((step) => step * power).find((length) => length * unit <= most) ?? power;
  const text = String(Number(count.toPrecision(1)));
  return { length: count * unit * perMeter, text: `${text} ${inMiles ? "mi" : "ft"}` };
}

/** Returns the names of the largest places whose labels cover neither each other nor the marker. */
function labelsOf(places: MapSource["places"], size: Size, pointOf: (x: number, y: number) => Point) {
  const labels: { x: number; y: number; text: string }[] = [];
  const taken: [number, number, number, number][] = [
    [size.width / 2 - 9, size.height / 2 - 9, size.width / 2 + 9, size.height / 2 + 9],
    [0, size.height - 16, size.width / 2, size.height],
  ];
  for (const { name, longitude, latitude } of places) {
    const [x, y] = pointOf(longitude, latitude);
    if (x < 0 || y < 8 || x > size.width || y > size.height - 4) continue;
    const half = (name.length * LETTER) / 2;
    const middle = Math.min(Math.max(x, half + 2), size.width - half - 2);
    const box: [number, number, number, number] = [middle - half, y - 6, middle + half, y + 3];
    if (
      taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])
    )
      continue;
    taken.push(box);
    labels.push({ x: middle, y, text: name });
    if (labels.length === MOST_LABELS) break;
  }
  return labels;
}

/** Clips a ring to the box, edge by edge (Sutherland and Hodgman). */
function clippedRing(ring: Point[], { width, height }: Size): Point[] {
  const cut = (points: Point[], axis: 0 | 1, limit: number, sign: 1 | -1) => {
    const kept: Point[] = [];
    for (let i = 0; i < points.length; i++) {
      const [a, b] = [points.at(i - 1), points[i]];
      if (!a || !b) continue;
      const [before, now] = [(a[axis] - limit) * sign >= 0, (b[axis] - limit) * sign >= 0];
      if (before !== now) {
        const part = (limit - a[axis]) / (b[axis] - a[axis]);
        kept.push([a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part]);
      }
      if (now) kept.push(b);
    }
    return kept;
  };
  return cut(cut(cut(cut(ring, 0, 0, 1), 0, width, -1), 1, 0, 1), 1, height, -1);
}

/** Returns the parts of a line that touch the box; the box's edge hides what is outside. */
function clippedLine(line: Point[], { width, height }: Size): Point[][] {
  const parts: Point[][] = [];
  let part: Point[] = [];
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    if (!a || !b) continue;
    const touches =
      Math.max(a[0], b[0]) >= 0 &&
      Math.min(a[0], b[0]) <= width &&
      Math.max(a[1], b[1]) >= 0 &&
      Math.min(a[1], b[1]) <= height;
    if (touches) part = part.length === 0 ? [a, b] : [...part, b];
    else if (part.length > 0) {
      parts.push(part);
      part = [];
    }
  }
  return part.length > 0 ? [...parts, part] : parts;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Returns the drawing as an SVG image: grays that print well, and a marker that needs no color. */
export function mapSvg(map: MapDrawing, attribution: string): string {
  const { width, height, marker, scale } = map;
  const points = (line: number[]) => {
    let text = "";
    for (let i = 0; i < line.length; i += 2) text += `${i === 0 ? "M" : "L"}${line[i]} ${line[i + 1]}`;
    return text;
  };
  const path = (lines: number[][], looks: string, close = "") =>
    lines.length === 0 ? "" : `<path d="${lines.map((line) => points(line) + close).join("")}" ${looks}/>`;
  const labels = map.labels.map(
    ({ x, y, text }) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escaped(text)}</text>`,
  );
  const end = height - 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Map of the place of the read</title><rect width="${width}" height="${height}" fill="#d9dde2"/>`,
    path(map.land, 'fill="#fff"', "Z"),
    path(map.counties, 'fill="none" stroke="#aaa" stroke-width="0.6" stroke-dasharray="2 2"'),
    path(map.states, 'fill="none" stroke="#555" stroke-width="1"'),
    `<g font-family="sans-serif" font-size="6.5" fill="#333" text-anchor="middle">${labels.join("")}</g>`,
    `<g fill="none" stroke="#fff" stroke-width="4"><circle cx="${marker.x}" cy="${marker.y}" r="6"/></g>`,
    `<circle cx="${marker.x}" cy="${marker.y}" r="6" fill="none" stroke="#000" stroke-width="2"/><circle cx="${marker.x}" cy="${marker.y}" r="1.8"/>`,
    `<path d="M6 ${end - 3}v3h${scale.length.toFixed(1)}v-3" fill="none" stroke="#000"/>`,
    `<text x="${(scale.length + 10).toFixed(1)}" y="${end + 1}" font-family="sans-serif" font-size="6.5">${scale.text}</text>`,
    `<text x="${width - 4}" y="${height - 3}" font-family="sans-serif" font-size="4.5" fill="#555" text-anchor="end">${escaped(attribution)}</text>`,
    "</svg>",
  ].join("");
}
