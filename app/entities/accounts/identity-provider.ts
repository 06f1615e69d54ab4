/** The contract with an OpenID Connect provider, which providers/oidc implements. */

import type { SignOnCheck } from "./sign-on-settings.ts";
import type { SignOnClaims } from "./single-sign-on.ts";

/** An agency's registration at its provider. */
export type OidcClient = { issuer: string; clientId: string; clientSecret: string };

/** The values that bind a sign-in to the browser that began it. */
export type SignOnSecrets = { state: string; nonce: string; verifier: string };

export type IdentityProviders = {
  /** Returns why an issuer's address may not be called, or undefined. */
  addressProblem(issuer: string): string | undefined;
  /** Returns the address at which the person signs in. Throws SignOnFailure. */
  authorizationUrl(input: {
    client: Omit<OidcClient, "clientSecret">;
    redirectUri: string;
    secrets: SignOnSecrets;
    /** Longest time since the person last proved their identity, in seconds. */
    maxAge: number;
    acrValues: readonly string[];
    usesGroups: boolean;
    signal: AbortSignal;
  }): Promise<string>;
  /** Returns the claims of a completed sign-in, all verified. Throws SignOnFailure. */
  complete(input: {
    client: OidcClient;
    redirectUri: string;
    secrets: SignOnSecrets;
    groupsClaim: string;
    /** The query of the provider's answer. */
    params: URLSearchParams;
    signal: AbortSignal;
  }): Promise<SignOnClaims>;
  /** Returns the session or person that a verified logout token names. Throws SignOnFailure. */
  logoutToken(input: {
    client: Omit<OidcClient, "clientSecret">;
    token: string;
    signal: AbortSignal;
  }): Promise<{ id: string; subject: string | null; session: string | null; expiresAt: number }>;
  /** Returns the result of each step of a test. */
  check(input: {
    client: OidcClient;
    redirectUri: string;
    usesGroups: boolean;
    signal: AbortSignal;
  }): Promise<SignOnCheck[]>;
};
