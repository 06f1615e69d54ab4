import { fromHex } from "#app/lib/crypto/encoding.ts";
import { decodeLocators, locatorsFile, locatorsText } from "./image-locators.ts";
import type { PlateMatch } from "./look-alikes.ts";
import { SOURCE_PROGRAMS } from "./query.ts";
import {
  COORDINATE_SCALE,
  type Columns,
  forWords,
  HAS_PLATE_IMAGE,
  HAS_VEHICLE_IMAGE,
  matchWord,
  NO_CONFIDENCE,
  NO_COORDINATE,
  rowAt,
  TIME_IS_ARRIVAL,
  WORDS,
  type Word,
  wordAt,
} from "./result-columns.ts";
import type { Sighting } from "./sighting.ts";

/**
 * Collects a result set on the server. Pages of reads are added in any order and stored as columns and bytes, because a
 * hundred thousand objects with their strings would not fit into an isolate of 128 MB.
 */

/** A missing coordinate of a plate's corner. */
const NO_CORNER = -0x80000000;

/** A result set in progress: columns with spare capacity, and what is needed to add rows. */
export type ColumnsBuilder = Columns & {
  words: Record<Word, Uint32Array>;
  capacity: number;
  seen: Set<string>;
  codes: Record<Word, Map<string, number>>;
  /** The text of each row's image locators, concatenated, and where each ends; saves a string per row. */
  locators: Uint8Array;
  locatorEnds: Uint32Array;
  /** Returns how a plate matches, in a search with look-alikes. */
  matchOf: ((plate: string) => PlateMatch | undefined) | undefined;
  /** Eight numbers per row, the corners of its plate; `NO_CORNER` if there are none. */
  corners: Int32Array;
};

/** Returns an empty result set. `matchOf` rates the plates of a search with look-alikes. */
export function createColumns(matchOf?: ColumnsBuilder["matchOf"]): ColumnsBuilder {
  const capacity = 1024;
  return {
    count: 0,
    capacity,
    ids: new Uint8Array(capacity * 16),
    times: new Float64Array(capacity),
    latitudes: new Int32Array(capacity),
    longitudes: new Int32Array(capacity),
    programs: new Uint8Array(capacity),
    confidences: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    words: forWords(() => new Uint32Array(capacity)),
    dictionaries: forWords(() => []),
    codes: forWords(() => new Map()),
    seen: new Set(),
    matchOf,
    locators: new Uint8Array(capacity * 64),
    locatorEnds: new Uint32Array(capacity),
    corners: new Int32Array(capacity * 8),
  };
}

function enlarge<T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from as never);
  return into;
}

function grow(builder: ColumnsBuilder): void {
  const capacity = builder.capacity * 2;
  builder.capacity = capacity;
  builder.ids = enlarge(builder.ids, new Uint8Array(capacity * 16));
  builder.times = enlarge(builder.times, new Float64Array(capacity));
  builder.latitudes = enlarge(builder.latitudes, new Int32Array(capacity));
  builder.longitudes = enlarge(builder.longitudes, new Int32Array(capacity));
  builder.programs = enlarge(builder.programs, new Uint8Array(capacity));
  builder.confidences = enlarge(builder.confidences, new Uint8Array(capacity));
  builder.flags = enlarge(builder.flags, new Uint8Array(capacity));
  builder.locatorEnds = enlarge(builder.locatorEnds, new Uint32Array(capacity));
  builder.corners = enlarge(builder.corners, new Int32Array(capacity * 8));
  for (const word of WORDS) builder.words[word] = enlarge(builder.words[word], new Uint32Array(capacity));
}

function fixedPoint(value: number | null): number {
  if (value === null || !(Math.abs(value) <= 2000)) return NO_COORDINATE;
  return Math.round(value * COORDINATE_SCALE);
}

