// Computes tags: the numbers by which reads are found (see reads.ts). The cipher maps blocks of 16 bytes to tags; a
// block is the number of a word, or a kind and a text. The tags of any number of reads take one call per key.

import { foldConfused } from "#app/entities/search/look-alikes.ts";
import { at, chunksOf } from "#app/lib/at.ts";
import { BLOCK, chainOf, int47, type ReadCipher, type TagView, tagBlocks } from "./cipher.ts";
import { featuresOf, foldRun, runsOf, WORDS } from "./words.ts";

/** The kinds of tagged texts. The same text has different tags for different kinds. */
const TAG_KINDS = ["plate", "pass", "camera", "make", "color", "body", "state"] as const;
export type TagKind = (typeof TAG_KINDS)[number];

/** Vehicle attributes only narrow a search, so three bytes are enough for them, and four for a camera. */
const TAG_BITS: Record<TagKind, number> = {
  plate: 47,
  pass: 47,
  camera: 31,
  make: 23,
  color: 23,
  body: 23,
  state: 23,
};

/** Bits of features, in two whole numbers of 47 bits each. */
export type Bits = [low: number, high: number];
const HALF = 47;

/**
 * Added to the bits of a read, which makes the number negative and leaves the bits. So each read says how it is tagged,
 * until retag.ts has tagged it again:
 * - no mark: runs, features and the tag of the plate are those of the plate as read
 * - high bits marked: runs and features are those of the folded plate
 * - both marked: the runs' tags also say how they are spelled
 */
export const MARK = -(2 ** HALF);

/**
 * The tag of a run has 24 bits of the folded run, by which look-alikes are found, and 8 bits of the run as read. So the
 * runs that fold to one are neighbors in the index, and an exact search finds its own among them.
 */
export const SPELLING = 2 ** 8 - 1;

/**
 * Which tags of runs a query looks for. `read`: of runs as read. `folded`: all tags of folded runs, which are the
 * SPELLING numbers that follow the one that is returned; they include the former tags of folded runs. `former`:
 * those of reads without a mark, which are all 32 bits of one run.
 */
export type RunTags = "read" | "folded" | "former";

/** Returns the tag of a run from those of the run as read and of the folded run. */
function runTag(kind: RunTags, read: number, folded: number): number {
  if (kind === "former") return read;
  return kind === "folded" ? folded & ~SPELLING : (folded & ~SPELLING) | (read & SPELLING);
}

const WORD = 1;
const FIRST_KIND = 2;
/** Differs from the kinds that plates had before, so that a plate's former runs and its new ones are never confused. */
const PLATE_KIND = FIRST_KIND + TAG_KINDS.length + 1;
/** Marks a text that is longer than a block and is replaced by its SHA-256. */
const LONG = 0x80;
const TEXT_BYTES = BLOCK - 1;
const encoder = new TextEncoder();

/** Cache of digests of long texts that recur, mostly camera ids. */
const digests = new Map<string, Uint8Array>();
const MAX_DIGESTS = 5000;

/** Returns the digests of those texts that are too long for a block. */
async function digestLong(texts: Iterable<string>): Promise<Map<string, Uint8Array>> {
  const long = new Map<string, Uint8Array>();
  const work: Promise<void>[] = [];
  for (const text of texts) {
    if (isShort(text) || long.has(text)) continue;
    const known = digests.get(text);
    if (known) long.set(text, known);
    else
      work.push(
        crypto.subtle.digest("SHA-256", encoder.encode(text)).then((digest) => {
          const part = new Uint8Array(digest, 0, TEXT_BYTES);
          long.set(text, part);
          if (digests.size >= MAX_DIGESTS) digests.clear();
          digests.set(text, part);
        }),
      );
  }
  await Promise.all(work);
  return long;
}

function isShort(text: string): boolean {
  if (text.length > TEXT_BYTES) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return text.length <= TEXT_BYTES / 3;
  return true;
}

