// Seals reads and computes their tags with one key of the archive (see reads.ts), so that destroying the key destroys
// both. Tags are shortened and may match by chance; readers open the read and compare.

import { unsafe as aes } from "@noble/ciphers/aes.js";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";

/** A key, as plain values, which take 0.2 KB: a search of 1,000 agencies over 90 days has 90,000 keys. */
export type ReadCipher = {
  /** Identifies the key without revealing it: 47 bits derived from it. */
  id: number;
  agencyId: string;
  /** The UTC day whose reads it seals; null for reads under a legal hold. */
  day: number | null;
  /** The key that seals and the one that tags, 32 bytes each, base64. */
  subkeys: string;
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
  const derived = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode("odin reads") },
    master,
    8 * (2 * 32 + 6),
  );
  return { ...of, id: int47(new DataView(derived), 64), subkeys: base64(new Uint8Array(derived, 0, 64)) };
}

/** What was made from the subkeys of a cipher. It takes up to 4 KB. */
type Prepared = { sealing?: Promise<CryptoKey>; tagging?: Promise<Tagging>; schedule?: Uint32Array };

/** Ciphers that stay prepared, since an isolate has 128 MB. Enough for a search of 100 agencies over 90 days. */
const MOST_PREPARED = 10_000;
let preparedOf = new WeakMap<ReadCipher, Prepared>();
let preparedCount = 0;

function prepared(cipher: ReadCipher): Prepared {
  const known = preparedOf.get(cipher);
  if (known) return known;
  if (preparedCount >= MOST_PREPARED) {
    preparedOf = new WeakMap();
    preparedCount = 0;
  }
  const made: Prepared = {};
  preparedOf.set(cipher, made);
  preparedCount++;
  return made;
}

function sealingKey(cipher: ReadCipher): Promise<CryptoKey> {
  const own = prepared(cipher);
  own.sealing ??= crypto.subtle.importKey("raw", sealingBytes(cipher), "AES-GCM", false, [
    "encrypt",
    "decrypt",
  ]);
  return own.sealing;
}

const sealingBytes = ({ subkeys }: ReadCipher) => fromBase64(subkeys).slice(0, 32);
const taggingBytes = ({ subkeys }: ReadCipher) => fromBase64(subkeys).slice(32);

function additional({ agencyId, id }: ReadCipher, capturedAt: number): Uint8Array<ArrayBuffer> {
  const owner = encoder.encode(`${agencyId}|${id}|`);
  const data = new Uint8Array(owner.length + 8);
  data.set(owner);
  new DataView(data.buffer).setFloat64(owner.length, capturedAt);
  return data;
}

/**
 * Encrypts texts of reads with AES-256-GCM and random IVs, bound to the capture time. Returns them in their order.
 */
export async function sealTexts(
  cipher: ReadCipher,
  texts: { text: string; capturedAt: number }[],
): Promise<string[]> {
  const key = await sealingKey(cipher);
  const ivs = randomBytes(texts.length * IV);
  const ivOf = (i: number) => ivs.subarray(i * IV, (i + 1) * IV);
  const sealed = await Promise.all(
    texts.map(({ text, capturedAt }, i) =>
      crypto.subtle.encrypt(
        { name: "AES-GCM", iv: ivOf(i), additionalData: additional(cipher, capturedAt) },
        key,
        encoder.encode(text),
      ),
    ),
  );
  // Twelve bytes are sixteen base64 characters without padding, so the IV and the text can be encoded separately.
  return sealed.map((bytes, i) => base64(ivOf(i)) + base64(new Uint8Array(bytes)));
}

/** Decrypts a text. Throws if the key, the agency or the capture time differ. */
export async function openText(cipher: ReadCipher, sealed: string, capturedAt: number): Promise<string> {
  const key = await sealingKey(cipher);
  const whole = fromBase64(sealed);
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: whole.subarray(0, IV), additionalData: additional(cipher, capturedAt) },
    key,
    whole.subarray(IV),
  );
  return decoder.decode(opened);
}

/** Returns the output of each cipher's keyed pseudorandom function for each block of a chain. */
export async function tagBlocks(ciphers: readonly ReadCipher[], chain: BlockChain): Promise<TagView[]> {
  const size = chain.bytes.length - 2 * BLOCK;
  if (size > FEW_BLOCKS * BLOCK) return Promise.all(ciphers.map((cipher) => tagChain(cipher, chain)));
  const images = new DataView(new ArrayBuffer(ciphers.length * size));
  return ciphers.map((cipher, i) => {
    const own = prepared(cipher);
    own.schedule ??= aes.expandKeyDecLE(taggingBytes(cipher));
    decryptBlocks(own.schedule, { blocks: chain.view, size, images, from: i * size });
    return {
      int32: (at) => images.getInt32(i * size + at),
      int47: (at) => int47(images, i * size + at),
    };
  });
}

type Tagging = { key: CryptoKey; padding: Uint8Array };

/**
 * Web Crypto has no AES for single blocks. Decrypting a CBC chain returns the output for every block at once, each XORed
 * with the block before it. The padding that CBC requires follows a constant block, so it is computed once per key.
 */
async function tagChain(cipher: ReadCipher, { bytes, view }: BlockChain): Promise<TagView> {
  const own = prepared(cipher);
  own.tagging ??= taggingOf(cipher);
  const { key, padding } = await own.tagging;
  // The chain is copied before decrypt() returns, so that all ciphers can use the same.
  bytes.set(padding, bytes.length - BLOCK);
  const images = new DataView(await crypto.subtle.decrypt({ name: "AES-CBC", iv: LAST }, key, bytes));
  return {
    int32: (at) => images.getInt32(at) ^ (at < BLOCK ? 0 : view.getInt32(at - BLOCK)),
    int47: (at) => int47(images, at, at < BLOCK ? undefined : view),
  };
}

async function taggingOf(cipher: ReadCipher): Promise<Tagging> {
  const usages: KeyUsage[] = ["encrypt", "decrypt"];
  const key = await crypto.subtle.importKey("raw", taggingBytes(cipher), "AES-CBC", false, usages);
  const padding = await crypto.subtle.encrypt({ name: "AES-CBC", iv: LAST }, key, new Uint8Array());
  return { key, padding: new Uint8Array(padding) };
}

/**
 * The most blocks that are decrypted one by one. A search asks for a few blocks under hundreds of keys, and a call of Web
 * Crypto takes 4 µs; a block here takes 0.25 µs.
 */
const FEW_BLOCKS = 12;

/** Decrypts the blocks, each on its own, with AES-256, and writes them to `images` at `from`. Sizes are in bytes. */
function decryptBlocks(
  schedule: Uint32Array,
  { blocks, size, images, from }: { blocks: DataView; size: number; images: DataView; from: number },
): void {
  const wordAt = (at: number) => blocks.getUint32(at, true);
  for (let at = 0; at < size; at += BLOCK) {
    const { s0, s1, s2, s3 } = aes.decrypt(
      schedule,
      wordAt(at),
      wordAt(at + 4),
      wordAt(at + 8),
      wordAt(at + 12),
    );
    images.setUint32(from + at, s0, true);
    images.setUint32(from + at + 4, s1, true);
    images.setUint32(from + at + 8, s2, true);
    images.setUint32(from + at + 12, s3, true);
  }
}

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
