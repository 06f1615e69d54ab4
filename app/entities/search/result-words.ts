/**
 * The words of one dictionary column, as received: UTF-8 bytes, one word per line. A screen needs a few dozen of up to
 * a quarter of a million words, so single words are decoded on demand, and terms are searched in the whole text.
 */
export type Vocabulary = {
  readonly size: number;
  /** Returns the word of a code, or "" for an unknown code. */
  at: (code: number) => string;
  /** Returns all words by code. Created on the first call; `at` uses it from then on. */
  all: () => string[];
  /** Returns one byte per word: 1 if it contains the term, which is lower case and has no spaces. */
  having: (term: string) => Uint8Array;
};

const LINE_END = 10;

/** Columns of at most this many words are split completely, so that words are array lookups. */
const FEW_WORDS = 5000;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns a vocabulary over lines of UTF-8. */
export function vocabularyOf(text: Uint8Array, size: number): Vocabulary {
  let words: string[] | undefined;
  let starts: Uint32Array | undefined;
  let lowered: { text: string; starts: Uint32Array } | undefined;

  function at(code: number): string {
    if (words || size <= FEW_WORDS) return all()[code] ?? "";
    if (!(code >= 0 && code < size)) return "";
    starts ??= startsInBytes(text, size);
    return DECODER.decode(text.subarray(starts[code], (starts[code + 1] ?? 0) - 1));
  }
  function all(): string[] {
    words ??= size === 0 ? [] : DECODER.decode(text).split("\n");
    return words;
  }
  function having(term: string): Uint8Array {
    const found = new Uint8Array(size);
    if (!lowered) {
      const lower = DECODER.decode(text).toLowerCase();
      lowered = { text: lower, starts: startsInText(lower, size) };
    }
    const ends = lowered.starts;
    let code = 0;
    for (let hit = lowered.text.indexOf(term); hit >= 0 && code < size; ) {
      while (code < size && (ends[code + 1] ?? 0) <= hit) code++;
      found[code] = 1;
      // Continues after the word: it is known to contain the term.
      hit = lowered.text.indexOf(term, ends[code + 1]);
    }
    return found;
  }
  return { size, at, all, having };
}

/**
 * Returns where each line starts, and where a line after the last would start. A plain loop for speed: it delays the
 * first row.
 */
function startsInBytes(text: Uint8Array, size: number): Uint32Array {
  const starts = new Uint32Array(size + 1).fill(text.length + 1);
  starts[0] = 0;
  let line = 1;
  for (let i = 0; i < text.length; i++) if (text[i] === LINE_END) starts[line++] = i + 1;
  return starts;
}

/** Does the same for decoded text, in UTF-16 units. */
function startsInText(text: string, size: number): Uint32Array {
  const starts = new Uint32Array(size + 1).fill(text.length + 1);
  starts[0] = 0;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts[line++] = end + 1;
  return starts;
}