/** A buffer of blocks to be tagged together. */
function createBlocks(capacity: number, long: Map<string, Uint8Array>) {
  let bytes = new Uint8Array(capacity * BLOCK);
  let count = 0;
  const next = () => {
    if (count * BLOCK === bytes.length) {
      const more = new Uint8Array(bytes.length * 2);
      more.set(bytes);
      bytes = more;
    }
    return count++;
  };
  return {
    /** `word` and `text` return the position of the new block. */
    word(number: number): number {
      const at = next();
      bytes[at * BLOCK] = WORD;
      bytes[at * BLOCK + 14] = number >>> 8;
      bytes[at * BLOCK + 15] = number;
      bytes[at * BLOCK + 13] = number >>> 16;
      return at;
    },
    text(kind: TagKind, text: string): number {
      const at = next();
      const start = at * BLOCK;
      const digest = long.get(text);
      const code = kind === "plate" ? PLATE_KIND : FIRST_KIND + TAG_KINDS.indexOf(kind);
      bytes[start] = code + (digest ? LONG : 0);
      if (digest) bytes.set(digest, start + 1);
      else writeShort(text, bytes, start + 1);
      return at;
    },
    /** Returns the blocks so far. */
    chain: () => chainOf(bytes.subarray(0, count * BLOCK)),
  };
}

const wordTag = (images: TagView, block: number) => images.int32(block * BLOCK);
const textTag = (images: TagView, block: number, kind: TagKind) =>
  images.int47(block * BLOCK) % 2 ** TAG_BITS[kind];

/** Writes ASCII by hand: calling the encoder costs more than writing a short text. */
function writeShort(text: string, bytes: Uint8Array, start: number): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      encoder.encodeInto(text, bytes.subarray(start, start + TEXT_BYTES));
      return;
    }
    bytes[start + i] = code;
  }
}

/** Returns the bits set by the tags of features. */
function bitsOf(features: number[], tagOf: (feature: number) => number): Bits {
  // Parts of 24 and 23 bits, because JavaScript's bitwise operators work on 32 bits.
  let [a, b, c, d] = [0, 0, 0, 0];
  for (const feature of features) {
    const bit = (tagOf(feature) >>> 0) % (2 * HALF);
    if (bit < 24) a |= 1 << bit;
    else if (bit < HALF) b |= 1 << (bit - 24);
    else if (bit < HALF + 24) c |= 1 << (bit - HALF);
    else d |= 1 << (bit - HALF - 24);
  }
  return [a + b * 2 ** 24, c + d * 2 ** 24];
}

/** Cache of the tags of words by key, because reads share most words; 0 means not computed yet. */
const wordTags = new Map<ReadCipher, Int32Array>();
/** Each takes 200 KB. */
const MAX_WORD_TAGS = 32;

function wordTagsOf(cipher: ReadCipher): Int32Array {
  const tags = wordTags.get(cipher) ?? new Int32Array(WORDS);
  // Reinserted, so that the least recently used entry is first.
  wordTags.delete(cipher);
  wordTags.set(cipher, tags);
  for (const [oldest] of wordTags) {
    if (wordTags.size <= MAX_WORD_TAGS) break;
    wordTags.delete(oldest);
  }
  return tags;
}

type PlateWords = { runs: number[]; features: number[] };
const PLATE = TAG_KINDS.indexOf("plate");

/** The texts of a read that are tagged. */
export type Tagged = Record<TagKind, string>;
export type ReadTags = Record<TagKind, number> & { runs: number[]; bits: Bits };

/** Returns a short form of each id: itself, or 47 bits of its SHA-256 if it is long. */
export async function shortNames(ids: Iterable<string>): Promise<Map<string, string>> {
  const own = new Set(ids);
  const long = await digestLong(own);
  const names = [...own].map((id): [string, string] => {
    const digest = long.get(id);
    return [id, digest ? int47(new DataView(digest.buffer), 0).toString(36) : id];
  });
  return new Map(names);
}

/** Returns the tags of reads under one key, in their order. */
export async function tagReads(cipher: ReadCipher, reads: Tagged[]): Promise<ReadTags[]> {
  if (reads.length === 0) return [];
  const { texts, places } = listTexts(reads);
  const blocks = createBlocks(texts.length + 32, await digestLong(texts.map(({ text }) => text)));
  for (const { kind, text } of texts) blocks.text(kind, text);
  const words = new Map<number, PlateWords>();
  const known = wordTagsOf(cipher);
  const asked = new Map<number, number>();
  const ask = (word: number) => {
    if (known[word] === 0 && !asked.has(word)) asked.set(word, blocks.word(word));
  };
  for (const [place, { kind, text }] of texts.entries()) {
    if (kind !== "plate") continue;
    const own = { runs: runsOf(text), features: featuresOf(foldConfused(text)) };
    for (const run of own.runs) {
      ask(run);
      ask(foldRun(run));
    }
    own.features.forEach(ask);
    words.set(place, own);
  }
  const images = at(await tagBlocks([cipher], blocks.chain()), 0);
  for (const [word, block] of asked) known[word] = wordTag(images, block);
  const tagOf = (word: number) => known[word] ?? 0;
  const tag = (i: number, kind: number) =>
    textTag(images, places[i * TAG_KINDS.length + kind] ?? 0, at(TAG_KINDS, kind));
  return reads.map((_, i) => {
    const { runs, features } = words.get(places[i * TAG_KINDS.length + PLATE] ?? 0) as PlateWords;
    const [low, high] = bitsOf(features, tagOf);
    return {
      plate: tag(i, PLATE),
      pass: tag(i, 1),
      camera: tag(i, 2),
      make: tag(i, 3),
      color: tag(i, 4),
      body: tag(i, 5),
      state: tag(i, 6),
      runs: runs.map((run) => runTag("read", tagOf(run), tagOf(foldRun(run)))),
      bits: [low + MARK, high + MARK],
    };
  });
}

