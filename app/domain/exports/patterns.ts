// The pattern of a plate on a page of its own: when and where its exported reads were made, as a chart of the week and as
// tables. For plates with enough reads, the most read first.

import type { ExportRecord } from "#app/entities/exports/request.ts";
import { believableTime, LATEST_READ } from "#app/entities/ingest/read-time.ts";
import {
  type Pattern,
  type PatternTable,
  patternOf,
  patternTables,
  WEEKDAYS,
} from "#app/entities/search/analysis/pattern.ts";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { PAGE, type Pdf, type PdfPage, type PdfSection } from "#app/lib/pdf/document.ts";
import type { PdfFont } from "#app/lib/pdf/font.ts";
import { pdfNumber } from "#app/lib/pdf/objects.ts";
import { block, type Fonts, line, MARGIN } from "./page.ts";

/** Minimum number of reads of a plate; fewer show no pattern. */
export const LEAST_READS = 5;
/** Maximum number of pattern pages; the plates with the most reads get one. */
export const MAX_PATTERNS = 10;

type PlatePattern = {
  /** The plate in canonical form. */
  plate: string;
  pattern: Pattern;
  /** The states that cameras read, most frequent first, with their numbers of reads. */
  states: { state: string; reads: number }[];
};

/**
 * Returns the patterns that a report of these records shows, and how many plates have enough reads for one. `timeText`
 * writes a time as `2026-11-20 14:03:07 EST`. Times of arrival, implausible times, and those later than `latest`, count as
 * missing, as on the screen.
 */
export function patternsOf(
  records: readonly ExportRecord[],
  timeText: (at: number) => string,
  latest = LATEST_READ,
): { shown: PlatePattern[]; plates: number } {
  const byPlate = new Map<string, ExportRecord[]>();
  for (const record of records) {
    const plate = normalizePlate(record.plate);
    if (plate === "") continue;
    const own = byPlate.get(plate);
    if (own) own.push(record);
    else byPlate.set(plate, [record]);
  }
  const timeOf = ({ capturedAt, timeIsArrival }: ExportRecord) => {
    const time = believableTime(timeIsArrival ? Number.NaN : (capturedAt ?? Number.NaN), latest);
    return Number.isNaN(time) ? null : time;
  };
  const timed = (own: readonly ExportRecord[]) => own.filter((record) => timeOf(record) !== null).length;
  const found = [...byPlate]
    .map(([plate, own]) => ({ plate, own, reads: timed(own) }))
    .filter(({ reads }) => reads >= LEAST_READS)
    .sort((a, b) => b.reads - a.reads || (a.plate < b.plate ? -1 : 1));
  const shown = found.slice(0, MAX_PATTERNS).map(({ plate, own }) => ({
    plate,
    pattern: patternOf(
      own.map((record) => ({ time: timeOf(record), camera: record.camera, agency: record.agency })),
      timeText,
    ),
    states: statesOf(own),
  }));
  return { shown, plates: found.length };
}

/** Returns the cover's line about the patterns; "" without one. `from` is their first page. */
export function patternsText(
  { shown, plates }: { shown: readonly PlatePattern[]; plates: number },
  from: number | undefined,
): string {
  if (plates === 0) return "";
  const which = plates === 1 ? "1 plate" : `${plates} plates`;
  const most = plates > shown.length ? `, the ${shown.length} with the most reads are shown` : "";
  return `${which} with at least ${LEAST_READS} reads${most}, from page ${from ?? 9999}`;
}

function statesOf(records: readonly ExportRecord[]): PlatePattern["states"] {
  const counts = new Map<string, number>();
  for (const { state } of records) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts]
    .map(([state, reads]) => ({ state: state || "not read", reads }))
    .sort((a, b) => b.reads - a.reads || (a.state < b.state ? -1 : 1));
}

const WIDTH = PAGE.width - 2 * MARGIN;
const FACT = 8.5;
const [SIZE, LEADING] = [7, 9];
/** Left part of the head: the facts. The longest gaps are at its right. */
const FACTS_WIDTH = 270;
const CAVEAT =
  "Counted among the reads of this report only: they may be limited by the search and by what was selected. " +
  "Cameras cover only their own locations. A pattern does not show who drove.";

const CELL = { width: 20.5, height: 15 } as const;
const CHART_LABEL = 34;

