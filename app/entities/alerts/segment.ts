/**
 * The rule by which hits leave the database for a segment: old hits of one group in an encrypted object. The functions
 * apply to archived hits in JavaScript the conditions that SQL applies to hits in the database. Pure.
 */

import { globMatches } from "#app/entities/search/plate.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { AlertFilter, AlertKey, Disposition } from "./hit.ts";

/** Days that every hit stays in the database. Longer than QUALITY_DAYS, so that hit quality never reads the archive. */
export const HITS_ONLINE_DAYS = 91;
/** Days after which hits leave even if they do not fill a segment. */
export const HITS_LATEST_DAYS = 120;
/** Maximum number of hits in a segment. A page of a history opens one or two segments. */
export const SEGMENT_HITS = 500;

/**
 * Returns the instant before which hits may leave the database, and the one before which they leave even if they do not
 * fill a segment. Images are purged after `imageDays`; hits with images stay, so that older ones need not be read again.
 */
export function archivedBefore(now: number, imageDays: number): { before: number; latest: number } {
  const days = Math.max(HITS_ONLINE_DAYS, imageDays + 1);
  const before = now - days * DAY;
  return { before, latest: before - (HITS_LATEST_DAYS - HITS_ONLINE_DAYS) * DAY };
}

/** A part of a group's hits that left the database. Times and counts are those of its hits. */
export type AlertSegment = {
  number: number;
  groupId: string;
  agencyId: string;
  objectKey: string;
  sealedKey: string;
  minCapturedAt: number;
  maxCapturedAt: number;
  minCreatedAt: number;
  maxCreatedAt: number;
  minDispositionAt: number | null;
  maxDispositionAt: number | null;
  /** Excludes hits that returned to the database. */
  hits: number;
  cameras: [id: string, name: string, createdAt: number][];
  cases: [caseNumber: string, createdAt: number][];
};

/** The columns of a segment's row that describe its hits. */
export type SegmentContent = Omit<
  AlertSegment,
  "number" | "groupId" | "agencyId" | "objectKey" | "sealedKey" | "hits"
>;

/** The fields of a hit that a segment's row is computed from. */
type ArchivedFields = AlertKey & {
  createdAt: number;
  dispositionAt: number | null;
  cameraId: string;
  cameraName: string;
  caseNumber: string;
};

/** Returns the columns of a segment's row that describe these hits. At least one hit is required. */
export function contentOf(hits: readonly ArchivedFields[]): SegmentContent {
  const cameras = new Map<string, [id: string, name: string, createdAt: number]>();
  const cases = new Map<string, number>();
  for (const { cameraId, cameraName, createdAt, caseNumber } of hits) {
    if (createdAt > (cameras.get(cameraId)?.[2] ?? Number.NEGATIVE_INFINITY))
      cameras.set(cameraId, [cameraId, cameraName, createdAt]);
    const number = storedCase(caseNumber);
    cases.set(number, Math.min(createdAt, cases.get(number) ?? Number.POSITIVE_INFINITY));
  }
  const captured = hits.map(({ capturedAt }) => capturedAt);
  const created = hits.map(({ createdAt }) => createdAt);
  const judged = hits.flatMap(({ dispositionAt }) => dispositionAt ?? []);
  return {
    minCapturedAt: Math.min(...captured),
    maxCapturedAt: Math.max(...captured),
    minCreatedAt: Math.min(...created),
    maxCreatedAt: Math.max(...created),
    minDispositionAt: judged.length > 0 ? Math.min(...judged) : null,
    maxDispositionAt: judged.length > 0 ? Math.max(...judged) : null,
    cameras: [...cameras.values()],
    cases: [...cases],
  };
}

/** Returns a case number as SQLite's `lower(trim(…))` does, which the retention of hits in the database compares. */
function storedCase(caseNumber: string): string {
  return caseNumber.replace(/^ +| +$/g, "").replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns whether a hit expired before an instant, and its case is not held. */
export function isExpired(
  hit: { createdAt: number; caseNumber: string },
  { before, heldCases }: { before: number; heldCases: ReadonlySet<string> },
): boolean {
  return hit.createdAt < before && (hit.caseNumber === "" || !heldCases.has(storedCase(hit.caseNumber)));
}

/** The fields of a hit that a filter compares. */
export type FilteredFields = {
  plate: string;
  listedPlate: string;
  program: SourceProgram;
  cameraId: string;
  capturedAt: number;
  disposition: Disposition | null;
};

/** Returns whether a hit passes the filter of a history. */
export function passesFilter(hit: FilteredFields, filter: AlertFilter): boolean {
  const { plate, program, camera, from, until, disposition } = filter;
  return (
    (program === "" || hit.program === program) &&
    (camera === "" || hit.cameraId === camera) &&
    (from === null || hit.capturedAt >= from) &&
    (until === null || hit.capturedAt <= until) &&
    (disposition === "" || (hit.disposition ?? "none") === disposition) &&
    (plate === "" || globMatches(plate, hit.plate) || globMatches(plate, hit.listedPlate))
  );
}

/** Orders hits as a history does: by the time of the read, then by id, oldest first. */
export function oldestFirst(a: AlertKey, b: AlertKey): number {
  return a.capturedAt - b.capturedAt || (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);
}