/** Lists the texts of reads, plates individually and others once per kind, and the position of each read's texts. */
function listTexts(reads: Tagged[]) {
  const texts: { kind: TagKind; text: string }[] = [];
  const places = new Int32Array(reads.length * TAG_KINDS.length);
  for (const [n, kind] of TAG_KINDS.entries()) {
    const placeOf = new Map<string, number>();
    // Most plates are unique, so looking for repeated ones would cost more than it saves.
    const mayRepeat = kind !== "plate";
    for (let i = 0; i < reads.length; i++) {
      const text = at(reads, i)[kind];
      let place = mayRepeat ? placeOf.get(text) : undefined;
      if (place === undefined) {
        place = texts.push({ kind, text }) - 1;
        if (mayRepeat) placeOf.set(text, place);
      }
      places[i * TAG_KINDS.length + n] = place;
    }
  }
  return { texts, places };
}

/** What a query looks for: runs, sets of features, and texts by kind. */
export type QueryWords = {
  runs: number[];
  /** Which tags the runs have; `read` by default. */
  runTags?: RunTags;
  features: number[][];
  texts: [kind: TagKind, text: string][];
};

/** The tags of a query under one key, in the order of its runs, features and texts. */
export type QueryTags = { runs: number[]; bits: Bits[]; texts: number[] };

/**
 * Returns the tags of a query under each of the keys, in their order. A search of 100 agencies over 90 days has 9,000
 * keys, so what is the same for all of them is computed once.
 */
export async function tagQuery(ciphers: ReadCipher[], query: QueryWords): Promise<QueryTags[]> {
  const { runs, runTags = "read", features, texts } = query;
  const blocks = createBlocks(8, await digestLong(texts.map(([, text]) => text)));
  const words = new Map<number, number>();
  const blockOf = (word: number): number => {
    const block = words.get(word) ?? blocks.word(word);
    words.set(word, block);
    return block;
  };
  const ofRuns = runs.map((run) => ({ read: blockOf(run), folded: blockOf(foldRun(run)) }));
  const ofFeatures = features.map((set) => set.map(blockOf));
  const ofTexts = texts.map(([kind, text]) => ({ kind, block: blocks.text(kind, text) }));
  if (words.size + texts.length === 0)
    return ciphers.map(() => ({ runs: [], bits: features.map((): Bits => [0, 0]), texts: [] }));
  const images = await tagBlocks(ciphers, blocks.chain());
  return images.map((own) => {
    const tagAt = (block: number) => wordTag(own, block);
    return {
      runs: ofRuns.map(({ read, folded }) => runTag(runTags, tagAt(read), tagAt(folded))),
      bits: ofFeatures.map((set) => bitsOf(set, tagAt)),
      texts: ofTexts.map(({ kind, block }) => textTag(own, block, kind)),
    };
  });
}

/** Maximum number of keys that are tagged together: a search of 1,000 agencies over 90 days has 90,000 keys. */
const KEYS_AT_ONCE = 1000;

/** Calls `take` with each key and the tags of a query under it, in their order. */
export async function tagKeys<Key extends { cipher: ReadCipher }>(
  keys: Key[],
  query: QueryWords,
  take: (key: Key, tags: QueryTags) => void,
): Promise<void> {
  for (const some of chunksOf(keys, KEYS_AT_ONCE)) {
    const ciphers = some.map(({ cipher }) => cipher);
    for (const [i, tags] of (await tagQuery(ciphers, query)).entries()) take(at(some, i), tags);
  }
}
