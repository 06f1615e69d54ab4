// Seals reads and computes their tags with one key of the archive (see reads.ts), so that destroying the key destroys
// both. Tags are shortened and may match by chance; readers open the read and compare.

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
  /** A keyed pseudorandom function of blocks of 16 bytes; takes any number of blocks. */
  tags(blocks: Uint8Array<ArrayBuffer>): Promise<DataView>;
};

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

  let padding: Promise<Uint8Array<ArrayBuffer>> | undefined;

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
    async tags(blocks) {
      // Web Crypto has no AES for single blocks. Decrypting a CBC chain returns each block's image, XORed with the
      // block before it, for all blocks at once. The padding that CBC requires follows a constant block, so it is
      // computed once per key.
      padding ??= crypto.subtle
        .encrypt({ name: "AES-CBC", iv: LAST }, tagging, new Uint8Array())
        .then((bytes) => new Uint8Array(bytes));
      const chain = new Uint8Array(blocks.length + 2 * BLOCK);
      chain.set(blocks);
      chain.set(LAST, blocks.length);
      chain.set(await padding, blocks.length + BLOCK);
      const images = await crypto.subtle.decrypt(
        { name: "AES-CBC", iv: new Uint8Array(BLOCK) },
        tagging,
        chain,
      );
      const own = new Uint32Array(images);
      const words = new Uint32Array(chain.buffer);
      for (let i = 4; i < own.length; i++) own[i] = ((own[i] ?? 0) ^ (words[i - 4] ?? 0)) >>> 0;
      return new DataView(images);
    },
  };
}

/** Largest request that crypto.getRandomValues accepts, in bytes. */
const MOST_RANDOM = 65_536;

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count; at += MOST_RANDOM)
    crypto.getRandomValues(bytes.subarray(at, at + MOST_RANDOM));
  return bytes;
}

/** Reads 47 bits, which SQLite stores in six bytes. */
export function int47(view: DataView, at: number): number {
  return (view.getUint16(at) & 0x7fff) * 2 ** 32 + view.getUint32(at + 2);
}
