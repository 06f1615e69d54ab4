import { believableTime } from "#app/entities/ingest/read-time.ts";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import type { ResultColumns } from "#app/entities/search/result-columns.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { fieldTime, instantAt, type RangeEdge } from "#app/lib/time/wall-clock.ts";

/** Columns that can be filtered by one of their values. */
export const PICKED = ["match", "state", "color", "make", "bodyType", "agency", "camera"] as const;
export type Picked = (typeof PICKED)[number];

/** The filter of a result, shared by the table and the map. */
export type ResultFilter = {
  /** Every term must occur in the plate, the camera or the agency, ignoring case; in the plate without the term's hyphens. */
  text: string;
  program: SourceProgram | null;
  /** The value that a column must have; "" selects reads without a value. */
  picked: Partial<Record<Picked, string>>;
  /** Epoch milliseconds, both ends inclusive. With either set, reads without a valid time are excluded. */
  from: number | null;
  to: number | null;
};

export const NO_FILTER: ResultFilter = { text: "", program: null, picked: {}, from: null, to: null };

export function isFiltering(filter: ResultFilter): boolean {
  return (
    filter.text.trim() !== "" ||
    filter.program !== null ||
    filter.from !== null ||
    filter.to !== null ||
    Object.keys(filter.picked).length > 0
  );
}

/**
 * Returns the time of the filter that a typed one means; undefined for an invalid one. Reads are shown without fractions
 * of a second, so an end includes its whole second.
 */
export function filterTime(text: string, edge: RangeEdge, zone?: string): number | undefined {
  const at = instantAt(text, edge, zone);
  return at === undefined || edge === "start" ? at : at + SECOND - 1;
}

/**
 * Returns the text that a field of the filter's time should have, or undefined if its text already means that time. A
 * time that is not completely typed means none, and stays.
 */
export function filterTimeText(
  typed: string,
  { at, edge, zone }: { at: number | null; edge: RangeEdge; zone?: string },
): string | undefined {
  if ((filterTime(typed, edge, zone) ?? null) === at) return undefined;
  return at === null ? "" : fieldTime(at, zone);
}

const SEARCHED = ["plate", "camera", "agency"] as const;

/** Splits the text of the quick filter into lower-case terms, none empty. */
export function termsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * Returns one byte per row: 1 if the row passes the filter. Tests each distinct value once, then compares rows by number.
 * A time later than `latest` counts as missing.
 */
export function passingRows(columns: ResultColumns, filter: ResultFilter & { latest?: number }): Uint8Array {
  const pass = new Uint8Array(columns.count).fill(1);
  if (filter.program !== null) keepCode(pass, columns.programs, SOURCE_PROGRAMS.indexOf(filter.program));
  for (const column of PICKED) {
    const word = filter.picked[column];
    if (word !== undefined) keepCode(pass, columns.words[column], columns.dictionaries[column].indexOf(word));
  }
  for (const term of termsOf(filter.text)) keepTerm(pass, columns, term);
  if (filter.from !== null || filter.to !== null) {
    const [from, to] = [filter.from ?? Number.NEGATIVE_INFINITY, filter.to ?? Number.POSITIVE_INFINITY];
    const { times } = columns;
    for (let row = 0; row < pass.length; row++) {
      const time = believableTime(times[row] ?? 0, filter.latest);
      if (!(time >= from && time <= to)) pass[row] = 0;
    }
  }
  return pass;
}

function keepCode(pass: Uint8Array, codes: ArrayLike<number>, code: number): void {
  for (let row = 0; row < pass.length; row++) if (codes[row] !== code) pass[row] = 0;
}

function keepTerm(pass: Uint8Array, columns: ResultColumns, term: string): void {
  const inPlate = normalizePlate(term).toLowerCase() || term;
  const searched = SEARCHED.map((column) => {
    const wanted = column === "plate" ? inPlate : term;
    const matches =
      columns.vocabularies?.[column].having(wanted) ??
      Uint8Array.from(columns.dictionaries[column], (word) => (word.toLowerCase().includes(wanted) ? 1 : 0));
    return { codes: columns.words[column], matches };
  });
  for (let row = 0; row < pass.length; row++) {
    if (pass[row] === 0) continue;
    if (!searched.some(({ codes, matches }) => matches[codes[row] ?? 0] === 1)) pass[row] = 0;
  }
}

/** Returns the rows that pass, in the given order. */
export function filterOrder(order: Uint32Array, pass: Uint8Array): Uint32Array {
  const view = new Uint32Array(order.length);
  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] ?? 0;
    if (pass[row] === 1) view[length++] = row;
  }
  return view.slice(0, length);
}

/** Returns the values of a column with their number of reads, most frequent first. */
export function wordCounts(columns: ResultColumns, column: Picked): { word: string; reads: number }[] {
  const dictionary = columns.dictionaries[column];
  const counts = new Uint32Array(dictionary.length);
  const codes = columns.words[column];
  for (let row = 0; row < columns.count; row++) counts[codes[row] ?? 0] = (counts[codes[row] ?? 0] ?? 0) + 1;
  return dictionary
    .map((word, code) => ({ word, reads: counts[code] ?? 0 }))
    .filter(({ reads }) => reads > 0)
    .sort((a, b) => b.reads - a.reads);
}
