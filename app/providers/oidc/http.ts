// Calls of OpenID Connect providers: only allowed hosts, no redirects, limited sizes, a deadline; and what providers
// publish about themselves (discovery and keys), cached. Every error becomes a SignOnFailure, without text from the
// provider.

import type { JSONWebKeySet } from "jose";
import * as oauth from "oauth4webapi";
import * as z from "zod/mini";
import type { OidcClient } from "#app/entities/accounts/identity-provider.ts";
import { CLOCK_TOLERANCE_S, SignOnFailure } from "#app/entities/accounts/single-sign-on.ts";
import { isAppError } from "#app/lib/errors.ts";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";

/** Bytes. Discovery documents and key sets have some KB, user info with many groups a little more. */
const ANSWER_LIMIT = 512 * 1024;
const CACHE_MS = 10 * 60 * 1000;
/** An unknown key id makes Odin fetch the keys again, at most this often. */
const KEYS_PAUSE_MS = 30_000;
const MAX_CACHED = 200;

const address = z.string().check(z.maxLength(2000));
const names = z.optional(z.array(z.string()).check(z.maxLength(200)));
const Metadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: z.optional(address),
  code_challenge_methods_supported: names,
  token_endpoint_auth_methods_supported: names,
  id_token_signing_alg_values_supported: names,
  response_types_supported: names,
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
  backchannel_logout_supported: z.optional(z.boolean()),
  // Invalid lists here must not make a sign-in fail.
  scopes_supported: z.catch(names, undefined),
  claims_supported: z.catch(names, undefined),
});
/** A provider's published metadata. Its addresses are ones that Odin may call. */
export type Metadata = z.infer<typeof Metadata>;

const KeySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string() })).check(z.maxLength(100)),
});

