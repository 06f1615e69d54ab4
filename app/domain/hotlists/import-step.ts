// One block of a hotlist file: read, parsed, compared with the list, staged. The results of a block are written in one
// batch with the cursor behind it, so a block counts once even if it is read again.

import type { AppContext } from "#app/context.ts";
import { entryDigest } from "#app/entities/hotlists/entry.ts";
import { ignoredHeadings } from "#app/entities/hotlists/headings.ts";
import {
  APPLIED_WITHIN_MS,
  type ExistingEntry,
  IMPORT_PRESETS,
  type ImportIssue,
  type ImportPreset,
  ISSUES_KEPT,
  listedSince,
  outcomeOf,
  presetLabel,
  renewedExpiry,
  UPLOAD_INTERRUPTED,
} from "#app/entities/hotlists/import.ts";
import { type FileLayout, filledFrom, type HotlistLayout } from "#app/entities/hotlists/layout.ts";
import { isSkipped, readRow } from "#app/entities/hotlists/layout-read.ts";
import { layoutOfPreset, recognize, type Sample } from "#app/entities/hotlists/recognize.ts";
import { readFileStart } from "#app/entities/hotlists/sample.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { at, chunksOf } from "#app/lib/at.ts";
import { notTextReason, readRecords, type TextRecord } from "#app/lib/files/records.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { listStoredEntries } from "#app/store/hotlists/import-windows.ts";
import {
  endEntries,
  findExisting,
  insertIssues,
  keepEntries,
  readImportFile,
  type StoredImport,
  updateImport,
} from "#app/store/hotlists/imports.ts";
import { listMappings } from "#app/store/hotlists/mappings.ts";
import {
  insertStagedEntries,
  type NewEntry,
  type StagedEntry,
  stagedRow,
} from "#app/store/hotlists/plates.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { findAgency } from "#app/store/users/agencies.ts";

/** Bytes that one step reads: few enough that other queries, such as those of hits, wait well under a second. */
export const BLOCK = 128 * 1024;
const MAX_ROWS = 2_000_000;
/** Entries of the list that one query reads with their notes. */
const FILLED = 2500;

type Draft = { line: number; entry: NewEntry; stated: number | null };

/**
 * Reads `block` bytes. Reports the number of its queries to `spend`. Returns a user-facing message if the whole file is refused,
 * otherwise undefined.
 */
