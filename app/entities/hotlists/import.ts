/** Imports of hotlist files: options, status, and the effect of each row on the list in force. */

import { DAY, HOUR } from "#app/lib/time/dates.ts";

/** Layouts that can be chosen for a file. Their data is in headings.ts and presets.ts. */
export const IMPORT_PRESETS = [
  {
    value: "auto",
    label: "Detect automatically",
    hint: "If the layout is not recognized, you choose the columns",
  },
  {
    value: "columns",
    label: "Choose the columns",
    hint: "Preview the first rows and choose each column",
  },
  {
    value: "odin",
    label: "Odin CSV",
    hint: "Our template: plate, state, reason, notes, expiry, case number",
  },
  { value: "rekor", label: "Rekor Scout CSV", hint: "Plate Number, Description, State/Province" },
  { value: "flock", label: "Flock-style CSV", hint: "plate, reason, caseNumber, state, expiry, note" },
  { value: "vigilant", label: "Vigilant CSV", hint: "Plate, State, Alert" },
  {
    value: "genetec",
    label: "Genetec",
    hint: "Category; PlateState; PlateNumber; EffectiveDate; ExpiryDate",
  },
  { value: "simple", label: "One plate per line", hint: "You enter one reason for all plates" },
  {
    value: "ncic",
    label: "NCIC fixed width",
    hint: "VEHEXTRT.txt extract, also used by North Carolina and Pennsylvania",
  },
  { value: "alabama", label: "Alabama", hint: "9 columns, no header" },
  { value: "california", label: "California DOJ CLEW", hint: "svs.tbl, sfr.tbl, slr.tbl; fixed width" },
  { value: "colorado", label: "Colorado CCIC", hint: "Fixed width" },
  { value: "collect", label: "Connecticut COLLECT", hint: "DMV fixed width, 202 characters per line" },
  {
    value: "florida",
    label: "Florida stolen plates and vehicles",
    hint: "15 columns separated by semicolons",
  },
  { value: "florida-license", label: "Florida DMV, expired license", hint: "FlExpiredLicense.txt" },
  { value: "florida-tag", label: "Florida DMV, expired tag", hint: "FlExpiredTag.txt" },
  { value: "florida-sanctioned", label: "Florida DMV, sanctioned driver", hint: "FlSanctionedDriver.txt" },
  { value: "florida-offender", label: "Florida DMV, sex offender", hint: "FlSexOffender.txt" },
  { value: "georgia", label: "Georgia", hint: "Plate, state and reason in the first column" },
  { value: "illinois-leads", label: "Illinois LEADS", hint: "Fixed width" },
  { value: "illinois-sos", label: "Illinois Secretary of State", hint: "Fixed width" },
  { value: "indiana", label: "Indiana DMV", hint: "21 columns; names and addresses are not imported" },
  { value: "iowa", label: "Iowa", hint: "7 columns" },
  { value: "kansas", label: "Kansas", hint: "Plate, state, # and text" },
  { value: "topeka", label: "Kansas, Topeka PD", hint: "12 columns, NCIC file code first" },
  { value: "michigan", label: "Michigan", hint: "NCIC fixed width with the list name from position 66" },
  { value: "minnesota", label: "Minnesota NCIC", hint: "12 columns, record number first" },
  { value: "new-jersey", label: "New Jersey MVC", hint: "Fixed width, code E or S" },
  { value: "new-york", label: "New York", hint: "Fixed width, code at position 16" },
  { value: "ohio", label: "Ohio LEADS", hint: "Separated by spaces" },
  { value: "texas-ncic", label: "Texas NCIC", hint: "11 columns" },
  { value: "texas-tcic", label: "Texas TCIC", hint: "8 columns" },
  { value: "ncic-wa", label: "Washington NCIC", hint: "Fixed width, file code at position 3" },
  { value: "washington-stolen", label: "Washington stolen vehicles", hint: "Lines begin with EVS" },
] as const;
export type ImportPreset = (typeof IMPORT_PRESETS)[number]["value"];

/** Returns the label of a preset, or the text itself if it is not a preset. */
export function presetLabel(preset: string): string {
  return IMPORT_PRESETS.find(({ value }) => value === preset)?.label ?? preset;
}

/** A choice of layout is a preset, or this prefix and the id of the agency's saved mapping. */
export const SAVED_PREFIX = "mapping:";

/** What a file does to the list: adds to it, or becomes the whole list (specification section 9). */
export const IMPORT_MODES = [
  { value: "add", label: "Add Plates" },
  { value: "replace", label: "Replace All Plates" },
] as const;
export type ImportMode = (typeof IMPORT_MODES)[number]["value"];

