/** Codes of fewest bits for symbols by how often each comes, as deflate writes them (RFC 1951, 3.2.2). */
export type Huffman = {
  /** How often each symbol comes; to be filled before `build` and cleared after. */
  counts: Uint32Array;
  /** Bits of each symbol's code; none for a symbol that does not come. */
  lengths: Uint8Array;
  /** The codes, their first bit lowest. */
  codes: Uint16Array;
  /** Makes the codes: no longer than `most` bits, and at least two, since readers refuse a lone one. */
  build: () => void;
};

export function createHuffman(symbols: number, most: number): Huffman {
  const counts = new Uint32Array(symbols);
  const lengths = new Uint8Array(symbols);
  const codes = new Uint16Array(symbols);
  /** Count and symbol as one number, so that numbers can be sorted. */
  const order = new Float64Array(symbols);
  const tree = new Uint32Array(symbols);
  const ofLength = new Uint16Array(symbols + 1);

  function build(): void {
    let used = 0;
    for (let symbol = 0; symbol < symbols; symbol++)
      if ((counts[symbol] as number) > 0) order[used++] = (counts[symbol] as number) * 512 + symbol;
    for (let symbol = 0; used < 2; symbol++) if (counts[symbol] === 0) order[used++] = 512 + symbol;
    order.subarray(0, used).sort();
    for (let i = 0; i < used; i++) tree[i] = Math.floor((order[i] as number) / 512);
    toDepths(tree, used);
    ofLength.fill(0);
    for (let i = 0; i < used; i++) (ofLength[Math.min(tree[i] as number, most)] as number)++;
    shorten(ofLength, most);
    lengths.fill(0);
    let at = used;
    for (let length = 1; length <= most; length++)
      for (let n = ofLength[length] as number; n > 0; n--) lengths[(order[--at] as number) % 512] = length;
    assign(lengths, codes);
  }

  return { counts, lengths, codes, build };
}

/** Depths in place of counts, rarest first (Moffat and Katajainen 1995: minimum-redundancy codes in place). */
function toDepths(tree: Uint32Array, used: number): void {
  const at = (i: number) => tree[i] as number;
  tree[0] = at(0) + at(1);
  let [root, leaf] = [0, 2];
  for (let next = 1; next < used - 1; next++) {
    let sum = 0;
    for (let k = 0; k < 2; k++) {
      if (leaf >= used || (root < next && at(root) < at(leaf))) {
        sum += at(root);
        tree[root++] = next;
      } else sum += at(leaf++);
    }
    tree[next] = sum;
  }
  tree[used - 2] = 0;
  for (let next = used - 3; next >= 0; next--) tree[next] = at(at(next)) + 1;
  let [open, inner, depth] = [1, 0, 0];
  root = used - 2;
  for (let next = used - 1; open > 0; depth++) {
    while (root >= 0 && at(root) === depth) {
      inner++;
      root--;
    }
    for (; open > inner; open--) tree[next--] = depth;
    open = 2 * inner;
    inner = 0;
  }
}

/** Where codes were cut to `most` bits there are too many of them; others become longer until all fit. */
function shorten(ofLength: Uint16Array, most: number): void {
  let room = 0;
  for (let length = 1; length <= most; length++) room += (ofLength[length] as number) << (most - length);
  for (; room > 1 << most; room--) {
    (ofLength[most] as number)--;
    let length = most - 1;
    while (ofLength[length] === 0) length--;
    (ofLength[length] as number)--;
    ofLength[length + 1] = (ofLength[length + 1] as number) + 2;
  }
}

/** Codes of given lengths, in the order of the symbols. */
export function assign(lengths: Uint8Array, codes: Uint16Array): void {
  const next = new Uint16Array(17);
  for (const length of lengths) if (length > 0) (next[length + 1] as number)++;
  for (let length = 1; length < 17; length++)
    next[length] = ((next[length - 1] as number) + (next[length] as number)) << 1;
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    let code = (next[length] as number)++;
    let reversed = 0;
    for (let i = 0; i < length; i++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    codes[symbol] = reversed;
  }
}
