/** How the records of a text file are separated. */
export type RecordFormat = {
  /** Between fields; null where a record is one field (fixed width). */
  delimiter: string | null;
  newline: "\n" | "\r";
  /** Absent: UTF-8, and Windows-1252 where a record is not that. */
  encoding?: Utf16 | undefined;
};

export type Utf16 = "utf-16le" | "utf-16be";

export type TextRecord = {
  fields: string[];
  /** Of its first line, counted from one. */
  line: number;
  /** It is longer than any record may be, and was passed over. */
  tooLong: boolean;
};

/** Where reading goes on: a byte, its line, and whether the record that it lies in is being passed over. */
export type RecordCursor = { offset: number; line: number; skipping: boolean };

/** Longest record in bytes; a quote that is never closed may not swallow the file. */
export const RECORD_MAX_BYTES = 64 * 1024;

/**
 * Reads the whole records of a block of bytes (RFC 4180, and what is seen in the wild: LF or CR alone, ragged rows,
 * quotes within a field, quotes never closed). Gives them with the cursor behind the last one, so that a file can be
 * read in blocks by anybody at any time. A block that is not `final` must be larger than RECORD_MAX_BYTES.
 * Bytes that are not UTF-8 are read as Windows-1252, record by record. A byte order mark is left out.
 */
export function readRecords(input: {
  bytes: Uint8Array;
  cursor: RecordCursor;
  format: RecordFormat;
  final: boolean;
}): { records: TextRecord[]; cursor: RecordCursor } {
  const { bytes, format, final } = input;
  // One character for one byte or two, so that places in the text are places in the file.
  const width = format.encoding ? 2 : 1;
  const text = decodeUnits(bytes, format.encoding);
  const recordMax = RECORD_MAX_BYTES / width;
  const records: TextRecord[] = [];
  let { line, skipping } = input.cursor;
  let at = input.cursor.offset === 0 ? byteOrderMark(text) : 0;
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
    const length = (found?.end ?? text.length) - at;
    if (length > recordMax) {
      records.push({ fields: [], line, tooLong: true });
      skipping = true;
      continue;
    }
    if (!found || (found.open && !final)) {
      if (!final) break;
      records.push({ fields: [], line, tooLong: true });
      skipping = true;
      continue;
    }
    if (found.end === text.length && !final && !found.closed) break;
    const raw = bytes.subarray(at, found.end);
    const fields = format.encoding || isAscii(raw) ? found.fields : fieldsOf(raw, format, found.fields);
    if (fields.length > 1 || fields[0] !== "") records.push({ fields, line, tooLong: false });
    line += found.lines;
    at = found.end;
  }
  // Half a character at the end of a file is no reason to read it forever.
  const read = final && at === text.length ? bytes.length : at * width;
  return { records, cursor: { offset: input.cursor.offset + read, line, skipping } };
}

/** Bytes as text of one character for each byte, or for each two of UTF-16. */
function decodeUnits(bytes: Uint8Array, encoding: Utf16 | undefined): string {
  if (!encoding) return new TextDecoder("windows-1252").decode(bytes);
  const whole = bytes.slice(0, bytes.length - (bytes.length % 2));
  if (encoding === "utf-16be")
    for (let i = 0; i < whole.length; i += 2)
      [whole[i], whole[i + 1]] = [whole[i + 1] as number, whole[i] as number];
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(whole);
}

function byteOrderMark(text: string): number {
  if (text.startsWith("\uFEFF")) return 1;
  return text.startsWith("\u00EF\u00BB\u00BF") ? 3 : 0;
}

/** The start of a file as text, for a look at it; its last character may be cut. */
export function decodeStart(bytes: Uint8Array, encoding: Utf16 | undefined): string {
  if (encoding) return decodeUnits(bytes, encoding).replace(/^\uFEFF/, "");
  const utf8 = new TextDecoder("utf-8").decode(bytes);
  return utf8.slice(0, -1).includes("\uFFFD") ? decodeUnits(bytes, undefined) : utf8;
}

/** Whether a file is UTF-16: by its mark, or since every other byte of Western text is zero. */
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

/** One record from `at`; `closed` where its line end was seen, `open` where a quote was not closed. */
function recordAt(text: string, at: number, { delimiter, newline }: RecordFormat): Found | undefined {
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
    const next = delimiter === null ? -1 : text.indexOf(delimiter, position);
    const stop = next >= 0 && next < end ? next : end;
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

/** The fields of a record that is not plain ASCII: UTF-8 where it is that, else as they were read. */
function fieldsOf(raw: Uint8Array, format: RecordFormat, otherwise: string[]): string[] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    return recordAt(text, 0, format)?.fields ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** The line ends of a text. */
export function newlineOf(text: string): "\n" | "\r" {
  return text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
}

/** Records of the start of a file; one that may be cut off at the end is left out, unless it is the only one. */
export function readStart(
  start: Uint8Array,
  format: RecordFormat,
  { whole, most }: { whole: boolean; most: number },
): TextRecord[] {
  const cursor = { offset: 0, line: 1, skipping: false };
  const { records } = readRecords({ bytes: start, cursor, format, final: true });
  const complete = whole || records.length < 2 ? records : records.slice(0, -1);
  return complete.filter(({ tooLong }) => !tooLong).slice(0, most);
}

/** Why bytes are no plain text that could be a table, in the user's words; undefined where they may be one. */
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