export type OidcHttp = {
  addressProblem(address: string): string | undefined;
  /** Calls an allowed address and reads the whole answer. Does not follow redirects. Throws SignOnFailure. */
  fetch(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response>;
  /** Returns the discovery document of an issuer, and the provider's time in milliseconds if it was just asked. */
  discover(
    issuer: string,
    options: { signal: AbortSignal; isFresh?: boolean },
  ): Promise<{ metadata: Metadata; date: number | undefined }>;
  /** Returns the signing keys; fetches them again for `retry`, unless that has just been done. */
  keys(metadata: Metadata, options: { signal: AbortSignal; retry?: boolean }): Promise<JSONWebKeySet>;
};

const discovered = new Map<string, { at: number; metadata: Metadata }>();
const keySets = new Map<string, { at: number; keys: JSONWebKeySet }>();

function remember<T>(cache: Map<string, T>, key: string, value: T): void {
  cache.delete(key);
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}

/** Returns the calls of identity providers. `hosts` are those that may be called, and `clock` is in milliseconds. */
export function createOidcHttp(options: {
  allowLoopback: boolean;
  hosts: readonly string[];
  clock: () => number;
}): OidcHttp {
  const { clock, ...rule } = options;
  const addressProblem = (text: string) =>
    publicAddressProblem(text, { ...rule, setting: "IDENTITY_HOSTS", query: true });

  async function call(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    if (addressProblem(url)) throw new SignOnFailure("address");
    try {
      const answer = await fetch(url, { ...init, redirect: "manual", cache: "no-store" });
      const bytes = await readBytes(answer, ANSWER_LIMIT);
      const isEmpty = [101, 204, 205, 304].includes(answer.status);
      return new Response(isEmpty ? null : bytes, { status: answer.status, headers: answer.headers });
    } catch (error) {
      if (isAppError(error)) throw new SignOnFailure("bad-answer");
      throw new SignOnFailure(init.signal.aborted ? "slow" : "unreachable");
    }
  }

  async function json(url: string, signal: AbortSignal): Promise<{ value: unknown; headers: Headers }> {
    const answer = await call(url, { headers: { accept: "application/json" }, signal });
    if (answer.status >= 500 || answer.status === 429) throw new SignOnFailure("unreachable");
    if (answer.status !== 200) throw new SignOnFailure("bad-answer");
    const value = parseJson(new TextDecoder().decode(await answer.arrayBuffer()));
    return { value, headers: answer.headers };
  }

  async function discover(
    issuer: string,
    { signal, isFresh = false }: { signal: AbortSignal; isFresh?: boolean },
  ): Promise<{ metadata: Metadata; date: number | undefined }> {
    const known = discovered.get(issuer);
    if (!isFresh && known && clock() - known.at < CACHE_MS)
      return { metadata: known.metadata, date: undefined };
    const url = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
    const { value, headers } = await json(url, signal);
    const parsed = Metadata.safeParse(value);
    if (!parsed.success) throw new SignOnFailure("bad-answer");
    const metadata = parsed.data;
    if (metadata.issuer !== issuer) throw new SignOnFailure("issuer");
    const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
    for (const one of [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint])
      if (one !== undefined && addressProblem(one)) throw new SignOnFailure("address");
    remember(discovered, issuer, { at: clock(), metadata });
    return { metadata, date: Date.parse(headers.get("date") ?? "") || undefined };
  }

  async function keys(
    { jwks_uri }: Metadata,
    { signal, retry = false }: { signal: AbortSignal; retry?: boolean },
  ): Promise<JSONWebKeySet> {
    const known = keySets.get(jwks_uri);
    const pause = retry ? KEYS_PAUSE_MS : CACHE_MS;
    if (known && clock() - known.at < pause) return known.keys;
    const parsed = KeySet.safeParse((await json(jwks_uri, signal)).value);
    if (!parsed.success) throw new SignOnFailure("bad-answer");
    remember(keySets, jwks_uri, { at: clock(), keys: parsed.data });
    return parsed.data;
  }

  return { addressProblem, fetch: call, discover, keys };
}

/** OAuth errors for a client or secret that is not accepted. */
export const CLIENT_ERRORS = ["invalid_client", "unauthorized_client"];

/** Returns the client as oauth4webapi expects it, with the clock tolerance in seconds. */
export function partyOf({ clientId }: Pick<OidcClient, "clientId">): oauth.Client {
  return { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
}

/**
 * Returns oauth4webapi's options for calls through the guarded fetch. Its rule also decides whether an address without
 * TLS may be called.
 */
export function fetchOptionsOf(http: OidcHttp) {
  const call = (url: string, init: oauth.CustomFetchOptions<"GET" | "POST", URLSearchParams | undefined>) =>
    http.fetch(url, {
      method: init.method,
      headers: init.headers,
      ...(init.body instanceof URLSearchParams && { body: init.body }),
      signal: init.signal ?? AbortSignal.abort(),
    });
  return { [oauth.customFetch]: call, [oauth.allowInsecureRequests]: true } as const;
}

/** Returns whether the provider publishes a scope for groups. */
export const hasGroupsScope = ({ scopes_supported: scopes }: Metadata) => scopes?.includes("groups") ?? false;

/**
 * Returns the scope to request. Providers such as Okta give groups only for a scope; others, such as Microsoft Entra
 * ID, reject one that they do not know (`invalid_scope`).
 */
function scopeOf(metadata: Metadata, usesGroups: boolean): string {
  return usesGroups && hasGroupsScope(metadata) ? "openid email profile groups" : "openid email profile";
}

/** Returns how the client proves its secret. Without a list, the standard's default applies. */
export function clientAuth(metadata: Metadata, { clientSecret }: OidcClient): oauth.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") || !methods.includes("client_secret_post")
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}

/** Returns the address at which a browser begins a sign-in: authorization code with PKCE, and further parameters. */
export async function authorizationAddress(
  metadata: Metadata,
  asked: {
    client: Pick<OidcClient, "clientId">;
    redirectUri: string;
    state: string;
    nonce: string;
    verifier: string;
    usesGroups: boolean;
  },
  more: Record<string, string>,
): Promise<string> {
  const url = new URL(metadata.authorization_endpoint);
  const params = {
    response_type: "code",
    client_id: asked.client.clientId,
    redirect_uri: asked.redirectUri,
    scope: scopeOf(metadata, asked.usesGroups),
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(asked.verifier),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}
