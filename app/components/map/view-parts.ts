import { useMemo, useState } from "react";
import type { CameraControl } from "#app/components/map/camera/use-camera.ts";
import { passingRows } from "#app/components/search/results/filter.ts";
import { type ResultsState, type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import {
  type Camera,
  frameOf,
  latitudeAt,
  longitudeAt,
  type Pixel,
  pannedBy,
  project,
  type Size,
} from "#app/entities/search/map/camera.ts";
import { type MapPoints, rowsOnSpots, spotPlace, spotsNear } from "#app/entities/search/map/points.ts";
import { type ResultColumns, rowAt } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { counted } from "#app/lib/number-text.ts";
import { truncated } from "#app/lib/text.ts";

/** Returns the pixel of a place (Mercator units) on the screen. */
export function pixelOf(place: { x: number; y: number }, camera: Camera, size: Size): Pixel {
  return project({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) }, camera, size);
}

/** Returns the spots with reads from west to east, the order of the step keys. */
function spotOrder(points: MapPoints, counts: Uint32Array): number[] {
  const order: number[] = [];
  for (let spot = 0; spot < points.spotCount; spot++) if (counts[spot] !== 0) order.push(spot);
  return order.sort((a, b) => spotPlace(points, a).x - spotPlace(points, b).x || a - b);
}

/** Returns the screen reader announcement of an opened spot. */
export function spotWords(columns: ResultColumns, row: number, reads: number): string {
  const { camera, plate, capturedAt } = rowAt(columns, row);
  const where = truncated(orMissing(camera), 80);
  return `${where}, ${counted(reads, "read")}. Plate ${orMissing(plate)}, ${timeText(capturedAt)}`;
}

/** Returns the state shared by table and map, and the rows that pass the filter ignoring its times. */
export function useShared(store: ResultsStore) {
  const columns = useResults(store, (state) => state.columns);
  const pass = useResults(store, (state) => state.pass);
  const filter = useResults(store, (state) => state.filter);
  const selection = useResults(store, (state) => state.selection);
  const current = useResults(store, (state) => state.current);
  const latest = useResults(store, (state) => state.latest);
  const grown = useResults(store, (state) => state.grown);
  const { text, program, picked } = filter;
  const passAnyTime = useMemo(
    () => passingRows(columns, { text, program, picked, from: null, to: null }),
    [columns, text, program, picked],
  );
  return { columns, latest, pass, passAnyTime, filter, selection, current, grown };
}

/** How far from its center a marker can be clicked, in pixels. */
const REACH = 14;
/** Distances from the edge in pixels: where a spot is moved to make room for its popup, and where it may stay. */
const POPUP_EDGE = 110;
const POPUP_ROOM = 190;

/** The spots whose reads a popup shows. */
export type SpotPopup = { spots: readonly number[] };

/** The open popup. When more reads arrive, spots get other numbers: the popup stays where its reads are. */
export function usePopup({ points, grown }: { points: MapPoints; grown: ResultsState["grown"] }) {
  const [popup, setPopup] = useState<SpotPopup | null>(null);
  const [before, setBefore] = useState(points);
  if (before !== points) {
    setBefore(points);
    if (popup) setPopup(movedPopup(popup, { before, points, grown }));
  }
  return [popup, setPopup] as const;
}

function movedPopup(
  popup: SpotPopup,
  moved: { before: MapPoints; points: MapPoints; grown: ResultsState["grown"] },
): SpotPopup | null {
  const { before, points, grown } = moved;
  const spots = popup.spots.flatMap((spot) => {
    const row = before.rows[before.spotPoints[before.spotStarts[spot] ?? 0] ?? 0] ?? 0;
    const point = points.pointOfRow[grown?.rows[row] ?? -1] ?? -1;
    return point < 0 ? [] : [points.spots[point] ?? 0];
  });
  return spots.length > 0 ? { spots } : null;
}

export type SpotMoves = {
  store: ResultsStore;
  points: MapPoints;
  counts: Uint32Array;
  pass: Uint8Array;
  current: number | null;
  currentSpot: number | null;
  popup: SpotPopup | null;
  setPopup: (popup: SpotPopup | null) => void;
  /** Returns the camera; null before the map is measured. */
  control: () => CameraControl | null;
};

/** Actions on the spots of the map for clicks and keys: find, open, scroll into view, step. */
export function spotMoves({ store, points, counts, pass, current, currentSpot, ...rest }: SpotMoves) {
  const { popup, setPopup, control } = rest;

  function near(pixel: Pixel): number[] {
    const now = control();
    if (!now) return [];
    const { scale, left, top } = frameOf(now.camera, now.size);
    const reach = REACH / scale;
    return spotsNear(points, { x: (pixel.x - left) / scale, y: (pixel.y - top) / scale, reach, counts });
  }
  function open(spots: readonly number[]) {
    const [first] = rowsOnSpots(points, spots, pass);
    setPopup({ spots });
    const isHere = current !== null && spots.includes(currentSpot ?? -1) && pass[current] === 1;
    if (first !== undefined && !isHere) store.setCurrent(first);
  }
  function press(pixel: Pixel) {
    const spots = near(pixel);
    if (spots[0] === undefined) return setPopup(null);
    open(spots);
    makeRoomIfCramped(spots[0]);
  }
  /** Moves a spot near the top or bottom edge, where its popup has room. */
  function makeRoom(spot: number) {
    const now = control();
    if (!now) return;
    const { camera, size } = now;
    const pixel = pixelOf(spotPlace(points, spot), camera, size);
    const isLow = pixel.y > size.height / 2 && pixel.y < size.height;
    const place = { x: size.width / 2, y: isLow ? size.height - POPUP_EDGE : POPUP_EDGE };
    now.goTo(pannedBy(camera, size, { x: pixel.x - place.x, y: pixel.y - place.y }));
  }
  /** Moves the map only if the popup does not fit above or below the spot. */
  function makeRoomIfCramped(spot: number) {
    const now = control();
    if (!now) return;
    const { camera, size } = now;
    const pixel = pixelOf(spotPlace(points, spot), camera, size);
    if (pixel.y <= POPUP_ROOM || pixel.y >= size.height - POPUP_ROOM) return;
    const y = pixel.y > size.height / 2 ? size.height - POPUP_EDGE : POPUP_EDGE;
    now.goTo(pannedBy(camera, size, { x: 0, y: pixel.y - y }));
  }
  /** The next spot with reads, from west to east. */
  function step(by: 1 | -1) {
    const order = spotOrder(points, counts);
    if (order.length === 0) return;
    const from = popup?.spots[0] ?? currentSpot;
    const place = from === null ? -1 : order.indexOf(from);
    const next = at(order, (place + by + order.length + (place < 0 && by < 0 ? 1 : 0)) % order.length);
    const [first] = rowsOnSpots(points, [next], pass);
    setPopup({ spots: [next] });
    if (first !== undefined) store.setCurrent(first);
    makeRoom(next);
  }
  return { near, open, press, makeRoom, step };
}
