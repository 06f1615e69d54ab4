/**
 * Packs many small pieces of bytes, each as a zlib stream of its own (RFC 1950, 1951). A library's compressor takes a
 * quarter of a megabyte of new memory for each, which for a report of many pages was half of its time and most of what
 * its memory grew by; this one works in the same tables from the first piece to the last.
 */
import { adler32 } from "./adler32.ts";
import { createBlocks } from "./deflate-blocks.ts";

/** Gives the zlib stream of these bytes, which is good until the next one is asked for. */
export type Packer = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;

const WINDOW = 32_768;
/** Three bytes would be a match too, but one that saves next to nothing and is found at nearly every place. */
const [SHORTEST, LONGEST] = [4, 258];
const HASH_BITS = 15;
/** How many places are compared, how long a match ends the search, and how long a one is taken without a look ahead. */
const [TRIES, NICE, LAZY] = [16, 64, 16];
/** Literals and matches of one block, which has codes of its own. */
const BLOCK = 16_384;
const NOTHING = new Uint8Array(0);

export function createPacker(): Packer {
  const { countLiteral, countMatch, writeBlock, begin, end } = createBlocks();
  /** The last place of each hash and, of each place, the one of the same hash before it; what is below `base` is of earlier pieces. */
  const heads = new Int32Array(1 << HASH_BITS);
  const chain = new Int32Array(WINDOW);
  const block = new Uint32Array(BLOCK);
  let base = 1;
  let count = 0;
  let bytes: Uint8Array = NOTHING;
  /** The next place that is not in the tables yet. */
  let next = 0;
  let distance = 0;

  /** Puts places into the tables. */
  function enter(from: number, to: number): void {
    const input = bytes;
    const offset = base;
    let word =
      ((input[from] as number) << 8) |
      ((input[from + 1] as number) << 16) |
      ((input[from + 2] as number) << 24);
    for (let at = from; at < to; at++) {
      word = (word >>> 8) | ((input[at + 3] as number) << 24);
      const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
      chain[at & (WINDOW - 1)] = heads[hash] as number;
      heads[hash] = offset + at;
    }
  }

  /** The length of a match at this place that is longer than `best`, or zero; its distance is in `distance`. */
  function find(at: number, best: number): number {
    const input = bytes;
    const offset = base;
    const most = Math.min(LONGEST, input.length - at);
    next = at + 1;
    if (most < SHORTEST) return 0;
    enter(at, at + 1);
    if (best >= most) return 0;
    const first = Math.max(offset, offset + at - WINDOW + 1);
    const one = input[at];
    const two = input[at + 1];
    let place = chain[at & (WINDOW - 1)] as number;
    let length = best;
    let last = input[at + length];
    for (let tries = TRIES; place >= first && tries > 0; tries--) {
      const from = place - offset;
      if (input[from + length] === last && input[from] === one && input[from + 1] === two) {
        let same = 2;
        while (same < most && input[from + same] === input[at + same]) same++;
        if (same > length) {
          length = same;
          last = input[at + length];
          distance = at - from;
          if (same >= NICE || same === most) break;
        }
      }
      place = chain[from & (WINDOW - 1)] as number;
    }
    return length > best ? length : 0;
  }

  function add(token: number): void {
    block[count++] = token;
    if (count < BLOCK) return;
    writeBlock(block, count, false);
    count = 0;
  }

  function literal(at: number): void {
    const byte = bytes[at] as number;
    countLiteral(byte);
    add(byte);
  }

  function match(length: number, distance: number): void {
    countMatch(length, distance);
    add((length << 16) | distance);
  }

  return (piece) => {
    // Places are numbered on from piece to piece, so that the tables need not be cleared.
    if (base + piece.length > 0x3fff_ffff) {
      heads.fill(0);
      base = 1;
    }
    bytes = piece;
    [next, count] = [0, 0];
    begin();
    for (let at = 0; at < piece.length; ) {
      let length = find(at, SHORTEST - 1);
      if (length === 0) {
        literal(at++);
        continue;
      }
      let from = distance;
      while (length < LAZY) {
        const longer = find(at + 1, length);
        if (longer === 0) break;
        literal(at++);
        length = longer;
        from = distance;
      }
      match(length, from);
      at += length;
      enter(next, Math.min(at, piece.length - SHORTEST + 1));
    }
    writeBlock(block, count, true);
    base += piece.length;
    bytes = NOTHING;
    return end(adler32(piece));
  };
}
