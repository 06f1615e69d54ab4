// Uploads of one file in a multipart form, read up to a size limit before anything is parsed, and CSV downloads.

import * as z from "zod/mini";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { AppError } from "#app/lib/errors.ts";
import { readSentBytes } from "#app/lib/files/inflate.ts";
import { sizeText } from "#app/lib/number-text.ts";
import { checked, formOf, requireMedia } from "./body.ts";
import { requireCleanFileName } from "./clean-text.ts";
import type { Upload } from "./forms.ts";
import { json, refusalBody } from "./responses.ts";

/** Bytes for the boundaries and names around a file. */
const FORM_OVERHEAD = 16 * 1024;

/** The text fields of an idempotent upload. */
export const UploadFields = z.object({ idempotency_key: IdempotencyKey });

/**
 * Returns the CSV file of a form and its idempotency key, if it has one. Throws AppError unsupported_media, too_large and
 * bad_request.
 */
export async function readUpload(
  request: Request,
  input: { field: string; mostBytes: number },
): Promise<{ bytes: Uint8Array<ArrayBuffer>; key: string | undefined }> {
  requireMedia(request, ["multipart/form-data"], "Send this as multipart/form-data.");
  const form = formOf(request, await readSentBytes(request, input.mostBytes + FORM_OVERHEAD));
  const fieldOf = (field: string) => form.find(({ name }) => name === field)?.value;
  const { idempotency_key: key } = checked(UploadFields, { idempotency_key: fieldOf("idempotency_key") });
  const file = fieldOf(input.field);
  if (typeof file !== "object") throw new AppError("bad_request", "Choose a file.");
  requireCleanFileName(file.name);
  if (file.bytes.length > input.mostBytes)
    throw new AppError("too_large", `The file is larger than ${sizeText(input.mostBytes)}.`);
  return { bytes: file.bytes, key };
}

/** Returns the CSV file of a screen's form. Throws AppError bad_request and too_large for the field `file`. */
export function csvOf({ files }: Upload, mostBytes: number): Uint8Array<ArrayBuffer> {
  const { file } = files;
  const field = "file";
  if (!file) throw new AppError("bad_request", "Choose a CSV file.", { field });
  if (!/\.csv$/i.test(file.name)) throw new AppError("bad_request", "The file must be CSV.", { field });
  if (file.bytes.byteLength > mostBytes)
    throw new AppError("too_large", `The file is larger than ${sizeText(mostBytes)}.`, { field });
  return file.bytes;
}

/** Returns the size limit of a form with one file. */
export const formWithFile = (mostBytes: number) => mostBytes + FORM_OVERHEAD;

/** Answers an upload: its result, or 400 with every problem by line; `error` is the first one. */
export function uploadAnswer(answer: { problems: readonly { line: number; reason: string }[] }): Response {
  const [first] = answer.problems;
  if (!first) return json(answer);
  const error = `Line ${first.line}: ${first.reason}`;
  return json({ ...answer, ...refusalBody(error) }, { status: 400 });
}

/** Returns a CSV file as a streamed download. */
export function csvStream(name: string, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: csvHeaders(name) });
}

/** Returns a CSV file as a download. */
export function csvFile(name: string, text: string): Response {
  return new Response(text, { headers: csvHeaders(name) });
}

function csvHeaders(name: string) {
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}"`,
  };
}
