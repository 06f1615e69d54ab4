import { type MutableRefObject, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { TrackMarks } from "#app/components/map/paint/track.ts";
import { type CameraControl, useCamera } from "#app/components/map/use-camera.ts";
import type { ResultsState, ResultsStore } from "#app/components/search/results/state.ts";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import {
  type Camera,
  DEFAULT_CAMERA,
  fittedCamera,
  frameOf,
  latitudeAt,
  longitudeAt,
  type Pixel,
  pannedBy,
  project,
  type Size,
} from "#app/entities/search/map/camera.ts";
import {
  boundsOf,
  type MapPoints,
  rowsOnSpots,
  spotPlace,
  spotsNear,
} from "#app/entities/search/map/points.ts";
import { boundsOfTrack, type TrackRead } from "#app/entities/search/map/track.ts";
import { type ResultColumns, rowAt } from "#app/entities/search/result-columns.ts";
import { at } from "#app/lib/at.ts";
import { counted } from "#app/lib/number-text.ts";
import { truncated } from "#app/lib/text.ts";
import type { MapModel } from "./use-map-model.ts";

/** Returns the pixel of a place (Mercator units) on the screen. */
function pixelOf(place: { x: number; y: number }, camera: Camera, size: Size): Pixel {
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

/** How far from its center a marker can be clicked, in pixels. */
const REACH = 14;
/**
 * Distances from the edge in pixels: the distance to which a spot is moved to make room for its popup, and the distance
 * at which it may stay.
 */
const POPUP_EDGE = 110;
const POPUP_ROOM = 190;

/** The spots whose reads a popup shows. */
type SpotPopup = { spots: readonly number[] };

/** The open popup. When more reads arrive, spots are renumbered: the popup stays with its reads. */
function usePopup(points: MapPoints, grown: ResultsState["grown"]) {
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

type SpotMoves = {
  store: ResultsStore;
  model: MapModel;
  popup: SpotPopup | null;
  setPopup: (popup: SpotPopup | null) => void;
  /** The camera; null before the map is measured. */
  camera: { current: CameraControl | null };
};

/** Actions on the spots of the map for clicks and keys: find, open, scroll into view, step. */
function spotMoves({ store, model, popup, setPopup, camera }: SpotMoves) {
  const { shared, points, counts, currentSpot } = model;
  const { pass, filter, current } = shared;

  function near(pixel: Pixel): number[] {
    const now = camera.current;
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
    const now = camera.current;
    if (!now) return;
    const { size } = now;
    const pixel = pixelOf(spotPlace(points, spot), now.camera, size);
    const isLow = pixel.y > size.height / 2 && pixel.y < size.height;
    const place = { x: size.width / 2, y: isLow ? size.height - POPUP_EDGE : POPUP_EDGE };
    now.goTo(pannedBy(now.camera, size, { x: pixel.x - place.x, y: pixel.y - place.y }));
  }
  /** Moves the map only if the popup does not fit above or below the spot. */
  function makeRoomIfCramped(spot: number) {
    const now = camera.current;
    if (!now) return;
    const { size } = now;
    const pixel = pixelOf(spotPlace(points, spot), now.camera, size);
    if (pixel.y <= POPUP_ROOM || pixel.y >= size.height - POPUP_ROOM) return;
    const y = pixel.y > size.height / 2 ? size.height - POPUP_EDGE : POPUP_EDGE;
    now.goTo(pannedBy(now.camera, size, { x: 0, y: pixel.y - y }));
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
  /** Opens a read of a track, and shows its time if the filter hides it. */
  function openRead({ row, spot, time }: TrackRead) {
    if (pass[row] !== 1) {
      const { from, to } = filter;
      store.setFilter({
        from: from === null ? null : Math.min(from, time),
        to: to === null ? null : Math.max(to, time),
      });
    }
    store.setCurrent(row);
    setPopup({ spots: [spot] });
    makeRoom(spot);
  }
  return { near, open, press, makeRoom, step, openRead };
}

export type Spots = ReturnType<typeof useSpots>;

/**
 * Returns the camera of the map, the spot under the pointer, the reads in the popup, and actions on the spots. `plate` is
 * the one whose track, `marks`, is shown.
 */
export function useSpots(options: {
  store: ResultsStore;
  model: MapModel;
  plate: string | null;
  marks: TrackMarks | null;
}) {
  const { model } = options;
  const { shared, points } = model;
  const { pass, current } = shared;
  const box = useRef<HTMLDivElement>(null);
  const camera = useRef<CameraControl | null>(null);
  const [popup, setPopup] = usePopup(points, shared.grown);
  const [hovered, setHovered] = useState<number | null>(null);
  const moves = spotMoves({ ...options, popup, setPopup, camera });
  const control = useViewCamera({
    ...options,
    box,
    latest: camera,
    onHover: (pixel) => setHovered(pixel ? (moves.near(pixel)[0] ?? null) : null),
    onClick: moves.press,
  });
  const rows = useMemo(() => (popup ? rowsOnSpots(points, popup.spots, pass) : []), [popup, points, pass]);
  const row = current !== null && rows.includes(current) ? current : rows[0];
  const spot = popup?.spots[0];
  return {
    ...moves,
    /** The element of the map, which the camera measures. */
    box,
    control,
    hovered,
    popup,
    /** The reads of the popup, and the one that it shows. */
    rows,
    row,
    /** Where the popup points to. */
    at: control && spot !== undefined ? pixelOf(spotPlace(points, spot), control.camera, control.size) : null,
    close: () => setPopup(null),
  };
}

/** The last camera of each search and the track it showed, for the lifetime of the page. */
const cameras = new WeakMap<object, { camera: Camera; plate: string | null }>();

type ViewCameraOptions = {
  box: RefObject<HTMLElement>;
  /** Returns the camera, for callbacks that are created before it. */
  latest: MutableRefObject<CameraControl | null>;
  store: ResultsStore;
  model: MapModel;
  /** The plate whose track is shown, and its track. */
  plate: string | null;
  marks: TrackMarks | null;
  onHover: (at: Pixel | null) => void;
  onClick: (at: Pixel) => void;
};

/** Returns the camera of the results map: it begins where it was left, and goes to new tracks and the current read. */
function useViewCamera(options: ViewCameraOptions): CameraControl | null {
  const { box, latest, plate, marks, model, onHover, onClick } = options;
  const { points, currentSpot } = model;
  const control = useCamera({ box, ...initialCamera(options), onHover, onClick });
  latest.current = control;

  // Fits the camera to a new track; later filter changes do not move it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the plate changes
  useEffect(() => {
    const bounds = marks && boundsOfTrack(marks.track);
    if (bounds) latest.current?.fit(bounds);
  }, [plate]);

  // Brings the current read of the table into view.
  useEffect(() => {
    const now = latest.current;
    if (!now || currentSpot === null) return;
    const place = spotPlace(points, currentSpot);
    const { scale, left, top } = frameOf(now.camera, now.size);
    const [x, y] = [place.x * scale + left, place.y * scale + top];
    if (x < 0 || y < 0 || x > now.size.width || y > now.size.height) {
      now.goTo({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) });
    }
  }, [currentSpot, points, latest]);

  return control;
}

/** The camera as this search was left, otherwise around the track or all reads. */
function initialCamera({ store, plate, marks, model }: ViewCameraOptions) {
  return {
    initial: (size: Size): Camera => {
      const kept = cameras.get(store.get().search);
      if (kept?.plate === plate) return kept.camera;
      const bounds = (marks && boundsOfTrack(marks.track)) ?? boundsOf(model.points, model.shared.pass);
      return bounds ? fittedCamera(bounds, size) : DEFAULT_CAMERA;
    },
    onChange: (camera: Camera) => {
      cameras.set(store.get().search, { camera, plate });
    },
  };
}
