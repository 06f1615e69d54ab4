import type { EmbeddedBasemap, Line } from "#app/entities/search/map/basemap.ts";
import {
  type Camera,
  compassPoint,
  fittedCamera,
  frameOf,
  mercatorX,
  mercatorY,
  milesBetween,
  project,
  type Size,
  scaleBar,
  unproject,
} from "#app/entities/search/map/camera.ts";
import { at } from "#app/lib/at.ts";

/**
 * The map of a report as plain shapes, for PDF and SVG: the embedded basemap around places, markers and a scale. North
 * is up; one unit is a point in a PDF and a pixel in an SVG.
 */
export type MapDrawing = {
  width: number;
  height: number;
  land: number[][];
  counties: number[][];
  states: number[][];
  /** Names centered above the dot of their place. */
  labels: { x: number; y: number; text: string; dot: { x: number; y: number } }[];
  camera: Camera;
  markers: { x: number; y: number }[];
  scale: { pixels: number; label: string };
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
type Place = { longitude: number; latitude: number };

/** Points per stretch. */
const STRETCH = 32;
/** Room per label, in square units of the drawing. */
const LABEL_AREA = 1500;
/** Maximum width of a letter of a label, in the drawing's units. */
const LETTER = 3.6;

/** Returns the lines of a basemap with their bounding boxes; neighboring countries count as land. */
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
    const [x, y] = [at(longitudes, i), at(latitudes, i)];
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
  }
  return { west, east, south, north };
}

/** Zooms for the map of one place, closest first: from about 15 miles across a record's map to 120. */
const ZOOMS = [9.5, 8.5, 7.5, 6.5] as const;
/** Minimum number of towns that make a map recognizable. */
const FEWEST_PLACES = 10;

/** Returns the closest view of a place that shows some towns around it. */
export function localCamera(source: MapSource, place: Place, size: Size): Camera {
  const cameras = ZOOMS.map((zoom) => ({ ...place, zoom }));
  const shows = (camera: Camera) => {
    const { west, east, south, north } = boundsOf(camera, size);
    let seen = 0;
    for (const { longitude, latitude } of source.places)
      if (longitude > west && longitude < east && latitude > south && latitude < north) seen++;
    return seen >= FEWEST_PLACES;
  };
  return cameras.find(shows) ?? at(cameras, ZOOMS.length - 1);
}

const OVERVIEW_INSETS = { top: 18, right: 18, bottom: 18, left: 18 };
/** Shows the whole world on the smallest map. */
const WORLD_ZOOM = -1;

/** Returns the closest view of several places, with the towns around them if they are close together. */
export function overviewCamera(source: MapSource, places: readonly Place[], size: Size): Camera {
  const camera = cameraOf(places, size, ZOOMS[0]);
  return { ...camera, zoom: Math.min(camera.zoom, localCamera(source, camera, size).zoom) };
}

/** Returns the closest view that shows all of the places, at most at `maxZoom`. There must be at least one place. */
export function cameraOf(places: readonly Place[], size: Size, maxZoom: number): Camera {
  const bounds = { west: 180, east: -180, south: 90, north: -90 };
  for (const { longitude, latitude } of places) {
    bounds.west = Math.min(bounds.west, longitude);
    bounds.east = Math.max(bounds.east, longitude);
    bounds.south = Math.min(bounds.south, latitude);
    bounds.north = Math.max(bounds.north, latitude);
  }
  const camera = fittedCamera(bounds, size, { insets: OVERVIEW_INSETS, maxZoom });
  // The places are in the middle of the view: if one corner of their bounds is in it, all of them are.
  const isCut = () => {
    const { x, y } = project({ longitude: bounds.west, latitude: bounds.north }, camera, size);
    return x < 0 || y < 0;
  };
  // Screens do not zoom out as far as a small map of the whole country needs.
  while (camera.zoom > WORLD_ZOOM && isCut()) camera.zoom -= 0.5;
  return camera;
}

function boundsOf(camera: Camera, { width, height }: Size): Box {
  const { longitude: west, latitude: north } = unproject({ x: 0, y: 0 }, camera, { width, height });
  const { longitude: east, latitude: south } = unproject({ x: width, y: height }, camera, { width, height });
  return { west, east, south, north };
}

/** Towns farther away than this do not indicate where a place is. */
const NEAR_DEGREES = 1;

/** Returns the nearest places of a map: `New Haven, CT 1.2 mi W`, the nearest first. */
export function nearestPlaces(source: MapSource, place: Place, count: number): string[] {
  return source.places
    .filter(
      ({ latitude, longitude }) =>
        Math.abs(latitude - place.latitude) < NEAR_DEGREES &&
        Math.abs(longitude - place.longitude) < NEAR_DEGREES,
    )
    .map((town) => ({ town, distance: milesBetween(place, town) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ town, distance }) => {
      const name = `${town.name}, ${town.state}`;
      return distance < 0.3 ? name : `${name} ${distance.toFixed(1)} mi ${compassPoint(place, town)}`;
    });
}

