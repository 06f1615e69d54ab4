// The PDF report: a cover (who, why, what), half a page per record, the patterns of plates with several reads, and a list
// of missing images. Layout only.
// Records are written as they come. The cover is first in the page order but is drawn last, when the counts are
// known.

import type { MapSource } from "#app/entities/exports/map.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { latestOnScale } from "#app/entities/ingest/read-time.ts";
import { fromHex } from "#app/lib/crypto/encoding.ts";
import { createPdf, PAGE, type PdfDrawable, type PdfPage } from "#app/lib/pdf/document.ts";
import type { PdfFont } from "#app/lib/pdf/font.ts";
import { coverRows, describeMissing, OVERVIEW_HEIGHT, printOverview } from "./cover.ts";
import { createMapPrinter, mappablePlace, placeKey, type Streets } from "./map-print.ts";
import { block, type Fonts, line, MARGIN, type ReportFonts } from "./page.ts";
import { patternsOf, patternsText, printPattern } from "./patterns.ts";
import { createRecordPrinter, HALF_PAGE, type RecordParts, type ShownPicture } from "./record.ts";

export type Report = {
  /** The places of the reads, each once. */
  places: readonly { latitude: number; longitude: number }[];
  /** Writes one record. Returns the images that a PDF cannot show. */
  add: (record: ExportRecord, parts: RecordParts) => MissingImage[];
  /** Ends the file, with the street map of all places if there is one. Returns the offset of its cross-reference table. */
  finish: (
    missing: readonly MissingImage[],
    ending?: { streets?: Streets | undefined; maps?: string },
  ) => number;
};

/** Pictures on the contact sheet of the cover. */
const SHEET = 9;

const TOP = PAGE.height - 40;
const BOTTOM = 52;
const COVER_SIZE = 9.5;
const COVER_LINE = 13;
const LABEL = 92;

