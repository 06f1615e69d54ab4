import { ARRIVAL_TIME_NOTE } from "#app/entities/search/result-columns.ts";
import { withoutFormula } from "#app/lib/text.ts";
import { jsonParts } from "#app/lib/text-pieces.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import type { ExportInput, ExportRecord, MissingImage } from "./request.ts";

/** The manifest of a ZIP archive; `manifest.sig` is a signature of exactly these bytes. */
type ExportManifest = {
  schema: "odin-export";
  schema_version: 1;
  export_id: string;
  created_at: string;
  time_zone: string;
  exporter: { username: string; name: string; agency: string };
  justification: string;
  case_number: string;
  /** With `tool` for the evidence of a place or convoy search. */
  queries: { result_id: string; searched_at: string; tool?: "places" | "convoy"; request: unknown }[];
  records: { number: number; id: string; source_program: string }[];
  missing: { record: number; id: string; image: "vehicle" | "plate"; reason: string }[];
  files: ManifestFile[];
  signature: { algorithm: "ECDSA-P256-SHA256"; key_version: number; file: "manifest.sig" };
};

export type ManifestFile = { name: string; bytes: number; sha256: string };

/** An image in the archive. */
export type ArchivedImage = { file: string; sha256: string };

/**
 * Returns one row of records.csv and records.json: the ZIP's export record (specification section 3), with images
 * as files.
 */
export function archivedRecord(input: {
  number: number;
  record: ExportRecord;
  justification: string;
  vehicle: ArchivedImage | undefined;
  plate: ArchivedImage | undefined;
}) {
  const { number, record, justification, vehicle, plate } = input;
  return {
    number,
    id: record.id,
    plate: record.plate,
    plate_state: record.state,
    make: record.make,
    color: record.color,
    body_type: record.bodyType,
    timestamp: record.capturedAt === null ? null : isoTime(record.capturedAt),
    timestamp_note: record.timeIsArrival ? ARRIVAL_TIME_NOTE : null,
    camera_name: record.camera,
    agency: record.agency,
    latitude: record.latitude,
    longitude: record.longitude,
    confidence: record.confidence,
    source_program: record.program,
    justification,
    vehicle_image: vehicle?.file ?? null,
    vehicle_image_sha256: vehicle?.sha256 ?? null,
    plate_image: plate?.file ?? null,
    plate_image_sha256: plate?.sha256 ?? null,
  };
}
export type ArchivedRecord = ReturnType<typeof archivedRecord>;

/** The columns of the CSV file of an archive, in their order. */
export const ARCHIVE_COLUMNS = [
  "number",
  "id",
  "plate",
  "plate_state",
  "make",
  "color",
  "body_type",
  "timestamp",
  "timestamp_note",
  "camera_name",
  "agency",
  "latitude",
  "longitude",
  "confidence",
  "source_program",
  "justification",
  "vehicle_image",
  "vehicle_image_sha256",
  "plate_image",
  "plate_image_sha256",
] as const satisfies readonly (keyof ArchivedRecord)[];

/**
 * Returns a line of CSV. A text that a spreadsheet would run as a formula gets a leading apostrophe (ASVS 1.2.10);
 * numbers stay numbers.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const inert = withoutFormula(value);
    return /[",\r\n]/.test(inert) || inert !== inert.trim() ? `"${inert.replaceAll('"', '""')}"` : inert;
  });
  return `${cells.join(",")}\r\n`;
}

const EXTENSIONS: Record<string, string> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** Returns a file's name within the archive: number, plate and kind, without characters that form paths. */
export function imageFile(
  number: number,
  record: ExportRecord,
  image: { kind: string; type: string },
): string {
  const plate = record.plate.replace(/[^A-Za-z0-9]/g, "").slice(0, 12) || "no-plate";
  const digits = String(number).padStart(4, "0");
  return `images/${digits}-${plate}-${image.kind}.${EXTENSIONS[image.type] ?? "bin"}`;
}

/** Yields the text of the manifest in parts, none of which holds a whole list. */
export function* manifestParts(input: {
  exportId: string;
  createdAt: number;
  timeZone: string;
  justification: string;
  caseNumber: string;
  input: ExportInput;
  missing: readonly MissingImage[];
  files: Iterable<ManifestFile>;
  keyVersion: number;
}): Generator<string> {
  const { input: made, missing, files } = input;
  const manifest: Manifest<ExportManifest> = {
    schema: "odin-export",
    schema_version: 1,
    export_id: input.exportId,
    created_at: isoTime(input.createdAt),
    time_zone: input.timeZone,
    exporter: made.exporter,
    justification: input.justification,
    case_number: input.caseNumber,
    queries: made.queries.map(({ resultId, request, investigation, searchedAt }) => ({
      result_id: resultId,
      searched_at: isoTime(searchedAt),
      ...(investigation && { tool: investigation.tool }),
      request: { ...request, ...investigation?.request },
    })),
    records: recordLines(made.records),
    missing: missing.values(),
    files,
    signature: { algorithm: "ECDSA-P256-SHA256", key_version: input.keyVersion, file: "manifest.sig" },
  };
  yield* jsonParts(manifest);
}

/** A manifest whose lists are generated item by item. */
type Manifest<T> = { [K in keyof T]: T[K] extends (infer Item)[] ? Iterable<Item> : T[K] };

function* recordLines(records: readonly ExportRecord[]): Generator<ExportManifest["records"][number]> {
  for (const [i, { id, program }] of records.entries()) yield { number: i + 1, id, source_program: program };
}
