/**
 * The pictures that the simulated cameras take. Nothing is stored: a picture is drawn from its read on request, and a
 * crop is drawn at its own size, so that a plate is sharp in the close-up.
 */

import { easternText } from "../eastern-time.ts";
import { AGENCIES } from "../places.ts";
import { box, drawScene } from "../scene.ts";
import type { WorldRead } from "../traffic.ts";
import { PICTURE, plateCorners, type View, viewOf } from "../view.ts";
import { drawCar } from "./car.ts";
import { textPolygons } from "./glyphs.ts";
import { encodeJpeg } from "./jpeg.ts";
import { drawMotorcycle } from "./motorcycle.ts";
import { drawPlate } from "./plate-art.ts";
import { type Canvas, fill, fillAll, glow, grain, makeCanvas } from "./raster.ts";
import { drawTruck } from "./truck.ts";

/** Returns the whole picture, 640 x 360, as JPEG. */
export function vehicleImage(read: WorldRead): Uint8Array {
  return encodeJpeg(draw(read, { x: 0, y: 0, ...PICTURE, outWidth: 640 }), 82);
}

/** Returns a close-up of the plate, 240 pixels wide and about half as high, as JPEG. */
export function plateImage(read: WorldRead): Uint8Array {
  const corners = plateCorners(read);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const width = (Math.max(...xs) - Math.min(...xs)) * 1.12;
  const middle = (Math.max(...ys) + Math.min(...ys)) / 2;
  const height = Math.max(width / 2, (Math.max(...ys) - Math.min(...ys)) * 1.1);
  const x = (Math.max(...xs) + Math.min(...xs)) / 2 - width / 2;
  return encodeJpeg(draw(read, { x, y: middle - height / 2, width, height, outWidth: 240 }), 86);
}

export interface Crop {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Maximum width of the result in pixels; 640 if absent. */
  maxWidth?: number | undefined;
}

/** Returns a part of the 1280 x 720 picture as JPEG, clipped to the picture; the whole picture for an empty part. */
export function cropImage(read: WorldRead, crop: Crop): Uint8Array {
  const x = Math.min(PICTURE.width - 8, Math.max(0, crop.x));
  const y = Math.min(PICTURE.height - 8, Math.max(0, crop.y));
  const width = Math.min(PICTURE.width - x, crop.width > 0 ? crop.width : PICTURE.width);
  const height = Math.min(PICTURE.height - y, crop.height > 0 ? crop.height : PICTURE.height);
  const outWidth = Math.min(640, Math.max(16, crop.maxWidth ?? 640), Math.max(240, width));
  // A tall, narrow part must not become a picture of millions of pixels.
  const limited = Math.min(outWidth, (720 * width) / height);
  return encodeJpeg(draw(read, { x, y, width, height, outWidth: limited }), 82);
}

/** Draws a part of the picture. Exported for callers that need pixels, not a file. */
export function draw(
  read: WorldRead,
  part: { x: number; y: number; width: number; height: number; outWidth: number },
): Canvas {
  const view = viewOf(read);
  const canvas = makeCanvas(part);
  drawScene(canvas, view);
  const { bodyType } = read.vehicle;
  if (bodyType === "Motorcycle") drawMotorcycle(canvas, view);
  else if (bodyType === "tractor-trailer") drawTruck(canvas, view);
  else drawCar(canvas, view);
  drawPlate(canvas, { vehicle: read.vehicle, place: view.plate, light: view.light.plate });
  if (view.light.name === "night") glow(canvas, view.plate(6, 3), 70, [26, 26, 22]);
  drawCaption(canvas, view);
  grain(canvas, view.seed, view.light.name === "day" ? 5 : 8);
  return canvas;
}

const CAPTION = 34;

function drawCaption(canvas: Canvas, { read }: View): void {
  const top = PICTURE.height - CAPTION;
  fill(canvas, box(0, top, PICTURE.width, CAPTION), { color: [6, 7, 9], alpha: 0.82 });
  const agency =
    AGENCIES.find(({ id }) => id === read.agencyId)?.name.replace("Police Department", "PD") ?? "";
  const line = (text: string, x: number) =>
    fillAll(
      canvas,
      textPolygons({ text, x, y: top + 9, width: 10, height: 16, gap: 4.5, weight: 2.4 }, (px, py) => [
        px,
        py,
      ]),
      {
        color: [226, 230, 232],
      },
    );
  line(`${agency} - ${read.camera.name}`, 14);
  line(easternText(read.at), PICTURE.width - 14 - 19 * 14.5);
}
