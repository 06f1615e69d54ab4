/** A part of a form. `fileName` is empty if its headers have none. */
export type FormPart = { name: string; fileName: string; bytes: Uint8Array<ArrayBuffer> };

/** The most characters of a part's headers; real ones have some hundred. */
const HEADERS_MAX = 4096;

/**
 * Reads a multipart/form-data body (RFC 7578) as senders really write it: with LF alone, with spaces after boundaries,
 * with names that are not quoted. Files without a name stay bytes, which the platform's `formData` turns into text. Parts
 * without a field name are left out. Throws TypeError if the form is malformed or cut off.
 */
export function readMultipart(bytes: Uint8Array<ArrayBuffer>, contentType: string): FormPart[] {
  const boundary = parameterOf(contentType, "boundary");
  if (!boundary) throw new TypeError("The type of the form has no boundary.");
  // One character per byte, so that positions in the text are positions in the bytes.
  const text = new TextDecoder("windows-1252").decode(bytes);
  const parts: FormPart[] = [];
  let line = nextBoundary(text, boundary, 0);
  while (!line.isLast) {
    const { length, end: from } = headersAt(text, line.end);
    const disposition = dispositionOf(bytes.subarray(line.end, line.end + length));
    line = nextBoundary(text, boundary, from);
    const name = parameterOf(disposition, "name");
    if (!name) continue;
    const fileName = parameterOf(disposition, "filename") ?? "";
    parts.push({ name, fileName, bytes: bytes.slice(from, Math.max(from, line.start)) });
  }
  return parts;
}

/** Returns a parameter of a header, or undefined; quotes and backslashes that escape are removed. */
function parameterOf(header: string, wanted: string): string | undefined {
  for (const [, name, quoted, token] of header.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  ))
    if (name?.toLowerCase() === wanted) return quoted?.replace(/\\(.)/g, "$1") ?? token;
  return undefined;
}

type Boundary = {
  /** Where the content before it ends. */
  start: number;
  /** Where the headers after it start. */
  end: number;
  isLast: boolean;
};

/** Returns the next boundary line: the line end before it belongs to it. Throws TypeError if there is none. */
function nextBoundary(text: string, boundary: string, from: number): Boundary {
  const rest = /(--)|[ \t]*(?:\r\n|\n)/y;
  for (let at = text.indexOf(`--${boundary}`, from); at >= 0; at = text.indexOf(`--${boundary}`, at + 1)) {
    rest.lastIndex = at + 2 + boundary.length;
    const found = at === from || text[at - 1] === "\n" ? rest.exec(text) : null;
    if (!found) continue;
    const start = text[at - 2] === "\r" ? at - 2 : at - 1;
    return { start, end: rest.lastIndex, isLast: found[1] !== undefined };
  }
  throw new TypeError("The form has no last boundary.");
}

/** Returns the length of a part's headers, and where its content starts. Throws TypeError if they do not end. */
function headersAt(text: string, from: number): { length: number; end: number } {
  const found = /^(?:\r\n|\n)|\r?\n\r?\n/.exec(text.slice(from, from + HEADERS_MAX));
  if (!found) throw new TypeError("The headers of a part do not end.");
  return { length: found.index, end: from + found.index + found[0].length };
}

function dispositionOf(headers: Uint8Array): string {
  // A line that begins with a space continues the one before.
  const lines = new TextDecoder().decode(headers).replace(/\r?\n[ \t]+/g, " ");
  return /^content-disposition:(.*)$/im.exec(lines)?.[1] ?? "";
}
