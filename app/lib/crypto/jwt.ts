import { exportJWK, importPKCS8, SignJWT } from "jose";
import { base64url, fromBase64 } from "./encoding.ts";

const ALGORITHM = "ES256";

/** Returns a P-256 private key from PKCS #8, as PEM (Apple's .p8) or as its base64 alone. Throws if it is not one. */
export function importEs256Key(pkcs8: string, extractable = false): Promise<CryptoKey> {
  // A secret that was pasted into one line may have its line ends as two characters. Its base64 may be URL-safe, which
  // jose does not decode.
  const text = pkcs8
    .replace(/-----[^-]+-----|\\n|\s/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const pem = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
  return importPKCS8(pem, ALGORITHM, { extractable });
}

/** Returns the public half as the uncompressed point, URL-safe base64: the application server key of Web Push. */
export async function publicPointOf(pkcs8: string): Promise<string> {
  const { x = "", y = "" } = await exportJWK(await importEs256Key(pkcs8, true));
  return base64url(Uint8Array.of(4, ...fromBase64(x), ...fromBase64(y)));
}

/** Returns a JSON Web Token signed with ES256 (RFC 7519, RFC 7518 section 3.4). */
export function signJwt(
  key: CryptoKey,
  token: { header?: Record<string, string>; claims: Record<string, string | number> },
): Promise<string> {
  return new SignJWT(token.claims)
    .setProtectedHeader({ typ: "JWT", ...token.header, alg: ALGORITHM })
    .sign(key);
}
