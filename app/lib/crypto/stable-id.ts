import { sha256 } from "@noble/hashes/sha2.js";
import { hex } from "./encoding.ts";

/**
 * 32 hexadecimal digits that are the same for the same parts, whenever and wherever they are asked for.
 * The parts are joined with `|`, so only the last one may hold that character. Synchronous, since a search
 * names tens of thousands of things and a promise for each would cost more than the hash.
 */
export function stableId(...parts: string[]): string {
  return hex(sha256(new TextEncoder().encode(parts.join("|"))).subarray(0, 16));
}
