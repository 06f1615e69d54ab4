import { base64url, fromBase64 } from "./encoding.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const encoder = new TextEncoder();

/** A P-256 private key from PKCS #8, as PEM (Apple's .p8) or as its base64 alone. Throws where it is none. */
export async function importEs256Key(pkcs8: string, extractable = false): Promise<CryptoKey> {
  // A secret that was pasted into one line may have its line ends as two characters.
  const text = pkcs8.replace(/-----[^-]+-----|\\n|\s/g, "");
  return crypto.subtle.importKey("pkcs8", fromBase64(text), CURVE, extractable, ["sign"]);
}

/** The public half as the uncompressed point, URL-safe base64: what Web Push calls the application server key. */
export async function publicPointOf(pkcs8: string): Promise<string> {
  const { x, y } = (await crypto.subtle.exportKey("jwk", await importEs256Key(pkcs8, true))) as JsonWebKey;
  return base64url(Uint8Array.of(4, ...fromBase64(x ?? ""), ...fromBase64(y ?? "")));
}

/** A JSON Web Token signed with ES256 (RFC 7519, RFC 7518 section 3.4). */
export async function signJwt(
  key: CryptoKey,
  token: { header?: Record<string, string>; claims: Record<string, string | number> },
): Promise<string> {
  const part = (value: object) => base64url(encoder.encode(JSON.stringify(value)));
  const signed = `${part({ alg: "ES256", typ: "JWT", ...token.header })}.${part(token.claims)}`;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}
