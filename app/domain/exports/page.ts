// What all parts of a report set text with.

import { type PdfFont, textOperators } from "#app/lib/pdf/font.ts";
import type { TrueTypeFont } from "#app/lib/pdf/ttf.ts";

export type ReportFonts = { text: TrueTypeFont; bold: TrueTypeFont; mono: TrueTypeFont };
export type Fonts = Record<keyof ReportFonts, PdfFont>;

/** Points at the left and right of a page. */
export const MARGIN = 36;

/** One line of text. */
export function line(font: PdfFont, size: number, x: number, y: number, text: string): string {
  return textOperators({ font, size, x, y, text: font.shown(text) });
}

/** Lines one beneath the other, the first at `y`; each ends in a blank, for readers that go by the text alone. */
export function block(
  font: PdfFont,
  input: { size: number; x: number; y: number; lines: readonly string[]; leading?: number },
): string {
  const { size, x, y, lines, leading = 13 } = input;
  return lines
    .map((text, i) => textOperators({ font, size, x, y: y - i * leading, text: `${text} ` }))
    .join("");
}
