import { Secret, TOTP } from "otpauth";

/** Returns the code that an authenticator app shows at a time. */
export function totpCode(secret: string, at: number): string {
  return new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({
    timestamp: at,
  });
}
