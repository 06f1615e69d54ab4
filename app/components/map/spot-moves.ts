import type { ResultsStore } from "#app/components/search/results/state.ts";
import { frameOf, type Pixel, pannedBy } from "#app/entities/search/map/camera.ts";
import { type MapPoints, rowsOnSpots, spotPlace, spotsNear } from "#app/entities/search/map/points.ts";
import type { CameraControl } from "./use-camera.ts";
import { pixelOf, spotOrder } from "./view-parts.ts";

/** How far from its middle a marker may be pressed. */
const REACH = 14;
/** Where a spot goes so that its popup has room, and where it may stay, in pixels from the edge. */
const POPUP_EDGE = 110;
const POPUP_ROOM = 190;

/** The spots whose reads a popup shows. */
export type SpotPopup = { spots: readonly number[] };

export type SpotMoves = {
  store: ResultsStore;
  points: MapPoints;
  counts: Uint32Array;
  pass: Uint8Array;
  current: number | null;
  currentSpot: number | null;
  popup: SpotPopup | null;
  setPopup: (popup: SpotPopup | null) => void;
  /** The camera, once there is one. */
  control: () => CameraControl | null;
};

/** What presses and keys do with the spots of the map: find, open, bring into sight, go from one to the next. */
export function spotMoves({ store, points, counts, pass, current, currentSpot, ...rest }: SpotMoves) {
  const { popup, setPopup, control } = rest;

  function near(at: Pixel): number[] {
    const now = control();
    if (!now) return [];
    const { scale, left, top } = frameOf(now.camera, now.size);
    const reach = REACH / scale;
    return spotsNear(points, { x: (at.x - left) / scale, y: (at.y - top) / scale, reach, counts });
  }
  function open(spots: readonly number[]) {
    const [first] = rowsOnSpots(points, spots, pass);
    setPopup({ spots });
    const isHere = current !== null && spots.includes(currentSpot ?? -1) && pass[current] === 1;
    if (first !== undefined && !isHere) store.setCurrent(first);
  }
  function press(at: Pixel) {
    const spots = near(at);
    if (spots[0] === undefined) return setPopup(null);
    open(spots);
    lookIfCramped(spots[0]);
  }
  /** Brings a spot to where its popup has room beside it: near the top, or the bottom if it is there already. */
  function look(spot: number) {
    const now = control();
    if (!now) return;
    const { camera, size } = now;
    const at = pixelOf(spotPlace(points, spot), camera, size);
    const isLow = at.y > size.height / 2 && at.y < size.height;
    const place = { x: size.width / 2, y: isLow ? size.height - POPUP_EDGE : POPUP_EDGE };
    now.goTo(pannedBy(camera, size, { x: at.x - place.x, y: at.y - place.y }));
  }
  /** Leaves the map alone where the popup fits above or below. */
  function lookIfCramped(spot: number) {
    const now = control();
    if (!now) return;
    const { camera, size } = now;
    const at = pixelOf(spotPlace(points, spot), camera, size);
    if (at.y <= POPUP_ROOM || at.y >= size.height - POPUP_ROOM) return;
    const y = at.y > size.height / 2 ? size.height - POPUP_EDGE : POPUP_EDGE;
    now.goTo(pannedBy(camera, size, { x: 0, y: at.y - y }));
  }
  /** The next spot with reads, from west to east. */
  function step(by: 1 | -1) {
    const order = spotOrder(points, counts);
    if (order.length === 0) return;
    const from = popup?.spots[0] ?? currentSpot;
    const at = from === null ? -1 : order.indexOf(from);
    const next = order[(at + by + order.length + (at < 0 && by < 0 ? 1 : 0)) % order.length] as number;
    const [first] = rowsOnSpots(points, [next], pass);
    setPopup({ spots: [next] });
    if (first !== undefined) store.setCurrent(first);
    look(next);
  }
  return { near, open, press, look, step };
}
