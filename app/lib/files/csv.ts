import Papa from "papaparse";
import { numberText } from "#app/lib/number-text.ts";
import { withoutFormula } from "#app/lib/text.ts";
import { decodeText, excelLine } from "./records.ts";

/** A problem with the row that starts at this line of the file. */
type CsvProblem = { line: number; reason: string };

/** A row by column name, and the line at which it starts. */
type CsvRow<Column extends string> = { line: number; values: Record<Column, string> };

export type CsvTable<Column extends string> = { rows: CsvRow<Column>[]; problems: CsvProblem[] };

/**
 * The columns of a file. Case, spaces, hyphens and underscores in names do not count: "API Key" is `api_key`. `aliases`
 * are other names of columns; columns in `ignored` are allowed. Any other column is a problem, because it may be
 * misspelled.
 */
export type CsvColumns<Column extends string> = {
  required: readonly Column[];
  optional?: readonly Column[];
  aliases?: ReadonlyMap<string, Column>;
  ignored?: readonly string[];
  mostRows: number;
};

/** MS-DOS marked the end of a text file with this character, and old systems still do. */
const END_MARK = "\x1A";

const shown = (name: string) => name.slice(0, 60).replace(/\p{C}/gu, "");
const fileProblem = (reason: string) => ({ rows: [], problems: [{ line: 1, reason }] });

/**
 * Reads an uploaded CSV: UTF-8, UTF-16 or Windows-1252, any line ends, quotes, comma, semicolon or tab.
 * Skips empty lines. Never throws: problems of the file or of a row are returned with their line.
 */
export function readCsv<Column extends string>(
  bytes: Uint8Array,
  columns: CsvColumns<Column>,
): CsvTable<Column> {
  const decoded = decodeText(bytes);
  if (decoded.includes("\0")) return fileProblem("The file is not a text file.");
  const hint = excelLine(decoded);
  const text = oneLineEnd(withoutEndMark(decoded.slice(hint)));
  const table: CsvTable<Column> = { rows: [], problems: [] };
  let names: string[] | undefined;
  let line = hint > 0 ? 2 : 1;
  let offset = 0;
  Papa.parse<string[]>(text, {
    delimiter: delimiterOf(text),
    newline: "\n",
    skipEmptyLines: false,
    step: ({ data, errors, meta }, parser) => {
      const start = line;
      line += lineEnds(text, offset, meta.cursor);
      offset = meta.cursor;
      if (data.every((cell) => cell.trim() === "")) return;
      if (errors.some(({ type }) => type === "Quotes")) {
        table.problems.push({
          line: start,
          reason: "A quotation mark is not closed or is misplaced.",
        });
        // Without a header, the next row would be mistaken for one.
        if (!names) parser.abort();
        return;
      }
      if (!names) {
        names = namesOf(data, columns);
        const reason = headProblem(names, columns);
        if (!reason) return;
        table.problems.push({ line: start, reason });
        parser.abort();
        return;
      }
      if (table.rows.length >= columns.mostRows) {
        table.problems.push({
          line: start,
          reason: `The file has more than ${numberText(columns.mostRows)} rows.`,
        });
        parser.abort();
        return;
      }
      if (data.length > names.length && data.slice(names.length).some((cell) => cell.trim() !== "")) {
        table.problems.push({
          line: start,
          reason: `The row has ${data.length} cells, the header ${names.length}.`,
        });
        return;
      }
      table.rows.push({ line: start, values: valuesOf(names, data, columns) });
    },
  });
  if (table.problems.length > 0) return table;
  if (!names) return fileProblem("The file is empty.");
  return table.rows.length === 0 ? fileProblem("The file has a header and no rows.") : table;
}

const bare = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, "");

/** Returns the caller's names of the columns; empty for an ignored one. */
function namesOf<Column extends string>(cells: string[], columns: CsvColumns<Column>): string[] {
  const { required, optional = [], aliases = [], ignored = [] } = columns;
  const known = new Map<string, string>([
    ...ignored.map((name) => [bare(name), ""] as const),
    ...[...aliases].map(([name, column]) => [bare(name), column] as const),
    ...[...required, ...optional].map((column) => [bare(column), column] as const),
  ]);
  return cells.map((cell) => known.get(bare(cell)) ?? cell.trim().toLowerCase());
}

function headProblem<Column extends string>(
  names: string[],
  { required, optional = [] }: CsvColumns<Column>,
): string | undefined {
  const missing = required.filter((column) => !names.includes(column));
  if (missing.length > 0) return `The header has no column ${missing.join(", ")}.`;
  const known: readonly string[] = [...required, ...optional];
  const unknown = names.find((name) => name !== "" && !known.includes(name));
  if (unknown !== undefined) return `The column “${shown(unknown)}” is not one of ${known.join(", ")}.`;
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  return twice === undefined ? undefined : `The column ${twice} appears twice.`;
}

function valuesOf<Column extends string>(
  names: string[],
  cells: string[],
  { required, optional = [] }: CsvColumns<Column>,
): Record<Column, string> {
  const entries = [...required, ...optional].map((column) => {
    const at = names.indexOf(column);
    return [column, at < 0 ? "" : (cells[at] ?? "").trim()];
  });
  return Object.fromEntries(entries) as Record<Column, string>;
}

function withoutEndMark(text: string): string {
  let end = text.length;
  while (text[end - 1] === END_MARK) end -= 1;
  return text.slice(0, end);
}

/** Returns a text with LF as the only line end, except within quotes. Papa Parse supports one line end per file. */
function oneLineEnd(text: string): string {
  return text.replace(/"[^"]*"|\r\n?/g, (found) => (found.startsWith('"') ? found : "\n"));
}

/** Returns the separator in the first line: Excel writes semicolons in locales with a decimal comma. */
function delimiterOf(text: string): string {
  const [head = ""] = text.split(/\r|\n/, 1);
  const counts = [",", ";", "\t"].map((sign) => ({ sign, count: head.split(sign).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).sign;
}

function lineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}

/** Returns a value as a cell. Spreadsheets do not run a text in it as a formula. */
export function safeCell(value: string | number | boolean | null | undefined): string {
  return typeof value === "string" ? withoutFormula(value) : String(value ?? "");
}

/** Returns rows as CSV for Excel: a byte order mark, CRLF, quotes where needed, and no formulas. */
export function writeCsv(
  rows: readonly (readonly (string | number | boolean | null | undefined)[])[],
): string {
  const safe = rows.map((row) => row.map((cell) => safeCell(cell)));
  return `\uFEFF${Papa.unparse(safe, { newline: "\r\n" })}\r\n`;
}
