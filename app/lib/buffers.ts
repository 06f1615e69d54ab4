/**
 * Frees the memory of bytes at once; they are empty afterwards. Otherwise the garbage collector, which sees little
 * garbage of its own, keeps tens of megabytes for long. Nothing else may use the buffer afterwards.
 */
export function release(bytes: Uint8Array<ArrayBuffer>): void {
  // Engines before 2024 lack `transfer` and collect the memory later.
  if (typeof bytes.buffer.transfer === "function") bytes.buffer.transfer(0);
}
