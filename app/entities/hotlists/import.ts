/** Imports of hotlist files: what may be chosen, how far one is, and what its rows mean for the list in force. */

/** Layouts that can be chosen for a file; their data are in hotlist-headings.ts and hotlist-presets.ts. */
export const IMPORT_PRESETS = [
  {
    value: "auto",
    label: "Detect automatically",
    hint: "If the layout is not known, you choose what each column is",
  },
  {
    value: "columns",
    label: "Choose the columns",
    hint: "You see the first rows and choose what each column is",
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
  { value: "simple", label: "One plate per line", hint: "You give the reason for all of them" },
  {
    value: "ncic",
    label: "NCIC fixed width",
    hint: "VEHEXTRT.txt extract, also of North Carolina and Pennsylvania",
  },
  { value: "alabama", label: "Alabama", hint: "9 columns, no header" },
  { value: "california", label: "California DOJ CLEW", hint: "svs.tbl, sfr.tbl, slr.tbl; fixed width" },
  { value: "colorado", label: "Colorado CCIC", hint: "Fixed width" },
  { value: "collect", label: "Connecticut COLLECT", hint: "DMV fixed width, 202 characters a line" },
  { value: "florida", label: "Florida stolen plates and vehicles", hint: "15 columns with semicolons" },
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
  { value: "michigan", label: "Michigan", hint: "NCIC fixed width with the list's name from position 66" },
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

/** What a preset is called; the text itself where it is none. */
export function presetLabel(preset: string): string {
  return IMPORT_PRESETS.find(({ value }) => value === preset)?.label ?? preset;
}

/** A choice of layout: a preset, or `mapping:` and the id of a mapping that the agency has saved. */
export const SAVED_PREFIX = "mapping:";

export const IMPORT_MODES = [
  { value: "add", label: "Add Plates" },
  { value: "replace", label: "Replace All Plates" },
] as const;
export type ImportMode = (typeof IMPORT_MODES)[number]["value"];

/** Largest file in bytes: what Cloudflare takes as one request, with a little room. */
export const IMPORT_MAX_BYTES = 95 * 1024 * 1024;
/** What POST /groups/{id}/bulk-upload-plates takes at once. */
export const BULK_MAX_BYTES = 20 * 1024 * 1024;
export const BULK_MAX_ROWS = 100_000;
/** Rows of each kind that are kept for looking at; the counts go on. */
export const ISSUES_KEPT = 2000;

export type ImportState =
  | "reading"
  /** The layout is not known: somebody has to say what each column is. */
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
  /** Bytes that have been read. */
  offset: number;
  preset: string;
  /** What the layout is called that the file is read with; empty where it is not known yet. */
  layout_name: string;
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
