/**
 * The view of the map: a center and a zoom, north up. Zooms are those of raster tile maps: the world is 256 px wide at
 * 0. MapLibre's tiles are 512 px wide, so its zoom is one less. Web Mercator; x and y run from 0 to 1.
 */
import { at } from "#app/lib/at.ts";

export type Camera = { longitude: number; latitude: number; zoom: number };
export type Size = { width: number; height: number };
export type Bounds = { west: number; south: number; east: number; north: number };
export type Pixel = { x: number; y: number };
/** Room at the edges of the view, in pixels. */
export type Insets = { top: number; right: number; bottom: number; left: number };

/** Specification section 9. */
export const DEFAULT_CAMERA: Camera = { longitude: -72.7, latitude: 41.5, zoom: 9 };
/** The padding of a fitted view in pixels (specification section 9). */
export const FIT_PADDING = 50;
/** Padding of the result map: the zoom buttons on the right are 44 px wide. */
const FIT_INSETS: Insets = {
  top: FIT_PADDING,
  right: FIT_PADDING + 44,
  bottom: FIT_PADDING,
  left: FIT_PADDING,
};
/** The zoom of the maps of a single read or alert (specification section 9). */
export const DETAIL_ZOOM = 16;
/** Zoom for a single spot, which has no extent: shows the towns around it. */
export const LONE_SPOT_ZOOM = 12;
/** The largest zoom, that of the most detailed tiles (specification section 9). */
export const MAX_ZOOM = 19;
/** Shows Hawaii and Maine on a phone. The world is then 724 px high, more than the map. */
export const MIN_ZOOM = 1.5;

const TILE = 256;
/** Latitude at which the square world ends. */
const MERCATOR_END = 85.0511287798066;

/** Returns x of a longitude: 0 at -180 degrees, 1 at 180. */
export function mercatorX(longitude: number): number {
  return (longitude + 180) / 360;
}

