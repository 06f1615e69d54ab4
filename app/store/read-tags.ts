// The tags that reads are found by, made by the cipher of a key from blocks of 16 bytes: a number of a plate's words, or
// a kind and a text. All tags of many reads cost one call of a key.

import { BLOCK, int47, type ReadCipher } from "./read-cipher.ts";
import { featuresOf, runsOf } from "./read-words.ts";

/** What a text's tag stands for. The same text gives another tag for another kind. */
export const TAG_KINDS = ["plate", "pass", "camera", "make", "color", "body", "state"] as const;
export type TagKind = (typeof TAG_KINDS)[number];

/** Texts of vehicles only narrow a search down: three bytes are enough, and a camera's four. */
const TAG_BITS: Record<TagKind, number> = {
  plate: 47,
  pass: 47,
  camera: 31,
  make: 23,
  color: 23,
  body: 23,
  state: 23,
};

/** Bits of features in two whole numbers. */
export type Bits = [low: number, high: number];
const HALF = 47;

const WORD = 1;
const FIRST_KIND = 2;
/** A text of more bytes than fit stands for itself by its SHA-256. */
const LONG = 0x80;
const TEXT_BYTES = BLOCK - 1;
const encoder = new TextEncoder();

/** Digests of long texts that come again and again: cameras' ids and a few words. */
const digests = new Map<string, Uint8Array>();
const MOST_DIGESTS = 5000;

/** Digests of those of the texts that are too long for a block. */
async function digestLong(texts: Iterable<string>): Promise<Map<string, Uint8Array>> {
  const long = new Map<string, Uint8Array>();
  const work: Promise<void>[] = [];
  for (const text of new Set(texts)) {
    if (isShort(text)) continue;
    const known = digests.get(text);
    if (known) long.set(text, known);
    else
      work.push(
        crypto.subtle.digest("SHA-256", encoder.encode(text)).then((digest) => {
          const part = new Uint8Array(digest, 0, TEXT_BYTES);
          long.set(text, part);
          if (digests.size >= MOST_DIGESTS) digests.clear();
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

/** Blocks that are put together before a cipher sees them. */
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
    /** Each of these gives the block's place. */
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
      bytes[start] = FIRST_KIND + TAG_KINDS.indexOf(kind) + (digest ? LONG : 0);
      if (digest) bytes.set(digest, start + 1);
      else encoder.encodeInto(text, bytes.subarray(start + 1, start + BLOCK));
      return at;
    },
    async tags(cipher: ReadCipher) {
      const view = await cipher.tags(bytes.slice(0, count * BLOCK));
      return {
        word: (at: number) => view.getInt32(at * BLOCK),
        text: (at: number, kind: TagKind) => int47(view, at * BLOCK) % 2 ** TAG_BITS[kind],
        bits: (from: number, to: number) => bitsOf(view, from, to),
      };
    },
  };
}

function bitsOf(view: DataView, from: number, to: number): Bits {
  // 24 and 23 bits each, since JavaScript ORs 32.
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = from; at < to; at++) {
    const bit = view.getUint32(at * BLOCK) % (2 * HALF);
    if (bit < 24) a |= 1 << bit;
    else if (bit < HALF) b |= 1 << (bit - 24);
    else if (bit < HALF + 24) c |= 1 << (bit - HALF);
    else d |= 1 << (bit - HALF - 24);
  }
  return [a + b * 2 ** 24, c + d * 2 ** 24];
}

/** What of a read is tagged. */
export type Tagged = Record<TagKind, string>;
export type ReadTags = Record<TagKind, number> & { runs: number[]; bits: Bits };

/** A short name of a long id, for texts that hold one: 47 bits of its SHA-256. */
export async function shortNames(ids: Iterable<string>): Promise<Map<string, string>> {
  const long = await digestLong(ids);
  const names = [...new Set(ids)].map((id): [string, string] => {
    const digest = long.get(id);
    return [id, digest ? int47(new DataView(digest.buffer), 0).toString(36) : id];
  });
  return new Map(names);
}

/** The tags of reads under one key, in their order. */
export async function tagReads(cipher: ReadCipher, reads: Tagged[]): Promise<ReadTags[]> {
  if (reads.length === 0) return [];
  const long = await digestLong(reads.flatMap((read) => TAG_KINDS.map((kind) => read[kind])));
  const blocks = createBlocks(reads.length * 8, long);
  const texts = TAG_KINDS.map(() => new Map<string, number>());
  const plates = new Map<string, { from: number; middle: number; to: number }>();
  for (const read of reads) {
    for (const [i, kind] of TAG_KINDS.entries()) {
      const known = texts[i] as Map<string, number>;
      if (!known.has(read[kind])) known.set(read[kind], blocks.text(kind, read[kind]));
    }
    if (plates.has(read.plate)) continue;
    const runs = runsOf(read.plate).map(blocks.word);
    const features = featuresOf(read.plate).map(blocks.word);
    const from = runs[0] ?? 0;
    const middle = features[0] ?? 0;
    plates.set(read.plate, { from, middle, to: middle + features.length });
  }
  const made = await blocks.tags(cipher);
  const words = new Map<string, Pick<ReadTags, "runs" | "bits">>();
  for (const [plate, { from, middle, to }] of plates) {
    const count = runsOf(plate).length;
    const runs = Array.from({ length: count }, (_, i) => made.word(from + i));
    words.set(plate, { runs, bits: made.bits(middle, to) });
  }
  return reads.map((read) => {
    const tags = { ...(words.get(read.plate) as Pick<ReadTags, "runs" | "bits">) } as ReadTags;
    for (const [i, kind] of TAG_KINDS.entries())
      tags[kind] = made.text((texts[i] as Map<string, number>).get(read[kind]) as number, kind);
    return tags;
  });
}

/** What a search asks of the reads of a key: runs and features by number, texts by kind. */
export type Asked = { runs: number[]; features: number[]; texts: [kind: TagKind, text: string][] };

/** The tags of what is asked, under each of the keys. */
export async function tagQuestion(
  ciphers: ReadCipher[],
  asked: Asked,
): Promise<{ runs: number[]; bits: Bits; texts: number[] }[]> {
  const blocks = createBlocks(8, await digestLong(asked.texts.map(([, text]) => text)));
  const runs = asked.runs.map(blocks.word);
  const features = asked.features.map(blocks.word);
  const texts = asked.texts.map(([kind, text]) => blocks.text(kind, text));
  if (runs.length + features.length + texts.length === 0)
    return ciphers.map(() => ({ runs: [], bits: [0, 0], texts: [] }));
  return Promise.all(
    ciphers.map(async (cipher) => {
      const made = await blocks.tags(cipher);
      const from = features[0] ?? 0;
      return {
        runs: runs.map(made.word),
        bits: made.bits(from, from + features.length),
        texts: texts.map((at, i) => made.text(at, (asked.texts[i] as [TagKind, string])[0])),
      };
    }),
  );
}
