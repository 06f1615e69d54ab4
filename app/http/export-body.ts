// The bodies of POST /export-pdf and POST /export-zip. Documented clients send every record with its images as data URIs:
// the body is parsed as it arrives, and images are dropped before they reach the parser, so that memory stays small.

import { JSONParser } from "@streamparser/json";
import { ExportRequest, MAX_EXPORT_RECORDS, TOO_MANY_RECORDS } from "#app/entities/exports/request.ts";
import { AppError } from "#app/lib/errors.ts";
import { emptyLongTexts } from "#app/lib/json/long-texts.ts";
import { jsonShapeWatch } from "#app/lib/json/shape.ts";
import { requireCleanText } from "./clean-text.ts";

const BODY_LIMIT = 64 * 1024 * 1024;

/** A justification of 2,000 characters has at most 12,000 bytes, and no text that is read here is longer. */
const LONGEST_TEXT = 16 * 1024;

/** Far more fields than a documented record has. */
const SHAPE = { containers: 3 * MAX_EXPORT_RECORDS, commas: 64 * MAX_EXPORT_RECORDS };

const NAMES = ["justification", "case_number", "result_id", "time_zone"];

/**
 * Reads and checks the body of an export. Throws AppError unsupported_media, too_large, or bad_request with the first
 * problem.
 */
export async function readExportBody(request: Request): Promise<ExportRequest> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new AppError("unsupported_media", "Send this as application/json.");
  const fields = await readFields(request);
  // Records only lead to reads of our own; the other texts are stored and printed.
  requireCleanText({ ...fields, records: [] });
  const parsed = ExportRequest.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("bad_request", issue?.message || "The body is not as documented.");
}

async function readFields(request: Request): Promise<Record<string, unknown>> {
  const tooLarge = () => new AppError("too_large", `The body is larger than ${BODY_LIMIT} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > BODY_LIMIT) throw tooLarge();
  const [isBearable, shortened] = [jsonShapeWatch(SHAPE), emptyLongTexts(LONGEST_TEXT)];
  const { write, end } = createFields();
  const pieces = piecesOf(request.body);
  let size = 0;
  // Leaving the loop early cancels the body: what is left of one that is refused is not read.
  for await (const piece of pieces) {
    size += piece.length;
    if (size > BODY_LIMIT) throw tooLarge();
    const bytes = shortened(piece);
    if (!isBearable(bytes))
      throw new AppError("bad_request", "The JSON nests too deep or holds too many values.");
    write(bytes);
  }
  return end();
}

const PIECE = 64 * 1024;

/**
 * The bytes of a body, each piece valid until the next. Bodies that come over the network are read into one buffer: a new
 * one for every piece would be tens of megabytes of garbage before it is collected.
 */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const bytes = byteReader(body);
  const chunks = bytes ? undefined : body.getReader();
  let buffer = new Uint8Array(PIECE);
  try {
    for (;;) {
      const { done, value } = (await (bytes ? bytes.read(buffer) : chunks?.read())) ?? {};
      if (done || !value) return;
      yield value;
      if (bytes) buffer = new Uint8Array(value.buffer as ArrayBuffer, 0, PIECE);
    }
  } finally {
    await (bytes ?? chunks)?.cancel().catch(() => {});
  }
}

/** Undefined for a stream that somebody made of chunks of their own. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** Collects the fields that an export reads; everything else is dropped as it is parsed. */
function createFields() {
  const records: unknown[] = [];
  const fields: Record<string, unknown> = {};
  const paths = ["$.records.*", ...NAMES.map((name) => `$.${name}`)];
  const parser = new JSONParser({ paths, keepStack: false, stringBufferSize: LONGEST_TEXT });
  let problem: unknown;
  parser.onError = (error) => {
    problem ??= error;
  };
  parser.onValue = ({ value, key, stack }) => {
    if (stack.length === 1) fields[key as string] = value;
    else if (typeof key === "number" && records.push(wantedOf(value)) > MAX_EXPORT_RECORDS)
      throw new AppError("bad_request", TOO_MANY_RECORDS);
  };
  const refuseBroken = () => {
    if (problem instanceof AppError) throw problem;
    if (problem !== undefined) throw new AppError("bad_request", "The body is not JSON.");
  };
  return {
    write(bytes: Uint8Array): void {
      parser.write(bytes);
      refuseBroken();
    },
    end(): Record<string, unknown> {
      if (!parser.isEnded) parser.end();
      refuseBroken();
      return { ...fields, records };
    },
  };
}

/** The fields by which a record is found; a copy, so that its images are not kept with it. */
function wantedOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { id, plate, timestamp, camera_name, agency, source_program } = value as Record<string, unknown>;
  return { id, plate, timestamp, camera_name, agency, source_program };
}
