import { Minus, Plus, RotateCcw, X } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { onTrackpadPinch } from "#app/components/ui/pinch.ts";
import { FITTED, heldWithin, type ImageView, LARGEST_SCALE, zoomedAt } from "./image-view.ts";

export type ImageLayerProps = {
  open: boolean;
  onClose: () => void;
  src: string;
  alt: string;
};

type Point = { x: number; y: number };
const CENTER: Point = { x: 0, y: 0 };

const KEY_PAN = 60;
const STEP = 1.4;

/** A full-screen image: zoom with wheel, pinch, buttons, + and -; pan by drag and arrow keys; 0 fits it to the window. */
export function ImageLayer({ open, onClose, src, alt }: ImageLayerProps) {
  return (
    <Dialog open={open} onClose={onClose} title={alt} bare size="full" className="!bg-letterbox">
      <ZoomedImage src={src} alt={alt} onClose={onClose} />
    </Dialog>
  );
}

function ZoomedImage({ src, alt, onClose }: Omit<ImageLayerProps, "open">) {
  const stage = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const { view, zoom, pan, fitToWindow, toggle } = useImageView(image);
  const drag = useDrag(stage, { zoom, pan });
  useWheelZoom(stage, { zoom, isTouched: drag.isTouched });

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fitToWindow();
    else if (event.key === "ArrowLeft") pan(KEY_PAN, 0);
    else if (event.key === "ArrowRight") pan(-KEY_PAN, 0);
    else if (event.key === "ArrowUp") pan(0, KEY_PAN);
    else if (event.key === "ArrowDown") pan(0, -KEY_PAN);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className="relative h-dvh w-full">
      <div
        ref={stage}
        role="application"
        aria-label={`${alt}. Plus and minus zoom, arrow keys move, 0 fits to window.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys that zoom and pan
        tabIndex={0}
        className={cx(
          "absolute inset-0 grid touch-none place-items-center overflow-hidden outline-none select-none",
          drag.isDragging ? "cursor-grabbing" : view.scale > 1 ? "cursor-grab" : "cursor-zoom-in",
        )}
        onKeyDown={onKeyDown}
        {...drag.handlers}
        onDoubleClick={(event) => toggle(fromCenter(stage.current, event))}
      >
        <img
          ref={image}
          src={src}
          alt={alt}
          data-undimmed
          draggable={false}
          className="size-full origin-center object-contain"
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        />
      </div>
      <ZoomControls scale={view.scale} onZoom={zoom} onFit={fitToWindow} onClose={onClose} />
    </div>
  );
}

/** The zoom and position of an image. Points are measured from the center of the stage, in pixels. */
function useImageView(image: RefObject<HTMLImageElement>) {
  const [view, setView] = useState<ImageView>(FITTED);
  const change = (next: (view: ImageView) => ImageView) =>
    setView((before) => heldWithin(next(before), fittedSize(image.current)));
  return {
    view,
    zoom: (factor: number, at = CENTER) => change((before) => zoomedAt(before, factor, at)),
    pan: (x: number, y: number) => change((before) => ({ ...before, x: before.x + x, y: before.y + y })),
    fitToWindow: () => setView(FITTED),
    toggle: (at: Point) => change((before) => (before.scale > 1 ? FITTED : zoomedAt(before, 3, at))),
  };
}

type Zoom = (factor: number, at?: Point) => void;

/** Zooms with the wheel and with pinches on a trackpad. The stage takes the focus. */
function useWheelZoom(stage: RefObject<HTMLElement>, on: { zoom: Zoom; isTouched: () => boolean }) {
  const { zoom, isTouched } = on;
  // React adds passive wheel listeners, which cannot keep the page from scrolling and zooming.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both functions only read refs
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), fromCenter(element, event));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    const stopPinch = onTrackpadPinch(element, {
      isTouched,
      zoom: (factor, at) => zoom(factor, fromCenter(element, at)),
    });
    element.focus();
    return () => {
      stopPinch();
      element.removeEventListener("wheel", wheel);
    };
  }, []);
}

/** Pans with one pointer, and zooms with two. */
function useDrag(stage: RefObject<Element>, on: { zoom: Zoom; pan: (x: number, y: number) => void }) {
  const pointers = useRef(new Map<number, Point>());
  const [isDragging, setDragging] = useState(false);

  function onPointerDown(event: PointerEvent) {
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, fromCenter(stage.current, event));
    setDragging(true);
  }
  function onPointerMove(event: PointerEvent) {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = fromCenter(stage.current, event);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    if (other) {
      const factor = distance(now, other) / Math.max(1, distance(before, other));
      on.zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else on.pan(now.x - before.x, now.y - before.y);
  }
  function onPointerUp(event: PointerEvent) {
    pointers.current.delete(event.pointerId);
    setDragging(pointers.current.size > 0);
  }

  return {
    isDragging,
    isTouched: () => pointers.current.size > 0,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp },
  };
}

type ZoomControlsProps = { scale: number; onZoom: Zoom; onFit: () => void; onClose: () => void };

function ZoomControls({ scale, onZoom, onFit, onClose }: ZoomControlsProps) {
  return (
    <div className="sheet absolute end-3 top-3 flex items-center gap-1 p-1">
      <output className="min-w-14 px-1 text-center text-sm text-muted">{Math.round(scale * 100)}%</output>
      <IconButton
        label="Zoom out"
        shortcut="-"
        icon={<Minus />}
        disabled={scale <= 1}
        onClick={() => onZoom(1 / STEP)}
      />
      <IconButton
        label="Zoom in"
        shortcut="+"
        icon={<Plus />}
        disabled={scale >= LARGEST_SCALE}
        onClick={() => onZoom(STEP)}
      />
      <IconButton label="Fit to window" shortcut="0" icon={<RotateCcw />} onClick={onFit} />
      <IconButton label="Close" shortcut="Esc" icon={<X />} align="end" onClick={onClose} />
    </div>
  );
}

/** Returns a point of the window, measured from the center of the stage. */
function fromCenter(stage: Element | null, at: { clientX: number; clientY: number }): Point {
  const box = stage?.getBoundingClientRect() ?? new DOMRect();
  return { x: at.clientX - box.left - box.width / 2, y: at.clientY - box.top - box.height / 2 };
}

/** Returns the size of the image without the bars beside or above it, in pixels, before it is zoomed. */
function fittedSize(image: HTMLImageElement | null): { width: number; height: number } {
  if (!image?.naturalWidth) return { width: 0, height: 0 };
  const { offsetWidth, offsetHeight, naturalWidth, naturalHeight } = image;
  const scale = Math.min(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
  return { width: naturalWidth * scale, height: naturalHeight * scale };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
