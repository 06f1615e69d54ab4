import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import type { InvestigationRequest } from "#app/entities/search/investigate/answer.ts";
import type { SourceProgram, SourceStatus } from "#app/entities/search/query.ts";
import { CaseNumber, type SearchRequest } from "#app/entities/search/request.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { clientText } from "#app/lib/json/values.ts";
import { counted, numberFromText } from "#app/lib/number-text.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";

const EXPORT_KINDS = ["pdf", "zip"] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** Maximum records per export: what one run of a queue consumer can process. */
export const MAX_EXPORT_RECORDS = 5000;

/** Exports with more records become a queued job, for callers that accept progress lines. */
export const INLINE_RECORDS: Record<ExportKind, number> = { pdf: 100, zip: 200 };

/** Maximum number of a user's exports that are waiting or running. All users share one queue. */
export const MAX_OPEN_EXPORTS = 5;

/** How long the exporter can download the file. */
export const EXPORT_LIFETIME_MS = 7 * DAY;

/** The message for a request with more records than an export may have. */
export const TOO_MANY_RECORDS = "An export has at most 5,000 records.";

/**
 * A field that identifies a record, as text. Values that are neither text nor number, and "N/A", count as missing.
 */
const WantedText = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
    return text === MESSAGES.missing ? "" : text;
  }),
);

/** The id of a read in lower case; an empty text if the value is not one of Odin's. */
const WantedId = z.pipe(
  z.unknown(),
  z.transform((value) => {
    if (value === null || value === "") return undefined;
    return typeof value === "string" && /^[0-9a-f]{32}$/i.test(value) ? value.toLowerCase() : "";
  }),
);

/**
 * A record to export: by its id or, without one of Odin's, by the documented fields that identify the read
 * (specification section 3, export record). No other field is read, and none of these is printed.
 */
const WantedRecord = z
  .object({
    id: z.optional(WantedId),
    plate: WantedText,
    /** ISO 8601 as POST /search-data returns it, even with fewer digits of the second; UTC without a zone. */
    timestamp: WantedText,
    camera_name: WantedText,
    agency: WantedText,
    source_program: WantedText,
  })
  .check(
    z.refine(({ id, plate }) => id !== "" || plate !== "", {
      error: "A record with an id that is not Odin's cannot be exported.",
    }),
  );
export type WantedRecord = z.infer<typeof WantedRecord>;

/** The body of POST /export-pdf and POST /export-zip (specification section 7). */
export const ExportRequest = z.object({
  records: z
    .array(WantedRecord, { error: MESSAGES.exportNothing })
    .check(z.minLength(1, MESSAGES.exportNothing), z.maxLength(MAX_EXPORT_RECORDS, TOO_MANY_RECORDS)),
  justification: z.string({ error: MESSAGES.justificationRequired }).check(
    z.maxLength(2000, "A justification has at most 2,000 characters."),
    z.refine((value) => visibleText(value) !== "", { error: MESSAGES.justificationRequired }),
  ),
  case_number: CaseNumber,
  /** The result set to look in; without it all live result sets of the caller, newest first. */
  result_id: z.pipe(
    clientText(z.string().check(z.maxLength(64))),
    z.transform((id) => id || undefined),
  ),
  /**
   * The zone of the file's name and of the times in it, which are printed in UTC as well; the agency's by default.
   */
  time_zone: z.pipe(
    clientText(
      z.string().check(
        z.maxLength(64),
        z.refine((zone) => zone === "" || isTimeZone(zone), { error: "Unknown time zone." }),
      ),
    ),
    z.transform((zone) => zone || undefined),
  ),
});
export type ExportRequest = z.infer<typeof ExportRequest>;

const Degrees = z.pipe(z.transform(numberFromText), z.number("These are not valid coordinates."));

/** The body of POST /generate-map-snapshot. */
export const MapSnapshotRequest = z.object({ latitude: Degrees, longitude: Degrees });
export type MapSnapshotRequest = z.infer<typeof MapSnapshotRequest>;

