/** ECDSA over P-256 with SHA-256: signatures in the DER form that openssl reads, public keys as PEM. */
import { base64, fromBase64, hex } from "./encoding.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const ALGORITHM = { name: "ECDSA", hash: "SHA-256" } as const;

/** Private keys by version; the highest version signs. */
export type SigningKeys = { current: number; keys: Record<number, string> };

/** Parses keys of the form `1:<base64 of PKCS #8>,2:<…>`. Throws if there is none or one is invalid. */
export function parseSigningKeys(text: string): SigningKeys {
  const keys: Record<number, string> = {};
  for (const part of text.split(",")) {
    const [, version, key] = /^\s*([1-9]\d*):([A-Za-z0-9+/=\s]+)$/.exec(part) ?? [];
    if (key === undefined) throw new Error("EXPORT_SIGNING_KEYS must be a list of version:base64-of-PKCS-8");
    keys[Number(version)] = key.replace(/\s/g, "");
  }
  return { current: Math.max(...Object.keys(keys).map(Number)), keys };
}

/** Version 0 of PKCS #8, and the object identifiers of an EC key and of P-256 (RFC 5208, RFC 5480). */
const P256_PKCS8 = "020100301306072a8648ce3d020106082a8648ce3d030107";

/** Throws Error if a key does not have the form of P-256 in PKCS #8; otherwise only the first signature would fail. */
export function requireSigningKeys({ keys }: SigningKeys): void {
  const bad = Object.entries(keys).filter(([, key]) => !isP256(key));
  const [version] = bad[0] ?? [];
  if (version !== undefined)
    throw new Error(
      `EXPORT_SIGNING_KEYS: version ${version} is not a P-256 key in PKCS #8. Nothing can be exported.`,
    );
}

function isP256(key: string): boolean {
  try {
    const bytes = fromBase64(key);
    // A sequence with its length in one byte, or in two.
    const [tag, short, long] = bytes;
    const [start, length] = short === 0x81 ? [3, long] : [2, short];
    return (
      tag === 0x30 && bytes.length - start === length && hex(bytes.subarray(start)).startsWith(P256_PKCS8)
    );
  } catch {
    return false;
  }
}

async function privateKey(keys: SigningKeys, version: number, extractable: boolean): Promise<CryptoKey> {
  const key = keys.keys[version];
  if (key === undefined) throw new Error(`no signing key of version ${version}`);
  return crypto.subtle.importKey("pkcs8", fromBase64(key), CURVE, extractable, ["sign"]);
}

/** Returns a DER signature of the data by the current key. */
export async function sign(
  keys: SigningKeys,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await privateKey(keys, keys.current, false);
  return toDer(new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, data)));
}

/** Returns the public key of a version as PEM. */
export async function publicKeyPem(keys: SigningKeys, version: number): Promise<string> {
  const jwk = await crypto.subtle.exportKey("jwk", await privateKey(keys, version, true));
  if (!("kty" in jwk)) throw new TypeError("the key was not exported as JWK");
  const { kty, crv, x, y } = jwk;
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, CURVE, true, ["verify"]);
  const bytes = new Uint8Array((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer);
  const lines = base64(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN PUBLIC KEY-----\n${lines.join("\n")}\n-----END PUBLIC KEY-----\n`;
}

/** Returns whether this public key verifies a DER signature of the data; false if it is not a signature at all. */
export async function isSignedBy(
  pem: string,
  data: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const raw = fromDer(signature);
  if (!raw) return false;
  const spki = fromBase64(pem.replace(/-----[^-]+-----|\s/g, ""));
  const key = await crypto.subtle.importKey("spki", spki, CURVE, false, ["verify"]);
  return crypto.subtle.verify(ALGORITHM, key, raw, data);
}

function toDer(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const integer = (half: Uint8Array) => {
    let from = 0;
    while (from < half.length - 1 && half[from] === 0) from++;
    const digits = [...half.subarray(from)];
    // A leading set bit would make the number negative.
    if ((digits[0] ?? 0) > 0x7f) digits.unshift(0);
    return [0x02, digits.length, ...digits];
  };
  const body = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32))];
  return Uint8Array.from([0x30, body.length, ...body]);
}

function fromDer(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    if (der[at] !== 0x02 || length === 0 || length > 33) return undefined;
    let digits = der.subarray(at + 2, at + 2 + length);
    if (digits.length === 33) digits = digits.subarray(1);
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return at === der.length ? raw : undefined;
}
