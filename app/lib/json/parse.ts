import { AppError } from "#app/lib/errors.ts";
import { repairedText } from "#app/lib/text.ts";
import { type JsonLimits, jsonShapeWatch } from "./shape.ts";

/** Returns the result of `JSON.parse`, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number that may have more digits than JSON.parse keeps. A match within a string does no harm. */
const LONG_NUMBER = /[[:,\s]-?\d{16}/;
/**
 * Maximum commas of a text whose numbers are kept exactly: JSON.parse then needs about a hundred bytes per value. A
 * page of reads has 15,000 values.
 */
const MAX_COMMAS = 200_000;

/**
 * Returns the result of `parseJson`, but whole numbers that JSON.parse would round as texts of their digits: the ids of
 * two records must not become one. Numbers in a text of very many values are rounded.
 */
export function parseJsonWithIds(text: string): unknown {
  if (!LONG_NUMBER.test(text) || hasMoreCommas(text, MAX_COMMAS)) return parseJson(text);
  // The types do not have the third argument yet.
  const exact = (_key: string, value: unknown, written?: { source?: string }) => {
    const digits = written?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(digits)
      ? digits
      : value;
  };
  try {
    return JSON.parse(text, exact);
  } catch {
    return undefined;
  }
}

function hasMoreCommas(text: string, most: number): boolean {
  let commas = 0;
  for (let at = text.indexOf(","); at >= 0; at = text.indexOf(",", at + 1)) if (++commas > most) return true;
  return false;
}

/**
 * Does the same as `parseJson` for bytes from untrusted senders, with U+FFFD for invalid characters. Throws AppError
 * bad_request, before parsing, if the JSON nests too deep or holds more values than allowed.
 */
export function parseSentJson(bytes: Uint8Array, limits?: JsonLimits): unknown {
  if (!jsonShapeWatch(limits)(bytes))
    throw new AppError("bad_request", "The JSON nests too deep or holds too many values.");
  const text = new TextDecoder().decode(bytes);
  const json = parseJson(text);
  // Without these characters or escapes, there is nothing to repair; most documents have none.
  return /\\[ubf]|[\u007F-\u009F]/.test(text) ? repaired(json) : json;
}

/** Longer strings are pictures; a wrong character in one is found when the picture is decoded. */
const LONGEST_REPAIRED = 10_000;

/**
 * Repairs all strings: a camera's read must not be lost because of an invalid character. The limits bound the
 * depth.
 */
function repaired(value: unknown): unknown {
  if (typeof value === "string") return value.length > LONGEST_REPAIRED ? value : repairedText(value);
  if (Array.isArray(value)) return value.map(repaired);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [repairedText(key), repaired(part)]));
}

/** Returns whether a JSON value is an object: neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field of a JSON value; undefined if there is none. */
export function fieldIn(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a text field of a JSON value, or an empty text if there is none. */
export function textIn(value: unknown, name: string): string {
  const text = fieldIn(value, name);
  return typeof text === "string" ? text : "";
}
