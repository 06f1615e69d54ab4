// The tiles of a region as ranges of PMTiles tile ids. Ids follow a Hilbert curve, on which the tiles below one tile are
// consecutive: a region has as many ranges as tiles along its edge, however large it is.

import { zxyToTileId } from "pmtiles";
import { mercatorX, mercatorY } from "#app/entities/search/map/camera.ts";
import type { Box } from "./regions.ts";

/** Ids from `from` to before `to`. */
export type IdRange = { from: number; to: number };

type Span = { left: number; top: number; right: number; bottom: number };

/** Returns the sorted, disjoint ranges of the tiles that touch the boxes, in zooms `minZoom` to `maxZoom`. */
export function tileRanges(boxes: readonly Box[], minZoom: number, maxZoom: number): IdRange[] {
  const ranges: IdRange[] = [];
  for (let zoom = minZoom; zoom <= maxZoom; zoom++)
    for (const box of boxes) collect(ranges, { zoom, span: spanOf(box, zoom) }, { z: 0, x: 0, y: 0 });
  return merged(ranges);
}

/** The first and last columns and rows of the tiles that touch a box. */
function spanOf({ west, south, east, north }: Box, zoom: number): Span {
  const side = 2 ** zoom;
  const within = (value: number) => Math.min(side - 1, Math.max(0, Math.floor(value * side)));
  return {
    left: within(mercatorX(west)),
    top: within(mercatorY(north)),
    right: within(mercatorX(east)),
    bottom: within(mercatorY(south)),
  };
}

function collect(
  ranges: IdRange[],
  target: { zoom: number; span: Span },
  tile: { z: number; x: number; y: number },
): void {
  const { zoom, span } = target;
  const depth = zoom - tile.z;
  const [left, top] = [tile.x * 2 ** depth, tile.y * 2 ** depth];
  const last = 2 ** depth - 1;
  if (left > span.right || top > span.bottom || left + last < span.left || top + last < span.top) return;
  const isInside =
    left >= span.left && top >= span.top && left + last <= span.right && top + last <= span.bottom;
  if (!isInside) {
    for (const [right, down] of QUARTERS)
      collect(ranges, target, { z: tile.z + 1, x: tile.x * 2 + right, y: tile.y * 2 + down });
    return;
  }
  const count = 4 ** depth;
  const onCurve = zxyToTileId(tile.z, tile.x, tile.y) - firstOf(tile.z);
  const from = firstOf(zoom) + onCurve * count;
  ranges.push({ from, to: from + count });
}

const QUARTERS = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** The first id of a zoom: the number of tiles in all zooms before it. */
const firstOf = (zoom: number) => (4 ** zoom - 1) / 3;

function merged(ranges: IdRange[]): IdRange[] {
  const sorted = ranges.sort((a, b) => a.from - b.from);
  const result: IdRange[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else result.push({ ...range });
  }
  return result;
}
