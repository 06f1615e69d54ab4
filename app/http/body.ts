// Shared parts of the readers of bodies: the media type, forms and schemas.

import * as z from "zod/mini";
import { AppError } from "#app/lib/errors.ts";
import { type FormPart, readMultipart } from "#app/lib/files/multipart.ts";
import { isObject } from "#app/lib/json/parse.ts";

const JSON_TYPE = "application/json";
const MULTIPART_TYPE = "multipart/form-data";
/** More fields than one save of a group can add with all of its plates. */
const MAX_PARTS = 100_000;
const AMPERSAND = 0x26;
const TOO_MANY_PARTS = "The form has too many parts.";

/**
 * Returns the media type that a request names for its body, without parameters; "" if it names none. A header that is
 * sent twice arrives as a list; a repeated type counts once.
 */
export function sentMedia(request: Request): string {
  const [named = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  return [...new Set(named.split(",").map((one) => one.trim()))].join(", ");
}

/** Returns the media type of a body. Throws AppError unsupported_media with `refusal` if it is not a listed one. */
export function requireMedia<const Media extends string>(
  request: Request,
  media: readonly Media[],
  refusal: string,
): Media {
  const sent = sentMedia(request);
  const known = media.find((one) => one === sent);
  if (known === undefined) throw new AppError("unsupported_media", refusal);
  return known;
}

/** Throws AppError unsupported_media for a body that is not JSON. */
export function requireJson(request: Request): void {
  requireMedia(request, [JSON_TYPE], `Send this as ${JSON_TYPE}.`);
}

/**
 * Returns a body as text. Throws AppError bad_request if it is not UTF-8, the only encoding of JSON (RFC 8259, section
 * 8.1): characters that cannot be read would be stored as U+FFFD.
 */
export function utf8Of(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(error);
  }
}

const notUtf8 = (cause: unknown) => new AppError("bad_request", "The body is not UTF-8.", { cause });

/** Returns the fields of a URL-encoded text. Throws AppError bad_request if they are not UTF-8. */
export function urlEncodedOf(text: string): URLSearchParams {
  try {
    for (const [character] of text.matchAll(/(?:%[89a-f][\da-f])+/gi)) decodeURIComponent(character);
  } catch (error) {
    throw notUtf8(error);
  }
  return new URLSearchParams(text);
}

/** A field of a form: its text, or its file. */
export type FormField = { name: string; value: string | { name: string; bytes: Uint8Array<ArrayBuffer> } };

/**
 * Returns the fields of a form that was read. Throws AppError bad_request, including for a text that is not UTF-8.
 * Files and their names may have another encoding.
 */
export function formOf(request: Request, bytes: Uint8Array<ArrayBuffer>): FormField[] {
  if (sentMedia(request) === MULTIPART_TYPE)
    return partsOf(request, bytes).map((part) => ({
      name: part.name,
      value: isFile(part) ? { name: part.fileName, bytes: part.bytes } : utf8Of(part.bytes),
    }));
  requireFewFields(bytes);
  return [...urlEncodedOf(utf8Of(bytes))].map(([name, value]) => ({ name, value }));
}

/** The fields of files, in every form: `file`, `csv_file`, `group_image_file`, `plates[0][file]`. */
const FILE_FIELD = /(?:^|[_[])file\]?$/;
const LINE_FEED = 0x0a;
const PDF_START = new TextEncoder().encode("%PDF-");

/**
 * Returns whether a part is a file. In a field of files it needs no file name, as RFC 7578 allows: a picture or a PDF,
 * as .NET's `ByteArrayContent` sends it, or the lines of a CSV, as `curl -F 'file=<-'` does. A single line is a text,
 * because some clients send `null` for no file. In other fields, a part with a file name can still be a text: Python's
 * `requests` sends texts in `files` that way.
 */
function isFile({ name, isFile, bytes }: FormPart): boolean {
  if (!FILE_FIELD.test(name)) return isFile && !isUtf8(bytes);
  if (isFile || bytes.includes(LINE_FEED)) return true;
  return PDF_START.every((byte, i) => bytes[i] === byte) || !isUtf8(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8Of(bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * Throws AppError bad_request for too many fields. Counts them before parsing: megabytes of `a&` would become
 * gigabytes.
 */
function requireFewFields(bytes: Uint8Array): void {
  let count = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    count += 1;
    if (count > MAX_PARTS) throw new AppError("bad_request", TOO_MANY_PARTS);
  }
}

/** Returns the parts of a multipart form that was read. Throws AppError bad_request. */
export function partsOf(request: Request, bytes: Uint8Array<ArrayBuffer>, mostParts = MAX_PARTS): FormPart[] {
  try {
    return readMultipart(bytes, request.headers.get("content-type") ?? "", mostParts);
  } catch (cause) {
    if (cause instanceof RangeError) throw new AppError("bad_request", TOO_MANY_PARTS, { cause });
    const refusal = `The form cannot be read. ${cause instanceof TypeError ? cause.message : ""}`.trim();
    throw new AppError("bad_request", refusal, { cause });
  }
}

/** Returns a value as its schema describes it. Throws AppError bad_request with the first problem. */
export function checked<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  whole = "The body is not as documented.",
): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", schemaProblem(parsed.error, whole));
}

/**
 * Returns a JSON body as its schema describes it. Optional fields may be null or an empty text. Throws AppError
 * bad_request with the first problem.
 */
export function checkedJson<S extends z.ZodMiniType>(schema: S, body: unknown): z.infer<S> {
  return checked(schema, withoutEmptyFields(schema, body));
}

/** zod's message if a schema has none. */
const UNNAMED = "Invalid input";

/** Returns the first problem: the schema's message, or the name of the field; `whole` if the value itself is wrong. */
export function schemaProblem({ issues }: z.core.$ZodError, whole: string): string {
  const [issue] = issues;
  if (issue?.message && issue.message !== UNNAMED) return issue.message;
  const field = issue?.path.join(".").slice(0, 200).toWellFormed();
  return field ? `The field "${field}" is missing or invalid.` : whole;
}

/**
 * Returns a value without optional fields that are null or an empty text and whose schema accepts neither: they count
 * as absent, because clients that generate their bodies send them. Fields that the schema requires, or for which it
 * gives null or an empty text a meaning, stay as they are.
 */
function withoutEmptyFields(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return isObject(value) ? withoutEmptyOnes(def.shape, value) : value;
    case "array":
      return Array.isArray(value) ? value.map((one) => withoutEmptyFields(def.element, one)) : value;
    case "union": {
      const options = def.options.map((option) => ({ option, value: withoutEmptyFields(option, value) }));
      return (options.find((one) => accepts(one.option, one.value)) ?? { value }).value;
    }
    case "pipe":
      return withoutEmptyFields(def.in, value);
    case "optional":
    case "nullable":
    case "default":
      return withoutEmptyFields(def.innerType, value);
    default:
      return value;
  }
}

function withoutEmptyOnes(shape: z.core.$ZodShape, value: Record<string, unknown>): Record<string, unknown> {
  const changed = { ...value };
  for (const [name, field] of Object.entries(shape)) {
    if (!Object.hasOwn(changed, name)) continue;
    const isEmpty = changed[name] === null || changed[name] === "";
    if (!isEmpty) changed[name] = withoutEmptyFields(field, changed[name]);
    else if (accepts(field, undefined) && !accepts(field, changed[name])) delete changed[name];
  }
  return changed;
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}
