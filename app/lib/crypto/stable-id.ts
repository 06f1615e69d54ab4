import { sha256 } from "@noble/hashes/sha2.js";
import { hex } from "./encoding.ts";

const encoder = new TextEncoder();

/**
 * Returns 32 hexadecimal digits that depend only on the parts. The parts are joined with `|`, so only the last one
 * may contain that character. Synchronous: a search computes tens of thousands, and a promise for each would cost
 * more than the hash.
 */
export function stableId(...parts: string[]): string {
  return hex(sha256(encoder.encode(parts.join("|"))).subarray(0, 16));
}
