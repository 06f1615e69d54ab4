import { Unzlib } from "fflate";
import { joined } from "#app/lib/buffers.ts";

/** Maximum bytes that the object streams of one document may inflate to. */
const UNPACKED_LIMIT = 16 * 1024 * 1024;

/**
 * Names that make a document act or carry other files; the short ones only with a value, since binary data contains
 * them by chance.
 */
const ACTIVE =
  /\/(JavaScript|Launch|EmbeddedFiles?|RichMedia|SubmitForm|ImportData|GoToE|GoToR|XFA|Rendition)(?![A-Za-z0-9])|\/(JS)\s*(?:\(|<|\d+\s+\d+\s+R)|\/Subtype\s*\/(3D)/;

/** Bytes that are inflated at once, unless the stream may end before. */
const PIECE = 16_384;

/**
 * Maximum pieces of one document: 10 MB have 640 whole ones, and each object stream ends with a smaller one. Each costs
 * about 0.1 ms, even if it is a few bytes.
 */
const MAX_PIECES = 5000;

/**
 * Maximum consecutive bytes that inflate to nothing. fflate keeps what follows the end of a stream, and copies it for
 * each piece. Within a stream, it waits for the rest of a block of at most 64 KiB.
 */
const MAX_SILENT = 192 * 1024;

const UNCHECKED = "This PDF is compressed in a way that cannot be checked.";

/**
 * Returns why a PDF is refused, as a message for the user, or undefined. Active content is searched in the whole
 * file and in object streams, which hide names; an object stream that cannot be inflated is refused. Boundaries are
 * interpreted as widely as possible, so that a keyword in a comment or string hides nothing.
 */
export function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder("windows-1252").decode(bytes);
  if (!/^\s*%PDF-[12]\.\d/.test(text.slice(0, 1024))) return "This is not a PDF.";
  if (!text.slice(-2048).includes("%%EOF")) return "This PDF is incomplete.";
  const plain = unescaped(text);
  if (/\/Encrypt(?![A-Za-z0-9])/.test(plain)) return "Encrypted PDFs cannot be checked and are refused.";
  const found = ACTIVE.exec(plain);
  if (found) return activeWords(found);
  const left = { bytes: UNPACKED_LIMIT, pieces: MAX_PIECES };
  for (const { before, start, tries } of possibleObjectStreams(text)) {
    if (tries > MAX_TRIES) return UNCHECKED;
    const dictionary = unescaped(before);
    if (!/\/ObjStm(?![A-Za-z0-9])/.test(dictionary)) continue;
    const filters = [...dictionary.matchAll(/\/Filter\s*(\[[^\]]{0,200}\]|\/[^\s/<>[\]()]+|)/g)];
    if (filters.some(([, filter]) => !/^(\[\s*)?\/(FlateDecode|Fl)(\s*\])?$/.test(filter ?? "")))
      return UNCHECKED;
    // A predictor inserts a byte between rows, which hides a name from a plain search.
    if (/\/(DecodeParms|DP|FFilter)(?![A-Za-z0-9])(?!\s*null)/.test(dictionary)) return UNCHECKED;
    if (filters.length === 0) continue;
    const unpacked = inflate({ bytes, text, start }, left);
    if (unpacked === "too large") return "This PDF is too large to check when decompressed.";
    if (unpacked === undefined) return UNCHECKED;
    left.bytes -= unpacked.length;
    const hidden = ACTIVE.exec(unescaped(new TextDecoder("windows-1252").decode(unpacked)));
    if (hidden) return activeWords(hidden);
  }
  return undefined;
}

function activeWords(found: RegExpExecArray): string {
  return `PDFs with active content (${found.slice(1).find(Boolean)}) are refused.`;
}

/** Resolves #xx escapes in names: /J#61vaScript is /JavaScript. */
function unescaped(text: string): string {
  return text.replace(/#([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The keyword `stream` follows one dictionary once; in an object stream that is not compressed, perhaps a few times. */
const MAX_TRIES = 16;

/** /ObjStm, of which each character may be escaped. */
const OBJECT_STREAM = /(?:\/|#2[fF])(?:O|#4[fF])(?:b|#62)(?:j|#6[aA])(?:S|#53)(?:t|#74)(?:m|#6[dD])/g;

/**
 * Yields each possible start of an object stream: the keyword, if the stream's type is named between the end of the
 * previous stream and it, with the text between. Other streams contain pictures, fonts and page contents, which cannot
 * act. `tries` counts the keywords since that end, so that a file cannot have the same text checked again and again.
 */
function* possibleObjectStreams(text: string) {
  const names = text.matchAll(OBJECT_STREAM);
  let name = names.next();
  let [from, named, tries] = [0, -1, 0];
  for (const match of text.matchAll(/endstream|\bstream[ \t]*(\r\n|\n|\r)?/g)) {
    for (; !name.done && name.value.index < match.index; name = names.next()) named = name.value.index;
    if (match[0] === "endstream") [from, tries] = [match.index, 0];
    else if (named >= from)
      yield {
        before: text.slice(from, match.index),
        start: match.index + match[0].length,
        tries: ++tries,
      };
  }
}

/**
 * Returns the inflated content of a zlib stream; undefined if it is not zlib, does not end before an `endstream`, or
 * takes too many pieces, which are subtracted from `left`. The checksum shows the real end: otherwise empty blocks could
 * make it seem to end before hidden content.
 */
function inflate(
  { bytes, text, start }: { bytes: Uint8Array; text: string; start: number },
  left: { readonly bytes: number; pieces: number },
): Uint8Array | "too large" | undefined {
  const parts: Uint8Array[] = [];
  let size = 0;
  let sum = 1;
  let silent = 0;
  const stream = new Unzlib((part) => {
    size += part.length;
    if (part.length > 0) silent = 0;
    if (size > left.bytes) return;
    parts.push(part.slice());
    sum = adler32(part, sum);
  });
  try {
    let at = start;
    for (let end = start; ; end += 1) {
      end = text.indexOf("endstream", end);
      if (end < 0) return undefined;
      for (; at < end; at += PIECE) {
        const piece = bytes.subarray(at, Math.min(end, at + PIECE));
        silent += piece.length;
        left.pieces -= 1;
        if (silent > MAX_SILENT || left.pieces < 0) return undefined;
        stream.push(piece, false);
        if (size > left.bytes) return "too large";
      }
      at = end;
      if (endsWith(bytes.subarray(start, end), sum)) break;
    }
  } catch {
    return undefined;
  }
  return joined(parts);
}

/** Returns whether bytes end with this checksum and at most a line end. */
function endsWith(bytes: Uint8Array, sum: number): boolean {
  let end = bytes.length;
  while (end > bytes.length - 2 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) {
    if (is(bytes, end, sum)) return true;
    end -= 1;
  }
  return is(bytes, end, sum);
}

function is(bytes: Uint8Array, end: number, sum: number): boolean {
  return end >= 4 && new DataView(bytes.buffer, bytes.byteOffset + end - 4, 4).getUint32(0) === sum;
}

/** Returns the checksum of zlib (RFC 1950). */
function adler32(bytes: Uint8Array, before: number): number {
  let [a, b] = [before & 0xffff, before >>> 16];
  for (let i = 0; i < bytes.length; ) {
    // As many bytes as fit before the sums exceed 32 bits.
    for (const stop = Math.min(i + 3800, bytes.length); i < stop; i++) {
      a += bytes[i] ?? 0;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
