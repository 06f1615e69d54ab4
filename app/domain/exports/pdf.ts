// The PDF report: a cover (who, why, what), half a page per record, the patterns of plates with several reads, and a list
// of missing images. Layout only. Records are written as they come.

import type { MapSource } from "#app/entities/exports/map.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { latestOnScale } from "#app/entities/ingest/read-time.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";
import { fromHex } from "#app/lib/crypto/encoding.ts";
import { createPdf, type Pdf } from "#app/lib/pdf/document.ts";
import { coverRows, describeMissing, reserveCover } from "./cover.ts";
import { BOTTOM, createFlow, TOP } from "./flow.ts";
import { createMapPrinter, placeKey, type Streets } from "./map-print.ts";
import type { Fonts, ReportFonts } from "./page.ts";
import { patternsOf, patternsText, printPattern } from "./patterns.ts";
import type { ShownPicture } from "./picture.ts";
import { createRecordPrinter, HALF_PAGE, type RecordParts } from "./record.ts";

export type Report = {
  /** The places of the reads, each once. */
  places: readonly Place[];
  /** Writes one record. Returns the images that should be in it and are not. */
  add: (record: ExportRecord, parts: RecordParts) => MissingImage[];
  /** Ends the file, with the street map of all places if there is one. Returns the offset of its cross-reference table. */
  finish: (
    missing: readonly MissingImage[],
    ending?: { streets?: Streets | undefined; maps?: string },
  ) => number;
};

/** Pictures on the contact sheet of the cover. */
const SHEET = 9;

/** Begins a PDF report and writes it as records are added. `finish` fills in the cover, which comes first. */
export function createReport(input: {
  write: (bytes: Uint8Array) => void;
  fonts: ReportFonts;
  map: MapSource;
  /** The sources of the maps; `finish` may replace it by a shorter text. */
  attribution: string;
  export: Export;
  exportInput: ExportInput;
  /** Formats a time in the exporter's zone, `2026-11-20 14:03:07 EST`. */
  timeText: (at: number) => string;
}): Report {
  const { exportInput, timeText } = input;
  const exportRow = input.export;
  const { pdf, fonts } = beginPdf(input);
  const flow = createFlow({ pdf, fonts, of: exportRow });
  const patterns = patternsOf(exportInput.records, timeText, latestOnScale(exportRow.createdAt));
  const rows = (missing: string, attribution = input.attribution, patternsFrom?: number) => {
    const pattern = patternsText(patterns, patternsFrom);
    return coverRows({ export: exportRow, exportInput, timeText, missing, patterns: pattern, attribution });
  };
  const places = placesOf(exportInput.records);
  const printCover = reserveCover({ pdf, fonts, flow }, rows("None"));
  const maps = createMapPrinter({ pdf, fonts, source: input.map });
  const sheet: ShownPicture[] = [];
  const print = createRecordPrinter({
    pdf,
    fonts,
    maps,
    export: exportRow,
    total: exportInput.records.length,
    timeText,
    onVehicle: (shown) => {
      if (sheet.length < SHEET) sheet.push(shown);
    },
  });
  let written = 0;

  /** Prints the patterns, each on a page of its own. */
  function printPatterns(): void {
    for (const platePattern of patterns.shown) {
      flow.endPage();
      const { page } = flow.place(TOP - BOTTOM);
      printPattern({ pdf, page, fonts, top: TOP, bottom: BOTTOM, platePattern, timeText });
    }
    flow.endPage();
  }

  return {
    places,
    add(record, images) {
      written += 1;
      const planned = print.plan(record, images);
      const target = flow.place(planned.isTall ? TOP - BOTTOM : HALF_PAGE);
      const missing = print.draw({ ...target, number: written, planned });
      if (planned.rest.length > 0) {
        const text = `Record ${written} of ${exportInput.records.length}, in full`;
        flow.printTexts(
          { role: "H2", text },
          planned.rest.map((field) => `${field.label}: ${field.text}`),
        );
      }
      return missing;
    },
    finish(missing, ending = {}) {
      flow.endPage();
      const patternsFrom = pdf.pageCount() + 1;
      printPatterns();
      const listedFrom = pdf.pageCount() + 1;
      if (missing.length > 0) {
        const texts = missing.map((image) => describeMissing(image, exportInput.records[image.record - 1]));
        flow.printTexts({ role: "H1", text: "Missing images" }, texts);
      }
      const summary =
        missing.length === 0 ? "None" : `${missing.length}, listed with reasons from page ${listedFrom}`;
      printCover(rows(summary, ending.maps, patternsFrom), {
        sheet,
        places: places.length,
        map: places.length > 0 ? maps.overview(places, ending.streets) : undefined,
      });
      flow.end();
      return pdf.finish();
    },
  };
}

/** Begins the PDF file of an export, with its fonts. */
function beginPdf(input: { write: (bytes: Uint8Array) => void; fonts: ReportFonts; export: Export }): {
  pdf: Pdf;
  fonts: Fonts;
} {
  const { name, caseNumber, createdAt, id } = input.export;
  const pdf = createPdf({
    write: input.write,
    title: ["License plate read report", name.slice(0, -4), caseNumber && `case ${caseNumber}`]
      .filter(Boolean)
      .join(", "),
    language: "en-US",
    producer: "Odin",
    createdAt,
    id: fromHex(id).subarray(0, 16),
  });
  const fonts = {
    text: pdf.font("F1", input.fonts.text, "Inter-Regular"),
    bold: pdf.font("F2", input.fonts.bold, "Inter-SemiBold"),
    mono: pdf.font("F3", input.fonts.mono, "JetBrainsMono-Medium"),
  };
  return { pdf, fonts };
}

/** Returns the places of the records that a map can show, each once. */
function placesOf(records: readonly ExportRecord[]): Report["places"] {
  const places = records.flatMap((record) => mappablePlace(record) ?? []);
  return [...new Map(places.map((place) => [placeKey(place), place])).values()];
}
