import { AppError } from "./errors.ts";
import { type JsonLimits, jsonShapeWatch } from "./json-shape.ts";

/** What `JSON.parse` gives, or undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The same of bytes that anybody may have sent. Throws AppError bad_request, before anything is parsed, where they
 * nest too deep or hold more than the limits allow.
 */
export function parseSentJson(bytes: Uint8Array, limits?: JsonLimits): unknown {
  if (!jsonShapeWatch(limits)(bytes))
    throw new AppError("bad_request", "The JSON nests too deep or holds too many values.");
  return parseJson(new TextDecoder().decode(bytes));
}