/** Columns of a table in points, and how many lines a cell may have. */
type Grid = { x: number; widths: readonly number[]; lines: number };
const PLACES: Grid = { x: MARGIN, widths: [126, 32, 94, 94, 72, 122], lines: 2 };
const HOURS: Grid = { x: MARGIN, widths: [40, 34, 34, 34, 34, 34, 34, 34, 262], lines: 1 };
const GAPS: Grid = { x: MARGIN + FACTS_WIDTH + 12, widths: [98, 98, 62], lines: 1 };

const TITLE = 20;
const AFTER = 10;
const heightOf = ({ rows }: PatternTable) => TITLE + LEADING * (rows.length + 1) + AFTER;

/** Prints one pattern on a page, from `top` to `bottom`. */
export function printPattern(input: {
  pdf: Pdf;
  page: PdfPage;
  fonts: Fonts;
  top: number;
  bottom: number;
  platePattern: PlatePattern;
  timeText: (at: number) => string;
}): void {
  const { pdf, page, fonts, top, bottom, platePattern, timeText } = input;
  const { plate, pattern } = platePattern;
  const section = pdf.section();
  const on = { pdf, page, section, fonts };
  const heading = "Pattern of ";
  page.tag(
    section,
    "H1",
    line(fonts.bold, 14, MARGIN, top - 14, heading) +
      line(fonts.mono, 18, MARGIN + fonts.bold.widthOf(heading, 14), top - 14, plate),
  );
  page.artifact(rule(top - 24, MARGIN, WIDTH));
  const [places, hours, gaps] = patternTables(pattern, timeText);
  const head = top - 38;
  const below = [printFacts({ ...on, top: head, platePattern, timeText })];
  if (gaps && gaps.rows.length > 0)
    below.push(printTable({ ...on, top: head + 9, bottom, table: gaps, grid: GAPS }));
  let y = printChart({ ...on, top: Math.min(...below), pattern });
  if (!places || !hours) throw new Error("a pattern has a table of places and one of hours");
  y = printTable({ ...on, top: y, bottom: bottom + heightOf(hours), table: places, grid: PLACES });
  printTable({ ...on, top: y, bottom, table: hours, grid: HOURS });
  pdf.endSection(section);
}

type On = { pdf: Pdf; page: PdfPage; section: PdfSection; fonts: Fonts; top: number };

/** Prints the summary and the caveat. Returns the height at which they end, in points. */
function printFacts(on: On & { platePattern: PlatePattern; timeText: (at: number) => string }): number {
  const { page, section, fonts, top, platePattern, timeText } = on;
  const { pattern, states } = platePattern;
  const facts = [
    ["Reads", readsText(pattern)],
    ["First seen", pattern.first === null ? "N/A" : timeText(pattern.first)],
    ["Last seen", pattern.last === null ? "N/A" : timeText(pattern.last)],
    ["States", states.map(({ state, reads }) => `${state} (${reads})`).join(", ")],
  ] as const;
  let y = top;
  for (const [label, text] of facts) {
    const lines = fonts.text.wrap(fonts.text.shown(text), FACT, FACTS_WIDTH - 60).slice(0, 2);
    page.tag(
      section,
      "P",
      line(fonts.bold, FACT, MARGIN, y, `${label} `) +
        block(fonts.text, { size: FACT, x: MARGIN + 60, y, lines, leading: 11 }),
    );
    y -= lines.length * 11 + 2;
  }
  const caveat = fonts.text.wrap(CAVEAT, SIZE, FACTS_WIDTH);
  const words = block(fonts.text, { size: SIZE, x: MARGIN, y: y - 2, lines: caveat, leading: LEADING });
  page.tag(section, "P", words);
  return y - caveat.length * LEADING - 6;
}

function readsText({ reads, days, untimed }: Pattern): string {
  const left = untimed > 0 ? `; ${untimed} without a time left out` : "";
  return `${reads} on ${days === 1 ? "1 day" : `${days} days`}${left}`;
}

/**
 * Draws the reads by weekday and hour, darker for more, with their numbers. Returns the height at which the chart ends,
 * in points.
 */
