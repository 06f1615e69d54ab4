// The texts of a report's cover, as labels and values. The layout is in pdf.ts.

import {
  countByProgram,
  type Export,
  type ExportedQuery,
  type ExportInput,
  type ExportRecord,
  type MissingImage,
} from "#app/entities/exports/request.ts";
import { isoTime } from "#app/lib/time/dates.ts";

export type CoverRow = { label: string; text: string };

export function coverRows(input: {
  export: Export;
  made: ExportInput;
  timeText: (at: number) => string;
  /** The missing images as a text. */
  missing: string;
  /** The patterns as a text, "" without one. */
  patterns: string;
  attribution: string;
}): CoverRow[] {
  const { made, timeText, missing, patterns, attribution } = input;
  const one = input.export;
  const { exporter, records, queries } = made;
  const programs = countByProgram(records).map(([program, count]) => `${count} ${program}`);
  return [
    { label: "Agency", text: exporter.agency },
    { label: "Exported by", text: `${exporter.name} (${exporter.username})` },
    { label: "Exported at", text: `${timeText(one.createdAt)} (${isoTime(one.createdAt)})` },
    { label: "Case number", text: one.caseNumber || "None given" },
    { label: "Justification", text: one.justification.replace(/\r\n?/g, "\n") },
    ...queries.map((query, i) => ({
      label: queries.length === 1 ? "Search" : `Search ${i + 1}`,
      text: queryText(query, timeText),
    })),
    { label: "Records", text: `${records.length} (${programs.join(", ")})` },
    ...(patterns === "" ? [] : [{ label: "Patterns", text: patterns }]),
    { label: "Missing images", text: missing },
    { label: "Report", text: one.id },
    {
      label: "Integrity",
      text:
        "Each JPEG is embedded unchanged, each PNG with identical pixels. The SHA-256 below an image is the hash of the " +
        "file that the source sent. " +
        "This file is signed: Odin's page /verify shows whether it was changed. " +
        "Its SHA-256 is kept in Odin's audit log and in the exporter's list of exports.",
    },
    {
      label: "Reading",
      text:
        "A plate read is the result of automatic recognition. Verify plate and state before action. " +
        `Times are given in ${one.timeZone === "UTC" ? "UTC" : `${one.timeZone} and in UTC`}.`,
    },
    { label: "Maps", text: attribution },
  ];
}

function queryText(
  { request, agencies, searchedAt }: ExportedQuery,
  timeText: (at: number) => string,
): string {
  const marks = Object.entries(request.filters).flatMap(([mark, on]) => (on ? mark.replace("_", " ") : []));
  const asked = [
    request.plate === "" ? "any plate" : `plate ${request.plate.toUpperCase()}`,
    request.plate_state && `state ${request.plate_state}`,
    request.vehicle_color && `color ${request.vehicle_color}`,
    request.vehicle_make && `make ${request.vehicle_make}`,
    request.vehicle_body_type && `body type ${request.vehicle_body_type}`,
    ...marks,
  ].filter(Boolean);
  return [
    `${asked.join(", ")}; ${agencies} ${agencies === 1 ? "agency" : "agencies"}`,
    `from ${timeText(Date.parse(request.start_time))} to ${timeText(Date.parse(request.end_time))}`,
    `searched at ${timeText(searchedAt)}`,
    `justification: ${request.justification}${request.case_number ? ` (case ${request.case_number})` : ""}`,
  ].join("\n");
}

/** Returns one line of the list of missing images. */
export function describeMissing(missing: MissingImage, record: ExportRecord | undefined): string {
  const plate = record?.plate || "no plate";
  const what = missing.image === "vehicle" ? "vehicle image" : "plate image";
  return `Record ${missing.record} (${plate}, ${missing.id}), ${what}: ${missing.reason}`;
}