export async function readStep(
  app: AppContext,
  row: StoredImport,
  { block = BLOCK, spend = () => {} }: { block?: number; spend?: (queries: number) => void } = {},
): Promise<string | undefined> {
  const length = Math.min(block, row.size - row.offset);
  const bytes = await readImportFile(app.imports, row.id, { offset: row.offset, length });
  if (!bytes || bytes.length !== length) return "The uploaded file is no longer available. Upload it again.";
  const found = await layoutFor(app, row, bytes);
  if (found.problem !== undefined) return found.problem;
  if (!found.file) return askForColumns(app, row);
  const { file } = found;
  const final = row.offset + length >= row.size;
  const { offset, line, skipping } = row;
  const { records, cursor } = readRecords({
    bytes,
    cursor: { offset, line, skipping },
    format: { ...file.format, delimiter: file.layout.delimiter },
    final,
  });
  const rows = (row.offset === 0 ? records.slice(file.layout.header) : records).filter(
    ({ fields, tooLong }) => tooLong || !isSkipped(file.layout, fields),
  );
  if (row.rows + rows.length > MAX_ROWS) return "The file has more than two million rows. Split it.";
  const now = app.clock();
  // The queries for the mappings and the agency.
  spend(2);
  const agency = await findAgency(app.db, row.agencyId);
  const zone = agency?.policy.time_zone ?? DEFAULT_POLICY.time_zone;
  const { drafts, issues } = draftsOf(rows, { file, row, now: row.createdAt, zone });
  const staged = await compareRows(app, row, { drafts, layout: file.layout }, spend);
  issues.push(...staged.issues);
  const kept = issues.filter(({ kind }) => countOf(row, kind) < ISSUES_KEPT).slice(0, ISSUES_KEPT);
  const author = { id: row.userId, name: row.userName, agency: row.agencyName };
  const done = final && cursor.offset >= row.size;
  const statements: [Statement, ...Statement[]] = [
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: ["reading"],
      at: now,
      set: {
        layout: file,
        offset: cursor.offset,
        line: cursor.line,
        skipping: cursor.skipping,
        ...(done && { state: row.mode === "replace" ? "comparing" : "ready" }),
      },
      add: {
        rows: rows.length,
        added: staged.added,
        unchanged: staged.keep.length,
        conflicting: staged.conflicting,
        rejected: issues.filter(({ kind }) => kind === "rejected").length,
        repeated: issues.filter(({ kind }) => kind === "repeated").length,
      },
    }),
    ...jsonChunks(staged.keep).map(({ json }) => keepEntries(app.db, { version: row.version, kept: json })),
    ...(staged.end.length > 0
      ? [endEntries(app.db, { version: row.version, ids: JSON.stringify(staged.end) })]
      : []),
    ...jsonChunks(staged.insert.map(stagedRow)).map(({ json }) =>
      insertStagedEntries(app.db, {
        groupId: row.groupId,
        rows: json,
        author,
        at: row.createdAt,
        version: row.version,
      }),
    ),
    ...(kept.length > 0 ? [insertIssues(app.db, row.id, kept)] : []),
  ];
  spend(statements.length);
  await inOneStep(app.db, statements);
  return undefined;
}

function countOf(row: StoredImport, kind: ImportIssue["kind"]): number {
  return kind === "rejected" ? row.rejected : kind === "repeated" ? row.repeated : row.conflicting;
}

/** The layout is not recognized: the import waits for the mapping step. */
async function askForColumns(app: AppContext, row: StoredImport): Promise<undefined> {
  await inOneStep(app.db, [
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: ["reading"],
      at: app.clock(),
      set: { state: "mapping" },
    }),
  ]);
}

type Found = { problem: string; file?: undefined } | { problem?: undefined; file: KnownFile | null };
type KnownFile = FileLayout & { format: NonNullable<FileLayout["format"]> };

/** Returns the layout to read a file with; null if the user has to map the columns. */
async function layoutFor(app: AppContext, row: StoredImport, bytes: Uint8Array): Promise<Found> {
  // Stored by an older version with other layouts.
  if (row.layout && !row.layout.layout)
    return { problem: "Odin was updated in the meantime. Upload the file again." };
  if (row.layout?.format) return { file: { ...row.layout, format: row.layout.format } };
  const refused = notTextReason(bytes.subarray(0, 4096));
  if (refused) return { problem: refused };
  const { sample, newline, encoding } = readFileStart(bytes, bytes.length === row.size);
  const format = { newline, encoding };
  if (row.layout) return { file: { ...row.layout, format } };
  if (sample(null).length === 0) return { problem: "The first line cannot be read." };
  // A list of plates without reasons: the mapping step asks for one.
  if (row.preset === "columns" || row.preset === "simple") return { file: null };
  if (row.preset === "auto") {
    const known = recognize(sample, await listMappings(app.db, row.agencyId));
    return { file: known ? { ...known, ignored: ignoredIn(known.layout, sample), format } : null };
  }
  const { layout, problem, needsColumns } = layoutOfPreset(presetNamed(row.preset), sample);
  if (needsColumns) return { file: null };
  if (problem !== undefined) return { problem };
  return { file: { layout, label: presetLabel(row.preset), ignored: ignoredIn(layout, sample), format } };
}

/** Returns the headings whose columns a recognized layout ignores. Users chose what a mapping ignores. */
function ignoredIn(layout: HotlistLayout, sample: Sample): string[] {
  const isByHeadings = layout.width !== undefined && layout.headings === undefined;
  return isByHeadings ? ignoredHeadings(layout, sample(layout.delimiter)[0] ?? []) : [];
}

