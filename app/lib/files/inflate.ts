import { Gunzip } from "fflate";
import { joined } from "#app/lib/buffers.ts";
import { AppError } from "#app/lib/errors.ts";
import { sizeText } from "#app/lib/number-text.ts";
import { readBytes } from "./bodies.ts";
import { crc32 } from "./zip.ts";

/**
 * Deflate expands at most 1,032 times: a slice of this size becomes at most about 4 MB before its size is checked.
 */
const SLICE_BYTES = 4096;

/** Maximum bytes of a gzipped body, which is in memory twice. */
const MOST_GZIPPED = 16 * 1024 * 1024;

type Sent = { headers: Headers; body: ReadableStream<Uint8Array> | null };

/**
 * Returns the bytes of a body, inflated if its headers say gzip. The limit applies to both sizes. Throws AppError
 * too_large, unsupported_media for another encoding, bad_request for invalid gzip.
 */
export async function readSentBytes(body: Sent, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = encodingOf(body);
  const isGzip = encoding === "gzip" || encoding === "x-gzip";
  if (!isGzip && encoding !== PLAIN)
    throw wrongEncoding("Send the body uncompressed or with gzip.", "gzip, identity");
  const most = isGzip ? Math.min(limit, MOST_GZIPPED) : limit;
  const bytes = await readBytes(body, most);
  return isGzip ? gunzip(bytes, most) : bytes;
}

/** Throws AppError unsupported_media for an encoded body. For bodies that are read while they arrive. */
export function requirePlain(body: Sent): void {
  if (encodingOf(body) !== PLAIN) throw wrongEncoding("Send the body uncompressed.", "identity");
}

const PLAIN = "identity";

function encodingOf({ headers }: Sent): string {
  return (headers.get("content-encoding") ?? "").trim().toLowerCase() || PLAIN;
}

/** `accepted` is also sent as the header Accept-Encoding (RFC 9110, section 15.5.16). */
function wrongEncoding(message: string, accepted: string): AppError {
  return new AppError("unsupported_media", message, { details: { accept_encoding: accepted } });
}

/**
 * Maximum bytes before the first byte of content. A header whose file name never ends would be copied with every
 * further slice; real headers are far shorter.
 */
const MAX_WITHOUT_CONTENT = 128 * 1024;

/** Header, an empty block and trailer: the shortest gzip file (RFC 1952). */
const GZIP_MIN_BYTES = 20;

function gunzip(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
  const notGzip = (cause?: unknown) =>
    new AppError("bad_request", "The body is not valid gzip, although its header says so.", { cause });
  if (bytes.length < GZIP_MIN_BYTES) throw notGzip();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let member = { size: 0, crc: 0 };
  /** Checks the trailer of a member, which fflate ignores: a body that was changed or cut off must not be stored. */
  const endMember = (end: number) => {
    if (view.getUint32(end - 8, true) !== member.crc || view.getUint32(end - 4, true) !== member.size)
      throw notGzip();
    member = { size: 0, crc: 0 };
  };
  const inflating = new Gunzip((chunk) => {
    size += chunk.length;
    if (size > limit) throw new AppError("too_large", `The body inflates to more than ${sizeText(limit)}.`);
    member = { size: member.size + chunk.length, crc: crc32(chunk, member.crc) };
    chunks.push(chunk);
  });
  inflating.onmember = endMember;
  try {
    let idle = 0;
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      const before = size;
      inflating.push(bytes.subarray(from, from + SLICE_BYTES), from + SLICE_BYTES >= bytes.length);
      idle = size > before ? 0 : idle + SLICE_BYTES;
      if (idle > MAX_WITHOUT_CONTENT) throw notGzip();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw notGzip(error);
  }
  endMember(bytes.length);
  return joined(chunks);
}
