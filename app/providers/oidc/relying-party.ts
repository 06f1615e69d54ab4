// OpenID Connect as a relying party: authorization code with PKCE (OpenID Connect Core, RFC 7636, RFC 9207) and
// back-channel logout. oauth4webapi builds and checks the protocol's messages, jose the signatures. No text from a
// provider is passed on.

import { createLocalJWKSet, errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import type { IdentityProviders } from "#app/entities/accounts/identity-provider.ts";
import {
  CLOCK_TOLERANCE_S,
  claimsOf,
  isSignOnFailure,
  SignOnFailure,
} from "#app/entities/accounts/single-sign-on.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { checkProvider } from "./check.ts";
import {
  authorizationAddress,
  CLIENT_ERRORS,
  clientAuth,
  createOidcHttp,
  fetchOptionsOf,
  type Metadata,
  type OidcHttp,
  partyOf,
} from "./http.ts";

/** Asymmetric signatures. A shared secret or no signature proves nothing about who signed. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/** Maximum age of a token: an older one cannot be the answer to a current request. */
const MAX_TOKEN_AGE_S = (10 * MINUTE) / SECOND;

/** Characters (OpenID Connect Core section 2). */
const LONGEST_SUBJECT = 255;

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Returns the sign-in with agencies' identity providers. `hosts` are those that may be called, and `clock` is in
 * milliseconds.
 */
export function createIdentityProviders(options: {
  allowLoopback: boolean;
  hosts: readonly string[];
  clock: () => number;
}): IdentityProviders {
  const http = createOidcHttp(options);
  return {
    addressProblem: http.addressProblem,

    async authorizationUrl({ client, redirectUri, secrets, maxAge, acrValues, usesGroups, signal }) {
      const { metadata } = await http.discover(client.issuer, { signal });
      return authorizationAddress(
        metadata,
        { client, redirectUri, usesGroups, ...secrets },
        {
          max_age: String(maxAge),
          // Some providers ignore max_age.
          ...(maxAge === 0 && { prompt: "login" }),
          ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
        },
      );
    },

    async complete({ client, redirectUri, secrets, groupsClaim, params, signal }) {
      const { metadata } = await http.discover(client.issuer, { signal });
      const party = partyOf(client);
      const calls = { ...fetchOptionsOf(http), signal };
      try {
        const answer = oauth.validateAuthResponse(metadata, party, params, secrets.state);
        const response = await oauth.authorizationCodeGrantRequest(
          metadata,
          party,
          clientAuth(metadata, client),
          answer,
          redirectUri,
          secrets.verifier,
          calls,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(metadata, party, response, {
          expectedNonce: secrets.nonce,
          requireIdToken: true,
          // The domain compares the claim with the time at which the sign-in began.
          maxAge: oauth.skipAuthTimeCheck,
        });
        const { payload } = await verified(http, {
          metadata,
          token: tokens.id_token ?? "",
          rules: { issuer: client.issuer, audience: client.clientId },
          signal,
        });
        if (!payload.sub || payload.sub.length > LONGEST_SUBJECT) throw new SignOnFailure("token");
        const userInfo =
          metadata.userinfo_endpoint && needsUserInfo(payload, groupsClaim)
            ? await oauth.processUserInfoResponse(
                metadata,
                party,
                payload.sub,
                await oauth.userInfoRequest(metadata, party, tokens.access_token, calls),
              )
            : {};
        return claimsOf(payload, userInfo, groupsClaim);
      } catch (error) {
        throw failureOf(error);
      }
    },

    async logoutToken({ client, token, signal }) {
      try {
        const { metadata } = await http.discover(client.issuer, { signal });
        const { payload } = await verified(http, {
          metadata,
          token,
          rules: {
            issuer: client.issuer,
            audience: client.clientId,
            requiredClaims: ["iat", "jti", "events"],
          },
          signal,
        });
        const { sub, sid, jti, exp, iat, events, nonce } = payload;
        const isLogout = typeof events === "object" && events !== null && LOGOUT_EVENT in events;
        const session = typeof sid === "string" ? sid : null;
        const subject = typeof sub === "string" ? sub : null;
        if (!isLogout || nonce !== undefined || (session === null && subject === null) || !jti)
          throw new SignOnFailure("token");
        const expiresAt = Math.max(exp ?? 0, (iat ?? 0) + MAX_TOKEN_AGE_S) + 2 * CLOCK_TOLERANCE_S;
        return { id: jti, subject, session, expiresAt: expiresAt * SECOND };
      } catch (error) {
        throw failureOf(error);
      }
    },

    check: (input) => checkProvider(http, { ...input, clock: options.clock }),
  };
}

/** Some providers put only the subject into the ID token, and the rest into the user info. */
function needsUserInfo(token: Record<string, unknown>, groupsClaim: string): boolean {
  return token.email === undefined || token[groupsClaim] === undefined;
}

type Token = {
  metadata: Metadata;
  token: string;
  rules: Pick<JWTVerifyOptions, "issuer" | "audience" | "requiredClaims">;
  signal: AbortSignal;
};

/** Verifies a signature. A key id that is not known makes Odin fetch the keys again: providers rotate them. */
async function verified(http: OidcHttp, { metadata, token, rules, signal }: Token): Promise<JWTVerifyResult> {
  const options = {
    ...rules,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    maxTokenAge: MAX_TOKEN_AGE_S,
  };
  const verify = async (retry: boolean) =>
    jwtVerify(token, createLocalJWKSet(await http.keys(metadata, { signal, retry })), options);
  try {
    return await verify(false);
  } catch (error) {
    if (!isOtherKey(error)) throw error;
    return verify(true);
  }
}

/** A provider without key ids gives a wrong signature when it has rotated its only key. */
function isOtherKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
}

/** Returns an error of the libraries as a SignOnFailure. The libraries' messages may contain tokens. */
function failureOf(error: unknown): unknown {
  if (isSignOnFailure(error)) return error;
  if (error instanceof errors.JWTExpired) return new SignOnFailure("clock");
  if (error instanceof errors.JWTClaimValidationFailed)
    return new SignOnFailure(["iat", "nbf"].includes(error.claim) ? "clock" : "token");
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return new SignOnFailure("keys");
  if (error instanceof errors.JWSSignatureVerificationFailed) return new SignOnFailure("keys");
  if (error instanceof errors.JOSEError) return new SignOnFailure("token");
  if (error instanceof oauth.AuthorizationResponseError) return new SignOnFailure("denied");
  if (error instanceof oauth.WWWAuthenticateChallengeError) return new SignOnFailure("client");
  if (error instanceof oauth.ResponseBodyError)
    return new SignOnFailure(
      error.error === "invalid_grant"
        ? "code"
        : CLIENT_ERRORS.includes(error.error)
          ? "client"
          : "bad-answer",
    );
  if (error instanceof oauth.OperationProcessingError) return new SignOnFailure(kindOf(error.code ?? ""));
  if (error instanceof oauth.UnsupportedOperationError) return new SignOnFailure("token");
  return error;
}

function kindOf(code: string) {
  if (code === oauth.JWT_TIMESTAMP_CHECK) return "clock";
  if (code === oauth.RESPONSE_IS_NOT_JSON || code === oauth.PARSE_ERROR) return "bad-answer";
  if (code === oauth.RESPONSE_IS_NOT_CONFORM) return "bad-answer";
  return "token";
}
