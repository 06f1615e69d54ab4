/**
 * Packs many small pieces of bytes, each as a zlib stream of its own (RFC 1950, 1951). A library's compressor takes a
 * quarter of a megabyte of new memory for each, which for the pages of a report was most of its time and memory; this
 * one works in the same tables from the first piece to the last.
 */
import { adler32 } from "./adler32.ts";
import { assign, createHuffman, type Huffman } from "./huffman.ts";

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
const END = 256;
const NOTHING = new Uint8Array(0);

/** How many further bits tell which length or distance of a code is meant. */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BITS = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
const LENGTH_STARTS = starts(LENGTH_BITS, 3);
LENGTH_STARTS[28] = LONGEST;
const DISTANCE_STARTS = starts(DISTANCE_BITS, 1);
const LENGTH_CODES = Uint8Array.from({ length: LONGEST + 1 }, (_, length) => lastUpTo(LENGTH_STARTS, length));
/** Of the distances up to 256, then of every 128th. */
const DISTANCE_CODES = Uint8Array.from({ length: 512 }, (_, i) =>
  lastUpTo(DISTANCE_STARTS, i < 256 ? i + 1 : (i - 256) * 128 + 1),
);
const distanceCode = (distance: number) =>
  DISTANCE_CODES[distance <= 256 ? distance - 1 : 256 + ((distance - 1) >> 7)] as number;

function starts(bits: readonly number[], first: number): number[] {
  return bits.map((_, code) => bits.slice(0, code).reduce((start, count) => start + (1 << count), first));
}

function lastUpTo(list: readonly number[], value: number): number {
  return Math.max(
    0,
    list.findLastIndex((start) => start <= value),
  );
}

/** The codes that need not be written down (RFC 1951, 3.2.6). */
const FIXED_LENGTHS = Uint8Array.from({ length: 288 }, (_, n) =>
  n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8,
);
const FIXED_CODES = new Uint16Array(288);
assign(FIXED_LENGTHS, FIXED_CODES);
const FIXED_DISTANCE_LENGTHS = new Uint8Array(30).fill(5);
const FIXED_DISTANCE_CODES = new Uint16Array(30);
assign(FIXED_DISTANCE_LENGTHS, FIXED_DISTANCE_CODES);

/** In which order the lengths of the codes of code lengths are written (RFC 1951, 3.2.7). */
const HEAD_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

