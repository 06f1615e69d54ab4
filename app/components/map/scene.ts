import type { Palette } from "#app/components/map/paint/palette.ts";
import type { Camera, Size } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import type { Basemap } from "./use-basemap.ts";

// Terms of the map: a point is one read with valid coordinates; a spot is a place (about one meter) with one or more
// points; a track is the route of one plate; a stop of a track is a series of reads at one spot. The ground is the base map.

export type Density = "markers" | "heat" | "hexagons";

/** The input of both renderers: base map and markers. Everything above them is painted by shared code. */
export type Scene = {
  camera: Camera;
  size: Size;
  basemap: Basemap;
  palette: Palette;
  points: MapPoints;
  /** One byte per row: 1 if it passes the shared filter, including its times. */
  pass: Uint8Array;
  /** The same without the times, which the graphics card filters. */
  passAnyTime: Uint8Array;
  /** The times of the shared filter, in epoch milliseconds; null is unbounded. */
  from: number | null;
  to: number | null;
  density: Density;
  /** Whether markers are faded behind a track. */
  isFaded: boolean;
  /** Whether markers are small and without letters because there are many spots. */
  isDense: boolean;
};

/** Opacity of faded markers. */
export const FADED = 0.3;

export const MARKER_PIXELS = 30;
export const DENSE_MARKER_PIXELS = 13;
