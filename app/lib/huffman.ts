/** Huffman codes of limited length as DEFLATE has them, built again and again in the same memory. */

export type HuffmanCode = {
  /** The code of each symbol, its bits in the order in which they are written. */
  codes: Uint16Array;
  /** How many bits each code has; 0 for a symbol that is not used. */
  lengths: Uint8Array;
};

export type Huffman = HuffmanCode & {
  /** Counts a symbol. */
  use: (symbol: number) => void;
  /** Makes the codes; gives the number of symbols up to the last that is used. */
  build: () => number;
  /** Forgets what was counted. */
  clear: () => void;
};

const SYMBOL_BITS = 9;

export function createHuffman(symbols: number, limit: number): Huffman {
  const uses = new Uint32Array(symbols);
  const codes = new Uint16Array(symbols);
  const lengths = new Uint8Array(symbols);
  /** Used symbols, rarest first, with how often above them. */
  const sorted = new Uint32Array(symbols);
  const depths = new Uint32Array(symbols);
  const ofLength = new Uint16Array(limit + 2);

  function assignCodes(end: number): void {
    const next = new Uint16Array(limit + 2);
    for (let length = 1; length <= limit; length++)
      next[length + 1] = ((next[length] as number) + (ofLength[length] as number)) << 1;
    for (let symbol = 0; symbol < end; symbol++) {
      const length = lengths[symbol] as number;
      if (length === 0) continue;
      let code = next[length] as number;
      next[length] = code + 1;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++, code >>= 1) reversed = (reversed << 1) | (code & 1);
      codes[symbol] = reversed;
    }
  }

  return {
    codes,
    lengths,
    use(symbol) {
      uses[symbol] = (uses[symbol] as number) + 1;
    },
    build() {
      let [used, end] = [0, 0];
      for (let symbol = 0; symbol < symbols; symbol++) {
        if (uses[symbol] === 0) continue;
        sorted[used++] = ((uses[symbol] as number) << SYMBOL_BITS) | symbol;
        end = symbol + 1;
      }
      lengths.fill(0);
      ofLength.fill(0);
      if (used === 0) return 0;
      const order = sorted.subarray(0, used).sort();
      order.forEach((one, i) => {
        depths[i] = one >>> SYMBOL_BITS;
      });
      toDepths(depths, used);
      for (let i = 0; i < used; i++) {
        const length = Math.min(limit, depths[i] as number);
        ofLength[length] = (ofLength[length] as number) + 1;
      }
      limitLengths(ofLength, limit);
      let i = 0;
      for (let length = limit; length > 0; length--)
        for (let k = ofLength[length] as number; k > 0; k--)
          lengths[(order[i++] as number) & ((1 << SYMBOL_BITS) - 1)] = length;
      assignCodes(end);
      return end;
    },
    clear: () => void uses.fill(0),
  };
}

/** Makes the rising weights of leaves into their depths in a tree of least cost, in place (Moffat and Katajainen). */
function toDepths(a: Uint32Array, n: number): void {
  const at = (i: number) => a[i] as number;
  if (n === 1) {
    a[0] = 1;
    return;
  }
  a[0] = at(0) + at(1);
  let [root, leaf] = [0, 2];
  for (let next = 1; next < n - 1; next++) {
    if (leaf >= n || at(root) < at(leaf)) {
      a[next] = at(root);
      a[root++] = next;
    } else a[next] = at(leaf++);
    if (leaf >= n || (root < next && at(root) < at(leaf))) {
      a[next] = at(next) + at(root);
      a[root++] = next;
    } else a[next] = at(next) + at(leaf++);
  }
  a[n - 2] = 0;
  for (let next = n - 3; next >= 0; next--) a[next] = at(at(next)) + 1;
  let [free, used, depth] = [1, 0, 0];
  root = n - 2;
  for (let next = n - 1; free > 0; depth++) {
    while (root >= 0 && at(root) === depth) {
      used++;
      root--;
    }
    for (; free > used; free--) a[next--] = depth;
    free = 2 * used;
    used = 0;
  }
}

/** Lengthens some codes where those that were cut to the limit have taken more room than there is. */
function limitLengths(ofLength: Uint16Array, limit: number): void {
  const count = (length: number) => ofLength[length] as number;
  let taken = 0;
  for (let length = 1; length <= limit; length++) taken += count(length) << (limit - length);
  for (; taken > 1 << limit; taken--) {
    ofLength[limit] = count(limit) - 1;
    let length = limit - 1;
    while (count(length) === 0) length--;
    ofLength[length] = count(length) - 1;
    ofLength[length + 1] = count(length + 1) + 2;
  }
}
