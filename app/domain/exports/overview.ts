// The lower part of a report's cover: a map of all places and a contact sheet of the first pictures, which are the
// pictures of the records, drawn once more and not embedded again.

import { PAGE, type Pdf, type PdfPage } from "#app/lib/pdf/document.ts";
import { OVERVIEW_SIZE, type PrintedMap } from "./map-print.ts";
import { type Fonts, line, MARGIN } from "./page.ts";
import type { ShownPicture } from "./record.ts";

const COLUMNS = 3;
const CELL = { width: 85, height: 48 } as const;
const [GAP, LABEL] = [8, 20];
const SHEET_X = PAGE.width - MARGIN - COLUMNS * CELL.width - (COLUMNS - 1) * GAP;
const HEADING = 16;

/** Height of the part in points. */
export const OVERVIEW_HEIGHT = HEADING + OVERVIEW_SIZE.height + 8;

/** Draws the map and the contact sheet below `top`. */
export function printOverview(input: {
  page: PdfPage;
  section: ReturnType<Pdf["section"]>;
  fonts: Fonts;
  top: number;
  sheet: readonly ShownPicture[];
  /** Number of different places. */
  places: number;
  map: PrintedMap | undefined;
}): void {
  const { page, section, fonts, top, sheet, places, map } = input;
  if (map) {
    const words = places === 1 ? "One place" : `${places.toLocaleString("en-US")} places`;
    page.tag(section, "P", line(fonts.bold, 9, MARGIN, top - 8, words));
    const at = { x: MARGIN, y: top - HEADING - OVERVIEW_SIZE.height };
    page.tag(section, "Figure", map.draw(page, at), `Map of all places of the reads. ${words}`);
  }
  if (sheet.length === 0) return;
  page.tag(section, "P", line(fonts.bold, 9, SHEET_X, top - 8, "First pictures"));
  sheet.forEach(({ record, number, picture }, i) => {
    const x = SHEET_X + (i % COLUMNS) * (CELL.width + GAP);
    const bottom = top - HEADING - CELL.height - Math.floor(i / COLUMNS) * (CELL.height + LABEL);
    const width = Math.min(CELL.width, CELL.height * picture.aspect);
    const height = width / picture.aspect;
    const box = { x, y: bottom + CELL.height - height, width, height };
    const plate = record.plate || "No plate read";
    page.tag(section, "Figure", page.draw(picture, box), `Vehicle image of record ${number}, ${plate}`);
    page.tag(
      section,
      "P",
      line(fonts.text, 7, x, bottom - 8, `${number} `) +
        line(fonts.mono, 7, x + 4 + fonts.text.widthOf(`${number}`, 7), bottom - 8, fitted(fonts, plate)),
    );
  });
}

/** Returns the text cut to the width of a cell. */
function fitted(fonts: Fonts, text: string): string {
  let shown = text;
  while (fonts.mono.widthOf(fonts.mono.shown(shown), 7) > CELL.width - 20) shown = shown.slice(0, -1);
  return shown;
}
