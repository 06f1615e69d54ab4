// Regions by name, as boxes in degrees: the states of `us-atlas` (US Census Bureau, public domain), or a typed box.

import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../settings.ts";

export type Box = { west: number; south: number; east: number; north: number };
/** A box that crosses the antimeridian is two boxes. */
export type Region = { name: string; boxes: Box[] };

type Position = [longitude: number, latitude: number];
type Feature = {
  properties: { name: string };
  geometry:
    | { type: "Polygon"; coordinates: Position[][] }
    | { type: "MultiPolygon"; coordinates: Position[][][] };
};
type Topojson = { feature(topology: unknown, object: unknown): { features: Feature[] } };

/** Degrees around a state, about a mile: a place at its border shows both sides. */
const MARGIN = 0.02;
/** The highest latitude of Web Mercator, in degrees. */
const POLE = 85.0511287798066;

/** Returns a region by the name of a state or `west,south,east,north`. Throws Error with a plain message. */
export function parseRegion(text: string): Region {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (text.includes(",")) return typedBox(text, numbers);
  const wanted = slugOf(text);
  const state = states().find(({ properties }) => slugOf(properties.name) === wanted);
  if (!state)
    throw new Error(
      `There is no state "${text}". Name one as in new-york, or a box as west,south,east,north in degrees, as in -73.8,40.9,-71.7,42.1.`,
    );
  return { name: wanted, boxes: boxesOf(state) };
}

const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]+/g, "-")
    .replace(/^-|-$/g, "");

function typedBox(text: string, numbers: number[]): Region {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = numbers;
  const isBox =
    numbers.length === 4 &&
    [west, east].every((longitude) => Math.abs(longitude) <= 180) &&
    [south, north].every((latitude) => Math.abs(latitude) <= 90) &&
    south < north &&
    west !== east;
  if (!isBox)
    throw new Error(
      `"${text}" is not a box. Write west,south,east,north in degrees, as in -73.8,40.9,-71.7,42.1.`,
    );
  const [low, high] = [Math.max(south, -POLE), Math.min(north, POLE)];
  const box = (from: number, to: number): Box => ({ west: from, south: low, east: to, north: high });
  return { name: "box", boxes: west < east ? [box(west, east)] : [box(west, 180), box(-180, east)] };
}

function states(): Feature[] {
  const require = createRequire(join(ROOT, "package.json"));
  const { feature }: Topojson = require("topojson-client");
  const topology: { objects: { states: unknown } } = require("us-atlas/states-10m.json");
  return feature(topology, topology.objects.states).features;
}

/** Alaska has islands on both sides of the antimeridian; their polygons do not cross it. */
function boxesOf({ geometry }: Feature): Box[] {
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const rings = polygons.flatMap(([outer = []]) => [outer]);
  return [rings.filter(isWestern), rings.filter((ring) => !isWestern(ring))]
    .filter((side) => side.length > 0)
    .map((side) => {
      const points = side.flat();
      const longitudes = points.map(([longitude]) => longitude);
      const latitudes = points.map(([, latitude]) => latitude);
      const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b));
      const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b));
      return {
        west: Math.max(-180, least(longitudes) - MARGIN),
        south: least(latitudes) - MARGIN,
        east: Math.min(180, most(longitudes) + MARGIN),
        north: most(latitudes) + MARGIN,
      };
    });
}

const isWestern = (ring: Position[]) => ring.every(([longitude]) => longitude <= 0);
