// Tests an agency's registration at its provider and reports what is wrong. No one signs in: an invalid code shows
// whether the secret is correct, and a request without interaction whether the redirect URI is registered.

import * as oauth from "oauth4webapi";
import type { OidcClient } from "#app/entities/accounts/identity-provider.ts";
import type { SignOnCheck } from "#app/entities/accounts/sign-on-settings.ts";
import { CLOCK_TOLERANCE_S, isSignOnFailure } from "#app/entities/accounts/single-sign-on.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { isObject, parseJson } from "#app/lib/json/parse.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import {
  authorizationAddress,
  CLIENT_ERRORS,
  clientAuth,
  fetchOptionsOf,
  hasGroupsScope,
  type Metadata,
  type OidcHttp,
  partyOf,
} from "./http.ts";

type Input = {
  client: OidcClient;
  redirectUri: string;
  usesGroups: boolean;
  signal: AbortSignal;
  clock: () => number;
};

const ok = (name: string, message: string): SignOnCheck => ({ name, result: "ok", message });
const problem = (name: string, message: string): SignOnCheck => ({ name, result: "problem", message });
const unknown = (name: string, message: string): SignOnCheck => ({ name, result: "unknown", message });

/** Errors of a provider that knows the client and the redirect URI, but requires interaction. */
const INTERACTION = [
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
];

/** Returns the result of each step. Stops at a failed step that the next one depends on. */
export async function checkProvider(http: OidcHttp, input: Input): Promise<SignOnCheck[]> {
  const { client, signal, clock } = input;
  const found = await attempt("Discovery", () => http.discover(client.issuer, { signal, isFresh: true }));
  if ("result" in found) return [found];
  const { metadata, date } = found;
  return [
    ok("Discovery", "The provider was found, and names the same issuer."),
    pkceCheck(metadata),
    await keysCheck(http, metadata, signal),
    clockCheck(date, clock()),
    await secretCheck(http, metadata, input),
    await redirectCheck(http, metadata, input),
    metadata.backchannel_logout_supported
      ? ok("Back-channel logout", "The provider can end sessions in Odin. Register the logout URI there.")
      : unknown("Back-channel logout", "The provider does not say that it can end sessions in Odin."),
    authTimeCheck(metadata),
    ...(input.usesGroups ? [groupsCheck(metadata)] : []),
  ];
}

/** Runs a step; a failure of the provider becomes the step's problem. */
async function attempt<T>(name: string, run: () => Promise<T>): Promise<T | SignOnCheck> {
  try {
    return await run();
  } catch (error) {
    if (!isSignOnFailure(error)) throw error;
    return problem(name, error.message);
  }
}

function pkceCheck({ code_challenge_methods_supported: methods }: Metadata): SignOnCheck {
  if (!methods)
    return unknown("PKCE", "The provider does not say whether it supports PKCE. Odin uses it anyway.");
  return methods.includes("S256")
    ? ok("PKCE", "The provider supports PKCE with S256.")
    : problem("PKCE", "The provider does not support PKCE with S256, which Odin requires.");
}

function authTimeCheck({ claims_supported: claims }: Metadata): SignOnCheck {
  const name = "Time of the proof";
  return claims?.includes("auth_time")
    ? ok(name, "The provider says when a person last signed in there (auth_time).")
    : unknown(
        name,
        "The provider does not announce auth_time. Confirming one's identity with the provider needs it, and so does signing in, unless you turn that off.",
      );
}

function groupsCheck(metadata: Metadata): SignOnCheck {
  return hasGroupsScope(metadata)
    ? ok("Groups", "The provider lists the scope groups, and Odin asks for it.")
    : unknown(
        "Groups",
        "The provider does not list the scope groups, so Odin does not ask for it. The provider must send groups without it.",
      );
}

async function keysCheck(http: OidcHttp, metadata: Metadata, signal: AbortSignal): Promise<SignOnCheck> {
  const found = await attempt("Keys", () => http.keys(metadata, { signal, retry: true }));
  if ("result" in found) return found;
  const usable = found.keys.filter(({ kty, use }) => kty !== "oct" && (use === undefined || use === "sig"));
  return usable.length > 0
    ? ok(
        "Keys",
        `The provider publishes ${usable.length === 1 ? "one signing key" : `${usable.length} signing keys`}.`,
      )
    : problem("Keys", "The provider publishes no key that verifies its tokens.");
}

function clockCheck(date: number | undefined, now: number): SignOnCheck {
  if (date === undefined) return unknown("Clock", "The provider's answer has no time.");
  const seconds = Math.round(Math.abs(date - now) / SECOND);
  return seconds <= CLOCK_TOLERANCE_S
    ? ok("Clock", "The provider's clock and Odin's agree.")
    : problem(
        "Clock",
        `The provider's clock is ${seconds} seconds ${date > now ? "ahead of" : "behind"} Odin's.`,
      );
}

/** Requests tokens with an invalid code: the provider checks the client first. */
async function secretCheck(http: OidcHttp, metadata: Metadata, input: Input): Promise<SignOnCheck> {
  const name = "Client ID and secret";
  const { client, redirectUri, signal } = input;
  const answer = await attempt(name, () =>
    oauth.genericTokenEndpointRequest(
      metadata,
      partyOf(client),
      clientAuth(metadata, client),
      "authorization_code",
      { code: randomToken(), redirect_uri: redirectUri, code_verifier: oauth.generateRandomCodeVerifier() },
      { ...fetchOptionsOf(http), signal },
    ),
  );
  if ("result" in answer) return answer;
  const body: unknown = parseJson(await answer.text());
  const errorCode = isObject(body) ? body.error : undefined;
  if (errorCode === "invalid_grant") return ok(name, "The provider accepts the client ID and the secret.");
  if (answer.status === 401 || CLIENT_ERRORS.includes(String(errorCode)))
    return problem(name, "The provider does not accept the client ID or the secret.");
  return unknown(name, "The provider's answer does not show whether the secret is right.");
}

/** Requests a sign-in without interaction: a provider that knows the redirect URI redirects there. */
async function redirectCheck(http: OidcHttp, metadata: Metadata, input: Input): Promise<SignOnCheck> {
  const name = "Redirect URI";
  const { client, redirectUri, usesGroups, signal } = input;
  const secrets = {
    state: randomToken(),
    nonce: randomToken(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const asked = { client, redirectUri, usesGroups, ...secrets };
  const address = await authorizationAddress(metadata, asked, { prompt: "none" });
  const answer = await attempt(name, () => http.fetch(address, { signal }));
  if ("result" in answer) return answer;
  if (answer.status >= 400 && answer.status < 500)
    return problem(
      name,
      "The provider does not accept the redirect URI or the client ID. Register this redirect URI there.",
    );
  const to = URL.parse(answer.headers.get("location") ?? "", address);
  if (!to || `${to.origin}${to.pathname}` !== redirectUri)
    return unknown(name, "The provider's answer does not show whether the redirect URI is registered.");
  const errorCode = to.searchParams.get("error") ?? "";
  return errorCode === "" || INTERACTION.includes(errorCode)
    ? ok(name, "The redirect URI is registered.")
    : problem(
        name,
        `The redirect URI is registered, but the provider refuses the request${codeOf(errorCode)}.`,
      );
}

/** Returns the OAuth error code for the message; no other text from the provider is shown. */
const codeOf = (text: string) => (/^[a-z_]{1,60}$/.test(text) ? ` (${text})` : "");
