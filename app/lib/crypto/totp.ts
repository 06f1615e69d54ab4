import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;
const WINDOW = 1;

function totpOf(secret: string, label: { issuer: string; account: string }): TOTP {
  return new TOTP({
    ...{ issuer: label.issuer, label: label.account },
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}

/** A new secret of 160 bits in base32, the length that RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address that authenticator apps read from a QR code. */
export function totpAddress(secret: string, label: { issuer: string; account: string }): string {
  return totpOf(secret, label).toString();
}

/**
 * The time step (30 s since 1970) that a six-digit code belongs to, or undefined where it fits none; the steps before
 * and after now count too, for clocks that are off (RFC 6238). Who takes a code must note its step: it counts once.
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, { issuer: "", account: "" }).validate({
    token: code,
    timestamp: now,
    window: WINDOW,
  });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** The code of an instant, for tests and tools that stand in for an authenticator app. */
export function totpCode(secret: string, at: number): string {
  return totpOf(secret, { issuer: "", account: "" }).generate({ timestamp: at });
}
