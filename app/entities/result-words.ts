/**
 * The words of one dictionary column, kept as the bytes in which they travelled: one word a line. A screen needs a
 * few dozen of a quarter of a million, so one is read without making strings of the others; a term is looked for in
 * the text as a whole, not word by word.
 */
export type Vocabulary = {
  readonly size: number;
  /** The word of a code; "" where there is none. */
  at: (code: number) => string;
  /** Every word, by code. Made at the first call, and then what `at` answers from. */
  all: () => string[];
  /** One byte a word: 1 where it has the term, which is in lower case and has no blank. */
  having: (term: string) => Uint8Array;
};

const LINE_END = 10;

/** A vocabulary over lines of UTF-8. */
export function vocabularyOf(text: Uint8Array, size: number): Vocabulary {
  let words: string[] | undefined;
  let starts: Uint32Array | undefined;
  let lowered: { text: string; starts: Uint32Array } | undefined;
  const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

  function at(code: number): string {
    if (words) return words[code] ?? "";
    if (!(code >= 0 && code < size)) return "";
    starts ??= lineStarts(size, text.length, (i) => text[i] as number);
    return decoder().decode(text.subarray(starts[code], (starts[code + 1] as number) - 1));
  }
  function all(): string[] {
    words ??= size === 0 ? [] : decoder().decode(text).split("\n");
    return words;
  }
  function having(term: string): Uint8Array {
    const found = new Uint8Array(size);
    if (!lowered) {
      const lower = decoder().decode(text).toLowerCase();
      lowered = { text: lower, starts: lineStarts(size, lower.length, (i) => lower.charCodeAt(i)) };
    }
    const ends = lowered.starts;
    let code = 0;
    for (let hit = lowered.text.indexOf(term); hit >= 0 && code < size; ) {
      while (code < size && (ends[code + 1] as number) <= hit) code++;
      found[code] = 1;
      // The rest of a word that has the term need not be looked at.
      hit = lowered.text.indexOf(term, ends[code + 1]);
    }
    return found;
  }
  return { size, at, all, having };
}

/** Where each line starts, and behind the last where another would. */
function lineStarts(size: number, length: number, charAt: (index: number) => number): Uint32Array {
  const starts = new Uint32Array(size + 1).fill(length + 1);
  starts[0] = 0;
  let line = 1;
  for (let i = 0; i < length && line < size; i++) if (charAt(i) === LINE_END) starts[line++] = i + 1;
  return starts;
}
