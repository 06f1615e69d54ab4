// The cover of a report: its texts as labels and values, and below them a map of all places and a contact sheet of the
// first pictures. The pictures are the embedded ones of the records, drawn a second time. The pages are first in the page
// order but are drawn last, when the counts are known.

import {
  countByProgram,
  type Export,
  type ExportedQuery,
  type ExportInput,
  type ExportRecord,
  type MissingImage,
} from "#app/entities/exports/request.ts";
import { type InvestigationRequest, placeName } from "#app/entities/search/investigate/answer.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { numberText } from "#app/lib/number-text.ts";
import { PAGE, type Pdf, type PdfPage } from "#app/lib/pdf/document.ts";
import type { PdfFont } from "#app/lib/pdf/font.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { BOTTOM, type Flow, TEXT_LINE, TEXT_SIZE, TOP } from "./flow.ts";
import { OVERVIEW_SIZE, type PrintedMap } from "./map-print.ts";
import { block, type Fonts, line, MARGIN } from "./page.ts";
import type { ShownPicture } from "./picture.ts";

const COLUMNS = 3;
const CELL = { width: 85, height: 48 } as const;
const [GAP, CAPTION_HEIGHT] = [8, 20];
const SHEET_X = PAGE.width - MARGIN - COLUMNS * CELL.width - (COLUMNS - 1) * GAP;
const HEADING = 16;

/** Height of the map and the contact sheet, in points. */
const OVERVIEW_HEIGHT = HEADING + OVERVIEW_SIZE.height + 8;

/** Draws the map and the contact sheet below `top`. */
function printOverview(input: {
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
    const words = places === 1 ? "One place" : `${numberText(places)} places`;
    page.tag(section, "P", line(fonts.bold, 9, MARGIN, top - 8, words));
    const at = { x: MARGIN, y: top - HEADING - OVERVIEW_SIZE.height };
    page.tag(section, "Figure", map.draw(page, at), `Map of all places of the reads. ${words}`);
  }
  if (sheet.length === 0) return;
  page.tag(section, "P", line(fonts.bold, 9, SHEET_X, top - 8, "First pictures"));
  sheet.forEach(({ record, number, picture }, i) => {
    const x = SHEET_X + (i % COLUMNS) * (CELL.width + GAP);
    const bottom = top - HEADING - CELL.height - Math.floor(i / COLUMNS) * (CELL.height + CAPTION_HEIGHT);
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

export type CoverRow = { label: string; text: string };

/** Returns the rows of the cover page's table, in the order of the page. */
export function coverRows(input: {
  export: Export;
  exportInput: ExportInput;
  timeText: (at: number) => string;
  /** The missing images as a text. */
  missing: string;
  /** The patterns as a text, "" without one. */
  patterns: string;
  attribution: string;
}): CoverRow[] {
  const { exportInput, timeText, missing, patterns, attribution } = input;
  const exportRow = input.export;
  const { exporter, records, queries } = exportInput;
  const programs = countByProgram(records).map(([program, count]) => `${count} ${program}`);
  return [
    { label: "Agency", text: exporter.agency },
    { label: "Exported by", text: `${exporter.name} (${exporter.username})` },
    { label: "Exported at", text: `${timeText(exportRow.createdAt)} (${isoTime(exportRow.createdAt)})` },
    { label: "Case number", text: exportRow.caseNumber || "None given" },
    { label: "Justification", text: exportRow.justification.replace(/\r\n?/g, "\n") },
    ...queries.map((query, i) => ({
      label: queries.length === 1 ? "Search" : `Search ${i + 1}`,
      text: queryText(query, timeText),
    })),
    { label: "Records", text: `${records.length} (${programs.join(", ")})` },
    ...(patterns === "" ? [] : [{ label: "Patterns", text: patterns }]),
    { label: "Missing images", text: missing },
    { label: "Report", text: exportRow.id },
    {
      label: "Integrity",
      text:
        "Each JPEG is embedded unchanged, each PNG with identical pixels. The SHA-256 below an image is the hash of the " +
        "file that the source sent. " +
        "This file is signed: Odin's page /verify shows whether it was changed. " +
        "Its SHA-256 is kept in Odin's audit log and in the exporter's list of exports.",
    },
    {
      label: "Reading",
      text:
        "A plate read is the result of automatic recognition. Verify plate and state before action. " +
        `Times are given in ${exportRow.timeZone === "UTC" ? "UTC" : `${exportRow.timeZone} and in UTC`}.`,
    },
    { label: "Maps", text: attribution },
  ];
}

function queryText(
  { request, investigation, agencies, searchedAt }: ExportedQuery,
  timeText: (at: number) => string,
): string {
  const marks = Object.entries(request.filters).flatMap(([mark, on]) => (on ? mark.replace("_", " ") : []));
  const state = request.plate_state && `state ${request.plate_state}`;
  const asked = [
    ...(investigation ? investigationWords(investigation, state) : [plateWords(request), state]),
    request.vehicle_color && `color ${request.vehicle_color}`,
    request.vehicle_make && `make ${request.vehicle_make}`,
    request.vehicle_body_type && `body type ${request.vehicle_body_type}`,
    ...marks,
  ].filter(Boolean);
  return [
    `${asked.join(", ")}; ${agencies} ${agencies === 1 ? "agency" : "agencies"}`,
    `from ${timeText(Date.parse(request.start_time))} to ${timeText(Date.parse(request.end_time))}`,
    `searched at ${timeText(searchedAt)}`,
    `justification: ${request.justification}${request.case_number ? ` (case ${request.case_number})` : ""}`,
  ].join("\n");
}

function plateWords(request: SearchRequest): string {
  const alike = request.look_alikes ? " and look-alikes" : "";
  return request.plate === "" ? "any plate" : `plate ${request.plate.toUpperCase()}${alike}`;
}

/** An investigation finds plates other than the given one. */
function investigationWords({ tool, request }: InvestigationRequest, state: string): string[] {
  if (tool === "places") {
    const names = request.places.map(placeName).join(", ");
    return [
      `plates read in at least ${request.at_least} of ${request.places.length} places (${names})`,
      state,
    ];
  }
  const minutes = request.minutes === 1 ? "1 minute" : `${request.minutes} minutes`;
  return [
    `vehicles traveling with plate ${request.plate}`,
    state,
    `within ${minutes} at ${request.at_least} or more cameras`,
  ];
}

/** Returns one line of the list of missing images. */
export function describeMissing(missing: MissingImage, record: ExportRecord | undefined): string {
  const plate = record?.plate || "no plate";
  const what = missing.image === "vehicle" ? "vehicle image" : "plate image";
  return `Record ${missing.record} (${plate}, ${missing.id}), ${what}: ${missing.reason}`;
}

/** Width of the labels and height of the title, in points. */
const LABEL_WIDTH = 92;
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
        const value = block(fonts.text, { size: TEXT_SIZE, x: MARGIN + LABEL_WIDTH, y: y - 10, lines });
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
    const width = PAGE.width - 2 * MARGIN - LABEL_WIDTH;
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
