import { useLayoutEffect, useRef } from "react";
import type { Size } from "#app/entities/search/map/camera.ts";

export type CanvasProps = {
  size: Size;
  /** Draws in CSS pixels; `ratio` is the number of device pixels per CSS pixel. */
  paint: (context: CanvasRenderingContext2D, ratio: number) => void;
  /** Identifies the layer in tests and developer tools. */
  name: string;
  opacity?: number;
};

/** A canvas layer. Painted in a layout effect, so that all layers of a frame match. */
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