/** Returns the preset of an import. Options with an unknown preset were refused when it started. */
function presetNamed(name: string): ImportPreset {
  const preset = IMPORT_PRESETS.find(({ value }) => value === name);
  if (!preset) throw new Error("The import has no known preset.");
  return preset.value;
}

function draftsOf(
  records: readonly TextRecord[],
  { file, row, now, zone }: { file: FileLayout; row: StoredImport; now: number; zone: string },
): { drafts: Draft[]; issues: ImportIssue[] } {
  const drafts: Draft[] = [];
  const issues: ImportIssue[] = [];
  for (const { fields, line, tooLong } of records) {
    if (tooLong) {
      const reason = "The row is too long, or a quote in it is never closed.";
      issues.push({ kind: "rejected", line, plate: "", reason });
      continue;
    }
    const read = readRow(file.layout, fields, { now, zone });
    if (read.problem !== undefined) {
      issues.push({ kind: "rejected", line, plate: read.plate, reason: read.problem });
      continue;
    }
    const { entry, expires } = read.row;
    const stated = expires === "" ? null : Date.parse(expires);
    drafts.push({
      line,
      stated,
      entry: { ...entry, expiresAt: stated ?? row.expiresAt, digest: entryDigest(entry), attachmentId: null },
    });
  }
  return { drafts, issues };
}

type Sorted = {
  insert: StagedEntry[];
  /** Entries of the list that the file confirms, with their new expiry. */
  keep: [id: number, expiresAt: number | null][];
  end: number[];
  added: number;
  conflicting: number;
  issues: ImportIssue[];
};

/** Compares rows with the list and with the rows staged before. */
async function compareRows(
  app: AppContext,
  row: StoredImport,
  { drafts, layout }: { drafts: Draft[]; layout: HotlistLayout },
  spend: (queries: number) => void,
): Promise<Sorted> {
  const listed = await findExistingEntries(app, row, drafts, spend);
  // With Replace All, the list contains only what the file says.
  if (row.mode === "add") await fillDrafts(app, { drafts, listed, layout }, spend);
  const sorted: Sorted = { insert: [], keep: [], end: [], added: 0, conflicting: 0, issues: [] };
  for (const draft of drafts) sortDraft(sorted, { draft, listed, row });
  // Inserting in index order makes the database change far fewer pages.
  sorted.insert.sort((a, b) => (a.plate < b.plate ? -1 : a.plate > b.plate ? 1 : 0));
  return sorted;
}

const keyOf = (entry: NewEntry) => `${entry.plate}|${entry.state}`;

/** The list's entries for the plates of a block, by plate and state. */
type Listed = {
  existing: Map<string, ExistingEntry[]>;
  /** Removed from the list after the file was uploaded. */
  removed: Set<string>;
};

async function findExistingEntries(
  app: AppContext,
  row: StoredImport,
  drafts: Draft[],
  spend: (queries: number) => void,
): Promise<Listed> {
  const existing = new Map<string, ExistingEntry[]>();
  const removed = new Set<string>();
  // An upload is applied in the same request. Others wait for a user.
  const isUpload = row.message === UPLOAD_INTERRUPTED;
  const lapsesBy = isUpload ? row.createdAt : app.clock() + APPLIED_WITHIN_MS;
  for (const part of chunksOf(drafts, 10_000)) {
    const keys = JSON.stringify(part.map(({ entry }) => [entry.plate, entry.state]));
    const { groupId, version, createdAt: now } = row;
    spend(1);
    for (const found of await findExisting(app.db, { groupId, version, keys, now })) {
      const key = keyOf(at(part, found.row).entry);
      if (found.removed === 1) {
        removed.add(key);
        continue;
      }
      const list = existing.get(key) ?? [];
      if (!list.some(({ id }) => id === found.id))
        list.push({
          ...found,
          ofThisImport: found.mine === 1,
          expired: found.expired === 1,
          lapses: found.expiresAt !== null && found.expiresAt <= lapsesBy,
        });
      existing.set(key, list);
    }
  }
  return { existing, removed };
}

