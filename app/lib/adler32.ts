/** The checksum of zlib (RFC 1950), of bytes that follow those with the given one. */
export function adler32(bytes: Uint8Array, before = 1): number {
  let [a, b] = [before & 0xffff, before >>> 16];
  for (let i = 0; i < bytes.length; ) {
    // As many as fit before the sums outgrow 32 bits.
    for (const stop = Math.min(i + 3800, bytes.length); i < stop; i++) {
      a += bytes[i] as number;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