export function createReport(input: {
  write: (bytes: Uint8Array) => void;
  fonts: ReportFonts;
  map: MapSource;
  /** The sources of the maps; `finish` may replace it by a shorter text. */
  attribution: string;
  export: Export;
  made: ExportInput;
  /** Formats a time in the exporter's zone, `2026-11-20 14:03:07 EST`. */
  timeText: (at: number) => string;
}): Report {
  const { made, timeText } = input;
  const one = input.export;
  const pdf = createPdf({
    write: input.write,
    title: ["License plate read report", one.name.slice(0, -4), one.caseNumber && `case ${one.caseNumber}`]
      .filter(Boolean)
      .join(", "),
    language: "en-US",
    producer: "Odin",
    createdAt: one.createdAt,
    id: fromHex(one.id).subarray(0, 16),
  });
  const fonts: Fonts = {
    text: pdf.font("F1", input.fonts.text, "Inter-Regular"),
    bold: pdf.font("F2", input.fonts.bold, "Inter-SemiBold"),
    mono: pdf.font("F3", input.fonts.mono, "JetBrainsMono-Medium"),
  };
  const total = pdf.drawing({ width: 24, height: 10 });
  const name = pdf.drawing({ width: 440, height: 10 }, footText(fonts, one));
  const patterns = patternsOf(made.records, timeText, latestOnScale(one.createdAt));
  const rows = (missing: string, maps = input.attribution, patternsFrom?: number) => {
    const pattern = patternsText(patterns, patternsFrom);
    return coverRows({ export: one, made, timeText, missing, patterns: pattern, attribution: maps });
  };
  const places = [
    ...new Map(
      made.records.flatMap((record) => {
        const place = mappablePlace(record);
        return place ? [[placeKey(place), place] as const] : [];
      }),
    ).values(),
  ];
  const sheet: ShownPicture[] = [];
  const planned = paginated(rows("None"), fonts.text);
  const covers = pdf.reservePages(
    planned.left < OVERVIEW_HEIGHT ? planned.pages.length + 1 : planned.pages.length,
  );
  const coverSection = pdf.section("first");
  const maps = createMapPrinter({ pdf, fonts, source: input.map });
  const print = createRecordPrinter({
    pdf,
    fonts,
    maps,
    export: one,
    total: made.records.length,
    timeText,
    onVehicle: (shown) => {
      if (sheet.length < SHEET) sheet.push(shown);
    },
  });

  const pageFoot = (page: PdfPage, number: number) => foot({ page, fonts, number, drawn: { name, total } });
  let page: PdfPage | undefined;
  let at = 0;
  let written = 0;

  function endPage(): void {
    page?.end();
    page = undefined;
  }

  /** Returns a page with this many points left, a new one if necessary. */
  function room(height: number): PdfPage {
    if (!page || at - height < BOTTOM - 4) {
      endPage();
      page = pdf.page();
      pageFoot(page, pdf.pageCount());
      at = TOP;
    }
    return page;
  }

  /** Prints a heading, then texts across the full width, on as many pages as they need. */
  function printTexts(heading: { role: "H1" | "H2"; text: string }, texts: readonly string[]): void {
    endPage();
    const section = pdf.section();
    room(40).tag(section, heading.role, line(fonts.bold, 14, MARGIN, at - 14, heading.text));
    at -= 34;
    for (const text of texts) {
      let lines = fonts.text.wrap(fonts.text.shown(text), COVER_SIZE, PAGE.width - 2 * MARGIN);
      while (lines.length > 0) {
        const target = room(COVER_LINE + 4);
        const part = lines.slice(0, Math.max(1, Math.floor((at - BOTTOM) / COVER_LINE)));
        target.tag(section, "P", block(fonts.text, { size: COVER_SIZE, x: MARGIN, y: at - 10, lines: part }));
        at -= part.length * COVER_LINE + 4;
        lines = lines.slice(part.length);
      }
    }
    endPage();
    pdf.endSection(section);
  }

  function printMissing(missing: readonly MissingImage[]): void {
    if (missing.length === 0) return;
    const texts = missing.map((one) => describeMissing(one, made.records[one.record - 1]));
    printTexts({ role: "H1", text: "Missing images" }, texts);
  }

  /** Prints the patterns, each on a page of its own. */
  function printPatterns(): void {
    for (const pattern of patterns.shown) {
      endPage();
      printPattern({
        pdf,
        page: room(TOP - BOTTOM),
        fonts,
        top: TOP,
        bottom: BOTTOM,
        one: pattern,
        timeText,
      });
    }
    endPage();
  }

  function printCover(input: {
    patternsFrom: number;
    missing: readonly MissingImage[];
    listedFrom: number;
    streets: Streets | undefined;
    attribution: string | undefined;
  }): void {
    const { patternsFrom, missing, listedFrom, streets, attribution } = input;
    const summary =
      missing.length === 0 ? "None" : `${missing.length}, listed with reasons from page ${listedFrom}`;
    const { pages } = paginated(rows(summary, attribution, patternsFrom), fonts.text);
    covers.forEach((reserved, i) => {
      const cover = pdf.page(reserved);
      pageFoot(cover, i + 1);
      let y = TOP;
      if (i === 0) {
        cover.tag(coverSection, "H1", line(fonts.bold, 22, MARGIN, y - 22, "License plate read report"));
        cover.artifact(`1 w 0 G ${MARGIN} ${y - 34} m ${PAGE.width - MARGIN} ${y - 34} l S\n`);
        y -= 52;
      }
      for (const { label, lines } of pages[i] ?? []) {
        const name = label === "" ? "" : line(fonts.bold, COVER_SIZE, MARGIN, y - 10, `${label} `);
        const value = block(fonts.text, { size: COVER_SIZE, x: MARGIN + LABEL, y: y - 10, lines });
        cover.tag(coverSection, "P", name + value);
        y -= lines.length * COVER_LINE + 5;
      }
      if (i === covers.length - 1)
        printOverview({
          page: cover,
          section: coverSection,
          fonts,
          top: y - 8,
          sheet,
          places: places.length,
          map: places.length > 0 ? maps.overview(places, streets) : undefined,
        });
      cover.end();
    });
    pdf.endSection(coverSection);
  }

  return {
    places,
    add(record, images) {
      written += 1;
      const planned = print.plan(record, images);
      const target = room(planned.isTall ? TOP - BOTTOM : HALF_PAGE);
      const missing = print.draw({ page: target, top: at, number: written, planned });
      at = planned.isTall ? 0 : at - HALF_PAGE;
      if (planned.rest.length > 0) {
        const text = `Record ${written} of ${made.records.length}, in full`;
        printTexts(
          { role: "H2", text },
          planned.rest.map((field) => `${field.label}: ${field.text}`),
        );
      }
      return missing;
    },
    finish(missing, ending = {}) {
      endPage();
      const patternsFrom = pdf.pageCount() + 1;
      printPatterns();
      const listedFrom = pdf.pageCount() + 1;
      printMissing(missing);
      printCover({ patternsFrom, missing, listedFrom, streets: ending.streets, attribution: ending.maps });
      pdf.redraw(total, line(fonts.text, 7, 0, 2, `of ${pdf.pageCount()}`));
      return pdf.finish();
    },
  };

  type Row = { label: string; lines: string[] };

  /**
   * Splits the rows of the cover into pages, and returns the room left on the last one; a value longer than a page
   * continues on the next.
   */
  function paginated(
    all: { label: string; text: string }[],
    font: PdfFont,
  ): { pages: Row[][]; left: number } {
    const pages: Row[][] = [[]];
    let left = TOP - BOTTOM - 60;
    for (const { label, text } of all) {
      const width = PAGE.width - 2 * MARGIN - LABEL;
      let lines = text.split("\n").flatMap((part) => font.wrap(font.shown(part), COVER_SIZE, width));
      let name = label;
      while (lines.length > 0) {
        const fits = Math.floor((left - 5) / COVER_LINE);
        if (fits < Math.min(lines.length, 3)) {
          pages.push([]);
          left = TOP - BOTTOM;
          continue;
        }
        const part = lines.slice(0, fits);
        pages.at(-1)?.push({ label: name, lines: part });
        left -= part.length * COVER_LINE + 5;
        lines = lines.slice(fits);
        name = "";
      }
    }
    return { pages, left };
  }
}

/** The left part of every footer, drawn once for all pages. */
function footText(fonts: Fonts, one: Export): string {
  const words = ["Odin", `report ${one.id}`, one.caseNumber && `case ${one.caseNumber}`];
  return line(fonts.text, 7, 0, 2, words.filter(Boolean).join(" · "));
}

type Foot = { name: PdfDrawable; total: PdfDrawable };

function foot(input: { page: PdfPage; fonts: Fonts; number: number; drawn: Foot }): void {
  const { page, fonts, number, drawn } = input;
  const { name, total } = drawn;
  const words = `Page ${number}`;
  const right = PAGE.width - MARGIN - total.width;
  page.artifact(
    page.draw(name, { x: MARGIN, y: 28, ...name }) +
      line(fonts.text, 7, right - 2 - fonts.text.widthOf(words, 7), 30, words) +
      page.draw(total, { x: right, y: 28, ...total }),
  );
}
