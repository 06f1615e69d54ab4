// Fonts, margins and text helpers for all parts of a report.

import { type PdfFont, textOperators } from "#app/lib/pdf/font.ts";
import type { TrueTypeFont } from "#app/lib/pdf/ttf.ts";

export type ReportFonts = { text: TrueTypeFont; bold: TrueTypeFont; mono: TrueTypeFont };
export type Fonts = Record<keyof ReportFonts, PdfFont>;

/** Left and right margin of a page in points. */
export const MARGIN = 36;

/** Returns the PDF operators of one line of text. */
export function line(font: PdfFont, size: number, x: number, y: number, text: string): string {
  return textOperators({ font, size, x, y, text: font.shown(text) });
}

/**
 * Returns the operators of lines below each other, the first at `y`. Each ends in a space, for readers that extract
 * text.
 */
export function block(
  font: PdfFont,
  input: { size: number; x: number; y: number; lines: readonly string[]; leading?: number },
): string {
  const { size, x, y, lines, leading = 13 } = input;
  return lines
    .map((text, i) => textOperators({ font, size, x, y: y - i * leading, text: `${text} ` }))
    .join("");
}
