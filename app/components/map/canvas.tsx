import { useLayoutEffect, useRef } from "react";
import type { Size } from "#app/entities/search/map/camera.ts";

export type CanvasProps = {
  size: Size;
  /** Draws in CSS pixels; `ratio` device pixels are one of them. */
  paint: (context: CanvasRenderingContext2D, ratio: number) => void;
  /** Named for tests and for those who look into the page. */
  name: string;
  /** How much of it covers what lies beneath. */
  opacity?: number;
};

/** A layer that is painted before the browser shows it, so that all layers of a frame fit together. */
export function Canvas({ size, paint, name, opacity }: CanvasProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    paint(context, ratio);
  }, [size, paint]);
  return (
    <canvas
      ref={ref}
      data-layer={name}
      className="pointer-events-none absolute inset-0 size-full"
      style={{ opacity }}
    />
  );
}
