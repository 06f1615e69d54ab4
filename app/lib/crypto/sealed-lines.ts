// Files of lines: gzipped, then encrypted with AES-256-GCM and a key of their own. The associated data is not in the file:
// a file opens only with the same data as it was sealed with.

import { gunzip, gzip } from "#app/lib/files/gzip.ts";
import { base64, fromBase64 } from "./encoding.ts";

const IV = 12;

type Bytes = Uint8Array<ArrayBuffer>;

/** A key of `newLinesKey`, and what the file belongs to. */
export type LinesSeal = { key: string; associated: readonly unknown[] };

/** Returns a new random 256-bit key, in base64. */
export function newLinesKey(): string {
  return base64(crypto.getRandomValues(new Uint8Array(32)));
}

async function paramsOf({ key, associated }: LinesSeal) {
  return {
    key: await crypto.subtle.importKey("raw", fromBase64(key), "AES-GCM", false, ["encrypt", "decrypt"]),
    additionalData: new TextEncoder().encode(JSON.stringify(associated)),
  };
}

/** Returns lines, which have no line breaks, encrypted: the IV, then the ciphertext. */
export async function sealLines(seal: LinesSeal, lines: readonly string[]): Promise<Bytes> {
  const { key, additionalData } = await paramsOf(seal);
  const iv = crypto.getRandomValues(new Uint8Array(IV));
  const plain = await gzip(lines.join("\n"));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain);
  const bytes = new Uint8Array(IV + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV);
  return bytes;
}

/** Returns the lines of a file. Throws if the file, the key or the associated data differs. */
export async function openLines(seal: LinesSeal, bytes: Bytes): Promise<string[]> {
  const { key, additionalData } = await paramsOf(seal);
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, IV), additionalData };
  const plain = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV));
  return (await gunzip(new Uint8Array(plain))).split("\n");
}
