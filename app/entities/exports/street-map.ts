import { type BasemapInfo, type TileAddress, tileZoom } from "#app/entities/search/map/basemap.ts";
import { type Camera, frameOf, type Size } from "#app/entities/search/map/camera.ts";

import { cameraOf } from "./map.ts";

/** A view of the street map at a whole zoom; the size is in points of a report. */
export type StreetView = { camera: Camera; size: Size };

/** A browser that turns the page of a street map into a picture. */
export type MapBrowser = {
  /** Returns the page as a JPEG with two pixels per CSS pixel. Throws Error if it takes longer than a few seconds. */
  picture(html: string, size: Size): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
};

/** Starts a browser. Throws Error if none is available, for example because all sessions of the account are in use. */
export type OpenMapBrowser = () => Promise<MapBrowser>;

/** Pixels of the rendered page per point of the report: a name of 12 px is printed at 6 points. */
const PIXELS_PER_POINT = 2;
const POINT_ZOOM = Math.log2(PIXELS_PER_POINT);
/** About 1,100 yards across the map of a record. */
const PLACE_ZOOM = 14;
const OVERVIEW_ZOOM = 13;
const TILE = 256;

/** Where a tile belongs on the page, in its pixels. */
export type PlacedTile = { address: TileAddress; left: number; top: number; side: number };

type Place = { longitude: number; latitude: number };

/** Returns the view of one place. */
export function placeView({ longitude, latitude }: Place, size: Size): StreetView {
  return { camera: { longitude, latitude, zoom: PLACE_ZOOM }, size };
}

/** Returns the closest view of several places. */
export function overviewView(places: readonly Place[], size: Size): StreetView {
  const camera = cameraOf(places, size, OVERVIEW_ZOOM);
  return { camera: { ...camera, zoom: Math.floor(camera.zoom) }, size };
}

/** Returns the size of the page that shows a view. */
export function pageSize({ size }: StreetView): Size {
  return { width: size.width * PIXELS_PER_POINT, height: size.height * PIXELS_PER_POINT };
}

/** Returns the tiles of a view, at the zoom of the map that is closest to it; none if the map begins much closer. */
export function tilesOf(view: StreetView, info: Pick<BasemapInfo, "minZoom" | "maxZoom">): PlacedTile[] {
  const zoom = view.camera.zoom + POINT_ZOOM;
  const z = tileZoom(info, zoom);
  if (z === undefined) return [];
  const side = TILE * 2 ** (zoom - z);
  const { width, height } = pageSize(view);
  const frame = frameOf({ ...view.camera, zoom }, { width, height });
  const count = 2 ** z;
  const tiles: PlacedTile[] = [];
  for (let y = Math.max(0, Math.floor(-frame.top / side)); y < count && y * side + frame.top < height; y++) {
    for (let x = Math.floor(-frame.left / side); x * side + frame.left < width; x++) {
      const address = { z, x: ((x % count) + count) % count, y };
      tiles.push({ address, left: x * side + frame.left, top: y * side + frame.top, side });
    }
  }
  return tiles;
}

/** Returns the key under which a rendered view is cached: its place to about ten meters, zoom and size. */
export function viewKey({ camera, size }: StreetView): string {
  const { longitude, latitude, zoom } = camera;
  return `${zoom}/${latitude.toFixed(4)}/${longitude.toFixed(4)}/${size.width}x${size.height}`;
}

/** Returns a page without scripts that shows the tiles and loads nothing. Each `content` is markup of a tile. */
export function streetPage(view: StreetView, tiles: readonly (PlacedTile & { content: string })[]): string {
  const { width, height } = pageSize(view);
  const placed = tiles.map(
    ({ left, top, side, content }) =>
      `<div style="left:${left.toFixed(2)}px;top:${top.toFixed(2)}px;width:${side}px;height:${side}px">${content}</div>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><title>Map</title><style>
html,body{margin:0;width:${width}px;height:${height}px;overflow:hidden;background:#dfe3e8}
div{position:absolute;overflow:hidden}img,svg{display:block;width:100%;height:100%}
</style></head><body>${placed.join("")}</body></html>`;
}
