import type * as z from "zod/mini";
import type * as answers from "./answers.ts";

/** How many recovery codes a user gets at once. */
export const RECOVERY_CODES = 10;

/** Maximum number of a user's passkeys. */
export const MAX_PASSKEYS = 10;

/** The second factors of a user. */
export type SecondFactorStatus = z.infer<typeof answers.SecondFactorStatus>;

/** Returns whether a user has an authenticator app or a passkey. Recovery codes alone do not count. */
export function hasSecondFactor(status: SecondFactorStatus): boolean {
  return status.totp || status.passkeys.length > 0;
}

/** The site that a passkey is made for: its host name, and the origin that the browser must report. */
export type RelyingParty = { id: string; origin: string };
