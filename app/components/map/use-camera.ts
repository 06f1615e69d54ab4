import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { onTrackpadPinch } from "#app/components/ui/pinch.ts";
import {
  type Bounds,
  type Camera,
  clampedCamera,
  fittedCamera,
  type Pixel,
  pannedBy,
  type Size,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";

const KEY_PAN = 100;
const STEP = 1;
/** Duration of a camera move. */
export const GLIDE_MS = 200;
const ZOOM_KEYS: Record<string, number> = { "+": STEP, "=": STEP, "-": -STEP };
const PAN_KEYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export type CameraControl = {
  camera: Camera;
  size: Size;
  zoomBy: (steps: number) => void;
  fit: (bounds: Bounds) => void;
  goTo: (camera: Partial<Camera>) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

export type CameraOptions = {
  box: RefObject<HTMLElement>;
  initial: (size: Size) => Camera;
  onClick?: (at: Pixel) => void;
  onHover?: (at: Pixel | null) => void;
  onChange?: (camera: Camera) => void;
};

/** Returns the map camera, controlled by mouse, wheel, touch and keys; null before the box is measured. */
export function useCamera({ box, initial, onClick, onHover, onChange }: CameraOptions): CameraControl | null {
  const [state, setState] = useState<{ camera: Camera; size: Size } | null>(null);
  const latest = useRef({ state, onClick, onHover, onChange, initial });
  latest.current = { state, onClick, onHover, onChange, initial };
  // Bounds that stay fitted when the box is resized, until the user moves the map.
  const fitted = useRef<Bounds | null>(null);

  const change = useCallback((next: CameraMove) => {
    setState((before) => {
      if (!before) return before;
      const camera = clampedCamera(next(before.camera, before.size));
      latest.current.onChange?.(camera);
      return { ...before, camera };
    });
  }, []);
  const glide = useGlide(change);
  const glideTo = useCallback(
    (target: CameraMove) => {
      const now = latest.current.state;
      if (!now) return;
      fitted.current = null;
      glide.start(now.camera, clampedCamera(target(now.camera, now.size)));
    },
    [glide],
  );

  useBoxSize(box, (size) => {
    if (fitted.current) glide.stop();
    setState((before) => ({
      size,
      camera: fitted.current
        ? fittedCamera(fitted.current, size)
        : (before?.camera ?? latest.current.initial(size)),
    }));
  });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const stopListening = listenToGestures(element, {
      onStart: glide.stop,
      onMove: (move) => {
        fitted.current = null;
        change(move);
      },
      onDoubleClick: (steps, at) => glideTo((camera, size) => zoomedAround(camera, size, { steps, at })),
      onClick: (at) => latest.current.onClick?.(at),
      onHover: (at) => latest.current.onHover?.(at),
    });
    return () => {
      glide.stop();
      stopListening();
    };
  }, [box, change, glide, glideTo]);

  if (!state) return null;
  const center = { x: state.size.width / 2, y: state.size.height / 2 };
  const zoomBy = (steps: number) =>
    glideTo((camera, size) => zoomedAround(camera, size, { steps, at: center }));
  const pan = (x: number, y: number) => glideTo((camera, size) => pannedBy(camera, size, { x, y }));
  return {
    ...state,
    zoomBy,
    fit: (bounds) => {
      glideTo((_, size) => fittedCamera(bounds, size));
      fitted.current = bounds;
    },
    goTo: (part) => glideTo((camera) => ({ ...camera, ...part })),
    onKeyDown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = ZOOM_KEYS[event.key];
      const by = PAN_KEYS[event.key];
      if (steps === undefined && by === undefined) return;
      event.preventDefault();
      if (steps !== undefined) zoomBy(steps);
      if (by !== undefined) pan(by[0] * KEY_PAN, by[1] * KEY_PAN);
    },
  };
}

/**
 * Moves the camera smoothly, or immediately for users who prefer less motion. `change` and the result stay the same.
 */
function useGlide(change: (next: CameraMove) => void) {
  const frame = useRef(0);
  return useMemo(() => {
    const stop = () => cancelAnimationFrame(frame.current);
    function start(from: Camera, to: Camera) {
      stop();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return change(() => to);
      const startedAt = performance.now();
      const step = (at: number) => {
        const part = Math.min(1, Math.max(0, (at - startedAt) / GLIDE_MS));
        const eased = 1 - (1 - part) ** 3;
        const between = (a: number, b: number) => a + (b - a) * eased;
        change(() => ({
          longitude: between(from.longitude, to.longitude),
          latitude: between(from.latitude, to.latitude),
          zoom: between(from.zoom, to.zoom),
        }));
        if (part < 1) frame.current = requestAnimationFrame(step);
      };
      frame.current = requestAnimationFrame(step);
    }
    return { start, stop };
  }, [change]);
}

/** Calls `onSize` with the size of the box, at first and whenever it changes, while it is shown. */
function useBoxSize(box: RefObject<HTMLElement>, onSize: (size: Size) => void): void {
  const latest = useRef(onSize);
  latest.current = onSize;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const size = { width: element.clientWidth, height: element.clientHeight };
      if (size.width === 0 || size.height === 0) return;
      // For print.css.
      element.style.setProperty("--map-width", String(size.width));
      latest.current(size);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
}

/** A press that moves less than this is a click, in pixels. */
const SLOP = 5;

/** Returns the next camera for a map of this size. */
type CameraMove = (camera: Camera, size: Size) => Camera;

type GestureHandlers = {
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
function listenToGestures(element: HTMLElement, handlers: GestureHandlers): () => void {
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
  // Firefox counts lines, three per notch; other browsers count 100 to 120 pixels.
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
