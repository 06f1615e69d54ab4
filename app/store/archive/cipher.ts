// Seals reads and computes their tags with one key of the archive (see reads.ts), so that destroying the key destroys
// both. Tags are shortened and may match by chance; readers open the read and compare.

import { unsafe as aes } from "@noble/ciphers/aes.js";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";

export type ReadCipher = {
  /** Identifies the key without revealing it: 47 bits derived from it. */
  id: number;
  agencyId: string;
  /** The UTC day whose reads it seals; null for reads under a legal hold. */
  day: number | null;
  /**
   * Encrypts texts of reads with AES-256-GCM and random IVs, bound to the capture time. Returns them in their order.
   */
  seal(texts: { text: string; capturedAt: number }[]): Promise<string[]>;
  /** Decrypts a text. Throws if the key, the agency or the capture time differ. */
  open(sealed: string, capturedAt: number): Promise<string>;
  /** Returns the output of a keyed pseudorandom function for each block of a chain. */
  tags(chain: BlockChain): Promise<TagView>;
};

/** Reads numbers from the outputs of blocks; `at` is in bytes. */
export type TagView = { int32: (at: number) => number; int47: (at: number) => number };

/** Blocks of 16 bytes, followed by a block of zeros and one for the padding. Any number of ciphers can tag them. */
export type BlockChain = { bytes: Uint8Array<ArrayBuffer>; view: DataView };

/** Returns a chain of blocks. */
export function chainOf(blocks: Uint8Array<ArrayBuffer>): BlockChain {
  const bytes = new Uint8Array(blocks.length + 2 * BLOCK);
  bytes.set(blocks);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** The size of a block in bytes. */
export const BLOCK = 16;
const IV = 12;
/** The block that ends every chain; no word or text is all zeros. */
const LAST = new Uint8Array(BLOCK);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the cipher of a key of 32 bytes. HKDF-SHA-256 (RFC 5869) derives the subkeys for sealing and tagging. */
export async function createReadCipher(
  raw: Uint8Array<ArrayBuffer>,
  of: { agencyId: string; day: number | null },
): Promise<ReadCipher> {
  const master = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
  const derived = new Uint8Array(
    await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode("odin reads") },
      master,
      8 * (2 * 32 + 6),
    ),
  );
  const [sealing, tagging] = await Promise.all([
    crypto.subtle.importKey("raw", derived.subarray(0, 32), "AES-GCM", false, ["encrypt", "decrypt"]),
    crypto.subtle.importKey("raw", derived.subarray(32, 64), "AES-CBC", false, ["encrypt", "decrypt"]),
  ]);
  const id = int47(new DataView(derived.buffer), 64);
  const owner = encoder.encode(`${of.agencyId}|${id}|`);

  let padding: Uint8Array<ArrayBuffer> | undefined;
  let schedule: Uint32Array | undefined;

  function additional(capturedAt: number): Uint8Array<ArrayBuffer> {
    const data = new Uint8Array(owner.length + 8);
    data.set(owner);
    new DataView(data.buffer).setFloat64(owner.length, capturedAt);
    return data;
  }

  return {
    id,
    ...of,
    async seal(texts) {
      const ivs = randomBytes(texts.length * IV);
      const ivOf = (i: number) => ivs.subarray(i * IV, (i + 1) * IV);
      const sealed = await Promise.all(
        texts.map(({ text, capturedAt }, i) =>
          crypto.subtle.encrypt(
            { name: "AES-GCM", iv: ivOf(i), additionalData: additional(capturedAt) },
            sealing,
            encoder.encode(text),
          ),
        ),
      );
      // Twelve bytes are sixteen base64 characters without padding, so the IV and the text can be encoded separately.
      return sealed.map((bytes, i) => base64(ivOf(i)) + base64(new Uint8Array(bytes)));
    },
    async open(sealed, capturedAt) {
      const whole = fromBase64(sealed);
      const opened = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: whole.subarray(0, IV), additionalData: additional(capturedAt) },
        sealing,
        whole.subarray(IV),
      );
      return decoder.decode(opened);
    },
    async tags({ bytes, view }) {
      const blocks = bytes.length / BLOCK - 2;
      if (blocks <= FEW_BLOCKS) {
        schedule ??= aes.expandKeyDecLE(derived.slice(32, 64));
        return viewOf(decryptBlocks(schedule, view, blocks));
      }
      // Web Crypto has no AES for single blocks. Decrypting a CBC chain returns the output for every block at once,
      // each XORed with the block before it. The padding that CBC requires follows a constant block, so it is computed
      // once per key. The chain is copied before decrypt() returns, so that all ciphers can use the same.
      padding ??= new Uint8Array(
        await crypto.subtle.encrypt({ name: "AES-CBC", iv: LAST }, tagging, new Uint8Array()),
      );
      bytes.set(padding, bytes.length - BLOCK);
      const images = new DataView(await crypto.subtle.decrypt({ name: "AES-CBC", iv: LAST }, tagging, bytes));
      return {
        int32: (at) => images.getInt32(at) ^ (at < BLOCK ? 0 : view.getInt32(at - BLOCK)),
        int47: (at) => int47(images, at, at < BLOCK ? undefined : view),
      };
    },
  };
}

/**
 * The most blocks that are decrypted one by one. A search asks for a few blocks under hundreds of keys, and a call of Web
 * Crypto takes 4 µs; a block here takes 0.25 µs.
 */
const FEW_BLOCKS = 12;

/** Returns the first blocks, decrypted with AES-256, each on its own. */
function decryptBlocks(schedule: Uint32Array, view: DataView, blocks: number): DataView {
  const images = new DataView(new ArrayBuffer(blocks * BLOCK));
  const wordAt = (at: number) => view.getUint32(at, true);
  for (let at = 0; at < blocks * BLOCK; at += BLOCK) {
    const { s0, s1, s2, s3 } = aes.decrypt(
      schedule,
      wordAt(at),
      wordAt(at + 4),
      wordAt(at + 8),
      wordAt(at + 12),
    );
    images.setUint32(at, s0, true);
    images.setUint32(at + 4, s1, true);
    images.setUint32(at + 8, s2, true);
    images.setUint32(at + 12, s3, true);
  }
  return images;
}

const viewOf = (images: DataView): TagView => ({
  int32: (at) => images.getInt32(at),
  int47: (at) => int47(images, at),
});

/** Largest request that crypto.getRandomValues accepts, in bytes. */
const MAX_RANDOM = 65_536;

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count; at += MAX_RANDOM) crypto.getRandomValues(bytes.subarray(at, at + MAX_RANDOM));
  return bytes;
}

/** Reads 47 bits, which SQLite stores in six bytes; XORed with those a block earlier in `chain`. */
export function int47(view: DataView, at: number, chain?: DataView): number {
  let [high, low] = [view.getUint16(at), view.getUint32(at + 2)];
  if (chain) {
    high ^= chain.getUint16(at - BLOCK);
    low = (low ^ chain.getUint32(at - BLOCK + 2)) >>> 0;
  }
  return (high & 0x7fff) * 2 ** 32 + low;
}