/** The state of an export. A queued or running export has no file yet; a canceled or failed one never has. */
export type ExportState = "queued" | "running" | "ready" | "failed" | "cancelled";

export type Export = {
  id: string;
  userId: string;
  agencyId: string;
  kind: ExportKind;
  state: ExportState;
  /** The name of the downloaded file. */
  name: string;
  justification: string;
  caseNumber: string;
  timeZone: string;
  records: number;
  /** Records written so far. */
  done: number;
  /** Images that are not in the file. */
  missing: number;
  bytes: number;
  sha256: string;
  /** Why it failed, as a text for the user. */
  message: string;
  createdAt: number;
  finishedAt: number | null;
  expiresAt: number;
};

/** An export as its exporter sees it. */
export type ExportSummary = Omit<Export, "userId" | "agencyId" | "timeZone">;

/** Returns an export as its user sees it, without the ids of user and agency and the time zone. */
export function summaryOf(one: Export): ExportSummary {
  const { userId: _, agencyId: __, timeZone: ___, ...summary } = one;
  return summary;
}

/** A progress line of a running export: one JSON object per line, if the caller accepts `application/x-ndjson`. */
export type ExportProgress =
  | { type: "started"; id: string; total: number }
  | { type: "record"; done: number; total: number }
  | { type: "queued"; id: string; total: number }
  | { type: "done"; export: ExportSummary }
  | { type: "failed"; message: string };

/** One exported record: the fields of the stored result, and where the vendor has its images. */
export type ExportRecord = Omit<ResultRow, "row" | "hasVehicleImage" | "hasPlateImage"> & {
  resultId: string;
  vehicleImage: string | null;
  plateImage: string | null;
};

/** A search whose results are exported, as the report describes it. */
export type ExportedQuery = {
  resultId: string;
  request: SearchRequest;
  /**
   * The place or convoy search whose evidence the results are. `request` is then only the form in which its results
   * open.
   */
  investigation?: InvestigationRequest;
  /** Number of selected agencies; the request itself lists the cameras of an Axis agency one by one. */
  agencies: number;
  searchedAt: number;
};

/**
 * Returns how many agencies a search queried; each program's agencies are counted by name, as in the search form.
 */
export function countAgencies(statuses: readonly Pick<SourceStatus, "program" | "agency">[]): number {
  return new Set(statuses.map(({ program, agency }) => `${program} ${agency}`)).size;
}

/**
 * Everything that goes into an export, stored apart from the result set, which may be deleted before the job runs.
 */
export type ExportInput = {
  exporter: { username: string; name: string; agency: string };
  queries: ExportedQuery[];
  records: ExportRecord[];
};

/** Returns `1 image missing` or `1,204 images missing`; an empty text if none is. */
export function missingText({ missing }: Pick<Export, "missing">): string {
  return missing === 0 ? "" : `${counted(missing, "image")} missing`;
}

/** An image that could not be fetched or shown, and why. */
export type MissingImage = { record: number; id: string; image: "vehicle" | "plate"; reason: string };

/** Returns `odin-report-2026-11-20.pdf` or `odin-export-2026-11-20.zip`, with the date in the exporter's zone. */
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

/** Returns the number of records per program, in order of appearance. */
export function countByProgram(records: readonly Pick<ExportRecord, "program">[]): [SourceProgram, number][] {
  const counts = new Map<SourceProgram, number>();
  for (const { program } of records) counts.set(program, (counts.get(program) ?? 0) + 1);
  return [...counts];
}

/** Returns the failure message of section 8: the server refused ("refused"), or the connection broke ("broken"). */
export function exportFailure(kind: ExportKind, what: "refused" | "broken"): string {
  if (kind === "pdf") return what === "refused" ? MESSAGES.exportPdfFailed : MESSAGES.exportPdfBroken;
  return what === "refused" ? MESSAGES.exportZipFailed : MESSAGES.exportZipBroken;
}

/** Who requested an export, for the audit row of an export that ends after its request. */
export type Requester = Pick<AuditEntry, "username" | "sessionId" | "ip" | "userAgent" | "service">;
