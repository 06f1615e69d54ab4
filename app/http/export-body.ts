// The bodies of POST /export-pdf and POST /export-zip. Documented clients send every record with its images as data
// URIs. The body is parsed while it arrives, and images are dropped before the parser, to keep memory small.

import { JSONParser } from "@streamparser/json";
import { ExportRequest, MAX_EXPORT_RECORDS, TOO_MANY_RECORDS } from "#app/entities/exports/request.ts";
import { AppError } from "#app/lib/errors.ts";
import { refuseLostConnection } from "#app/lib/files/bodies.ts";
import { requirePlain } from "#app/lib/files/inflate.ts";
import { emptyLongTexts } from "#app/lib/json/long-texts.ts";
import { jsonShapeWatch } from "#app/lib/json/shape.ts";
import { sizeText } from "#app/lib/number-text.ts";
import { checkedJson, requireJson } from "./body.ts";
import { requireCleanText } from "./clean-text.ts";

const BODY_LIMIT = 64 * 1024 * 1024;

/** Bytes. A justification of 2,000 characters takes at most 12,000 bytes; no longer text is read here. */
const LONGEST_TEXT = 16 * 1024;

/**
 * Limits far above a documented export. The bytes outside of texts suffice for all fields of a search result, each on
 * its own line. The parser takes a second for 13 MB of them, or for 600,000 escapes.
 */
const SHAPE = {
  containers: 3 * MAX_EXPORT_RECORDS,
  commas: 64 * MAX_EXPORT_RECORDS,
  bare: 1600 * MAX_EXPORT_RECORDS,
  escapes: 100 * MAX_EXPORT_RECORDS,
};

/** Read only to be refused: the caller is known before this body is read. */
const PERSON = "on_behalf_of";

const NAMES = ["justification", "case_number", "result_id", "time_zone", PERSON];

/**
 * Returns the checked body of an export. Throws AppError unsupported_media, too_large, or bad_request with the first
 * problem.
 */
export async function readExportBody(request: Request): Promise<ExportRequest> {
  requireJson(request);
  requirePlain(request);
  const fields = await readFields(request);
  if (Object.hasOwn(fields, PERSON))
    throw new AppError("bad_request", "An export takes on_behalf_of in its query, not in its body.", {
      details: { field: PERSON },
    });
  // Records only identify our own reads. The other texts are stored and printed.
  requireCleanText({ ...fields, records: [] });
  return checkedJson(ExportRequest, fields);
}

async function readFields(request: Request): Promise<Record<string, unknown>> {
  const tooLarge = () => new AppError("too_large", `The body is larger than ${sizeText(BODY_LIMIT)}.`);
  if (Number(request.headers.get("content-length") ?? 0) > BODY_LIMIT) throw tooLarge();
  const [isBearable, shortened] = [jsonShapeWatch(SHAPE), emptyLongTexts(LONGEST_TEXT)];
  const { write, end } = createFields();
  const pieces = piecesOf(request.body);
  let size = 0;
  // Leaving the loop early cancels the body, so that the rest of a refused one is not read.
  for await (const piece of pieces) {
    size += piece.length;
    if (size > BODY_LIMIT) throw tooLarge();
    const bytes = shortened(piece);
    if (!isBearable(bytes))
      throw new AppError(
        "bad_request",
        "The JSON nests too deep, or holds too many values, digits, spaces or escapes.",
      );
    write(bytes);
  }
  return end();
}

const PIECE = 64 * 1024;

/**
 * Yields the bytes of a body, each piece valid until the next. Network bodies are read into one buffer, because a new
 * buffer per piece would be tens of megabytes of garbage.
 */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const bytes = byteReader(body);
  const chunks = bytes ? undefined : body.getReader();
  let buffer = new Uint8Array(PIECE);
  try {
    for (;;) {
      const reading = bytes ? bytes.read(buffer) : chunks?.read();
      const { done, value } = (await reading?.catch(refuseLostConnection)) ?? {};
      if (done || !value) return;
      yield value;
      if (bytes) buffer = new Uint8Array(value.buffer as ArrayBuffer, 0, PIECE);
    }
  } finally {
    await (bytes ?? chunks)?.cancel().catch(() => {});
  }
}

/** Returns undefined for a stream made of JavaScript chunks. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** Collects the fields that an export needs and drops everything else while parsing. */
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
    if (stack.length === 1) fields[String(key)] = value;
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

/** Returns a copy of the fields that identify a record, without its images. */
function wantedOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { id, plate, timestamp, camera_name, agency, source_program }: Record<string, unknown> = { ...value };
  return { id, plate, timestamp, camera_name, agency, source_program };
}
