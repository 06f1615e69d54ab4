// Converts reads to rows, sealing their fields and adding tags, and back. The fields of a sealed read are identified
// only by their order, which therefore never changes; new fields are added at the end.

import type { CarState, PassFacts } from "#app/entities/ingest/pass.ts";
import { PLATE_MAX_LENGTH } from "#app/entities/search/plate.ts";
import { degrees, millionths } from "#app/lib/degrees.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { openText, type ReadCipher, sealTexts } from "./cipher.ts";
import { openKeys, type PackedKeys, packKeys } from "./images.ts";
import type { AgencyKeys, ReadKeys } from "./keys.ts";
import { numberAt } from "./number-rows.ts";
import { type ReadTags, shortNames, type Tagged, type TagKind, tagQuery, tagReads } from "./tags.ts";

/** A read to store. `capturedAt` and `eventAt` are equal for the first event of a pass. */
export type NewRead = PassFacts & {
  capturedAt: number;
  agencyId: string;
  cameraId: string;
  cameraName: string;
  carId: string;
  /** `capturedAt` is the time of arrival: the camera sent none or a wrong one. */
  timeIsArrival?: boolean;
};

/** A sealed read, ready to be written. */
export type SealedRead = { read: NewRead; cipher: ReadCipher; row: Row; runs: number[] };

/** A row to be written, in the order of `COLUMNS`. */
type Row = (string | number)[];

/** The columns of `sealed_reads` that a read fills, in the order in which rows are written. */
export const COLUMNS = [
  "key_id",
  "pass_tag",
  "captured_at",
  "sealed",
  "plate_tag",
  "camera_tag",
  "make_tag",
  "color_tag",
  "body_tag",
  "state_tag",
  "low",
  "high",
] as const;
const SEALED = COLUMNS.indexOf("sealed");
const PLATE_TAG = COLUMNS.indexOf("plate_tag");
/** The columns that go with the runs of a plate. */
const RUN_COLUMNS = (["key_id", "plate_tag", "low", "high"] as const).map((column) =>
  COLUMNS.indexOf(column),
);

/** Added to times and to tags of 47, 31 and 23 bits, these give numbers of a fixed width. */
const [WIDE, CAMERA, WORD] = [2e15, 1e10, 1e7];
const BASES = [WIDE, WIDE, WIDE, 0, WIDE, CAMERA, WORD, WORD, WORD, WORD, WIDE, WIDE];

/** Returns a row as a fixed-width text, which SQLite cuts much faster than it parses nested JSON. */
function textOfRow(row: Row): string {
  let text = "";
  for (let i = 0; i < row.length; i++) if (i !== SEALED) text += (BASES[i] as number) + (row[i] as number);
  return text + row[SEALED];
}

/** Width of a wide number, and the SQL of the wide number that follows `others` wide numbers in a text. */
const DIGITS = String(WIDE).length;
const wideAt = (others: number) => `${numberAt(1 + others * DIGITS, DIGITS)} - ${WIDE}`;

/** SQL that unpacks what `rowsOf` binds into rows `j` with the columns. */
export const ROWS = `j AS MATERIALIZED (SELECT ${columnsOfText().join(", ")} FROM json_each(?))`;

function columnsOfText(): string[] {
  let at = 1;
  const columns = COLUMNS.map((column, i) => {
    if (i === SEALED) return "";
    const digits = String(BASES[i]).length;
    at += digits;
    return `${numberAt(at - digits, digits)} - ${BASES[i]} AS ${column}`;
  });
  return columns.with(SEALED, `substr(value, ${at}) AS sealed`);
}

/** Returns sealed reads as one value to bind. */
export function rowsOf(reads: SealedRead[]): string {
  return JSON.stringify(reads.map(({ row }) => textOfRow(row)));
}

function textOf(read: NewRead): string {
  return JSON.stringify([
    read.plate,
    read.plateState,
    read.make,
    read.color,
    read.bodyType,
    read.confidence,
    read.direction,
    millionths(read.latitude),
    millionths(read.longitude),
    read.carState,
    read.eventAt - read.capturedAt,
    read.cameraId,
    read.cameraName,
    read.carId,
    ...packKeys(read),
    ...(read.timeIsArrival ? [1] : []),
  ]);
}

type Fields = [
  plate: string,
  plateState: string,
  make: string,
  color: string,
  bodyType: string,
  confidence: number | null,
  direction: string,
  latitude: number | null,
  longitude: number | null,
  carState: CarState,
  eventAfter: number,
  cameraId: string,
  cameraName: string,
  carId: string,
  ...imageKeys: PackedKeys,
  timeIsArrival?: 1,
];

