/** How the records of a text file are separated. */
export type RecordFormat = {
  /** Between fields; null if a record is one field (fixed width). */
  delimiter: string | null;
  newline: "\n" | "\r";
  /** Absent: UTF-8, or Windows-1252 for records that are not UTF-8. */
  encoding?: Utf16 | undefined;
};

export type Utf16 = "utf-16le" | "utf-16be";

export type TextRecord = {
  fields: string[];
  /** Line number of its first line, from one. */
  line: number;
  /** The record exceeds the maximum length, or has a quote that is never closed, and was skipped. */
  tooLong: boolean;
};

/** Where reading continues: a byte, its line, and whether the rest of the current record is skipped. */
export type RecordCursor = { offset: number; line: number; skipping: boolean };

/** Maximum bytes of a record; otherwise an unclosed quote would swallow the file. */
export const RECORD_MAX_BYTES = 64 * 1024;

/**
 * Reads the complete records of a block of bytes (RFC 4180, and common deviations: LF or CR alone, ragged rows,
 * quotes within a field, unclosed quotes). Returns them with the cursor after the last one, so that a file can be
 * read in blocks, each independently. A block that is not `final` must be larger than RECORD_MAX_BYTES.
 * Bytes that are not UTF-8 are read as Windows-1252, record by record. A byte order mark is dropped.
 */
export function readRecords(input: {
  bytes: Uint8Array;
  cursor: RecordCursor;
  format: RecordFormat;
  final: boolean;
}): { records: TextRecord[]; cursor: RecordCursor } {
  const { bytes, format, final } = input;
  // One character per byte (or per two), so that positions in the text are positions in the file.
  const width = format.encoding ? 2 : 1;
  const text = decodeUnits(bytes, format.encoding);
  const recordMax = RECORD_MAX_BYTES / width;
  const records: TextRecord[] = [];
  let { line, skipping } = input.cursor;
  let at = 0;
  if (input.cursor.offset === 0) {
    at = byteOrderMark(text);
    const hint = excelLine(text.slice(at, at + EXCEL_LINE_MAX));
    if (hint > 0) line += 1;
    at += hint;
  }
  while (at < text.length) {
    if (skipping) {
      const end = text.indexOf(format.newline, at);
      if (end < 0) {
        at = text.length;
        break;
      }
      at = end + 1;
      line += 1;
      skipping = false;
      continue;
    }
    const found = recordAt(text, at, format);
    // A quote that is never closed must not swallow the rows after it, so only its own line is skipped.
    if (found.end - at > recordMax || (found.open && final)) {
      records.push({ fields: [], line, tooLong: true });
      skipping = true;
      continue;
    }
    if (!final && !found.closed) break;
    const raw = bytes.subarray(at, found.end);
    const fields = format.encoding || isAscii(raw) ? found.fields : fieldsOf(raw, format, found.fields);
    if (fields.length > 1 || fields[0] !== "") records.push({ fields, line, tooLong: false });
    line += found.lines;
    at = found.end;
  }
  // Half a character at the end of the file is skipped; otherwise reading would never end.
  const read = final && at === text.length ? bytes.length : at * width;
  return { records, cursor: { offset: input.cursor.offset + read, line, skipping } };
}

/** Decodes bytes to one character per byte, or per two bytes of UTF-16. */
function decodeUnits(bytes: Uint8Array, encoding: Utf16 | undefined): string {
  if (!encoding) return new TextDecoder("windows-1252").decode(bytes);
  const whole = bytes.slice(0, bytes.length - (bytes.length % 2));
  if (encoding === "utf-16be")
    for (let i = 0; i < whole.length; i += 2) [whole[i], whole[i + 1]] = [whole[i + 1] ?? 0, whole[i] ?? 0];
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(whole);
}

function byteOrderMark(text: string): number {
  if (text.startsWith("\uFEFF")) return 1;
  return text.startsWith("\u00EF\u00BB\u00BF") ? 3 : 0;
}

const EXCEL_LINE_MAX = 10;

/**
 * Returns the length of a first line such as `sep=;`, by which programs tell Excel the delimiter, with its line end; 0 if
 * there is none.
 */
export function excelLine(start: string): number {
  return /^(?:sep=[^\r\n]|"sep=[^\r\n]")(?:\r\n|\r|\n)/i.exec(start)?.[0].length ?? 0;
}

/** Returns a file as text: UTF-16 or UTF-8, else Windows-1252, in which Excel saves CSV by default. Without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes);
  if (encoding) return decodeUnits(bytes, encoding).replace(/^\uFEFF/, "");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeUnits(bytes, undefined);
  }
}

/** Returns the start of a file as text for a preview; the last character may be cut off. */
export function decodeStart(bytes: Uint8Array, encoding: Utf16 | undefined): string {
  if (encoding) return decodeUnits(bytes, encoding).replace(/^\uFEFF/, "");
  const utf8 = new TextDecoder("utf-8").decode(bytes);
  return utf8.slice(0, -1).includes("\uFFFD") ? decodeUnits(bytes, undefined) : utf8;
}

