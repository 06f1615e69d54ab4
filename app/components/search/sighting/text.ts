import { isReadTime } from "#app/entities/ingest/read-time.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { MINUTE, timeWriter } from "#app/lib/time/dates.ts";

/** The first time takes a browser as long as drawing the table does: to be had while the reads are on their way. */
export function warmTimes(): void {
  timeWriter()(0);
}

/**
 * The time of a read in the viewer's zone, 24-hour, the zone named: `2026-11-20 14:03:07 EST`. A missing one and
 * one that cannot be true have the specification's words (section 8).
 */
export function timeText(at: number | null, zone?: string): string {
  if (at === null) return MESSAGES.missing;
  if (!isReadTime(at)) return MESSAGES.invalidTimestamp;
  return timeWriter(zone)(at);
}

export function orMissing(text: string): string {
  return text.trim() === "" ? MESSAGES.missing : text;
}

/** What an image of a read shows, for those who cannot see it. */
export function imageAlt(kind: "vehicle" | "plate", read: ResultRow, zone?: string): string {
  const what = kind === "vehicle" ? "Vehicle" : "Plate image";
  const plate = [read.plate, read.state].filter(Boolean).join(" ");
  return `${what} ${plate || "without a plate"}, ${read.camera || "camera unknown"}, ${timeText(read.capturedAt, zone)}`;
}

/** `41.762300, -72.674100`, to six decimals as the specification edits them. */
export function coordinateText(latitude: number | null, longitude: number | null): string {
  if (latitude === null || longitude === null) return MESSAGES.missing;
  return `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`;
}

/** A length of time in whole minutes, as words. */
export function minutesText(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / MINUTE));
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  const words = hours === 1 ? "1 hour" : `${hours} hours`;
  return rest === 0 ? words : `${words} ${rest} min`;
}

const NUMBERS = new Intl.NumberFormat("en-US");

export function numberText(value: number): string {
  return NUMBERS.format(value);
}

/** `1 read`, `1,204 reads`. */
export function readsText(count: number): string {
  return count === 1 ? "1 read" : `${numberText(count)} reads`;
}
