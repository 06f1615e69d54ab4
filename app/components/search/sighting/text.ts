import { isReadTime } from "#app/entities/ingest/read-time.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { counted } from "#app/lib/number-text.ts";
import { MINUTE, timeWriter } from "#app/lib/time/dates.ts";

/** Formats a first time early: it takes as long as rendering the table, and can run while the reads are loading. */
export function warmTimes(): void {
  timeWriter()(0);
}

/**
 * Returns the time of a read (epoch milliseconds) in the viewer's time zone: `2026-11-20 14:03:07 EST`. Missing and
 * invalid times have the texts of the specification (section 8).
 */
export function timeText(at: number | null, zone?: string): string {
  if (at === null) return MESSAGES.missing;
  if (!isReadTime(at)) return MESSAGES.invalidTimestamp;
  return timeWriter(zone)(at);
}

/** Returns the text, or `N/A` if it is blank. */
export function orMissing(text: string): string {
  return text.trim() === "" ? MESSAGES.missing : text;
}

/**
 * Returns a plate as `A B 1 2 0`, for texts that are heard only: a screen reader says AB120 as a word and a number, in
 * which O and 0 sound alike.
 */
export function spelled(plate: string): string {
  return Array.from(plate).join(" ");
}

/** Returns the alternative text of an image of a read. */
export function imageAlt(kind: "vehicle" | "plate", read: ResultRow, zone?: string): string {
  const what = kind === "vehicle" ? "Vehicle" : "Plate image";
  const plate = [read.plate, read.state].filter(Boolean).join(" ");
  return `${what} ${plate || "without a plate"}, ${read.camera || "camera unknown"}, ${timeText(read.capturedAt, zone)}`;
}

/** Returns how a plate matches a search with look-alikes: `Exact`, or `0.90: 8 read as B`. */
export function matchText(match: ResultRow["match"]): string {
  if (!match) return "";
  return match.reason === "" ? "Exact" : `${match.score.toFixed(2)}: ${match.reason}`;
}

/** Returns coordinates with six decimals (specification section 9): `41.762300, -72.674100`. */
export function coordinateText(latitude: number | null, longitude: number | null): string {
  if (latitude === null || longitude === null) return MESSAGES.missing;
  return `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`;
}

/** Returns a duration in whole minutes: `59 min`, `2 hours 5 min`. */
export function minutesText(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / MINUTE));
  if (minutes < 1) return "less than 1 min";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const remaining = minutes % 60;
  const words = counted(hours, "hour");
  return remaining === 0 ? words : `${words} ${remaining} min`;
}
