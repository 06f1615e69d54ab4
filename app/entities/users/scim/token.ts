/** The token of an agency's identity provider, as the screen shows it. */
export type ScimTokenState = { created_at: number; created_by: string; last_used_at: number | null };
