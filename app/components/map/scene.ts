import type { Palette } from "#app/components/map/paint/palette.ts";
import type { Camera, Size } from "#app/entities/search/map/camera.ts";
import type { MapPoints } from "#app/entities/search/map/points.ts";
import type { Basemap } from "./use-basemap.ts";

export type Density = "markers" | "heat" | "hexagons";

/** What a renderer draws: the ground, and the markers or the heat. Everything above them is the same for both. */
export type Scene = {
  camera: Camera;
  size: Size;
  basemap: Basemap;
  palette: Palette;
  points: MapPoints;
  /** One byte a row: what passes the shared filter, its times among it. */
  pass: Uint8Array;
  /** The same without the times, which the graphics card filters itself. */
  passAnyTime: Uint8Array;
  /** The shared filter's times; null is open. */
  from: number | null;
  to: number | null;
  density: Density;
  /** Markers step back behind a track. */
  isFaded: boolean;
  /** Small markers without letters, where there are many spots. */
  isDense: boolean;
};

/** How much is left of markers that step back. */
export const FADED = 0.3;

export const MARKER_PIXELS = 30;
export const DENSE_MARKER_PIXELS = 13;