export function createPacker(): Packer {
  const { symbols, distances, writeBlock, begin, end } = createBlocks();
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
    (symbols.counts[byte] as number)++;
    add(byte);
  }

  function match(length: number, distance: number): void {
    (symbols.counts[END + 1 + (LENGTH_CODES[length] as number)] as number)++;
    (distances.counts[distanceCode(distance)] as number)++;
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

/** Writes blocks with the codes that suit them. */
function createBlocks() {
  const symbols = createHuffman(286, 15);
  const distances = createHuffman(30, 15);
  const heads = createHuffman(19, 7);
  /** The lengths of both sets of codes as the head of a block tells them: a symbol, with what follows it above. */
  const told = new Uint16Array(316);
  let out = new Uint8Array(16_384);
  let [at, hold, held] = [0, 0, 0];

  function put(value: number, bits: number): void {
    hold |= value << held;
    held += bits;
    if (held < 16) return;
    out[at++] = hold;
    out[at++] = hold >>> 8;
    hold >>>= 16;
    held -= 16;
  }

  function room(bits: number): void {
    const wanted = at + (bits >>> 3) + 16;
    if (wanted <= out.length) return;
    const larger = new Uint8Array(Math.max(wanted, out.length * 2));
    larger.set(out.subarray(0, at));
    out = larger;
  }

  /** Bits of what was counted with codes of these lengths, without those that follow a code. */
  function cost(lengths: Uint8Array, distanceLengths: Uint8Array): number {
    let bits = 0;
    for (let n = 0; n < 286; n++) bits += (symbols.counts[n] as number) * (lengths[n] as number);
    for (let n = 0; n < 30; n++) bits += (distances.counts[n] as number) * (distanceLengths[n] as number);
    return bits;
  }

  /** Tells lengths in runs; gives how many symbols that takes. */
  function tell(lengths: Uint8Array): number {
    let count = 0;
    for (let from = 0; from < lengths.length; ) {
      const length = lengths[from] as number;
      let run = 1;
      while (from + run < lengths.length && lengths[from + run] === length) run++;
      from += run;
      if (length > 0) {
        told[count++] = length;
        run--;
      }
      while (run > 2) {
        const part = Math.min(run, length > 0 ? 6 : 138);
        told[count++] =
          length > 0 ? 16 | ((part - 3) << 5) : part < 11 ? 17 | ((part - 3) << 5) : 18 | ((part - 11) << 5);
        run -= part;
      }
      for (; run > 0; run--) told[count++] = length;
    }
    return count;
  }

  function writeBlock(block: Uint32Array, count: number, isLast: boolean): void {
    symbols.counts[END] = 1;
    symbols.build();
    distances.build();
    const used = ({ lengths }: Huffman, least: number) =>
      Math.max(least, lengths.findLastIndex((length) => length > 0) + 1);
    const [symbolCount, distanceCount] = [used(symbols, 257), used(distances, 1)];
    const lengths = new Uint8Array(symbolCount + distanceCount);
    lengths.set(symbols.lengths.subarray(0, symbolCount));
    lengths.set(distances.lengths.subarray(0, distanceCount), symbolCount);
    const toldCount = tell(lengths);
    heads.counts.fill(0);
    for (let i = 0; i < toldCount; i++) (heads.counts[(told[i] as number) & 31] as number)++;
    heads.build();
    const headCount = HEAD_ORDER.findLastIndex((symbol) => (heads.lengths[symbol] as number) > 0) + 1;
    let headBits = 17 + headCount * 3;
    for (let i = 0; i < toldCount; i++) {
      const symbol = (told[i] as number) & 31;
      headBits += (heads.lengths[symbol] as number) + headExtra(symbol);
    }
    const own = headBits + cost(symbols.lengths, distances.lengths);
    const fixed = 3 + cost(FIXED_LENGTHS, FIXED_DISTANCE_LENGTHS);
    // A length has at most five bits behind its code, and a distance thirteen.
    room(Math.min(own, fixed) + 18 * count);
    put(isLast ? 1 : 0, 1);
    if (fixed <= own) {
      put(1, 2);
      writeTokens(block, count, FIXED);
    } else {
      put(2, 2);
      put(symbolCount - 257, 5);
      put(distanceCount - 1, 5);
      put(headCount - 4, 4);
      for (let i = 0; i < headCount; i++) put(heads.lengths[HEAD_ORDER[i] as number] as number, 3);
      for (let i = 0; i < toldCount; i++) {
        const symbol = (told[i] as number) & 31;
        put(heads.codes[symbol] as number, heads.lengths[symbol] as number);
        if (symbol > 15) put((told[i] as number) >> 5, headExtra(symbol));
      }
      writeTokens(block, count, { symbols, distances });
    }
    symbols.counts.fill(0);
    distances.counts.fill(0);
  }

  type Codes = Pick<Huffman, "lengths" | "codes">;
  function writeTokens(
    block: Uint32Array,
    count: number,
    { symbols, distances }: { symbols: Codes; distances: Codes },
  ): void {
    for (let i = 0; i < count; i++) {
      const token = block[i] as number;
      if (token < END) {
        put(symbols.codes[token] as number, symbols.lengths[token] as number);
        continue;
      }
      const length = token >> 16;
      const distance = token & 0xffff;
      const code = LENGTH_CODES[length] as number;
      put(symbols.codes[END + 1 + code] as number, symbols.lengths[END + 1 + code] as number);
      put(length - (LENGTH_STARTS[code] as number), LENGTH_BITS[code] as number);
      const far = distanceCode(distance);
      put(distances.codes[far] as number, distances.lengths[far] as number);
      put(distance - (DISTANCE_STARTS[far] as number), DISTANCE_BITS[far] as number);
    }
    put(symbols.codes[END] as number, symbols.lengths[END] as number);
  }

  return {
    symbols,
    distances,
    writeBlock,
    begin(): void {
      out[0] = 0x78;
      out[1] = 0x9c;
      [at, hold, held] = [2, 0, 0];
    },
    end(sum: number): Uint8Array<ArrayBuffer> {
      for (; held > 0; held -= 8) {
        out[at++] = hold;
        hold >>>= 8;
      }
      held = 0;
      room(32);
      for (const shift of [24, 16, 8, 0]) out[at++] = sum >>> shift;
      return out.subarray(0, at);
    },
  };
}

const FIXED = {
  symbols: { lengths: FIXED_LENGTHS, codes: FIXED_CODES },
  distances: { lengths: FIXED_DISTANCE_LENGTHS, codes: FIXED_DISTANCE_CODES },
};

function headExtra(symbol: number): number {
  return symbol === 16 ? 2 : symbol === 17 ? 3 : symbol === 18 ? 7 : 0;
}
