// The pictures of a record in the report, each with its hash, or with the reason why it is missing.

import type { ExportRecord } from "#app/entities/exports/request.ts";
import type { Pdf, PdfPage, PdfPicture, PdfSection } from "#app/lib/pdf/document.ts";
import { PdfImageProblem } from "#app/lib/pdf/image.ts";
import { block, type Fonts, line } from "./page.ts";

/** An image, or the reason why there is none. `isFailure` means that the source should have had one. */
export type ReportImage =
  | { bytes: Uint8Array<ArrayBuffer>; type: string; sha256: string }
  | { reason: string; isFailure: boolean };

/** An embedded picture of the vehicle, for showing it once more. */
export type ShownPicture = { record: ExportRecord; number: number; picture: PdfPicture };

/** Size of hashes and captions, in points. */
export const SMALL = 5.4;

export type Box = { x: number; y: number; width: number; height: number };
/** Where a record is drawn. */
export type Spot = { page: PdfPage; section: PdfSection; top: number };
export type Numbered = { record: ExportRecord; number: number };

type PicturePrinter = {
  pdf: Pdf;
  fonts: Fonts;
  /** Receives each picture of a vehicle that was embedded. */
  onVehicle: (shown: ShownPicture) => void;
};

/** Draws a picture and its hash, or why there is none. Returns the reason for a missing picture. */
export function drawPicture(
  { pdf, fonts, onVehicle }: PicturePrinter,
  { page, section }: Spot,
  one: Numbered & { kind: "vehicle" | "plate"; image: ReportImage; box: Box },
): string | undefined {
  const { kind, record, number, image, box } = one;
  const name = kind === "vehicle" ? "Vehicle image" : "Plate image";
  if ("reason" in image) {
    page.tag(section, "P", note(fonts, box, `${name}: ${image.reason}`));
    return image.reason;
  }
  const embedded = embed(pdf, image);
  let bottom = box.y;
  if (typeof embedded === "string") page.tag(section, "P", note(fonts, box, `${name}: ${embedded}`));
  else {
    const width = Math.min(box.width, box.height * embedded.aspect);
    const height = width / embedded.aspect;
    bottom = box.y + box.height - height;
    const words = `${name} of ${record.plate || "a vehicle without a plate"}, camera ${record.camera || "unknown"}`;
    page.tag(section, "Figure", page.draw(embedded, { x: box.x, y: bottom, width, height }), words);
    if (kind === "vehicle") onVehicle({ record, number, picture: embedded });
  }
  const { sha256 } = image;
  const isWide = kind === "vehicle";
  const hash = {
    size: SMALL,
    x: isWide ? box.x + 66 : box.x,
    y: isWide ? bottom - 7 : bottom - 14,
    lines: isWide ? [sha256] : [sha256.slice(0, 32), sha256.slice(32)],
    leading: 7,
  };
  const label = line(fonts.text, SMALL, box.x, bottom - 7, `${name}, SHA-256 `);
  page.tag(section, "P", label + block(fonts.mono, hash));
  return typeof embedded === "string" ? embedded : undefined;
}

/** Returns the embedded picture, or why it cannot be embedded. */
function embed(pdf: Pdf, { bytes, type }: Extract<ReportImage, { bytes: unknown }>): PdfPicture | string {
  try {
    return pdf.image(bytes, type);
  } catch (error) {
    if (!(error instanceof PdfImageProblem)) throw error;
    return error.message;
  }
}

/** Returns a framed text in place of a picture. */
export function note(fonts: Fonts, box: Box, text: string): string {
  const lines = fonts.text.wrap(fonts.text.shown(text), 8, box.width - 16);
  const frame = `0.5 w 0.4 G [3 2] 0 d ${box.x} ${box.y} ${box.width} ${box.height} re S [] 0 d\n`;
  return frame + block(fonts.text, { size: 8, x: box.x + 8, y: box.y + box.height - 16, lines, leading: 10 });
}
