import { sha256 } from "@noble/hashes/sha2.js";
import { hex } from "./encoding.ts";

export type Digest = { update: (bytes: Uint8Array) => Promise<void>; hex: () => Promise<string> };

type DigestStreamClass = new (
  algorithm: string,
) => WritableStream<Uint8Array> & {
  digest: Promise<ArrayBuffer>;
};

/**
 * SHA-256 of bytes that come in parts. Web Crypto takes them only all at once, so this is the runtime's own
 * DigestStream where it has one, and plain JavaScript elsewhere.
 */
export function createDigest(): Digest {
  const DigestStream = (crypto as unknown as { DigestStream?: DigestStreamClass }).DigestStream;
  if (!DigestStream) {
    const hash = sha256.create();
    return {
      update: async (bytes) => void hash.update(bytes),
      hex: async () => hex(hash.digest()),
    };
  }
  const stream = new DigestStream("SHA-256");
  // Who gives up half-way must not leave a rejection that nobody hears.
  stream.digest.catch(() => {});
  const writer = stream.getWriter();
  return {
    update: (bytes) => writer.write(bytes),
    hex: async () => {
      await writer.close();
      return hex(new Uint8Array(await stream.digest));
    },
  };
}
