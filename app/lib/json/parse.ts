import { AppError } from "#app/lib/errors.ts";
import { repairedText } from "#app/lib/text.ts";
import { type JsonLimits, jsonShapeWatch } from "./shape.ts";

/** What `JSON.parse` gives, or undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The same of bytes that anybody may have sent, with U+FFFD for what is not text. Throws AppError bad_request, before
 * anything is parsed, if they nest too deep or hold more than the limits allow.
 */
export function parseSentJson(bytes: Uint8Array, limits?: JsonLimits): unknown {
  if (!jsonShapeWatch(limits)(bytes))
    throw new AppError("bad_request", "The JSON nests too deep or holds too many values.");
  const text = new TextDecoder().decode(bytes);
  const json = parseJson(text);
  // Without an escape or one of these there is nothing to repair, and most documents have neither.
  return /\\[ubf]|[\u007F-\u009F]/.test(text) ? repaired(json) : json;
}

/** Pictures are texts of megabytes in which a wrong character is found when they are decoded. */
const LONGEST_REPAIRED = 10_000;

/** A camera's read must not be lost because of a character that is not text. Nesting is bounded by the limits. */
function repaired(value: unknown): unknown {
  if (typeof value === "string") return value.length > LONGEST_REPAIRED ? value : repairedText(value);
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [repairedText(key), repaired(part)]));
}
