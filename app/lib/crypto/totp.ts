import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;
const WINDOW = 1;

type Label = { issuer: string; account: string };

function totpOf(secret: string, label?: Label): TOTP {
  return new TOTP({
    issuer: label?.issuer,
    label: label?.account,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}

/** Returns a new secret of 160 bits in base32, the length that RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** Returns the otpauth URL that authenticator apps read from a QR code. */
export function totpAddress(secret: string, label: Label): string {
  return totpOf(secret, label).toString();
}

/**
 * Returns the time step (30 s since 1970) of a six-digit code, or undefined if it matches none. The steps before
 * and after now also match, for inaccurate clocks (RFC 6238). The caller must store the step, so that a code works
 * only once.
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret).validate({
    token: code,
    timestamp: now,
    window: WINDOW,
  });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}