/** Appends a page of reads, skipping reads whose id is known. Returns the number of new reads. */
export function appendSightings(builder: ColumnsBuilder, page: readonly Sighting[]): number {
  const before = builder.count;
  for (const sighting of page) {
    if (builder.seen.has(sighting.id)) continue;
    builder.seen.add(sighting.id);
    if (builder.count === builder.capacity) grow(builder);
    const row = builder.count++;
    builder.ids.set(fromHex(sighting.id), row * 16);
    builder.times[row] = sighting.capturedAt ?? Number.NaN;
    builder.latitudes[row] = fixedPoint(sighting.latitude);
    builder.longitudes[row] = fixedPoint(sighting.longitude);
    builder.programs[row] = SOURCE_PROGRAMS.indexOf(sighting.program);
    builder.confidences[row] = confidenceByte(sighting.confidence);
    builder.flags[row] =
      (sighting.vehicleImage === null ? 0 : HAS_VEHICLE_IMAGE) |
      (sighting.plateImage === null ? 0 : HAS_PLATE_IMAGE) |
      (sighting.timeIsArrival ? TIME_IS_ARRIVAL : 0);
    setWord(builder, "plate", row, sighting.plate);
    setWord(builder, "state", row, sighting.plateState);
    setWord(builder, "make", row, sighting.make);
    setWord(builder, "color", row, sighting.color);
    setWord(builder, "bodyType", row, sighting.bodyType);
    setWord(builder, "agency", row, sighting.agency);
    setWord(builder, "camera", row, sighting.cameraName);
    setWord(builder, "cameraId", row, sighting.cameraId ?? "");
    setWord(builder, "source", row, sighting.sourceId);
    const match = builder.matchOf?.(sighting.plate);
    setWord(builder, "match", row, match ? matchWord(match) : "");
    setLocators(builder, row, sighting);
    for (let i = 0; i < 8; i++) builder.corners[row * 8 + i] = sighting.plateCorners?.[i] ?? NO_CORNER;
  }
  return builder.count - before;
}

function confidenceByte(confidence: number | null): number {
  if (confidence === null || !(confidence >= 0)) return NO_CONFIDENCE;
  return Math.min(100, Math.round(confidence));
}

function setWord(builder: ColumnsBuilder, word: Word, row: number, text: string): void {
  let code = builder.codes[word].get(text);
  if (code === undefined) {
    code = builder.dictionaries[word].push(text) - 1;
    builder.codes[word].set(text, code);
  }
  builder.words[word][row] = code;
}

const encoder = new TextEncoder();

function setLocators(builder: ColumnsBuilder, row: number, sighting: Sighting): void {
  const text = locatorsText({
    sourceId: sighting.sourceId,
    vehicle: sighting.vehicleImage,
    plate: sighting.plateImage,
  });
  const start = row === 0 ? 0 : (builder.locatorEnds[row - 1] ?? 0);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (start + text.length * 3 > builder.locators.length) {
    const size = Math.ceil((builder.locators.length + text.length * 3) * 1.4);
    builder.locators = enlarge(builder.locators, new Uint8Array(size));
  }
  builder.locatorEnds[row] = start + encoder.encodeInto(text, builder.locators.subarray(start)).written;
}

/** Returns a new result set of these rows, in their order. Its dictionaries have only the words of these rows. */
export function pickRows(builder: ColumnsBuilder, rows: readonly number[]): ColumnsBuilder {
  const picked = createColumns();
  for (const row of rows) appendSightings(picked, [sightingAt(builder, row)]);
  return picked;
}

function sightingAt(builder: ColumnsBuilder, row: number): Sighting {
  const start = row === 0 ? 0 : builder.locatorEnds[row - 1];
  const { vehicle, plate } = decodeLocators(builder.locators.subarray(start, builder.locatorEnds[row]));
  const { capturedAt, latitude, longitude, confidence, timeIsArrival, ...read } = rowAt(builder, row);
  return {
    id: read.id,
    program: read.program,
    sourceId: read.sourceId,
    agency: read.agency,
    plate: read.plate,
    plateState: read.state,
    make: read.make,
    color: read.color,
    bodyType: read.bodyType,
    cameraName: read.camera,
    cameraId: wordAt(builder, "cameraId", row),
    vehicleImage: vehicle,
    plateImage: plate,
    plateCorners: cornersAt(builder, row),
    ...{ capturedAt, latitude, longitude, confidence, timeIsArrival },
  };
}

/** Returns the corners of a row's plate, x1, y1 to x4, y4, or null if the program gave none. */
export function cornersAt(builder: ColumnsBuilder, row: number): number[] | null {
  const corners = builder.corners.subarray(row * 8, row * 8 + 8);
  return corners.includes(NO_CORNER) ? null : [...corners];
}

/** Returns the locators file of a set, with rows in the given order. */
export function encodeLocators(builder: ColumnsBuilder, order: Uint32Array): Uint8Array<ArrayBuffer> {
  return locatorsFile(order, (row) =>
    builder.locators.subarray(row === 0 ? 0 : builder.locatorEnds[row - 1], builder.locatorEnds[row]),
  );
}
