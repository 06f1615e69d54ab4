import { believableTime } from "#app/entities/ingest/read-time.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import type { ResultColumns } from "#app/entities/search/result-columns.ts";

/** Columns of which one word can be picked. */
export const PICKED = ["state", "color", "make", "bodyType", "agency", "camera"] as const;
export type Picked = (typeof PICKED)[number];

/** What of a result is shown, in the table and on the map alike. */
export type ResultFilter = {
  /** Every term must occur in the plate, the camera or the agency; case does not count. */
  text: string;
  program: SourceProgram | null;
  /** The word that a column must have; "" asks for reads without one. */
  picked: Partial<Record<Picked, string>>;
  /** Milliseconds, both ends included. With either set, reads without a believable time are left out. */
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

const SEARCHED = ["plate", "camera", "agency"] as const;

/** Terms of a quick filter, lower case, none empty. */
export function termsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * One byte a row: 1 where it passes. Words are looked at once each, rows only as numbers. A time later than `latest` is
 * not believed.
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
      const time = believableTime(times[row] as number, filter.latest);
      if (!(time >= from && time <= to)) pass[row] = 0;
    }
  }
  return pass;
}

function keepCode(pass: Uint8Array, codes: ArrayLike<number>, code: number): void {
  for (let row = 0; row < pass.length; row++) if (codes[row] !== code) pass[row] = 0;
}

function keepTerm(pass: Uint8Array, columns: ResultColumns, term: string): void {
  const searched = SEARCHED.map((column) => {
    const matches =
      columns.vocabularies?.[column].having(term) ??
      Uint8Array.from(columns.dictionaries[column], (word) => (word.toLowerCase().includes(term) ? 1 : 0));
    return { codes: columns.words[column], matches };
  });
  for (let row = 0; row < pass.length; row++) {
    if (pass[row] === 0) continue;
    if (!searched.some(({ codes, matches }) => matches[codes[row] as number] === 1)) pass[row] = 0;
  }
}

/** The rows of an order that pass, in that order. */
export function filterOrder(order: Uint32Array, pass: Uint8Array): Uint32Array {
  const view = new Uint32Array(order.length);
  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    if (pass[row] === 1) view[length++] = row;
  }
  return view.slice(0, length);
}

/** The words of a column with how many reads have each, most frequent first. */
export function wordCounts(columns: ResultColumns, column: Picked): { word: string; reads: number }[] {
  const dictionary = columns.dictionaries[column];
  const counts = new Uint32Array(dictionary.length);
  const codes = columns.words[column];
  for (let row = 0; row < columns.count; row++)
    counts[codes[row] as number] = (counts[codes[row] as number] ?? 0) + 1;
  return dictionary
    .map((word, code) => ({ word, reads: counts[code] as number }))
    .filter(({ reads }) => reads > 0)
    .sort((a, b) => b.reads - a.reads);
}
