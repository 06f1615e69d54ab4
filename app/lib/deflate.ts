/**
 * Compresses into the zlib format, over and over with the same tables. A library's call takes some 200 KB of tables of
 * its own each time, which for the hundreds of small streams of a PDF is more garbage than all its images.
 */
import { createHuffman, type HuffmanCode } from "./huffman.ts";

const WINDOW = 32_768;
const HASH_BITS = 15;
/** Literals and matches of one block, each block with codes of its own. */
const BLOCK = 16_384;
const [SHORTEST, LONGEST] = [3, 258];
/** How many places are tried for a match, from what length on none is sought further, or at the next byte. */
const [TRIES, GOOD, LAZY] = [96, 128, 24];
const END_OF_BLOCK = 256;

/** Length and distance codes of RFC 1951: the first value of each, and how many bits follow. */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BITS = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
const LENGTH_FIRST = firstValues(LENGTH_BITS, SHORTEST);
// The longest length has a code of its own, which the code before could tell as well.
LENGTH_FIRST[28] = LONGEST;
const DISTANCE_FIRST = firstValues(DISTANCE_BITS, 1);
const LENGTH_CODE = new Uint8Array(LONGEST + 1);
for (let code = 0; code < 29; code++) LENGTH_CODE.fill(code, LENGTH_FIRST[code]);

