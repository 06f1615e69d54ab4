/** What a SCIM request contains, and what the screen shows of its token. */
import type { Caller } from "#app/entities/accounts/actor.ts";

export type ScimCall = {
  /** The bearer token, or "". */
  token: string;
  caller: Caller;
  /** The address of /scim/v2. */
  base: string;
  query: URLSearchParams;
  /** The version that the client knows; null for any. */
  ifMatch: string | null;
  /** Reads the body, once the token is known to be valid. */
  body: () => Promise<unknown>;
};

/** Returns the address of the SCIM service. */
export function scimBaseOf(origin: string): string {
  return `${origin}/scim/v2`;
}

/** The token of an agency's identity provider, as the screen shows it. */
export type ScimTokenState = { created_at: number; created_by: string; last_used_at: number | null };
