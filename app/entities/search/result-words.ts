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

/** A column of so few words is split at once: the words of a screen are then a look-up each. */
const FEW_WORDS = 5000;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** A vocabulary over lines of UTF-8. */
export function vocabularyOf(text: Uint8Array, size: number): Vocabulary {
  let words: string[] | undefined;
  let starts: Uint32Array | undefined;
  let lowered: { text: string; starts: Uint32Array } | undefined;

  function at(code: number): string {
    if (words || size <= FEW_WORDS) return all()[code] ?? "";
    if (!(code >= 0 && code < size)) return "";
    starts ??= startsInBytes(text, size);
    return DECODER.decode(text.subarray(starts[code], (starts[code + 1] as number) - 1));
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
      while (code < size && (ends[code + 1] as number) <= hit) code++;
      found[code] = 1;
      // The rest of a word that has the term need not be looked at.
      hit = lowered.text.indexOf(term, ends[code + 1]);
    }
    return found;
  }
  return { size, at, all, having };
}

/** Where each line starts, and behind the last where another would. A loop of its own: it runs before the first row. */
function startsInBytes(text: Uint8Array, size: number): Uint32Array {
  const starts = new Uint32Array(size + 1).fill(text.length + 1);
  starts[0] = 0;
  let line = 1;
  for (let i = 0; i < text.length && line < size; i++) if (text[i] === LINE_END) starts[line++] = i + 1;
  return starts;
}

/** The same in a text that has been decoded. */
function startsInText(text: string, size: number): Uint32Array {
  const starts = new Uint32Array(size + 1).fill(text.length + 1);
  starts[0] = 0;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && line < size; end = text.indexOf("\n", end + 1)) {
    starts[line++] = end + 1;
  }
  return starts;
}