/** Opens a row. Throws if it was sealed with another key or for another capture time. */
export async function openRead(
  cipher: ReadCipher,
  row: { captured_at: number; sealed: string },
): Promise<NewRead> {
  const fields: Fields = JSON.parse(await openText(cipher, row.sealed, row.captured_at));
  return {
    agencyId: cipher.agencyId,
    capturedAt: row.captured_at,
    plate: fields[0],
    plateState: fields[1],
    make: fields[2],
    color: fields[3],
    bodyType: fields[4],
    confidence: fields[5],
    direction: fields[6],
    latitude: degrees(fields[7]),
    longitude: degrees(fields[8]),
    carState: fields[9],
    eventAt: row.captured_at + fields[10],
    cameraId: fields[11],
    cameraName: fields[12],
    carId: fields[13],
    ...openKeys({ capturedAt: row.captured_at, cameraId: fields[11] }, [fields[14], fields[15]]),
    ...(fields[16] === 1 && { timeIsArrival: true }),
  };
}

/** Returns the tags of the passes that events belong to, under one key. */
export async function passTags(cipher: ReadCipher, reads: NewRead[]): Promise<number[]> {
  const passes = passesOf(reads, await shortNames(reads.map(({ cameraId }) => cameraId)));
  const texts = passes.map(({ cars }): [TagKind, string] => ["pass", cars]);
  const [tags] = await tagQuery([cipher], { runs: [], features: [], texts });
  return passes.map(({ car }, i) => passTag(tags?.texts[i] as number, car));
}

/** Consecutive car numbers of a camera share a text in blocks of this size, so that the index keeps them together. */
const CARS = 4096;
type Pass = { cars: string; car: number };

/** Returns each read's block of cars and its number within the block. A car id that is not a count has its own text. */
function passesOf(reads: NewRead[], cameras: Map<string, string>): Pass[] {
  return reads.map(({ cameraId, carId }) => {
    const count = Number(carId);
    const isCount = Number.isSafeInteger(count) && count >= 0 && String(count) === carId;
    const cars = isCount ? Math.floor(count / CARS) : carId;
    return { cars: `${cars}|${cameras.get(cameraId)}`, car: isCount ? count % CARS : 0 };
  });
}

/** Returns the tag of a block with the car's number XORed into its last bits: the block's tag hides the number. */
function passTag(cars: number, car: number): number {
  const last = cars % CARS;
  return cars - last + (last ^ car);
}

function taggedOf(read: NewRead, { cars }: Pass): Tagged {
  return {
    plate: read.plate,
    pass: cars,
    camera: read.cameraId,
    make: read.make,
    color: read.color,
    body: read.bodyType,
    state: read.plateState,
  };
}

/** Seals reads with one key. Throws RangeError if a plate is too long or a capture time is not a whole number. */
export async function sealUnder(cipher: ReadCipher, reads: NewRead[]): Promise<SealedRead[]> {
  if (reads.some(({ plate }) => plate.length > PLATE_MAX_LENGTH))
    throw new RangeError(`a plate has at most ${PLATE_MAX_LENGTH} characters`);
  if (!reads.every(({ capturedAt }) => Number.isInteger(capturedAt) && Math.abs(capturedAt) < WIDE / 4))
    throw new RangeError("a capture time is a whole number of milliseconds");
  const passes = passesOf(reads, await shortNames(reads.map(({ cameraId }) => cameraId)));
  const [tags, sealed] = await Promise.all([
    tagReads(
      cipher,
      reads.map((read, i) => taggedOf(read, passes[i] as Pass)),
    ),
    sealTexts(
      cipher,
      reads.map((read) => ({ text: textOf(read), capturedAt: read.capturedAt })),
    ),
  ]);
  return reads.map((read, i) => {
    const { pass, plate, camera, make, color, body, state, bits, runs } = tags[i] as ReadTags;
    const text = sealed[i] as string;
    const ofPass = passTag(pass, (passes[i] as Pass).car);
    const row = [cipher.id, ofPass, read.capturedAt, text, plate, camera, make, color, body, state, ...bits];
    return { read, cipher, row, runs };
  });
}

/** Seals reads with the keys of their days, creating missing keys. Returns them in their order. */
export async function sealReads(keys: ReadKeys, reads: NewRead[]): Promise<SealedRead[]> {
  const cipherOf = await ciphersOf(keys, reads);
  const byCipher = Map.groupBy(reads.keys(), (i) => {
    const { agencyId, capturedAt } = reads[i] as NewRead;
    return cipherOf(agencyId, utcDay(capturedAt));
  });
  const sealed: SealedRead[] = [];
  await Promise.all(
    [...byCipher].map(async ([cipher, places]) => {
      const own = await sealUnder(
        cipher,
        places.map((i) => reads[i] as NewRead),
      );
      for (const [n, i] of places.entries()) sealed[i] = own[n] as SealedRead;
    }),
  );
  return sealed;
}

