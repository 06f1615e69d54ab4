// One block of a hotlist file: read, parsed, held against the list, staged. Whatever a block comes to is written in
// one batch with the cursor behind it, so that a block counts once however often it is read.

import type { AppContext } from "#app/context.ts";
import { entryDigest } from "#app/entities/hotlist.ts";
import { delimitersOf, type FileLayout, layoutOf, readRow } from "#app/entities/hotlist-formats.ts";
import {
  type ExistingEntry,
  type ImportIssue,
  type ImportPreset,
  ISSUES_KEPT,
  outcomeOf,
} from "#app/entities/hotlist-import.ts";
import { notTextReason, readRecords, sniffFormat, type TextRecord } from "#app/lib/records.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  endEntries,
  findExisting,
  insertIssues,
  keepEntries,
  readImportFile,
  type StoredImport,
  updateImport,
} from "#app/store/hotlist-imports.ts";
import { entryRow, insertStagedEntries, type NewEntry } from "#app/store/hotlists.ts";

/** Bytes that one step reads. */
const BLOCK = 512 * 1024;
const MAX_ROWS = 2_000_000;
/** A bound text may have two million bytes. */
const JSON_BYTES = 1_200_000;

type Draft = { line: number; entry: NewEntry; stated: number | null };

/** Reads one block. Gives why the whole file is refused, in the user's words, or undefined where it was read. */
export async function readStep(app: AppContext, row: StoredImport): Promise<string | undefined> {
  const length = Math.min(BLOCK, row.size - row.offset);
  const bytes = await readImportFile(app.imports, row.id, { offset: row.offset, length });
  if (!bytes || bytes.length !== length) return "The uploaded file is gone. Upload it again.";
  const layout = row.layout ?? layoutFor(row.preset as ImportPreset, bytes);
  if (typeof layout === "string") return layout;
  const final = row.offset + length >= row.size;
  const { offset, line, skipping } = row;
  const { records, cursor } = readRecords({
    bytes,
    cursor: { offset, line, skipping },
    format: layout,
    final,
  });
  const rows = row.offset === 0 && layout.header ? records.slice(1) : records;
  if (row.rows + rows.length > MAX_ROWS) return "The file has more than two million rows. Split it.";
  const now = app.clock();
  const { drafts, issues } = draftsOf(rows, { layout, row, now: row.createdAt });
  const staged = await sort(app, row, drafts);
  issues.push(...staged.issues);
  const kept = issues.filter(({ kind }) => countOf(row, kind) < ISSUES_KEPT).slice(0, ISSUES_KEPT);
  const author = { id: row.userId, name: row.userName, agency: row.agencyName };
  const done = final && cursor.offset >= row.size;
  await inOneStep(app.db, [
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: ["reading"],
      at: now,
      set: {
        layout,
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
    ...(staged.keep.length > 0
      ? [keepEntries(app.db, { version: row.version, kept: JSON.stringify(staged.keep) })]
      : []),
    ...(staged.end.length > 0
      ? [endEntries(app.db, { version: row.version, ids: JSON.stringify(staged.end) })]
      : []),
    ...chunksOf(staged.insert).map((json) =>
      insertStagedEntries(app.db, {
        groupId: row.groupId,
        rows: json,
        author,
        at: row.createdAt,
        version: row.version,
      }),
    ),
    ...(kept.length > 0 ? [insertIssues(app.db, row.id, kept)] : []),
  ] as [Statement, ...Statement[]]);
  return undefined;
}

function countOf(row: StoredImport, kind: ImportIssue["kind"]): number {
  return kind === "rejected" ? row.rejected : kind === "repeated" ? row.repeated : row.conflicting;
}

function layoutFor(preset: ImportPreset, start: Uint8Array): FileLayout | string {
  const refused = notTextReason(start.subarray(0, 4096));
  if (refused) return refused;
  const text = new TextDecoder("windows-1252").decode(start.subarray(0, 65_536));
  const delimiters = delimitersOf(preset);
  const sniffed = sniffFormat(text, delimiters ?? [","]);
  const format = { newline: sniffed.newline, delimiter: delimiters === null ? null : sniffed.delimiter };
  const { records } = readRecords({
    bytes: start,
    cursor: { offset: 0, line: 1, skipping: false },
    format,
    final: true,
  });
  const [first] = records;
  if (!first || first.tooLong) return "The first line cannot be read.";
  const found = layoutOf(preset, first.fields, format);
  return found.layout ?? found.problem;
}

function draftsOf(
  records: readonly TextRecord[],
  { layout, row, now }: { layout: FileLayout; row: StoredImport; now: number },
): { drafts: Draft[]; issues: ImportIssue[] } {
  const drafts: Draft[] = [];
  const issues: ImportIssue[] = [];
  for (const { fields, line, tooLong } of records) {
    if (tooLong) {
      const reason = "The row is too long, or a quote in it is never closed.";
      issues.push({ kind: "rejected", line, plate: "", reason });
      continue;
    }
    const read = readRow(layout, fields, now);
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
  insert: NewEntry[];
  /** Entries of the list that the file has too, and when they then end. */
  keep: [id: number, expiresAt: number | null][];
  end: number[];
  added: number;
  conflicting: number;
  issues: ImportIssue[];
};

/** Holds rows against the list and what was staged before. */
async function sort(app: AppContext, row: StoredImport, drafts: Draft[]): Promise<Sorted> {
  const existing = new Map<string, ExistingEntry[]>();
  const keyOf = (entry: NewEntry) => `${entry.plate}|${entry.state}`;
  for (let from = 0; from < drafts.length; from += 10_000) {
    const part = drafts.slice(from, from + 10_000);
    const keys = JSON.stringify(part.map(({ entry }) => [entry.plate, entry.state]));
    for (const found of await findExisting(app.db, { groupId: row.groupId, version: row.version, keys })) {
      const key = keyOf((part[found.row] as Draft).entry);
      const list = existing.get(key) ?? [];
      if (!list.some(({ id }) => id === found.id))
        list.push({ id: found.id, digest: found.digest, ofThisImport: found.mine === 1 });
      existing.set(key, list);
    }
  }
  const sorted: Sorted = { insert: [], keep: [], end: [], added: 0, conflicting: 0, issues: [] };
  for (const { entry, line } of drafts) {
    const key = keyOf(entry);
    const there = existing.get(key) ?? [];
    const outcome = outcomeOf(entry.digest, there, row.onConflict);
    const issue = (kind: ImportIssue["kind"], reason: string) =>
      sorted.issues.push({ kind, line, plate: entry.plate, reason });
    const mine = { id: 0, digest: entry.digest, ofThisImport: true };
    switch (outcome) {
      case "repeat":
        issue("repeated", "It stands in the file before, with the same words.");
        break;
      case "repeat-conflict":
        sorted.conflicting += 1;
        issue("conflicting", "It stands in the file before, with other words; those count.");
        break;
      case "conflict":
        sorted.conflicting += 1;
        issue("conflicting", "The list has it with other words and keeps them.");
        break;
      case "keep":
        sorted.keep.push([there.find(({ digest }) => digest === entry.digest)?.id ?? 0, entry.expiresAt]);
        existing.set(key, [mine, ...there]);
        break;
      case "change":
        sorted.conflicting += 1;
        issue("conflicting", "The list has it with other words; the file's will count.");
        sorted.end.push(...there.map(({ id }) => id));
        sorted.insert.push(entry);
        existing.set(key, [mine]);
        break;
      case "add":
        sorted.added += 1;
        sorted.insert.push(entry);
        existing.set(key, [mine]);
        break;
    }
  }
  // Neighbours in the list's indexes go in one after the other, which spares the database most of its page changes.
  sorted.insert.sort((a, b) => (a.plate < b.plate ? -1 : a.plate > b.plate ? 1 : 0));
  return sorted;
}

/** Rows as JSON texts of which each is one bound value. */
function chunksOf(entries: NewEntry[]): string[] {
  const chunks: string[] = [];
  let rows: string[] = [];
  let size = 0;
  for (const entry of entries) {
    const text = JSON.stringify(entryRow(entry));
    // A character has at most three bytes of UTF-8 in JavaScript's count.
    const bytes = /^[ -~]*$/.test(text) ? text.length : text.length * 3;
    if (size + bytes > JSON_BYTES) {
      chunks.push(`[${rows.join(",")}]`);
      [rows, size] = [[], 0];
    }
    rows.push(text);
    size += bytes + 1;
  }
  if (rows.length > 0) chunks.push(`[${rows.join(",")}]`);
  return chunks;
}
