import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import jpeg from "jpeg-js";
import { afterAll, expect, it } from "vitest";
import { at } from "#app/lib/at.ts";
import { orientationExif } from "#app/lib/images/orientation.ts";
import { createPdf, PAGE } from "#app/lib/pdf/document.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-turned-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Width and height of the stored picture; its corners have different grays. */
const [WIDTH, HEIGHT] = [48, 32];
const GRAYS = { topLeft: 0, topRight: 80, bottomLeft: 160, bottomRight: 240 };

/** A JPEG with an orientation by EXIF (JEITA CP-3451, 4.6.4). */
function turned(orientation: number): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [isLeft, isTop] = [x < WIDTH / 2, y < HEIGHT / 2];
      const gray = isTop
        ? isLeft
          ? GRAYS.topLeft
          : GRAYS.topRight
        : isLeft
          ? GRAYS.bottomLeft
          : GRAYS.bottomRight;
      data.fill(gray, (y * WIDTH + x) * 4, (y * WIDTH + x) * 4 + 3);
    }
  }
  const plain = jpeg.encode({ data, width: WIDTH, height: HEIGHT }, 95).data;
  const exif = orientationExif(orientation);
  const head = [0xff, 0xe1, 0, exif.length + 8, ...Buffer.from("Exif\0\0", "latin1")];
  return new Uint8Array(Buffer.concat([plain.subarray(0, 2), Buffer.from(head), exif, plain.subarray(2)]));
}

/** Returns the grays of the corners of a picture in a PDF, as a reader shows them: top left, top right, and below. */
function shownIn(bytes: Uint8Array): { corners: number[]; aspect: number } {
  const chunks: Uint8Array[] = [];
  const pdf = createPdf({
    write: (piece) => chunks.push(piece.slice()),
    title: "A picture",
    language: "en-US",
    producer: "Odin",
    createdAt: 0,
    id: new Uint8Array(16),
  });
  const page = pdf.page();
  const picture = pdf.image(bytes, "image/jpeg");
  const box = { x: 100, y: 200, width: 120 * picture.aspect, height: 120 };
  page.artifact(page.draw(picture, box));
  page.end();
  pdf.finish();
  const file = join(folder, "picture.pdf");
  writeFileSync(file, Buffer.concat(chunks));
  const done = spawnSync("pdftoppm", ["-r", "72", "-gray", "-singlefile", file, join(folder, "page")]);
  if (done.error) throw new Error("pdftoppm is needed here: install poppler-utils");
  const pgm = readFileSync(join(folder, "page.pgm"));
  const pixels = pgm.subarray(pgm.length - PAGE.width * PAGE.height);
  const grayAt = (across: number, down: number) => {
    const [x, y] = [box.x + box.width * across, PAGE.height - box.y - box.height * (1 - down)];
    return at(pixels, Math.round(y) * PAGE.width + Math.round(x));
  };
  const corners = [grayAt(0.2, 0.2), grayAt(0.8, 0.2), grayAt(0.2, 0.8), grayAt(0.8, 0.8)];
  return { corners: corners.map((gray) => Math.round(gray / 80) * 80), aspect: picture.aspect };
}

const { topLeft, topRight, bottomLeft, bottomRight } = GRAYS;

it.each([
  [1, [topLeft, topRight, bottomLeft, bottomRight]],
  [2, [topRight, topLeft, bottomRight, bottomLeft]],
  [3, [bottomRight, bottomLeft, topRight, topLeft]],
  [4, [bottomLeft, bottomRight, topLeft, topRight]],
  [5, [topLeft, bottomLeft, topRight, bottomRight]],
  [6, [bottomLeft, topLeft, bottomRight, topRight]],
  [7, [bottomRight, topRight, bottomLeft, topLeft]],
  [8, [topRight, bottomRight, topLeft, bottomLeft]],
])("a picture with the orientation %d is turned in a report as browsers turn it", (orientation, corners) => {
  expect(shownIn(turned(orientation))).toEqual({
    corners,
    aspect: orientation < 5 ? WIDTH / HEIGHT : HEIGHT / WIDTH,
  });
});
