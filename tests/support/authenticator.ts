/** A passkey authenticator in software (WebAuthn level 2): a P-256 key, no attestation, a counter that tests can set. */
import { base64url, fromBase64 } from "#app/lib/crypto/encoding.ts";

/** The claims of a response; a test can set each to a wrong value. */
export type Claims = {
  origin: string;
  rpId: string;
  challenge: string;
  type: string;
  counter: number;
  /** Bit 0: user present. Bit 2: user verified. Bit 6: attested credential data follows. */
  flags: number;
  /** Signs with a key that is not the registered one. */
  forged: boolean;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

const utf8 = (text: string) => new TextEncoder().encode(text);
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

function joined(...parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const bigEndian = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, n) => Math.floor(value / 256 ** (bytes - 1 - n)) % 256);

/** The parts of CBOR that an attestation needs (RFC 8949): numbers, text, bytes and maps. */
function cbor(value: number | string | Uint8Array | Map<unknown, unknown>): Uint8Array<ArrayBuffer> {
  const head = (major: number, count: number) => {
    if (count < 24) return [(major << 5) | count];
    if (count < 256) return [(major << 5) | 24, count];
    return [(major << 5) | 25, ...bigEndian(count, 2)];
  };
  if (typeof value === "number") return joined(value >= 0 ? head(0, value) : head(1, -1 - value));
  if (typeof value === "string") return joined(head(3, utf8(value).length), utf8(value));
  if (value instanceof Uint8Array) return joined(head(2, value.length), value);
  const entries = [...value].flatMap(([key, item]) => [cbor(key as string), cbor(item as string)]);
  return joined(head(5, value.size), ...entries);
}

/** WebCrypto signs as r and s side by side; authenticators send both as DER integers. */
function asDer(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const integer = (bytes: Uint8Array) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = [...bytes.slice(first)];
    const whole = (short[0] ?? 0) >= 0x80 ? [0, ...short] : short;
    return [0x02, whole.length, ...whole];
  };
  const both = [...integer(signature.slice(0, 32)), ...integer(signature.slice(32))];
  return joined([0x30, both.length], both);
}

const newKey = () =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]) as Promise<CryptoKeyPair>;

export type Authenticator = Awaited<ReturnType<typeof newAuthenticator>>;

/** Creates an authenticator for `origin`. Its counter increases by one per response unless a claim sets it. */
export async function newAuthenticator(origin: string) {
  const [own, other] = [await newKey(), await newKey()];
  const id = crypto.getRandomValues(new Uint8Array(16));
  let counter = 0;

  const claimsOf = (challenge: string, type: string, over: Partial<Claims>): Claims => ({
    origin,
    rpId: new URL(origin).hostname,
    challenge,
    type,
    counter: ++counter,
    flags: PRESENT | VERIFIED,
    forged: false,
    ...over,
  });
  const clientData = ({ type, challenge, origin }: Claims) =>
    utf8(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = async ({ rpId, flags, counter }: Claims, more: Uint8Array = new Uint8Array()) =>
    joined(
      await sha256(utf8(rpId)),
      [more.length > 0 ? flags | ATTESTED : flags],
      bigEndian(counter, 4),
      more,
    );
  const credential = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  return {
    id: base64url(id),
    /** Answers navigator.credentials.create(). */
    async create(options: { challenge: string }, over: Partial<Claims> = {}) {
      const claims = claimsOf(options.challenge, "webauthn.create", over);
      const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", own.publicKey);
      const key = cbor(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, fromBase64(x)],
          [-3, fromBase64(y)],
        ]),
      );
      const attested = joined(new Uint8Array(16), bigEndian(id.length, 2), id, key);
      const attestationObject = cbor(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", await authData(claims, attested)],
        ]),
      );
      return credential({
        clientDataJSON: base64url(clientData(claims)),
        attestationObject: base64url(attestationObject),
        transports: ["internal"],
      });
    },
    /** Answers navigator.credentials.get(). */
    async get(options: { challenge: string }, over: Partial<Claims> = {}) {
      const claims = claimsOf(options.challenge, "webauthn.get", over);
      const data = await authData(claims);
      const signed = joined(data, await sha256(clientData(claims)));
      const { privateKey } = claims.forged ? other : own;
      const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, signed);
      return credential({
        clientDataJSON: base64url(clientData(claims)),
        authenticatorData: base64url(data),
        signature: base64url(asDer(new Uint8Array(signature))),
      });
    },
  };
}