/**
 * Returns whether a file is UTF-16, and which: by its byte order mark, or because every other byte of Western text
 * is zero.
 */
export function utf16Of(start: Uint8Array): Utf16 | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  const pairs = Math.floor(Math.min(start.length, 4096) / 2);
  let [even, odd] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    if (start[2 * i] === 0) even += 1;
    if (start[2 * i + 1] === 0) odd += 1;
  }
  if (pairs >= 4 && even === 0 && odd > pairs / 2) return "utf-16le";
  return pairs >= 4 && odd === 0 && even > pairs / 2 ? "utf-16be" : undefined;
}

type Found = { fields: string[]; end: number; lines: number; closed: boolean; open: boolean };

/** Returns the record that begins at `at`: `closed` if its line end was found, `open` if a quote is unclosed. */
function recordAt(text: string, at: number, { delimiter, newline }: RecordFormat): Found {
  const fields: string[] = [];
  let position = at;
  let lines = 1;
  let nextLine = text.indexOf(newline, position);
  for (;;) {
    let value = "";
    if (delimiter !== null && text[position] === '"') {
      let from = position + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0 || quote - at > RECORD_MAX_BYTES) {
          return { fields, end: text.length, lines, closed: false, open: true };
        }
        value += text.slice(from, quote);
        position = quote + 1;
        if (text[position] !== '"') break;
        value += '"';
        from = position + 1;
      }
      if (nextLine >= 0 && nextLine < position) {
        for (let i = nextLine; i >= 0 && i < position; i = text.indexOf(newline, i + 1)) lines += 1;
        nextLine = text.indexOf(newline, position);
      }
    }
    const end = nextLine < 0 ? text.length : nextLine;
    // Within the line: a file without this delimiter would be searched to its end for each line.
    const next = delimiter === null ? -1 : text.slice(position, end).indexOf(delimiter);
    const stop = next >= 0 ? position + next : end;
    value += text.slice(position, stop);
    if (stop === end) {
      fields.push(newline === "\n" && value.endsWith("\r") ? value.slice(0, -1) : value);
      const closed = nextLine >= 0;
      return { fields, end: closed ? end + 1 : end, lines, closed, open: false };
    }
    fields.push(value);
    position = stop + 1;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 127) return false;
  return true;
}

/** Returns the fields of a record that is not plain ASCII: as UTF-8 if it is valid UTF-8, else unchanged. */
function fieldsOf(raw: Uint8Array, format: RecordFormat, otherwise: string[]): string[] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    return recordAt(text, 0, format).fields;
  } catch {
    return otherwise;
  }
}

/** A quoted field, which may contain line ends of another kind. It may be cut off. */
const QUOTED_FIELD = /(^|[\r\n,;\t|:])"[^"]*(?:""[^"]*)*(?:"|$)/g;

/** Returns the line ends of a text; those within quoted fields count only if there are no others. */
export function newlineOf(text: string): "\n" | "\r" {
  const outside = text.replace(QUOTED_FIELD, "$1");
  const ends = /[\r\n]/.test(outside) ? outside : text;
  return ends.includes("\n") || !ends.includes("\r") ? "\n" : "\r";
}

/**
 * Returns the records at the start of a file; the last, possibly truncated one is dropped unless it is the only
 * one.
 */
export function readStart(
  start: Uint8Array,
  format: RecordFormat,
  { whole, most }: { whole: boolean; most: number },
): TextRecord[] {
  const cursor = { offset: 0, line: 1, skipping: false };
  const { records } = readRecords({ bytes: start, cursor, format, final: true });
  // A quote that is still open at the end of a part may be closed in the rest of the file.
  const cut = records.findIndex(({ tooLong }) => tooLong);
  const complete = whole || records.length < 2 ? records : records.slice(0, cut < 0 ? -1 : cut);
  return complete.filter(({ tooLong }) => !tooLong).slice(0, most);
}

/** Returns why bytes cannot be a text table, as a message for the user; undefined if they can. */
export function notTextReason(start: Uint8Array): string | undefined {
  const begins = (...expected: number[]) => expected.every((byte, i) => start[i] === byte);
  if (start.length === 0) return "The file is empty.";
  if (begins(0x50, 0x4b)) return "This is a ZIP archive or an Excel workbook. Save the table as CSV (UTF-8).";
  if (begins(0x1f, 0x8b)) return "This is a compressed file. Unpack it first.";
  if (begins(0x25, 0x50, 0x44, 0x46)) return "This is a PDF. Save the table as CSV (UTF-8).";
  if (begins(0xd0, 0xcf, 0x11, 0xe0)) return "This is an Excel workbook. Save the table as CSV (UTF-8).";
  if (!utf16Of(start) && start.includes(0)) return "This is not a text file.";
  return undefined;
}
