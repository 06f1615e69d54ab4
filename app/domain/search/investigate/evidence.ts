// Shared by both tools: plates and cameras of gathered reads, and what an answer shows of them.

import { MAX_EVIDENCE } from "#app/entities/search/investigate/answer.ts";
import type { InvestigationCamera } from "#app/entities/search/investigate/areas.ts";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import { isArrivalTime, wordAt } from "#app/entities/search/result-columns.ts";
import { counted } from "#app/lib/number-text.ts";

/** Shorter plates are partial reads, which are not one vehicle. */
const LEAST_PLATE = 3;

/** Returns the canonical plate of each code of the plate column. */
export function platesByCode(columns: ColumnsBuilder): string[] {
  return columns.dictionaries.plate.map(normalizePlate);
}

/** Returns the key that `cameraKeysOf` gives to the reads of a camera. */
export function cameraKey({ program, sourceId, readAs }: InvestigationCamera): string {
  return program === "Axon" ? `Axon|${sourceId ?? ""}|${readAs}` : `${program}||${readAs}`;
}

function isVehiclePlate(plate: string): boolean {
  return plate.length >= LEAST_PLATE;
}

/**
 * Why a read does not count as evidence: its plate is too short, it has only the time of its arrival, or it has no
 * time.
 */
type Reason = "unread" | "arrivals" | "undated";
/** Number of reads that do not count as evidence, by reason. */
export type LeftOut = Record<Reason, number>;

/** Returns why a read with this canonical plate does not count as evidence; undefined if it does. */
export function reasonLeftOut(columns: ColumnsBuilder, row: number, plate: string): Reason | undefined {
  if (!isVehiclePlate(plate)) return "unread";
  if (isArrivalTime(columns, row)) return "arrivals";
  return Number.isFinite(columns.times[row]) ? undefined : "undated";
}

/** Returns how many reads were left out and why, as notes; an empty list if none were. */
export function leftOutNotes({ unread, arrivals, undated }: LeftOut): string[] {
  return [
    leftOutNote(unread, `no plate of at least ${LEAST_PLATE} characters`),
    leftOutNote(arrivals, "only the time of arrival"),
    leftOutNote(undated, "no time"),
  ].flat();
}

function leftOutNote(count: number, what: string): string[] {
  if (count === 0) return [];
  return [
    `${counted(count, "read has", "reads have")} ${what} and ${count === 1 ? "was" : "were"} left out.`,
  ];
}

/**
 * Returns a function from a row to its camera: `<program>||<id>`, since a Rekor camera has the same id under every API
 * key and an Axis camera may be renamed, or `<program>|<source>|<name>` for those without an id.
 */
export function cameraKeysOf(columns: ColumnsBuilder): (row: number) => string {
  return (row) => {
    const program = SOURCE_PROGRAMS[columns.programs[row] ?? 0] ?? "";
    const id = wordAt(columns, "cameraId", row);
    if (id !== "") return `${program}||${id}`;
    return `${program}|${wordAt(columns, "source", row)}|${wordAt(columns, "camera", row)}`;
  };
}

/**
 * Returns the rows that an answer shows as evidence of each place, newest first, and how many it leaves out. Every
 * place gets a share of the rows, so that the reads of a car parked at one place do not hide its reads at the others.
 */
export function shownEvidence(
  columns: Pick<ColumnsBuilder, "times">,
  places: readonly (readonly number[])[],
): { places: number[][]; leftOut: number } {
  const timeOf = (row: number) => columns.times[row] ?? 0;
  const newest = places.map((rows) => [...rows].sort((a, b) => timeOf(b) - timeOf(a) || a - b));
  let left = MAX_EVIDENCE;
  const shares = newest.map(() => 0);
  const fewest = newest.map((_, i) => i).sort((a, b) => (newest[a]?.length ?? 0) - (newest[b]?.length ?? 0));
  for (const [i, place] of fewest.entries()) {
    const share = Math.min(newest[place]?.length ?? 0, Math.floor(left / (fewest.length - i)));
    shares[place] = share;
    left -= share;
  }
  const all = newest.reduce((sum, { length }) => sum + length, 0);
  return {
    places: newest.map((rows, place) => rows.slice(0, shares[place])),
    leftOut: all - (MAX_EVIDENCE - left),
  };
}

/** Returns the states and the vehicle as these reads show them, most frequent first. */
export function describePlate(
  columns: ColumnsBuilder,
  rows: readonly number[],
): { states: string[]; vehicle: string } {
  const usual = (word: "state" | "color" | "make" | "bodyType") => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const text = wordAt(columns, word, row);
      if (text !== "") counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text);
  };
  const vehicle = [usual("color")[0], usual("make")[0], usual("bodyType")[0]].filter(Boolean).join(" ");
  return { states: usual("state"), vehicle };
}