/** Returns y of a latitude: 0 in the north, 1 in the south. Latitudes beyond the square world are moved to its edge. */
export function mercatorY(latitude: number): number {
  const held = Math.max(-MERCATOR_END, Math.min(MERCATOR_END, latitude));
  const sine = Math.sin((held * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** Returns the longitude of an x, in degrees. */
export function longitudeAt(x: number): number {
  return x * 360 - 180;
}

/** Returns the latitude of a y, in degrees. */
export function latitudeAt(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** Returns the width of the world in pixels. */
function worldSize(zoom: number): number {
  return TILE * 2 ** zoom;
}

/** Converts Mercator units to pixels of the view: `x * scale + left`, `y * scale + top`. */
export type Frame = { scale: number; left: number; top: number };

/** Returns the conversion to pixels for a view of this size in pixels. */
export function frameOf(camera: Camera, size: Size): Frame {
  const scale = worldSize(camera.zoom);
  return {
    scale,
    left: size.width / 2 - mercatorX(camera.longitude) * scale,
    top: size.height / 2 - mercatorY(camera.latitude) * scale,
  };
}

/** Returns the pixel of a place, from the upper left corner of the view; it may be outside. */
export function project(place: { longitude: number; latitude: number }, camera: Camera, size: Size): Pixel {
  const { scale, left, top } = frameOf(camera, size);
  return { x: mercatorX(place.longitude) * scale + left, y: mercatorY(place.latitude) * scale + top };
}

/** Returns the place under a pixel; its longitude may be beyond 180 degrees. */
export function unproject(pixel: Pixel, camera: Camera, size: Size): { longitude: number; latitude: number } {
  const { scale, left, top } = frameOf(camera, size);
  return { longitude: longitudeAt((pixel.x - left) / scale), latitude: latitudeAt((pixel.y - top) / scale) };
}

/** Returns the nearest valid view. */
export function clampedCamera({ longitude, latitude, zoom }: Camera): Camera {
  const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
  return {
    longitude: within(longitude, -180, 180),
    latitude: within(latitude, -MERCATOR_END, MERCATOR_END),
    zoom: within(zoom, MIN_ZOOM, MAX_ZOOM),
  };
}

/** Returns the view zoomed by `steps`; the place under a pixel does not move. */
export function zoomedAround(
  camera: Camera,
  size: Size,
  { steps, at }: { steps: number; at: Pixel },
): Camera {
  const place = unproject(at, camera, size);
  const zoom = clampedCamera({ ...camera, zoom: camera.zoom + steps }).zoom;
  const scale = worldSize(zoom);
  return clampedCamera({
    longitude: longitudeAt(mercatorX(place.longitude) - (at.x - size.width / 2) / scale),
    latitude: latitudeAt(mercatorY(place.latitude) - (at.y - size.height / 2) / scale),
    zoom,
  });
}

/** Returns the view moved by a number of pixels. */
export function pannedBy(camera: Camera, size: Size, by: Pixel): Camera {
  const place = unproject({ x: size.width / 2 + by.x, y: size.height / 2 + by.y }, camera, size);
  return clampedCamera({ ...place, zoom: camera.zoom });
}

/** Returns the closest view that shows all of the bounds within its insets, at most at `maxZoom`. */
export function fittedCamera(
  bounds: Bounds,
  size: Size,
  { insets = FIT_INSETS, maxZoom = DETAIL_ZOOM }: { insets?: Insets; maxZoom?: number } = {},
): Camera {
  const [left, right] = [mercatorX(bounds.west), mercatorX(bounds.east)];
  const [top, bottom] = [mercatorY(bounds.north), mercatorY(bounds.south)];
  const zoomFor = (room: number, span: number) =>
    span <= 0 ? maxZoom : Math.log2(Math.max(room, 1) / (span * TILE));
  const isSpot = right - left <= 0 && bottom - top <= 0;
  const { zoom } = clampedCamera({
    ...DEFAULT_CAMERA,
    zoom: Math.min(
      zoomFor(size.width - insets.left - insets.right, right - left),
      zoomFor(size.height - insets.top - insets.bottom, bottom - top),
      isSpot ? LONE_SPOT_ZOOM : maxZoom,
    ),
  });
  const scale = worldSize(zoom);
  return clampedCamera({
    longitude: longitudeAt((left + right) / 2 + (insets.right - insets.left) / 2 / scale),
    latitude: latitudeAt((top + bottom) / 2 + (insets.bottom - insets.top) / 2 / scale),
    zoom,
  });
}

/** Returns the scale bar: a round length in feet or miles, at most `most` pixels wide. */
export function scaleBar(camera: Camera, most: number): { feet: number; pixels: number; label: string } {
  const meters = 40_075_016.686 * Math.cos((camera.latitude * Math.PI) / 180);
  const feetPerPixel = (meters / worldSize(camera.zoom)) * 3.280839895;
  const room = feetPerPixel * most;
  const unit = room >= 5280 / 2 ? 5280 : 1;
  const length = room / unit;
  const power = 10 ** Math.floor(Math.log10(length));
  const round = ([5, 2, 1].find((step) => step * power <= length) ?? 1) * power;
  return {
    feet: round * unit,
    pixels: (round * unit) / feetPerPixel,
    label: unit === 1 ? `${round} ft` : `${round} mi`,
  };
}

const EARTH_RADIUS_MILES = 6371 / 1.609344;

/** Returns the distance of two places on a sphere, in miles. */
export function milesBetween(
  a: { longitude: number; latitude: number },
  b: { longitude: number; latitude: number },
): number {
  const radians = Math.PI / 180;
  const [north, east] = [(b.latitude - a.latitude) * radians, (b.longitude - a.longitude) * radians];
  const square =
    Math.sin(north / 2) ** 2 +
    Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(square)));
}

/** Returns the compass direction from a to b, in eighths: `NE`. */
export function compassPoint(
  a: { longitude: number; latitude: number },
  b: { longitude: number; latitude: number },
): string {
  const east = (b.longitude - a.longitude) * Math.cos((a.latitude * Math.PI) / 180);
  const turn = Math.atan2(east, b.latitude - a.latitude) / (Math.PI / 4);
  return at(COMPASS, (Math.round(turn) + 8) % 8);
}

const COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
