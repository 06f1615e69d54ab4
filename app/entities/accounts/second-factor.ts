export const RECOVERY_CODES = 10;

/** What a user has beside the password. */
export type SecondFactorStatus = {
  /** The agency's policy asks for one. */
  required: boolean;
  totp: boolean;
  passkeys: { id: string; name: string; created_at: number; last_used_at: number | null }[];
  recovery_codes_left: number;
};

export function hasSecondFactor(status: SecondFactorStatus): boolean {
  return status.totp || status.passkeys.length > 0;
}

/** Who a passkey is made for: the host name, and the origin that the browser must report. */
export type RelyingParty = { id: string; origin: string };
