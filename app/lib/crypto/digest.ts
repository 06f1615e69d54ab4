import { sha256 } from "@noble/hashes/sha2.js";
import { hex } from "./encoding.ts";

export type Digest = { update: (bytes: Uint8Array) => Promise<void>; hex: () => Promise<string> };

type DigestStreamClass = new (
  algorithm: string,
) => WritableStream<Uint8Array> & {
  digest: Promise<ArrayBuffer>;
};

/**
 * Returns a SHA-256 hash of data that arrives in parts. Web Crypto hashes only whole data, so this uses the
 * runtime's DigestStream if there is one, and plain JavaScript otherwise.
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
  // An abandoned digest must not cause an unhandled rejection.
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
