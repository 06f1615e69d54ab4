/**
 * The credentials that the simulated vendors accept. They are derived from one secret, so that this Worker and the code
 * that seeds Odin agree on them without a file of keys.
 */
const encoder = new TextEncoder();

async function derive(secret: string, purpose: string, length: number): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(purpose)));
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, length);
}

/** Returns the Rekor API key of an agency: 40 hexadecimal characters. */
export function rekorApiKey(secret: string, agencyId: string): Promise<string> {
  return derive(secret, `rekor:${agencyId}`, 40);
}

/** Returns the credentials of an agency's Axon API client. */
export async function axonCredentials(
  secret: string,
  agencyId: string,
): Promise<{ clientId: string; clientSecret: string; partnerId: string }> {
  const [clientId, clientSecret, partnerId] = await Promise.all([
    derive(secret, `axon-client:${agencyId}`, 32),
    derive(secret, `axon-secret:${agencyId}`, 48),
    derive(secret, `axon-partner:${agencyId}`, 32),
  ]);
  return { clientId, clientSecret, partnerId };
}

/** Returns the secret of an agency's registration at the demo's identity provider. */
export function identityClientSecret(secret: string, agencyId: string): Promise<string> {
  return derive(secret, `identity-client:${agencyId}`, 48);
}

/** Returns the secret part of the address to which an Axis camera pushes: 32 hexadecimal characters. */
export function axisCameraSecret(secret: string, cameraId: string): Promise<string> {
  return derive(secret, `axis-camera:${cameraId}`, 32);
}

/** Returns the secret part of the address to which an agency's Rekor agents post: 32 hexadecimal characters. */
export function rekorWebhookSecret(secret: string, agencyId: string): Promise<string> {
  return derive(secret, `rekor-door:${agencyId}`, 32);
}

/** Returns a bearer token that contains its agency and expiry, so that it survives a restart of the simulator. */
export async function makeToken(secret: string, agencyId: string, expiresAt: number): Promise<string> {
  const body = `${agencyId}.${expiresAt}`;
  return `${body}.${await derive(secret, `axon-token:${body}`, 40)}`;
}

/** Returns the agency that a token was issued to, or null if it is forged or expired at `now`. */
export async function agencyOfToken(secret: string, token: string, now: number): Promise<string | null> {
  const [agencyId, expires, signature] = token.split(".");
  if (!agencyId || !expires || !signature || !(Number(expires) > now)) return null;
  return (await makeToken(secret, agencyId, Number(expires))) === `${agencyId}.${expires}.${signature}`
    ? agencyId
    : null;
}
