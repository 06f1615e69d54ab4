import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { onTrackpadPinch } from "#app/components/ui/pinch.ts";
import {
  type Bounds,
  type Camera,
  fittedCamera,
  heldCamera,
  type Pixel,
  pannedBy,
  type Size,
  zoomedAround,
} from "#app/entities/search/map/camera.ts";

const KEY_PAN = 100;
const STEP = 1;
/** A press that moves less than this is a click, in pixels. */
const SLOP = 5;
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
  const glide = useRef(0);
  // Bounds that stay fitted when the box changes its size, until the user moves the map.
  const fitted = useRef<Bounds | null>(null);

  const change = useCallback((next: (camera: Camera, size: Size) => Camera) => {
    setState((before) => {
      if (!before) return before;
      const camera = heldCamera(next(before.camera, before.size));
      latest.current.onChange?.(camera);
      return { ...before, camera };
    });
  }, []);

  const glideTo = useCallback(
    (target: (camera: Camera, size: Size) => Camera) => {
      const now = latest.current.state;
      if (!now) return;
      cancelAnimationFrame(glide.current);
      fitted.current = null;
      const [from, to] = [now.camera, heldCamera(target(now.camera, now.size))];
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return change(() => to);
      const start = performance.now();
      const step = (at: number) => {
        const part = Math.min(1, Math.max(0, (at - start) / GLIDE_MS));
        const eased = 1 - (1 - part) ** 3;
        const between = (a: number, b: number) => a + (b - a) * eased;
        change(() => ({
          longitude: between(from.longitude, to.longitude),
          latitude: between(from.latitude, to.latitude),
          zoom: between(from.zoom, to.zoom),
        }));
        if (part < 1) glide.current = requestAnimationFrame(step);
      };
      glide.current = requestAnimationFrame(step);
    },
    [change],
  );

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const size = { width: element.clientWidth, height: element.clientHeight };
      if (size.width === 0 || size.height === 0) return;
      if (fitted.current) cancelAnimationFrame(glide.current);
      setState((before) => ({
        size,
        camera: fitted.current
          ? fittedCamera(fitted.current, size)
          : (before?.camera ?? latest.current.initial(size)),
      }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const within = (event: { clientX: number; clientY: number }): Pixel => {
      const { left, top } = element.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    // Not on the button that loads the map's code again: capturing its pointer would take its click.
    const isOnMap = ({ target }: Event) =>
      target instanceof Element &&
      target.closest("[data-map-ground], button")?.matches("[data-map-ground]") === true;
    const fingers = new Map<number, Pixel>();
    let start: Pixel | null = null;
    let moved = false;

    function onWheel(event: WheelEvent) {
      if (!isOnMap(event)) return;
      // Keeps the page from scrolling or zooming.
      event.preventDefault();
      cancelAnimationFrame(glide.current);
      fitted.current = null;
      // Firefox counts lines, three a notch; other browsers 100 to 120 pixels.
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 40 : 1;
      const steps = -event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.003);
      const at = within(event);
      change((camera, size) => zoomedAround(camera, size, { steps: Math.max(-1, Math.min(1, steps)), at }));
    }
    const stopPinch = onTrackpadPinch(element, {
      isTouched: () => fingers.size > 0,
      zoom: (factor, place) => {
        cancelAnimationFrame(glide.current);
        fitted.current = null;
        const at = within(place);
        change((camera, size) => zoomedAround(camera, size, { steps: Math.log2(factor), at }));
      },
    });
    function onDown(event: PointerEvent) {
      if (!isOnMap(event) || event.button !== 0) return;
      cancelAnimationFrame(glide.current);
      fingers.set(event.pointerId, within(event));
      element?.setPointerCapture(event.pointerId);
      if (fingers.size === 1) {
        start = within(event);
        moved = false;
      } else moved = true;
    }
    function onMove(event: PointerEvent) {
      const at = within(event);
      const before = fingers.get(event.pointerId);
      if (!before) {
        latest.current.onHover?.(isOnMap(event) ? at : null);
        return;
      }
      if (start && Math.hypot(at.x - start.x, at.y - start.y) > SLOP) moved = true;
      if (!moved) return;
      fitted.current = null;
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      fingers.set(event.pointerId, at);
      if (!other) {
        change((camera, size) => pannedBy(camera, size, { x: before.x - at.x, y: before.y - at.y }));
        return;
      }
      const spread = (a: Pixel, b: Pixel) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
      const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
      const steps = Math.log2(spread(at, other) / spread(before, other));
      change((camera, size) =>
        zoomedAround(pannedBy(camera, size, { x: (before.x - at.x) / 2, y: (before.y - at.y) / 2 }), size, {
          steps,
          at: middle,
        }),
      );
    }
    function onUp(event: PointerEvent) {
      if (!fingers.delete(event.pointerId)) return;
      if (fingers.size === 0 && !moved && event.type === "pointerup") latest.current.onClick?.(within(event));
    }
    function onDouble(event: MouseEvent) {
      if (!isOnMap(event)) return;
      const at = within(event);
      glideTo((camera, size) => zoomedAround(camera, size, { steps: event.shiftKey ? -STEP : STEP, at }));
    }
    const onLeave = () => latest.current.onHover?.(null);
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("pointermove", onMove);
    element.addEventListener("pointerup", onUp);
    element.addEventListener("pointercancel", onUp);
    element.addEventListener("pointerleave", onLeave);
    element.addEventListener("dblclick", onDouble);
    return () => {
      cancelAnimationFrame(glide.current);
      stopPinch();
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("pointerdown", onDown);
      element.removeEventListener("pointermove", onMove);
      element.removeEventListener("pointerup", onUp);
      element.removeEventListener("pointercancel", onUp);
      element.removeEventListener("pointerleave", onLeave);
      element.removeEventListener("dblclick", onDouble);
    };
  }, [box, change, glideTo]);

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
