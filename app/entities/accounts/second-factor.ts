/** How many recovery codes a user gets at once. */
export const RECOVERY_CODES = 10;

/** The most passkeys of a user. */
export const MAX_PASSKEYS = 10;

/** The second factors of a user. */
export type SecondFactorStatus = {
  /** The agency's policy requires a second factor. */
  required: boolean;
  totp: boolean;
  passkeys: { id: string; name: string; created_at: number; last_used_at: number | null }[];
  recovery_codes_left: number;
};

/** Returns whether a user has an authenticator app or a passkey. Recovery codes alone do not count. */
export function hasSecondFactor(status: SecondFactorStatus): boolean {
  return status.totp || status.passkeys.length > 0;
}

/** The site that a passkey is made for: its host name, and the origin that the browser must report. */
export type RelyingParty = { id: string; origin: string };
