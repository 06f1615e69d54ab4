// The flow of a report: pages that follow each other, each with its footer, and texts that continue on further pages.

import type { Export } from "#app/entities/exports/request.ts";
import { PAGE, type Pdf, type PdfPage } from "#app/lib/pdf/document.ts";
import { block, type Fonts, line, MARGIN } from "./page.ts";

/** The area of a page between these heights, in points, is filled. The footer is below. */
export const TOP = PAGE.height - 40;
export const BOTTOM = 52;
/** The size of running text and the height of its lines, in points. */
export const TEXT_SIZE = 9.5;
export const TEXT_LINE = 13;
/** Two lines beside the number of the page. */
const NAME = { width: 464, height: 18, leading: 8 } as const;

export type Flow = {
  /** Returns the page and the height at which a part of this height begins, on a new page if necessary. */
  place: (height: number) => { page: PdfPage; top: number };
  /** Ends the page, so that the next part begins on a new one. */
  endPage: () => void;
  /** Prints a heading, then texts across the full width, on as many pages as they need. */
  printTexts: (heading: { role: "H1" | "H2"; text: string }, texts: readonly string[]) => void;
  printFoot: (page: PdfPage, number: number) => void;
  /** Writes the number of pages into every footer. Call it last. */
  end: () => void;
};

/** Returns the flow of a report's pages, without a page yet. Every footer names the export. */
export function createFlow({ pdf, fonts, of }: { pdf: Pdf; fonts: Fonts; of: Export }): Flow {
  const total = pdf.drawing({ width: 24, height: 10 });
  const name = pdf.drawing(NAME, footText(fonts, of));
  let page: PdfPage | undefined;
  /** The height that is reached on the page. */
  let at = 0;

  function endPage(): void {
    page?.end();
    page = undefined;
  }

  function printFoot(target: PdfPage, number: number): void {
    const words = `Page ${number}`;
    const right = PAGE.width - MARGIN - total.width;
    target.artifact(
      target.draw(name, { x: MARGIN, y: 28 - NAME.leading, ...name }) +
        line(fonts.text, 7, right - 2 - fonts.text.widthOf(words, 7), 30, words) +
        target.draw(total, { x: right, y: 28, ...total }),
    );
  }

  /** Returns a page with this many points left, a new one if necessary. */
  function room(height: number): PdfPage {
    if (!page || at - height < BOTTOM - 4) {
      endPage();
      page = pdf.page();
      printFoot(page, pdf.pageCount());
      at = TOP;
    }
    return page;
  }

  return {
    place(height) {
      const target = room(height);
      const top = at;
      at -= height;
      return { page: target, top };
    },
    endPage,
    printTexts(heading, texts) {
      endPage();
      const section = pdf.section();
      room(40).tag(section, heading.role, line(fonts.bold, 14, MARGIN, at - 14, heading.text));
      at -= 34;
      for (const text of texts) {
        let lines = fonts.text.wrap(fonts.text.shown(text), TEXT_SIZE, PAGE.width - 2 * MARGIN);
        while (lines.length > 0) {
          const target = room(TEXT_LINE + 4);
          const part = lines.slice(0, Math.max(1, Math.floor((at - BOTTOM) / TEXT_LINE)));
          const shown = { size: TEXT_SIZE, x: MARGIN, y: at - 10, lines: part };
          target.tag(section, "P", block(fonts.text, shown));
          at -= part.length * TEXT_LINE + 4;
          lines = lines.slice(part.length);
        }
      }
      endPage();
      pdf.endSection(section);
    },
    printFoot,
    end: () => pdf.redraw(total, line(fonts.text, 7, 0, 2, `of ${pdf.pageCount()}`)),
  };
}

/** The left part of every footer, drawn once for all pages. A longer case number ends in an ellipsis; the cover has all of it. */
function footText(fonts: Fonts, one: Export): string {
  const words = ["Odin", `report ${one.id}`, one.caseNumber && `case ${one.caseNumber}`];
  const text = fonts.text.shown(words.filter(Boolean).join(" · "));
  const [first = "", second = "", ...more] = fonts.text.wrap(text, 7, NAME.width);
  const lines = [first, more.length > 0 ? `${second.slice(0, -2)}…` : second];
  return block(fonts.text, { size: 7, x: 0, y: NAME.leading + 2, lines, leading: NAME.leading });
}
