/**
 * The blocks of a deflate stream (RFC 1951): literals and matches, written with codes of their own or the fixed ones,
 * whichever takes fewer bits.
 */
import { assign, createHuffman, type Huffman } from "./huffman.ts";

/** The symbol behind the last of a block; those of lengths follow it. */
const END = 256;
const LONGEST = 258;

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

/** Writes blocks with the codes that suit them. */
export function createBlocks() {
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
    /** What the next block holds must have been counted. */
    countLiteral(byte: number): void {
      (symbols.counts[byte] as number)++;
    },
    countMatch(length: number, distance: number): void {
      (symbols.counts[END + 1 + (LENGTH_CODES[length] as number)] as number)++;
      (distances.counts[distanceCode(distance)] as number)++;
    },
    /** Writes literals, each its byte, and matches, their length above sixteen bits of distance. */
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