/** Returns the keys of the days of reads, or of the days that `dayOf` returns. */
export async function ciphersOf(
  keys: ReadKeys,
  reads: Pick<NewRead, "agencyId" | "capturedAt">[],
  dayOf = (read: Pick<NewRead, "capturedAt">) => utcDay(read.capturedAt),
): Promise<(agencyId: string, day: number) => ReadCipher> {
  const found = new Map<string, Map<number, ReadCipher>>();
  const days = new Map<string, Set<number>>();
  for (const read of reads) days.set(read.agencyId, (days.get(read.agencyId) ?? new Set()).add(dayOf(read)));
  await Promise.all(
    [...days].map(async ([agencyId, wanted]) => {
      const own = [...wanted];
      const ring: AgencyKeys = await keys.forDays(agencyId, own);
      const ciphers = own.map(async (day) => [day, (await ring.ofDay(day)) as ReadCipher] as const);
      found.set(agencyId, new Map(await Promise.all(ciphers)));
    }),
  );
  return (agencyId, day) => found.get(agencyId)?.get(day) as ReadCipher;
}

const INSERT_ROWS = 4000;
/** D1 binds texts of up to two million bytes. */
const INSERT_BYTES = 1_400_000;

/** Chunks of rows that are written in one step. */
const STEP_CHUNKS = 4;

/**
 * Yields steps of chunks of sealed reads; the rows of a chunk are one bound value. Reads are sorted by plate tag, so
 * that each page of the plate index is written once per step.
 */
export function* stepsOf(reads: SealedRead[]): Generator<SealedRead[][]> {
  let step: SealedRead[][] = [];
  for (const chunk of chunksOf(reads.toSorted((a, b) => plateTagOf(a) - plateTagOf(b)))) {
    if (step.length === STEP_CHUNKS) {
      yield step;
      step = [];
    }
    step.push(chunk);
  }
  if (step.length > 0) yield step;
}

const plateTagOf = ({ row }: SealedRead) => row[PLATE_TAG] as number;

function* chunksOf(reads: SealedRead[]): Generator<SealedRead[]> {
  let chunk: SealedRead[] = [];
  let bytes = 0;
  for (const read of reads) {
    // Digits and base64: one byte per character.
    const size = (read.row[SEALED] as string).length + 160;
    if (chunk.length === INSERT_ROWS || (chunk.length > 0 && bytes + size > INSERT_BYTES)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(read);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Aborts its transaction if a key is closed: the agency of a key must not be NULL. */
const PUT_KEYS = `INSERT INTO read_keys (id, agency_id, day)
  SELECT value ->> 0, CASE WHEN c.id IS NULL THEN value ->> 1 END, value ->> 2
  FROM json_each(?)
  LEFT JOIN closed_keys AS c ON c.id = value ->> 0
  WHERE true
  ON CONFLICT (id) DO NOTHING`;

/** Returns whether a write failed because a key of its reads is about to be destroyed, or was. */
export const isKeyClosed = (error: unknown) => brokenConstraint(error) === "read_keys.agency_id";

/**
 * Writes the runs of plates that have no read under the key yet, because those of others were
 * written in the same step; or, for reads that are tagged again, of plates that have one. Two plates may have one tag:
 * the features tell them apart. Query plan: one lookup in sealed_reads_plate per plate.
 */
const putRunsOf = (exists: "NOT EXISTS" | "EXISTS") => `WITH p AS MATERIALIZED (
    SELECT ${wideAt(0)} AS key_id, ${wideAt(1)} AS plate_tag, ${wideAt(2)} AS low, ${wideAt(3)} AS high,
      substr(value, ${1 + 4 * DIGITS}) AS runs
    FROM json_each(?))
  INSERT OR IGNORE INTO plate_runs (key_id, run, plate_tag)
  SELECT p.key_id, run.value, p.plate_tag
  FROM p
  CROSS JOIN json_each(p.runs) AS run
  WHERE ${exists} (
    SELECT 1
    FROM sealed_reads AS r INDEXED BY sealed_reads_plate
    WHERE r.key_id = p.key_id AND r.plate_tag = p.plate_tag
      ${exists === "NOT EXISTS" ? "AND r.low = p.low AND r.high = p.high" : ""})
  ORDER BY p.key_id, run.value, p.plate_tag`;

/** Returns the statements that must precede the rows of these reads in the same step: their keys and runs. */
export function putKeysAndRuns(database: D1Database, reads: SealedRead[]): D1PreparedStatement[] {
  const keys = new Map(reads.map(({ cipher: { id, agencyId, day } }) => [id, [id, agencyId, day]] as const));
  return [database.prepare(PUT_KEYS).bind(JSON.stringify([...keys.values()])), putRuns(database, reads)];
}

/** Returns the statement that writes the runs of plates that have no read under the key yet, or that have one. */
export function putRuns(
  database: D1Database,
  reads: Pick<SealedRead, "cipher" | "row" | "runs">[],
  exists: "NOT EXISTS" | "EXISTS" = "NOT EXISTS",
): D1PreparedStatement {
  const values = reads.map(({ row, runs }) => {
    let text = "";
    for (const column of RUN_COLUMNS) text += WIDE + (row[column] as number);
    return `${text}[${runs.join()}]`;
  });
  return database.prepare(putRunsOf(exists)).bind(JSON.stringify([...new Set(values)]));
}
