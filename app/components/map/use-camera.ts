import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
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
import { type CameraMove, listenToGestures } from "./gestures.ts";

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
  // Bounds that stay fitted when the box changes its size, until the user moves the map.
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

/** Moves the camera smoothly, or at once for users who prefer less motion. `change` and the result stay the same. */
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
