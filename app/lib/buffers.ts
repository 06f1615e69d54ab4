/** Returns the parts joined in one array of bytes. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Frees the memory of bytes at once; they are empty afterwards. Otherwise the garbage collector, which sees little
 * garbage of its own, keeps tens of megabytes for long. Nothing else may use the buffer afterwards.
 */
export function release(bytes: Uint8Array<ArrayBuffer>): void {
  // Engines before 2024 lack `transfer` and collect the memory later.
  if (typeof bytes.buffer.transfer === "function") bytes.buffer.transfer(0);
}
