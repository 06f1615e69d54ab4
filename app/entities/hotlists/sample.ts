/** The start of a hotlist file: its encoding, its line ends, and its first records under any delimiter. */

import { decodeStart, newlineOf, readStart, type Utf16, utf16Of } from "#app/lib/files/records.ts";
import type { Delimiter } from "./layout.ts";
import type { Sample } from "./recognize.ts";

/** Bytes that are read to recognize the layout. */
export const SAMPLE_BYTES = 64 * 1024;
/** Lines used to recognize a layout, and lines that the mapping step shows. */
const SAMPLE_LINES = 300;
const SHOWN_LINES = 50;
/** Maximum length of a line that the mapping step shows. */
const SHOWN_CHARACTERS = 2000;

export type FileStart = {
  newline: "\n" | "\r";
  encoding: Utf16 | undefined;
  sample: Sample;
};

/** Reads the start of a file. `whole` says that the bytes are the whole file. */
export function readFileStart(bytes: Uint8Array, whole: boolean): FileStart {
  const start = bytes.slice(0, SAMPLE_BYTES);
  const encoding = utf16Of(start);
  const newline = newlineOf(decodeStart(start, encoding));
  const kept = new Map<Delimiter | null, string[][]>();
  return {
    newline,
    encoding,
    sample: (delimiter) => {
      const before = kept.get(delimiter);
      if (before) return before;
      const records = readStart(
        start,
        { delimiter, newline, encoding },
        { whole: whole && bytes.length <= SAMPLE_BYTES, most: SAMPLE_LINES },
      ).map(({ fields }) => fields);
      kept.set(delimiter, records);
      return records;
    },
  };
}

/** Returns the first lines for the mapping step, unsplit, so that they can be split by another delimiter. */
export function shownLines({ sample }: FileStart): string[] {
  return sample(null)
    .flat()
    .slice(0, SHOWN_LINES)
    .map((line) => line.slice(0, SHOWN_CHARACTERS));
}

/** Returns the start of a file from the lines that the mapping step shows. */
export function startOfLines(lines: readonly string[]): FileStart {
  return readFileStart(new TextEncoder().encode(lines.join("\n")), true);
}
