// Parses values as vendors actually send them: numbers as texts, texts as numbers, nulls, nothing, and nonsense.
// Invalid values become undefined, so that one bad value never loses a read or a page.

import * as z from "zod/mini";
import { PLATE_MAX_LENGTH, plateOfRead } from "#app/entities/search/plate.ts";
import { coordinate } from "#app/entities/search/sighting.ts";
import { truncated, visibleText } from "#app/lib/text.ts";
import { isoTime, SECOND } from "#app/lib/time/dates.ts";

const field = <T>(read: (value: unknown) => T | undefined) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((value: unknown) => read(value)),
    ),
  );

/** Text of at most 120 visible characters, U+FFFD for half of a surrogate pair; numbers become their digits. */
export const looseText = field(textOf);
/** A finite number, or a text of one. */
export const looseNumber = field((value) => coordinate(value) ?? undefined);
/** Milliseconds since 1970. */
export const looseTime = field(timeOf);
/** An object or list of any kind, parsed by the given schema. */
export const looseObject = <T extends z.core.$ZodType>(schema: T) =>
  z.catch(z.optional(z.nullable(schema)), undefined);

/** Returns a string or finite number as visible text of at most 120 characters. Returns undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string") return undefined;
  const text = truncated(visibleText(value.slice(0, 1000).toWellFormed()), 120);
  return text === "" ? undefined : text;
}

/**
 * Returns a time in milliseconds, from ISO 8601 text (UTC if it has no zone; `-05` is how Postgres writes one), or epoch
 * milliseconds or seconds as a number or digits. Returns undefined for anything else.
 */
function timeOf(value: unknown): number | undefined {
  const number = coordinate(value);
  if (number !== null) {
    const at = Math.abs(number) < 1e11 ? number * 1000 : number;
    return Math.abs(at) <= 8.64e15 ? Math.floor(at) : undefined;
  }
  if (typeof value !== "string" || value.length > 40) return undefined;
  const match =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/i.exec(
      value.trim(),
    );
  if (!match) return undefined;
  const [, date = "", written = "", hours, minutes = "00"] = match;
  if (!isDay(date)) return undefined;
  const time = written.replace(LEAP_SECOND, "$1:59").replace(",", ".");
  const at = Date.parse(`${date}T${time}${hours ? `${hours}:${minutes}` : "Z"}`);
  return Number.isFinite(at) ? at + (LEAP_SECOND.test(written) ? SECOND : 0) : undefined;
}

const LEAP_SECOND = /^(\d\d:\d\d):60/;

/** Returns whether the calendar has a day: Date.parse reads February 31 as March 3. */
function isDay(date: string): boolean {
  const at = Date.parse(date);
  return Number.isFinite(at) && isoTime(at).startsWith(date);
}

/** Returns a plate in canonical form, or undefined if the text cannot be a plate. */
export function plateOf(text: string | undefined): string | undefined {
  const plate = plateOfRead(text ?? "");
  return plate === "" || plate.length > PLATE_MAX_LENGTH ? undefined : plate;
}

/** Returns a confidence limited to 0-100, or null. */
export function confidenceOf(value: number | undefined): number | null {
  return value === undefined ? null : Math.min(100, Math.max(0, value));
}

/** Returns a latitude and longitude that exist on Earth, or null for both. */
export function placeOf(latitude: number | undefined, longitude: number | undefined) {
  const known =
    latitude !== undefined &&
    longitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180;
  return known ? { latitude, longitude } : { latitude: null, longitude: null };
}