/** The order in which the lengths of the codes for code lengths are told. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function firstValues(bits: readonly number[], from: number): number[] {
  let value = from;
  return bits.map((count) => {
    const first = value;
    value += 1 << count;
    return first;
  });
}

function distanceCode(distance: number): number {
  if (distance < 5) return distance - 1;
  const bits = 30 - Math.clz32(distance - 1);
  return 2 * bits + 2 + (((distance - 1) >> bits) & 1);
}

/** A function that compresses; what it gives is overwritten by the next call. */
export function createDeflate(): (data: Uint8Array) => Uint8Array {
  const heads = new Int32Array(1 << HASH_BITS);
  const before = new Int32Array(WINDOW);
  /** A literal as itself, a match as its length above its distance. */
  const tokens = new Uint32Array(BLOCK);
  const literals = createHuffman(286, 15);
  const distances = createHuffman(30, 15);
  const lengths = createHuffman(19, 7);
  /** Code lengths as they are told: symbols, with what follows a run above them. */
  const told = new Uint16Array(286 + 30);
  let out = new Uint8Array(32_768);
  let [at, hold, held, count] = [0, 0, 0, 0];

  function bits(value: number, width: number): void {
    hold |= value << held;
    held += width;
    while (held >= 8) {
      out[at++] = hold;
      hold >>>= 8;
      held -= 8;
    }
  }

  const symbol = (code: HuffmanCode, of: number) =>
    bits(code.codes[of] as number, code.lengths[of] as number);

  /** The lengths of both codes as one list in which runs are shortened; gives how many symbols that takes. */
  function tellLengths(ofLiterals: number, ofDistances: number): number {
    const all = [...literals.lengths.subarray(0, ofLiterals), ...distances.lengths.subarray(0, ofDistances)];
    let symbols = 0;
    const tell = (one: number, extra: number) => {
      lengths.use(one);
      told[symbols++] = one | (extra << 5);
    };
    for (let i = 0; i < all.length; ) {
      const length = all[i] as number;
      let run = 1;
      while (all[i + run] === length && run < (length === 0 ? 138 : 7)) run++;
      if (length === 0 && run >= 3) tell(run > 10 ? 18 : 17, run - (run > 10 ? 11 : 3));
      else if (run >= 4) {
        tell(length, 0);
        tell(16, run - 4);
      } else for (let k = 0; k < run; k++) tell(length, 0);
      i += run;
    }
    return symbols;
  }

  function endBlock(isLast: boolean): void {
    // No token needs more than 48 bits.
    if (out.length < at + count * 6 + 1024) {
      const larger = new Uint8Array((at + count * 6 + 1024) * 2);
      larger.set(out.subarray(0, at));
      out = larger;
    }
    literals.use(END_OF_BLOCK);
    // A code of one symbol alone would not be complete.
    literals.use(0);
    const ofLiterals = Math.max(257, literals.build());
    const ofDistances = Math.max(1, distances.build());
    const symbols = tellLengths(ofLiterals, ofDistances);
    lengths.build();
    let ofLengths = 19;
    while (ofLengths > 4 && lengths.lengths[ORDER[ofLengths - 1] as number] === 0) ofLengths--;
    bits(isLast ? 1 : 0, 1);
    bits(2, 2);
    bits(ofLiterals - 257, 5);
    bits(ofDistances - 1, 5);
    bits(ofLengths - 4, 4);
    for (let i = 0; i < ofLengths; i++) bits(lengths.lengths[ORDER[i] as number] as number, 3);
    for (let i = 0; i < symbols; i++) {
      const one = (told[i] as number) & 31;
      symbol(lengths, one);
      if (one >= 16) bits((told[i] as number) >> 5, one === 16 ? 2 : one === 17 ? 3 : 7);
    }
    for (let i = 0; i < count; i++) {
      const token = tokens[i] as number;
      if (token < 256) {
        symbol(literals, token);
        continue;
      }
      const [length, distance] = [token >>> 16, token & 0xffff];
      const code = LENGTH_CODE[length] as number;
      symbol(literals, 257 + code);
      bits(length - (LENGTH_FIRST[code] as number), LENGTH_BITS[code] as number);
      const far = distanceCode(distance);
      symbol(distances, far);
      bits(distance - (DISTANCE_FIRST[far] as number), DISTANCE_BITS[far] as number);
    }
    symbol(literals, END_OF_BLOCK);
    for (const code of [literals, distances, lengths]) code.clear();
    count = 0;
  }

  function literal(byte: number): void {
    literals.use(byte);
    tokens[count++] = byte;
    if (count === BLOCK) endBlock(false);
  }

  function match(length: number, distance: number): void {
    literals.use(257 + (LENGTH_CODE[length] as number));
    distances.use(distanceCode(distance));
    tokens[count++] = (length << 16) | distance;
    if (count === BLOCK) endBlock(false);
  }

  /** Notes that there are three bytes at a place; gives the last place where the same hash was. */
  function note(data: Uint8Array, i: number): number {
    const three = (data[i] as number) | ((data[i + 1] as number) << 8) | ((data[i + 2] as number) << 16);
    const hash = Math.imul(three, 0x9e3779b1) >>> (32 - HASH_BITS);
    const last = heads[hash] as number;
    before[i & (WINDOW - 1)] = last;
    heads[hash] = i;
    return last;
  }

  /** The longest match that is longer than `length`, as its length above its distance; 0 where there is none. */
  function longest(one: { data: Uint8Array; i: number; last: number; length: number }): number {
    const { data, i } = one;
    const most = Math.min(LONGEST, data.length - i);
    let [length, found, place] = [one.length, 0, one.last];
    for (let tries = TRIES; place >= 0 && i - place < WINDOW && tries > 0; tries--) {
      if (length < most && data[place + length] === data[i + length]) {
        let same = 0;
        while (same < most && data[place + same] === data[i + same]) same++;
        if (same > length) {
          length = same;
          found = (same << 16) | (i - place);
          if (same >= GOOD) return found;
        }
      }
      place = before[place & (WINDOW - 1)] as number;
    }
    return found;
  }

  function compress(data: Uint8Array): void {
    const lastPlace = data.length - SHORTEST;
    /** What was found at the byte before, which is told only where the next byte has nothing longer. */
    let [pending, isPending] = [0, false];
    for (let i = 0; i < data.length; i++) {
      const length = pending >>> 16;
      const last = i <= lastPlace ? note(data, i) : -1;
      const found =
        last < 0 || length >= LAZY ? 0 : longest({ data, i, last, length: Math.max(length, SHORTEST - 1) });
      if (length > 0 && found === 0) {
        match(length, pending & 0xffff);
        const end = i - 1 + length;
        while (++i < end) if (i <= lastPlace) note(data, i);
        i--;
        [pending, isPending] = [0, false];
        continue;
      }
      if (isPending) literal(data[i - 1] as number);
      pending = found;
      isPending = true;
    }
    if (isPending) literal(data.at(-1) as number);
  }

  return (data) => {
    heads.fill(-1);
    [at, hold, held, count] = [0, 0, 0, 0];
    bits(0x78, 8);
    bits(0x9c, 8);
    compress(data);
    endBlock(true);
    if (held > 0) bits(0, 8 - held);
    const sum = adler32(data);
    for (const shift of [24, 16, 8, 0]) bits((sum >>> shift) & 255, 8);
    return out.subarray(0, at);
  };
}

function adler32(data: Uint8Array): number {
  let [a, b] = [1, 0];
  for (let i = 0; i < data.length; ) {
    // As many as fit before a sum could overflow.
    const end = Math.min(i + 3800, data.length);
    for (; i < end; i++) {
      a += data[i] as number;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
