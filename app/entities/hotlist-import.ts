/** Imports of hotlist files: what may be chosen, how far one is, and what its rows mean for the list in force. */

export const IMPORT_PRESETS = [
  {
    value: "odin",
    label: "Odin CSV",
    hint: "Our template: plate, state, reason, notes, expiry, case number",
  },
  { value: "rekor", label: "Rekor Scout CSV", hint: "Plate Number, Description, State/Province" },
  { value: "flock", label: "Flock-style CSV", hint: "plate, reason, caseNumber, state, expiry, note" },
  {
    value: "genetec",
    label: "Genetec",
    hint: "Category; PlateState; PlateNumber; EffectiveDate; ExpiryDate",
  },
  { value: "ncic", label: "NCIC fixed width", hint: "VEHEXTRT.txt extract, first line is its header" },
  { value: "collect", label: "Connecticut COLLECT", hint: "DMV fixed width, 202 characters a line" },
] as const;
export type ImportPreset = (typeof IMPORT_PRESETS)[number]["value"];

export const IMPORT_MODES = [
  { value: "add", label: "Add Plates" },
  { value: "replace", label: "Replace All Plates" },
] as const;
export type ImportMode = (typeof IMPORT_MODES)[number]["value"];

/** Largest file in bytes: what Cloudflare takes as one request, with a little room. */
export const IMPORT_MAX_BYTES = 95 * 1024 * 1024;
/** What POST /groups/{id}/bulk-upload-plates takes at once. */
export const BULK_MAX_BYTES = 10 * 1024 * 1024;
export const BULK_MAX_ROWS = 20_000;
/** Rows of each kind that are kept for looking at; the counts go on. */
export const ISSUES_KEPT = 2000;

export type ImportState =
  | "reading"
  | "comparing"
  | "ready"
  | "renewing"
  | "applied"
  | "cancelling"
  | "cancelled"
  | "failed";

export type ImportCounts = {
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
  /** Bytes that have been read. */
  offset: number;
  preset: ImportPreset;
  mode: ImportMode;
  on_conflict: "keep" | "replace";
  state: ImportState;
  message: string;
  started_by: string;
  created_at: string;
  applied_at: string | null;
  issues: ImportIssue[];
};

/** Whether an import still changes by itself. */
export function isImportBusy(state: ImportState): boolean {
  return ["reading", "comparing", "renewing", "cancelling"].includes(state);
}

/** What a file's row is to the list: an entry of the list in force, or one that this import staged before. */
export type ExistingEntry = {
  id: number;
  digest: number;
  /** Staged by this import, or found by it in the file before. */
  ofThisImport: boolean;
};

export type RowOutcome = "add" | "keep" | "change" | "conflict" | "repeat" | "repeat-conflict";

/**
 * What becomes of one row. A plate that stands twice in a file counts once, as it stood first. Where the list says
 * something else of a plate, `replace` takes the file's word and `keep` the list's.
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
  return onConflict === "replace" ? "change" : "conflict";
}
