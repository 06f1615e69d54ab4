import { fromBase64 } from "#app/lib/crypto/encoding.ts";

/**
 * A part of a form. `fileName` is empty if its headers have none. A part with a file name, including an empty one, is a
 * file.
 */
export type FormPart = { name: string; fileName: string; isFile: boolean; bytes: Uint8Array<ArrayBuffer> };

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/**
 * Reads a multipart/form-data body (RFC 7578) as senders actually write it: with LF alone, with spaces after
 * boundaries, with names that are not quoted, with contents in base64. Parts without a field name are left out. Throws
 * TypeError if the form is malformed or cut off, and RangeError if it has more than `mostParts`. Our own code, because
 * the platform's `formData` refuses such forms and turns files without a name into text.
 */
export function readMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  mostParts = Number.POSITIVE_INFINITY,
): FormPart[] {
  const name = parameterOf(contentType, "boundary");
  if (!name) throw new TypeError("The type of the form has no boundary.");
  const boundary = new TextEncoder().encode(`--${name}`);
  const parts: FormPart[] = [];
  let line = nextBoundary(bytes, boundary, 0);
  for (let count = 1; !line.isLast; count++) {
    if (count > mostParts) throw new RangeError("The form has too many parts.");
    const content = contentAfter(bytes, line.end);
    const headers = headersOf(bytes.subarray(line.end, content));
    const disposition = headers("content-disposition");
    line = nextBoundary(bytes, boundary, content);
    const field = parameterOf(disposition, "name");
    if (!field) continue;
    const fileName = fileNameIn(disposition);
    const sent = bytes.slice(content, Math.max(content, line.start));
    parts.push({
      name: field,
      fileName: fileName ?? "",
      isFile: fileName !== undefined,
      bytes: decoded(sent, headers("content-transfer-encoding")),
    });
  }
  return parts;
}

/**
 * Returns the file name in a header, or undefined. Older clients send one that is not ASCII as `filename*` (RFC 8187)
 * only.
 */
function fileNameIn(disposition: string): string | undefined {
  const plain = parameterOf(disposition, "filename");
  const extended = parameterOf(disposition, "filename*");
  if (extended === undefined) return plain;
  try {
    return decodeURIComponent(extended.replace(/^utf-8'[^']*'/i, ""));
  } catch {
    return plain ?? extended;
  }
}

/** Returns a parameter of a header, or undefined; quotes and backslashes that escape are removed. */
function parameterOf(header: string, wanted: string): string | undefined {
  for (const [, name, quoted, token] of header.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  ))
    if (name?.toLowerCase() === wanted) return quoted?.replace(/\\(.)/g, "$1") ?? token;
  return undefined;
}

/** Returns where the line that starts here ends, after its line end; undefined if it has none. */
function lineEnd(bytes: Uint8Array, from: number): number | undefined {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? undefined : end + 1;
}

type Boundary = {
  /** Where the content before it ends. */
  start: number;
  /** Where the headers after it start. */
  end: number;
  isLast: boolean;
};

/** Returns the next boundary line: the line end before it belongs to it. Throws TypeError if there is none. */
function nextBoundary(bytes: Uint8Array, boundary: Uint8Array, from: number): Boundary {
  for (let at: number | undefined = from; at !== undefined; at = lineEnd(bytes, at)) {
    const found = boundaryAt(bytes, boundary, at);
    if (found) return { start: bytes[at - 2] === CR ? at - 2 : at - 1, ...found };
  }
  throw new TypeError("The form has no last boundary.");
}

/** Reads the line that starts here, if it is a boundary: two dashes or spaces may follow. */
function boundaryAt(
  bytes: Uint8Array,
  boundary: Uint8Array,
  at: number,
): Omit<Boundary, "start"> | undefined {
  for (let i = 0; i < boundary.length; i++) if (bytes[at + i] !== boundary[i]) return undefined;
  const after = at + boundary.length;
  if (bytes[after] === DASH && bytes[after + 1] === DASH) return { end: after + 2, isLast: true };
  const end = lineEnd(bytes, after);
  if (end === undefined) return undefined;
  const rest = bytes.subarray(after, end).every((byte) => BLANKS.has(byte));
  return rest ? { end, isLast: false } : undefined;
}

const BLANKS = new Set([LF, CR, ...new TextEncoder().encode(" \t")]);

/** Returns where the content of a part starts: after its headers and an empty line. Throws TypeError without one. */
function contentAfter(bytes: Uint8Array, from: number): number {
  let start = from;
  for (let end = lineEnd(bytes, start); end !== undefined; end = lineEnd(bytes, start)) {
    const isEmpty = end - start === 1 || (end - start === 2 && bytes[start] === CR);
    if (isEmpty) return end;
    start = end;
  }
  throw new TypeError("The headers of a part do not end.");
}

function headersOf(headers: Uint8Array): (name: string) => string {
  // A line that begins with a space continues the one before.
  const lines = new TextDecoder().decode(headers).replace(/\r?\n[ \t]+/g, " ");
  return (name) => new RegExp(`^${name}:(.*)$`, "im").exec(lines)?.[1] ?? "";
}

/**
 * Returns the content of a part without its transfer encoding (RFC 2045 section 6), which RFC 7578 deprecates. Content
 * that is not encoded as its header says is returned as it is.
 */
function decoded(sent: Uint8Array<ArrayBuffer>, encoding: string): Uint8Array<ArrayBuffer> {
  const kind = encoding.trim().toLowerCase();
  // Both encodings are ASCII.
  if (!["base64", "quoted-printable"].includes(kind) || sent.some((byte) => byte > 0x7f)) return sent;
  const text = new TextDecoder().decode(sent);
  try {
    return kind === "base64" ? fromBase64(text) : fromQuotedPrintable(text);
  } catch {
    return sent;
  }
}

/** Returns the bytes of an ASCII text: lines that end with = continue, and =XX is a byte. */
function fromQuotedPrintable(text: string): Uint8Array<ArrayBuffer> {
  const plain = text
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