function printChart({ page, section, fonts, top, pattern }: On & { pattern: Pattern }): number {
  page.tag(section, "P", line(fonts.bold, 9, MARGIN, top - 9, "Reads by weekday and hour"));
  const left = MARGIN + CHART_LABEL;
  const most = Math.max(1, ...pattern.cells.map(({ reads }) => reads));
  const first = top - 16 - CELL.height;
  let squares = "";
  let numbers = "";
  pattern.cells.forEach(({ reads }, i) => {
    const x = left + (i % 24) * CELL.width;
    const y = first - Math.floor(i / 24) * CELL.height;
    // From light gray to near black; hours without reads are white with a frame.
    const gray = reads === 0 ? 1 : 0.85 - (0.7 * reads) / most;
    const box = [x, y, CELL.width, CELL.height].map(pdfNumber).join(" ");
    squares += `${pdfNumber(gray)} g 0.75 G 0.4 w ${box} re B\n`;
    if (reads === 0) return;
    const text = String(reads);
    const middle = x + (CELL.width - fonts.bold.widthOf(text, 7)) / 2;
    numbers += `${gray < 0.5 ? 1 : 0} g\n${line(fonts.bold, 7, middle, y + 5, text)}`;
  });
  const days = WEEKDAYS.map((day, i) => line(fonts.text, 7, MARGIN, first - i * CELL.height + 5, day)).join(
    "",
  );
  const below = first - (WEEKDAYS.length - 1) * CELL.height - 9;
  const hours = Array.from({ length: 24 }, (_, hour) =>
    line(fonts.text, 6, left + hour * CELL.width + 1, below, String(hour).padStart(2, "0")),
  ).join("");
  page.tag(
    section,
    "Figure",
    `q\n${squares}${numbers}Q\n${days}${hours}`,
    "Chart of the reads by weekday and hour. The table Hours of the week has the numbers.",
  );
  return below - 12;
}

/**
 * Prints a table with its title. Rows that do not fit above `bottom` are only counted. Returns the height at which the
 * table ends, in points.
 */
function printTable(on: On & { bottom: number; table: PatternTable; grid: Grid }): number {
  const { pdf, page, section, fonts, top, bottom, table, grid } = on;
  const { x, widths } = grid;
  page.tag(section, "P", line(fonts.bold, 9, x, top - 9, table.title));
  const element = pdf.group(section, "Table");
  let y = top - TITLE;
  printRow({ ...on, element, grid, role: "TH", y, cells: cellsOf(fonts.bold, table.head, grid) });
  const width = widths.reduce((sum, column) => sum + column, 0);
  page.artifact(rule(y - 2.5, x, width));
  y -= LEADING;
  let shown = 0;
  for (const row of table.rows) {
    const cells = cellsOf(fonts.text, row, grid);
    const height = LEADING * Math.max(...cells.map((lines) => lines.length));
    const isLast = shown === table.rows.length - 1;
    // Leaves room for the line that counts the other rows.
    if (y - height - (isLast ? 0 : LEADING) < bottom) break;
    y -= 1;
    printRow({ ...on, element, grid, role: "TD", y, cells });
    y -= height - 1;
    shown++;
  }
  pdf.endSection(element);
  const left = table.rows.length - shown;
  if (left > 0) {
    const words = `${left} more ${left === 1 ? "row is" : "rows are"} not shown`;
    page.tag(section, "P", line(fonts.text, SIZE, x, y - 1, words));
    y -= LEADING;
  }
  return y - AFTER + LEADING;
}

function printRow(
  on: On & { element: PdfSection; grid: Grid; role: "TH" | "TD"; y: number; cells: readonly string[][] },
): void {
  const { pdf, page, fonts, element, grid, role, y, cells } = on;
  const row = pdf.group(element, "TR");
  let { x } = grid;
  cells.forEach((lines, i) => {
    const font = role === "TH" ? fonts.bold : fonts.text;
    page.tag(row, role, block(font, { size: SIZE, x, y, lines, leading: LEADING }));
    x += grid.widths[i] ?? 0;
  });
  pdf.endSection(row);
}

/** Returns the lines of each cell; a text that needs more lines than allowed ends with an ellipsis. */
function cellsOf(font: PdfFont, texts: readonly string[], { widths, lines: most }: Grid): string[][] {
  return texts.map((text, i) => {
    const width = (widths[i] ?? 0) - 6;
    const lines = font.wrap(font.shown(text), SIZE, width);
    if (lines.length <= most) return lines;
    const last = Array.from(`${lines[most - 1] ?? ""}`);
    while (last.length > 0 && font.widthOf(font.shown(`${last.join("")}…`), SIZE) > width) last.pop();
    return [...lines.slice(0, most - 1), `${last.join("")}…`];
  });
}

function rule(y: number, x: number, width: number): string {
  return `0.5 w 0 G ${pdfNumber(x)} ${pdfNumber(y)} m ${pdfNumber(x + width)} ${pdfNumber(y)} l S\n`;
}
