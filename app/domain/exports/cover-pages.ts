// The pages of a report's cover. They are first in the page order but are drawn last, when the counts are known.

import { PAGE, type Pdf } from "#app/lib/pdf/document.ts";
import type { PdfFont } from "#app/lib/pdf/font.ts";
import { type CoverRow, OVERVIEW_HEIGHT, printOverview } from "./cover.ts";
import { BOTTOM, type Flow, TEXT_LINE, TEXT_SIZE, TOP } from "./flow.ts";
import { block, type Fonts, line, MARGIN } from "./page.ts";

const LABEL = 92;
/** Height of the title, in points. */
const TITLE = 52;

type Overview = Omit<Parameters<typeof printOverview>[0], "page" | "section" | "fonts" | "top">;

/**
 * Reserves the pages that rows like these need. Returns a function that draws rows of the same number of lines on them,
 * and below them the map and the first pictures.
 */
export function reserveCover(
  { pdf, fonts, flow }: { pdf: Pdf; fonts: Fonts; flow: Flow },
  planned: CoverRow[],
): (rows: CoverRow[], overview: Overview) => void {
  const { pages, left } = paginated(planned, fonts.text);
  const reserved = pdf.reservePages(left < OVERVIEW_HEIGHT ? pages.length + 1 : pages.length);
  const section = pdf.section("first");
  return (rows, overview) => {
    const { pages } = paginated(rows, fonts.text);
    reserved.forEach((place, i) => {
      const page = pdf.page(place);
      flow.printFoot(page, i + 1);
      let y = TOP;
      if (i === 0) {
        page.tag(section, "H1", line(fonts.bold, 22, MARGIN, y - 22, "License plate read report"));
        page.artifact(`1 w 0 G ${MARGIN} ${y - 34} m ${PAGE.width - MARGIN} ${y - 34} l S\n`);
        y -= TITLE;
      }
      for (const { label, lines } of pages[i] ?? []) {
        const name = label === "" ? "" : line(fonts.bold, TEXT_SIZE, MARGIN, y - 10, `${label} `);
        const value = block(fonts.text, { size: TEXT_SIZE, x: MARGIN + LABEL, y: y - 10, lines });
        page.tag(section, "P", name + value);
        y -= lines.length * TEXT_LINE + 5;
      }
      if (i === reserved.length - 1) printOverview({ page, section, fonts, top: y - 8, ...overview });
      page.end();
    });
    pdf.endSection(section);
  };
}

type Row = { label: string; lines: string[] };

/**
 * Splits the rows of the cover into pages, and returns the room left on the last one; a value longer than a page
 * continues on the next.
 */
function paginated(all: CoverRow[], font: PdfFont): { pages: Row[][]; left: number } {
  const pages: Row[][] = [[]];
  let left = TOP - BOTTOM - 60;
  for (const { label, text } of all) {
    const width = PAGE.width - 2 * MARGIN - LABEL;
    let lines = text.split("\n").flatMap((part) => font.wrap(font.shown(part), TEXT_SIZE, width));
    let name = label;
    while (lines.length > 0) {
      const fits = Math.floor((left - 5) / TEXT_LINE);
      if (fits < Math.min(lines.length, 3)) {
        pages.push([]);
        left = TOP - BOTTOM;
        continue;
      }
      const part = lines.slice(0, fits);
      pages.at(-1)?.push({ label: name, lines: part });
      left -= part.length * TEXT_LINE + 5;
      lines = lines.slice(fits);
      name = "";
    }
  }
  return { pages, left };
}