/** Largest file in bytes: just under Cloudflare's request limit of 100 MB. */
export const IMPORT_MAX_BYTES = 95 * 1024 * 1024;
/** Limits of POST /groups/{id}/bulk-upload-plates. */
export const BULK_MAX_BYTES = 20 * 1024 * 1024;
export const BULK_MAX_ROWS = 100_000;
/** Maximum number of rows of each kind that are stored for review. The counts include all rows. */
export const ISSUES_KEPT = 2000;

/**
 * The message of an upload in one request while its import is open. If the request dies, no user decides on the import,
 * so the sweep ends it with this message.
 */
export const UPLOAD_INTERRUPTED = "The upload was interrupted. Nothing was changed. Send the file again.";

/** Returns the message on a page whose import has ended while a newer one of its group is waiting for its columns. */
export function importReplaced(fileName: string): string {
  return `The import that this page showed has ended. Now ${fileName} is waiting for its columns.`;
}

/** A dry run that is neither applied nor canceled is canceled after this time. */
export const READY_LIFETIME_MS = DAY;
/** The latest time after reading at which an import can still be applied: a cron job then cancels it. */
export const APPLIED_WITHIN_MS = READY_LIFETIME_MS + HOUR;

export type ImportState =
  | "reading"
  /** The layout is not recognized: the user has to map the columns. */
  | "mapping"
  | "comparing"
  | "ready"
  | "renewing"
  | "applied"
  | "cancelling"
  | "cancelled"
  | "failed";

type ImportCounts = {
  rows: number;
  added: number;
  unchanged: number;
  conflicting: number;
  removed: number;
  rejected: number;
  repeated: number;
};

export type IssueKind = "rejected" | "conflicting" | "repeated";
export type ImportIssue = { kind: IssueKind; line: number; plate: string; reason: string };

/** An import as its screen shows it. */
export type ImportStatus = ImportCounts & {
  id: string;
  group_id: string;
  file_name: string;
  size: number;
  /** Bytes read so far. */
  offset: number;
  preset: string;
  /** Name of the layout that the file is read with; empty until it is known. */
  layout_name: string;
  /** Headings of columns that are not read, because no field has such a heading. */
  ignored_columns: string[];
  mode: ImportMode;
  on_conflict: "keep" | "replace";
  state: ImportState;
  message: string;
  started_by: string;
  created_at: string;
  applied_at: string | null;
  issues: ImportIssue[];
};

/** Returns a sentence about the columns that an import ignores. */
export function ignoredText(headings: readonly string[]): string {
  const names = headings.map((heading) => `"${heading}"`).join(", ");
  return `Ignored column${headings.length === 1 ? "" : "s"}: ${names}.`;
}

/** Returns whether an import still advances without user input. */
export function isImportBusy(state: ImportState): boolean {
  return ["reading", "comparing", "renewing", "cancelling"].includes(state);
}

/** An entry with the same plate and state as a row of the file: in force, or staged by this import. */
export type ExistingEntry = {
  id: number;
  digest: number;
  /** Staged by this import, or already matched by an earlier row of the file. */
  ofThisImport: boolean;
  /** On the list, but no longer matched. */
  expired: boolean;
  /** Expired, or expires before the latest time at which the import is applied. */
  lapses: boolean;
  listedAt: number;
  expiresAt: number | null;
  attachmentId: string | null;
};

export type RowOutcome = "add" | "keep" | "change" | "conflict" | "repeat" | "repeat-conflict";

/**
 * Returns the effect of one row. A plate that appears twice in a file counts once; its first row applies. If the list
 * has different content for a plate, `replace` uses the file's and `keep` the list's, unless the list's entry will have
 * expired, because a plate that the file names is watched.
 */
export function outcomeOf(
  digest: number,
  existing: readonly ExistingEntry[],
  onConflict: "keep" | "replace",
): RowOutcome {
  const before = existing.find((entry) => entry.ofThisImport);
  if (before) return before.digest === digest ? "repeat" : "repeat-conflict";
  if (existing.length === 0) return "add";
  if (existing.some((entry) => entry.digest === digest)) return "keep";
  return onConflict === "replace" || existing.every(({ lapses }) => lapses) ? "change" : "conflict";
}

/**
 * Returns the time since which a plate with these entries has been matched without a break; null if all have expired.
 */
export function listedSince(existing: readonly ExistingEntry[]): number | null {
  const times = existing.filter(({ expired }) => !expired).map(({ listedAt }) => listedAt);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Returns the expiry of a plate with these entries whose row in the file states none: the later one of the list and of
 * the agency's policy, null for never. One that has passed does not count. Without a policy the one of the list stays,
 * unless it will have passed when the import is applied.
 */
export function renewedExpiry(existing: readonly ExistingEntry[], policy: number | null): number | null {
  const counting = existing.filter(({ expired, lapses }) => !(policy === null ? lapses : expired));
  const times = counting.map(({ expiresAt }) => expiresAt);
  if (times.length === 0) return policy;
  return times.includes(null) ? null : Math.max(...times.map(Number), policy ?? 0);
}
