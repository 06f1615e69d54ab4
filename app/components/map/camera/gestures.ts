import { onTrackpadPinch } from "#app/components/ui/pinch.ts";
import {
  type Camera,
  type Pixel,
  pannedBy,
  type Size,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";

/** A press that moves less than this is a click, in pixels. */
const SLOP = 5;

/** Returns the next camera for a map of this size. */
export type CameraMove = (camera: Camera, size: Size) => Camera;

export type GestureHandlers = {
  /** A gesture begins: a running move of the camera ends. */
  onStart: () => void;
  /** The user moves the camera. */
  onMove: (move: CameraMove) => void;
  /** A double click zooms by this many steps around a pixel. */
  onDoubleClick: (steps: number, at: Pixel) => void;
  onClick: (at: Pixel) => void;
  onHover: (at: Pixel | null) => void;
};

/** Calls the handlers for mouse, wheel, trackpad and touch on the map. Returns a function that stops listening. */
export function listenToGestures(element: HTMLElement, handlers: GestureHandlers): () => void {
  const { onStart, onMove, onDoubleClick, onClick, onHover } = handlers;
  const within = (event: { clientX: number; clientY: number }): Pixel => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const fingers = new Map<number, Pixel>();
  let start: Pixel | null = null;
  let moved = false;

  function wheel(event: WheelEvent) {
    if (!isOnMap(event)) return;
    // Keeps the page from scrolling or zooming.
    event.preventDefault();
    onStart();
    const at = within(event);
    const steps = Math.max(-1, Math.min(1, wheelSteps(event)));
    onMove((camera, size) => zoomedAround(camera, size, { steps, at }));
  }
  function press(event: PointerEvent) {
    if (!isOnMap(event) || event.button !== 0) return;
    onStart();
    fingers.set(event.pointerId, within(event));
    element.setPointerCapture(event.pointerId);
    if (fingers.size === 1) {
      start = within(event);
      moved = false;
    } else moved = true;
  }
  function move(event: PointerEvent) {
    const at = within(event);
    const before = fingers.get(event.pointerId);
    if (!before) return onHover(isOnMap(event) ? at : null);
    if (start && Math.hypot(at.x - start.x, at.y - start.y) > SLOP) moved = true;
    if (!moved) return;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, at);
    onMove(other ? twoFingers({ before, at, other }) : oneFinger(before, at));
  }
  function release(event: PointerEvent) {
    if (!fingers.delete(event.pointerId)) return;
    if (fingers.size === 0 && !moved && event.type === "pointerup") onClick(within(event));
  }
  function double(event: MouseEvent) {
    if (isOnMap(event)) onDoubleClick(event.shiftKey ? -1 : 1, within(event));
  }

  const stopPinch = onTrackpadPinch(element, {
    isTouched: () => fingers.size > 0,
    zoom: (factor, place) => {
      onStart();
      const at = within(place);
      onMove((camera, size) => zoomedAround(camera, size, { steps: Math.log2(factor), at }));
    },
  });
  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener("wheel", wheel, { passive: false, signal });
  element.addEventListener("pointerdown", press, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", release, { signal });
  element.addEventListener("pointercancel", release, { signal });
  element.addEventListener("pointerleave", () => onHover(null), { signal });
  element.addEventListener("dblclick", double, { signal });
  return () => {
    stopPinch();
    listening.abort();
  };
}

/** Returns false for the button that reloads the map's code: capturing its pointer would suppress its click. */
function isOnMap({ target }: Event): boolean {
  return (
    target instanceof Element &&
    target.closest("[data-map-ground], button")?.matches("[data-map-ground]") === true
  );
}

function wheelSteps({ deltaY, deltaMode, ctrlKey }: WheelEvent): number {
  // Firefox counts lines, three a notch; other browsers 100 to 120 pixels.
  const unit = deltaMode === WheelEvent.DOM_DELTA_LINE ? 40 : 1;
  return -deltaY * unit * (ctrlKey ? 0.01 : 0.003);
}

function oneFinger(before: Pixel, at: Pixel): CameraMove {
  return (camera, size) => pannedBy(camera, size, { x: before.x - at.x, y: before.y - at.y });
}

/** One of two fingers moved: the map follows their middle and zooms by their distance. */
function twoFingers({ before, at, other }: { before: Pixel; at: Pixel; other: Pixel }): CameraMove {
  const spread = (a: Pixel, b: Pixel) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
  const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
  const steps = Math.log2(spread(at, other) / spread(before, other));
  const by = { x: (before.x - at.x) / 2, y: (before.y - at.y) / 2 };
  return (camera, size) => zoomedAround(pannedBy(camera, size, by), size, { steps, at: middle });
}
