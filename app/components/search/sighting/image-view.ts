/** Zoom and pan of an enlarged image: scale 1 fits the window; x and y shift its center in pixels. */
export type ImageView = { scale: number; x: number; y: number };

export const FITTED: ImageView = { scale: 1, x: 0, y: 0 };
export const LARGEST_SCALE = 12;

type Size = { width: number; height: number };

/** Returns the view limited so that the image is no smaller than the window and stays visible. */
export function heldWithin(view: ImageView, fitted: Size): ImageView {
  const scale = Math.min(Math.max(view.scale, 1), LARGEST_SCALE);
  const [mostX, mostY] = [((scale - 1) * fitted.width) / 2, ((scale - 1) * fitted.height) / 2];
  const clamp = (value: number, most: number) => Math.min(Math.max(value, -most), most) + 0;
  return { scale, x: clamp(view.x, mostX), y: clamp(view.y, mostY) };
}

/** Returns the view zoomed by a factor around the pointer (pixels from the window's center). */
export function zoomedAt(view: ImageView, factor: number, point: { x: number; y: number }): ImageView {
  const scale = Math.min(Math.max(view.scale * factor, 1), LARGEST_SCALE);
  const ratio = scale / view.scale;
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio };
}
