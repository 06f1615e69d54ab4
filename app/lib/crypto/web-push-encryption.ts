/** Payloads of Web Push: ECDH over P-256 and AES-128-GCM in one record (RFC 8291 over RFC 8188). */
import { joined } from "#app/lib/buffers.ts";
import { fromBase64 } from "./encoding.ts";

/** Keys of a browser's subscription, URL-safe base64. */
export type SubscriptionKeys = { p256dh: string; auth: string };

const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;
const encoder = new TextEncoder();

/** Size of the single record; a push service need not accept more than 4096 bytes. */
const RECORD_SIZE = 4096;
/** Header, delimiter and tag take the rest of the record. */
const LONGEST = RECORD_SIZE - 86 - 17;

/** The random parts of a message; passed only by tests of known messages. */
export type PushRandomness = { salt: Uint8Array<ArrayBuffer>; sender: CryptoKeyPair };

async function freshRandomness(): Promise<PushRandomness> {
  const sender = await crypto.subtle.generateKey(ECDH, true, ["deriveBits"]);
  if (!("privateKey" in sender)) throw new TypeError("no key pair was generated");
  return { salt: crypto.getRandomValues(new Uint8Array(16)), sender };
}

/** Returns whether these are valid keys of a subscription: a point on the curve, and sixteen bytes. */
export async function areSubscriptionKeys({ p256dh, auth }: SubscriptionKeys): Promise<boolean> {
  try {
    await crypto.subtle.importKey("raw", fromBase64(p256dh), ECDH, false, []);
    return fromBase64(auth).length === 16;
  } catch {
    return false;
  }
}

async function hkdf(
  secret: Uint8Array<ArrayBuffer>,
  options: { salt: Uint8Array<ArrayBuffer>; info: Uint8Array<ArrayBuffer>; bytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const { salt, info, bytes } = options;
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8),
  );
}

/** Returns the key and nonce that both sides derive: the sender from its private key, the receiver from its own. */
export async function pushSecrets(input: {
  shared: Uint8Array<ArrayBuffer>;
  auth: Uint8Array<ArrayBuffer>;
  salt: Uint8Array<ArrayBuffer>;
  receiver: Uint8Array<ArrayBuffer>;
  sender: Uint8Array<ArrayBuffer>;
}): Promise<{ key: Uint8Array<ArrayBuffer>; nonce: Uint8Array<ArrayBuffer> }> {
  const { shared, auth, salt, receiver, sender } = input;
  const info = joined([encoder.encode("WebPush: info\0"), receiver, sender]);
  const material = await hkdf(shared, { salt: auth, info, bytes: 32 });
  const [key, nonce] = await Promise.all([
    hkdf(material, { salt, info: encoder.encode("Content-Encoding: aes128gcm\0"), bytes: 16 }),
    hkdf(material, { salt, info: encoder.encode("Content-Encoding: nonce\0"), bytes: 12 }),
  ]);
  return { key, nonce };
}

/** Returns the body of a push for one subscription. Throws RangeError if the text does not fit one record. */
export async function encryptPush(
  text: string,
  keys: SubscriptionKeys,
  randomness?: PushRandomness,
): Promise<Uint8Array<ArrayBuffer>> {
  const plain = encoder.encode(text);
  if (plain.length > LONGEST) throw new RangeError("the payload does not fit a push");
  const { salt, sender } = randomness ?? (await freshRandomness());
  const receiver = fromBase64(keys.p256dh);
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", sender.publicKey)) as ArrayBuffer);
  const receiverKey = await crypto.subtle.importKey("raw", receiver, ECDH, false, []);
  const algorithm = { name: "ECDH", public: receiverKey };
  const shared = new Uint8Array(await crypto.subtle.deriveBits(algorithm, sender.privateKey, 256));
  const secrets = await pushSecrets({ shared, auth: fromBase64(keys.auth), salt, receiver, sender: point });
  const aes = await crypto.subtle.importKey("raw", secrets.key, "AES-GCM", false, ["encrypt"]);
  // A byte of two ends the last record.
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: secrets.nonce },
    aes,
    joined([plain, Uint8Array.of(2)]),
  );
  const size = Uint8Array.of(0, 0, RECORD_SIZE >> 8, RECORD_SIZE & 0xff, point.length);
  return joined([salt, size, point, new Uint8Array(sealed)]);
}
