import { base64url, fromBase64, hex } from "./encoding.ts";

const encoder = new TextEncoder();

/** Returns random bytes as URL-safe text; 128 bits meet CJIS IA-5 (o) and ASVS 7.2.3 for session identifiers. */
export function randomToken(bytes = 16): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns 60 random bits in three groups of four characters that are hard to confuse when read out. */
export function readableCode(): string {
  const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => ALPHABET[byte % 32]);
  return [0, 4, 8].map((at) => letters.slice(at, at + 4).join("")).join("-");
}

/** Returns the SHA-256 of a text or of bytes, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Returns the HMAC-SHA-256 of a text with a text key, as raw bytes. */
export async function hmac(key: string, data: string): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey(
    "raw",
    encoder.encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(data)));
}

/** Returns whether two byte strings are equal, in a time that depends only on their length. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/**
 * Key-encryption keys by version, and the version that seals new secrets. To seal a secret is to encrypt and
 * authenticate it together with its owner, so that it opens only in the same place.
 */
export type SealingKeys = { current: number; keys: Record<number, string> };

/** The owner of a sealed secret: it opens only for the same record and field. */
export type SealedFor = { table: string; id: string; field: string };

/**
 * Parses sealing keys of the form `1:<base64 of 32 bytes>,2:<…>`; the highest version is current. Throws if the
 * text has no key or a key that is not 256 bits.
 */
export function parseSealingKeys(text: string): SealingKeys {
  const keys: Record<number, string> = {};
  for (const part of text.split(",")) {
    const [version, key] = [
      part.slice(0, part.indexOf(":")).trim(),
      part.slice(part.indexOf(":") + 1).trim(),
    ];
    if (!/^[1-9]\d*$/.test(version) || lengthOf(key) !== 32) {
      throw new Error("SEALING_KEYS must be a list of version:base64-of-32-bytes");
    }
    keys[Number(version)] = key;
  }
  return { current: Math.max(...Object.keys(keys).map(Number)), keys };
}

/** Returns the number of bytes that a text in base64 has; undefined if it is not base64. */
function lengthOf(text: string): number | undefined {
  try {
    return fromBase64(text).length;
  } catch {
    return undefined;
  }
}

async function aesKey(keys: SealingKeys, version: number): Promise<CryptoKey> {
  const key = keys.keys[version];
  if (key === undefined) throw new Error(`no sealing key of version ${version}`);
  return crypto.subtle.importKey("raw", fromBase64(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}

function associatedData(owner: SealedFor, version: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${owner.table}|${owner.id}|${owner.field}|${version}`);
}

/**
 * Seals a secret with AES-256-GCM, a random 96-bit IV, and the owner as associated data (CJIS SC-28, ASVS 11.3.2).
 * Returns `v<version>.<iv>.<ciphertext>`.
 */
export async function seal(keys: SealingKeys, owner: SealedFor, secret: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await aesKey(keys, keys.current);
  const additionalData = associatedData(owner, keys.current);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData },
    key,
    encoder.encode(secret),
  );
  return `v${keys.current}.${base64url(iv)}.${base64url(new Uint8Array(sealed))}`;
}

/** Opens the result of `seal`. Throws if the owner, the key or the text differs. */
export async function unseal(keys: SealingKeys, owner: SealedFor, sealed: string): Promise<string> {
  const [, version, iv, ciphertext] = /^v(\d+)\.([\w-]+)\.([\w-]+)$/.exec(sealed) ?? [];
  if (iv === undefined || ciphertext === undefined) throw new Error("not a sealed secret");
  const key = await aesKey(keys, Number(version));
  const additionalData = associatedData(owner, Number(version));
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: fromBase64(iv), additionalData },
    key,
    fromBase64(ciphertext),
  );
  return new TextDecoder().decode(opened);
}
