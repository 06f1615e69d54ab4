import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import type { SourceProgram, SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { numberFromText } from "#app/lib/number-text.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";

const EXPORT_KINDS = ["pdf", "zip"] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Most records of one export: what fits one run of a queue's consumer. */
export const MAX_EXPORT_RECORDS = 5000;

/** From so many records on an export becomes a job, for callers that ask for progress and can wait for one. */
export const INLINE_RECORDS: Record<ExportKind, number> = { pdf: 100, zip: 200 };

/** How long the exporter may fetch the file again. */
export const EXPORT_LIFETIME_MS = 7 * DAY;

export const TOO_MANY_RECORDS = "An export has at most 5,000 records.";

/** A field that a record is found by, as text; what is neither text nor number is missing, and so is "N/A". */
const WantedText = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
    return text === MESSAGES.missing ? "" : text;
  }),
);

/**
 * A record to export: by its id, or, without one, by the documented fields that say which read it is (specification
 * section 3, export record). No other field is read, and none of these is printed.
 */
const WantedRecord = z.object({
  id: z.optional(
    z.nullable(
      z
        .string()
        .check(z.regex(/^[0-9a-f]{32}$/, "A record with an id that is not Odin's cannot be exported.")),
    ),
  ),
  plate: WantedText,
  /** ISO 8601 as POST /search-data gives it; without a zone it is UTC. */
  timestamp: WantedText,
  camera_name: WantedText,
  agency: WantedText,
  source_program: WantedText,
});
export type WantedRecord = z.infer<typeof WantedRecord>;

/** The call of POST /export-pdf and POST /export-zip (specification section 7). */
export const ExportRequest = z.object({
  records: z
    .array(WantedRecord, { error: MESSAGES.exportNothing })
    .check(z.minLength(1, MESSAGES.exportNothing), z.maxLength(MAX_EXPORT_RECORDS, TOO_MANY_RECORDS)),
  justification: z.string({ error: MESSAGES.justificationRequired }).check(
    z.maxLength(2000, "A justification has at most 2,000 characters."),
    z.refine((value) => visibleText(value) !== "", { error: MESSAGES.justificationRequired }),
  ),
  case_number: z._default(z.string().check(z.trim(), z.maxLength(64)), ""),
  /** The result set to look in; without it the caller's living sets are looked through, newest first. */
  result_id: z.optional(z.string().check(z.maxLength(64))),
  /** The zone of the file's name and of the times in it, which are given in UTC as well; the agency's by default. */
  time_zone: z.optional(
    z.string().check(z.maxLength(64), z.refine(isTimeZone, { error: "Unknown time zone." })),
  ),
});
export type ExportRequest = z.infer<typeof ExportRequest>;

const Degrees = z.pipe(z.transform(numberFromText), z.number("These are no coordinates of a place."));

/** The call of POST /generate-map-snapshot. */
export const MapSnapshotRequest = z.object({ latitude: Degrees, longitude: Degrees });
export type MapSnapshotRequest = z.infer<typeof MapSnapshotRequest>;

/** Where an export stands. A queued or running one has no file yet; nothing is left of a cancelled or failed one. */
export type ExportState = "queued" | "running" | "ready" | "failed" | "cancelled";

export type Export = {
  id: string;
  userId: string;
  agencyId: string;
  kind: ExportKind;
  state: ExportState;
  /** The name under which it is saved. */
  name: string;
  justification: string;
  caseNumber: string;
  timeZone: string;
  records: number;
  /** Records that are written so far. */
  done: number;
  /** Images that could not be had. */
  missing: number;
  bytes: number;
  sha256: string;
  /** Why it failed, in words for the user. */
  message: string;
  createdAt: number;
  finishedAt: number | null;
  expiresAt: number;
};

/** What the exporter sees of an export. */
export type ExportSummary = Omit<Export, "userId" | "agencyId" | "timeZone">;

export function summaryOf(one: Export): ExportSummary {
  const { userId: _, agencyId: __, timeZone: ___, ...summary } = one;
  return summary;
}

/** A line of an export that runs, one JSON object a line, when the caller accepts `application/x-ndjson`. */
export type ExportProgress =
  | { type: "started"; id: string; total: number }
  | { type: "record"; done: number; total: number }
  | { type: "queued"; id: string; total: number }
  | { type: "done"; export: ExportSummary }
  | { type: "failed"; message: string };

/** One record as it is exported: what the stored result has, and where its images are with the vendor. */
export type ExportRecord = Omit<ResultRow, "row" | "hasVehicleImage" | "hasPlateImage"> & {
  resultId: string;
  vehicleImage: string | null;
  plateImage: string | null;
};

/** A search whose results are exported, as the report tells it. */
export type ExportedQuery = {
  resultId: string;
  request: SearchRequest;
  /** Agencies that were selected; the request lists the cameras of an Axis agency one by one. */
  agencies: number;
  searchedAt: number;
};

/** How many agencies a search asked, each program's counted by its name as the search form does. */
export function countAgencies(statuses: readonly Pick<SourceStatus, "program" | "agency">[]): number {
  return new Set(statuses.map(({ program, agency }) => `${program} ${agency}`)).size;
}

/** Everything that an export is made of, kept apart from the result set, which may be purged before a job runs. */
export type ExportInput = {
  exporter: { username: string; name: string; agency: string };
  queries: ExportedQuery[];
  records: ExportRecord[];
};

/** An image that could not be had or not be shown, and why. */
export type MissingImage = { record: number; id: string; image: "vehicle" | "plate"; reason: string };

/** `odin-report-2026-11-20.pdf`, `odin-export-2026-11-20.zip`: the prefix, then the exporter's date. */
export function exportName(kind: ExportKind, at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  const prefix = kind === "pdf" ? "odin-report" : "odin-export";
  return `${prefix}-${part("year")}-${part("month")}-${part("day")}.${kind}`;
}

/** How many records each program gave, in the programs' order of appearance. */
export function countByProgram(records: readonly Pick<ExportRecord, "program">[]): [SourceProgram, number][] {
  const counts = new Map<SourceProgram, number>();
  for (const { program } of records) counts.set(program, (counts.get(program) ?? 0) + 1);
  return [...counts];
}

/** Failures of an export in the words of section 8: the server said no, or something broke on the way. */
export function exportFailure(kind: ExportKind, what: "refused" | "broken"): string {
  if (kind === "pdf") return what === "refused" ? MESSAGES.exportPdfFailed : MESSAGES.exportPdfBroken;
  return what === "refused" ? MESSAGES.exportZipFailed : MESSAGES.exportZipBroken;
}