/** Draws a view of the basemap with a marker at each of the places. */
export function drawMap(
  source: MapSource,
  input: Size & { camera: Camera; markers: readonly Place[] },
): MapDrawing {
  const { camera, markers, width, height } = input;
  const size = { width, height };
  const { scale, left, top } = frameOf(camera, size);
  const pointOf = (x: number, y: number): Point => [mercatorX(x) * scale + left, mercatorY(y) * scale + top];
  const { west, east, south, north } = boundsOf(camera, size);
  const sideOf = (x: number, y: number) => (x < west ? 1 : x > east ? 2 : y < south ? 3 : y > north ? 4 : 0);
  /** The edge of the map that a whole box is beyond; zero if its points may differ. */
  const sideOfBox = (box: Box) => {
    if (box.east < west) return 1;
    if (box.west > east) return 2;
    if (box.west < west || box.east > east) return 0;
    return box.north < south ? 3 : box.south > north ? 4 : 0;
  };
  /** Drops points between two others beyond the same edge, because they do not change the visible area. */
  const pointsOf = ({ line: { longitudes, latitudes }, boxes }: Boxed) => {
    const sideAt = (i: number) => sideOf(longitudes[i] ?? 0, latitudes[i] ?? 0);
    const points: Point[] = [];
    let [before, side] = [0, sideAt(0)];
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
  const marks = markers.map(({ longitude, latitude }) => {
    const [x, y] = pointOf(longitude, latitude);
    return { x, y };
  });
  const near = (lines: Boxed[]) => lines.filter(isNear).map(pointsOf);
  return {
    width,
    height,
    camera,
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
    labels: labelsOf(source.places.filter(isSeen), { size, markers: marks }, pointOf),
    markers: marks,
    scale: scaleBar(camera, width / 3),
  };
}

/** Flattens points and rounds coordinates to a tenth, finer than a printer's resolution. */
const flat = (points: Point[]) =>
  points.flatMap(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);

type Rectangle = [left: number, top: number, right: number, bottom: number];

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

/** Returns the names of the largest places whose labels cover neither each other nor the marker. */
function labelsOf(
  places: MapSource["places"],
  { size, markers }: { size: Size; markers: MapDrawing["markers"] },
  pointOf: (x: number, y: number) => Point,
) {
  const labels: MapDrawing["labels"] = [];
  const most = Math.round((size.width * size.height) / LABEL_AREA);
  const taken: Rectangle[] = [
    ...markers.map(({ x, y }): Rectangle => [x - 5, y - 5, x + 5, y + 5]),
    [0, size.height - 16, size.width / 2, size.height],
  ];
  for (const { name, longitude, latitude } of places) {
    const [x, y] = pointOf(longitude, latitude);
    const half = (name.length * LETTER) / 2;
    const middle = Math.min(Math.max(x, half + 2), size.width - half - 2);
    // Above its dot, or else below it.
    for (const base of [y - 2.5, y + 7.5]) {
      const box: Rectangle = [middle - half, base - 5.5, middle + half, base + 1.5];
      if (base < 6 || base > size.height - 2 || taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      labels.push({ x: middle, y: base, text: name, dot: { x, y } });
      break;
    }
    if (labels.length === most) break;
  }
  return labels;
}

/** Clips a ring to the box, edge by edge (Sutherland and Hodgman). */
function clippedRing(ring: Point[], { width, height }: Size): Point[] {
  const cut = (points: Point[], axis: 0 | 1, limit: number, sign: 1 | -1) => {
    const kept: Point[] = [];
    for (const [i, b] of points.entries()) {
      const a = at(points, (i === 0 ? points.length : i) - 1);
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
    const [a, b] = [at(line, i - 1), at(line, i)];
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
  const { width, height, markers, scale } = map;
  const points = (line: number[]) => {
    let text = "";
    for (let i = 0; i < line.length; i += 2) text += `${i === 0 ? "M" : "L"}${line[i]} ${line[i + 1]}`;
    return text;
  };
  const path = (lines: number[][], looks: string, close = "") =>
    lines.length === 0 ? "" : `<path d="${lines.map((line) => points(line) + close).join("")}" ${looks}/>`;
  const labels = map.labels.map(
    ({ x, y, text, dot }) =>
      `<circle cx="${dot.x.toFixed(1)}" cy="${dot.y.toFixed(1)}" r="1"/><text x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escaped(text)}</text>`,
  );
  const end = height - 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Map of the place of the read</title><rect width="${width}" height="${height}" fill="#d9dde2"/>`,
    path(map.land, 'fill="#fff"', "Z"),
    path(map.counties, 'fill="none" stroke="#aaa" stroke-width="0.6" stroke-dasharray="2 2"'),
    path(map.states, 'fill="none" stroke="#555" stroke-width="1"'),
    `<g font-family="sans-serif" font-size="6.5" fill="#333" text-anchor="middle">${labels.join("")}</g>`,
    ...markers.map(
      ({ x, y }) =>
        `<circle cx="${x}" cy="${y}" r="6" fill="none" stroke="#fff" stroke-width="4"/><circle cx="${x}" cy="${y}" r="6" fill="none" stroke="#000" stroke-width="2"/><circle cx="${x}" cy="${y}" r="1.8"/>`,
    ),
    `<path d="M6 ${end - 3}v3h${scale.pixels.toFixed(1)}v-3" fill="none" stroke="#000"/>`,
    `<text x="${(scale.pixels + 10).toFixed(1)}" y="${end + 1}" font-family="sans-serif" font-size="6.5">${scale.label}</text>`,
    `<text x="${width - 4}" y="${height - 3}" font-family="sans-serif" font-size="4.5" fill="#555" text-anchor="end">${escaped(attribution)}</text>`,
    "</svg>",
  ].join("");
}
