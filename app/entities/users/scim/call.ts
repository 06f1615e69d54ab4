/** The parts of a SCIM request, and the state of its token as the screen shows it. */

export type ScimCall = {
  /** The version that the client knows; null for any. */
  ifMatch: string | null;
  /** Reads the body. */
  body: () => Promise<unknown>;
};

/** A request to change a stored user or group. */
export type ScimChange = ScimCall & { id: string };

/** Returns the address of the SCIM service. */
export function scimBaseOf(origin: string): string {
  return `${origin}/scim/v2`;
}

/** The token of an agency's identity provider, as the screen shows it. */
export type ScimTokenState = {
  created_at: number;
  created_by: string;
  /** The user who created it, and may still have it, is no longer an active administrator of the agency. */
  creator_left: boolean;
  last_used_at: number | null;
};
