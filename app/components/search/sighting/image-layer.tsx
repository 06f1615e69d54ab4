import { Minus, Plus, RotateCcw, X } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
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
  const [view, setView] = useState<ImageView>(FITTED);
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const [dragging, setDragging] = useState(false);

  function change(next: (view: ImageView) => ImageView) {
    setView((before) => heldWithin(next(before), fittedSize(image.current)));
  }
  function fromCenter(at: { clientX: number; clientY: number }) {
    const box = stage.current?.getBoundingClientRect() ?? new DOMRect();
    return { x: at.clientX - box.left - box.width / 2, y: at.clientY - box.top - box.height / 2 };
  }
  const zoom = (factor: number) => change((before) => zoomedAt(before, factor, { x: 0, y: 0 }));

  // React adds passive wheel listeners, which cannot keep the page from scrolling and zooming.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both functions only read refs
  useEffect(() => {
    const element = stage.current;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const point = fromCenter(event);
      change((before) => zoomedAt(before, Math.exp(-event.deltaY / 400), point));
    };
    if (!element) return;
    element.addEventListener("wheel", wheel, { passive: false });
    const stopPinch = onTrackpadPinch(element, {
      isTouched: () => pointers.current.size > 0,
      zoom: (factor, at) => {
        const point = fromCenter(at);
        change((before) => zoomedAt(before, factor, point));
      },
    });
    element.focus();
    return () => {
      stopPinch();
      element.removeEventListener("wheel", wheel);
    };
  }, []);

  function onKeyDown(event: KeyboardEvent) {
    const pan = (x: number, y: number) =>
      change((before) => ({ ...before, x: before.x + x, y: before.y + y }));
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") setView(FITTED);
    else if (event.key === "ArrowLeft") pan(KEY_PAN, 0);
    else if (event.key === "ArrowRight") pan(-KEY_PAN, 0);
    else if (event.key === "ArrowUp") pan(0, KEY_PAN);
    else if (event.key === "ArrowDown") pan(0, -KEY_PAN);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onPointerDown(event: PointerEvent<HTMLDivElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, fromCenter(event));
    setDragging(true);
  }
  function onPointerMove(event: PointerEvent) {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = fromCenter(event);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    if (other) {
      const factor = distance(now, other) / Math.max(1, distance(before, other));
      change((held) => zoomedAt(held, factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }));
    } else change((held) => ({ ...held, x: held.x + now.x - before.x, y: held.y + now.y - before.y }));
  }
  function onPointerUp(event: PointerEvent) {
    pointers.current.delete(event.pointerId);
    setDragging(pointers.current.size > 0);
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
          dragging ? "cursor-grabbing" : view.scale > 1 ? "cursor-grab" : "cursor-zoom-in",
        )}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onDoubleClick={(event) => {
          const point = fromCenter(event);
          change((before) => (before.scale > 1 ? FITTED : zoomedAt(before, 3, point)));
        }}
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
      <div className="sheet absolute end-3 top-3 flex items-center gap-1 p-1">
        <output className="min-w-14 px-1 text-center text-sm text-muted">
          {Math.round(view.scale * 100)}%
        </output>
        <IconButton
          label="Zoom out"
          shortcut="-"
          icon={<Minus />}
          disabled={view.scale <= 1}
          onClick={() => zoom(1 / STEP)}
        />
        <IconButton
          label="Zoom in"
          shortcut="+"
          icon={<Plus />}
          disabled={view.scale >= LARGEST_SCALE}
          onClick={() => zoom(STEP)}
        />
        <IconButton label="Fit to window" shortcut="0" icon={<RotateCcw />} onClick={() => setView(FITTED)} />
        <IconButton label="Close" shortcut="Esc" icon={<X />} align="end" onClick={onClose} />
      </div>
    </div>
  );
}

/** Returns the size of the picture without the bars beside or above it, in pixels, before it is zoomed. */
function fittedSize(image: HTMLImageElement | null): { width: number; height: number } {
  if (!image?.naturalWidth) return { width: 0, height: 0 };
  const { offsetWidth, offsetHeight, naturalWidth, naturalHeight } = image;
  const scale = Math.min(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
  return { width: naturalWidth * scale, height: naturalHeight * scale };
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
