import { base64, fromBase64 } from "./encoding.ts";

/** The specification asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const PREFIX = "whsec_";

/** Returns a new secret of the Standard Webhooks specification: `whsec_` and the base64 of random bytes. */
export function newWebhookSecret(): string {
  return PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/**
 * Returns the headers of a message by the Standard Webhooks specification: its id, the time in seconds, and an
 * HMAC-SHA-256 signature (`v1`) for each secret, separated by spaces.
 */
export async function webhookHeaders(input: {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  body: string;
  secrets: readonly string[];
}): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(input.at / 1000));
  const signed = new TextEncoder().encode(`${input.id}.${timestamp}.${input.body}`);
  const signatures = await Promise.all(input.secrets.map((secret) => sign(secret, signed)));
  return {
    "webhook-id": input.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function sign(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey(
    "raw",
    fromBase64(secret.slice(PREFIX.length)),
    algorithm,
    false,
    ["sign"],
  );
  return `v1,${base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`;
}
