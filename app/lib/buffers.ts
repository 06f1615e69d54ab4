/**
 * Gives the memory of bytes back at once; they are empty from then on. A collector that finds little garbage of its own
 * would let tens of megabytes of them lie. The bytes must be the only ones of their buffer that are still wanted.
 */
export function release(bytes: Uint8Array<ArrayBuffer>): void {
  // Engines older than 2024 cannot, and collect later.
  if (typeof bytes.buffer.transfer === "function") bytes.buffer.transfer(0);
}