/** Fills in, for drafts that differ from the list, the fields for which their file has no columns. */
async function fillDrafts(
  app: AppContext,
  { drafts, listed, layout }: { drafts: Draft[]; listed: Listed; layout: HotlistLayout },
  spend: (queries: number) => void,
): Promise<void> {
  const differing = drafts.flatMap((draft) => {
    const found = listed.existing.get(keyOf(draft.entry)) ?? [];
    const before = found.find(({ ofThisImport }) => !ofThisImport) ?? found[0];
    return !before || found.some(({ digest }) => digest === draft.entry.digest) ? [] : [{ draft, before }];
  });
  for (const part of chunksOf(differing, FILLED)) {
    spend(1);
    const entries = await listStoredEntries(app.db, JSON.stringify(part.map(({ before }) => before.id)));
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const { draft, before } of part) {
      const stored = byId.get(before.id);
      const filled = stored && filledFrom(stored, draft.entry, layout);
      if (filled) draft.entry = { ...draft.entry, ...filled, digest: entryDigest(filled) };
    }
  }
}

/** Sorts one row by its outcome, and adds it to `listed` for the rows after it. */
function sortDraft(
  sorted: Sorted,
  { draft, listed, row }: { draft: Draft; listed: Listed; row: StoredImport },
): void {
  const { entry, line, stated } = draft;
  const { existing, removed } = listed;
  const key = keyOf(entry);
  const listedEntries = existing.get(key) ?? [];
  const outcome = outcomeOf(entry.digest, listedEntries, row.onConflict);
  const issue = (kind: ImportIssue["kind"], reason: string) =>
    sorted.issues.push({ kind, line, plate: entry.plate, reason });
  if (outcome === "add" && removed.has(key)) {
    sorted.conflicting += 1;
    issue("conflicting", "Was removed from the list after the file was uploaded. It stays removed.");
    return;
  }
  const expiresAt = stated ?? renewedExpiry(listedEntries, row.expiresAt);
  const used = `The file's version is used${row.mode === "add" ? " for what it has columns for" : ""}.`;
  const stagedEntry = { ...entry, id: 0, listedAt: 0, ofThisImport: true, expired: false, lapses: false };
  switch (outcome) {
    case "repeat":
      issue("repeated", "Duplicate of an earlier row in the file.");
      break;
    case "repeat-conflict":
      sorted.conflicting += 1;
      issue(
        "conflicting",
        "Differs from an earlier row for this plate in the file. The earlier row is used.",
      );
      break;
    case "conflict":
      sorted.conflicting += 1;
      issue("conflicting", "Differs from the plate on the list. The list's version is kept.");
      break;
    case "keep":
      sorted.keep.push([listedEntries.find(({ digest }) => digest === entry.digest)?.id ?? 0, expiresAt]);
      existing.set(key, [stagedEntry, ...listedEntries]);
      break;
    case "change":
      sorted.conflicting += 1;
      issue(
        "conflicting",
        listedEntries.every(({ lapses }) => lapses)
          ? `Differs from the plate on the list, which has expired or expires within a day. ${used}`
          : `Differs from the plate on the list. ${used}`,
      );
      sorted.end.push(...listedEntries.map(({ id }) => id));
      sorted.insert.push({
        ...entry,
        expiresAt,
        // Files have no attachments, so that of the listed entry is kept.
        attachmentId: listedEntries.find(({ attachmentId }) => attachmentId !== null)?.attachmentId ?? null,
        listedAt: listedSince(listedEntries),
      });
      existing.set(key, [stagedEntry]);
      break;
    case "add":
      sorted.added += 1;
      sorted.insert.push({ ...entry, listedAt: null });
      existing.set(key, [stagedEntry]);
      break;
  }
}
