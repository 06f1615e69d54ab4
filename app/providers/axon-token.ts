// Axon's bearer tokens: one per integration, stored between searches until shortly before it expires. Many isolates
// search at once; the lease of the token store lets one of them fetch a token while the others wait and read again.

import * as z from "zod/mini";
import type { SearchSource, TokenStore } from "#app/entities/search/source.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { checkAborted, failure } from "./failures.ts";
import type { VendorHttp } from "./http.ts";
import { isProviderFailure, type OpenSecret } from "./provider.ts";
import { looseNumber } from "./wire-values.ts";

/** A token is discarded this long before it expires, so that it outlives the request it is sent with. */
const MARGIN = MINUTE;
/** Time that the holder of the lease has to fetch a token. */
const LEASE = 10 * SECOND;
/** Waiting for another isolate's token ends shortly after that isolate's lease. */
const PATIENCE = LEASE + 2 * SECOND;
const POLL = 200;

const Answer = z.object({
  access_token: z.string().check(z.regex(/^[\x21-\x7e]{1,8000}$/)),
  expires_in: looseNumber,
});

export type AxonOptions = {
  http: VendorHttp;
  openSecret: OpenSecret;
  tokens: TokenStore;
  clock: () => number;
};

export type AxonTokens = {
  /** Looks up the tokens of many sources together, so that `current` need not for those that have one. */
  prepare(sources: readonly SearchSource[]): Promise<void>;
  /** Returns a valid token. Throws ProviderFailure; its kind is `refused` if Axon rejects the client. */
  current(source: SearchSource, signal: AbortSignal): Promise<string>;
  /** Records that Axon rejected this token, so that the next one is new. */
  reject(source: SearchSource, token: string): Promise<void>;
};

/**
 * Returns the tokens of Axon sources, shared by all isolates through `tokens`. `clock` is in milliseconds since 1970.
 */
export function createAxonTokens({ http, openSecret, tokens, clock }: AxonOptions): AxonTokens {
  /** Tokens that this request knows: a search has many pages, and each lookup is a query. */
  const held = new Map<string, { token: string; expiresAt: number }>();

  async function prepare(sources: readonly SearchSource[]): Promise<void> {
    const ids = sources.map(({ integrationId }) => integrationId);
    const lacking = ids.filter((id) => (held.get(id)?.expiresAt ?? 0) <= clock());
    if (lacking.length === 0) return;
    const found = await tokens.findAll(lacking);
    for (const [integrationId, kept] of found) held.set(integrationId, kept);
  }

  async function current(source: SearchSource, signal: AbortSignal): Promise<string> {
    const key = source.integrationId;
    const own = held.get(key);
    if (own && own.expiresAt > clock()) return own.token;
    const giveUpAt = clock() + PATIENCE;
    for (;;) {
      const kept = await tokens.find(key);
      if (kept && kept.expiresAt > clock()) {
        held.set(key, kept);
        return kept.token;
      }
      if (await tokens.lease(key, clock() + LEASE)) return fetchToken(source, signal);
      if (clock() >= giveUpAt)
        throw failure("timeout", "Axon", { words: "Signing in to Axon took too long." });
      await sleep(POLL + Math.random() * POLL, signal);
      checkAborted(signal, "Axon");
    }
  }

  async function fetchToken(source: SearchSource, signal: AbortSignal): Promise<string> {
    try {
      const form = {
        grant_type: "client_credentials",
        partner_id: source.partnerId,
        client_id: source.clientId,
        client_secret: await secretOf(source),
      };
      const answer = Answer.safeParse(
        await http.json({
          baseUrl: source.baseUrl,
          path: ["api", "oauth2", "token"],
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(form).toString(),
          signal,
        }),
      );
      if (!answer.success) throw failure("bad-answer", "Axon");
      const { access_token: token, expires_in: seconds = 5 * 60 } = answer.data;
      const lifetime = Math.min(Math.max(seconds, 1), 24 * 3600) * SECOND;
      // At least half of the lifetime, so that a token shorter than the margin is still used more than once.
      const expiresAt = clock() + Math.max(lifetime - MARGIN, lifetime / 2);
      await tokens.save(source.integrationId, token, expiresAt);
      held.set(source.integrationId, { token, expiresAt });
      return token;
    } catch (error) {
      // Releases the lease, so that others do not wait for a token that will not come.
      await tokens.forget(source.integrationId).catch(() => {});
      // Token endpoints answer 400 for unknown clients too; "missing" makes no sense here.
      if (isProviderFailure(error) && error.kind === "missing") throw failure("bad-answer", "Axon");
      throw error;
    }
  }

  async function secretOf(source: SearchSource): Promise<string> {
    try {
      return await openSecret(source);
    } catch (cause) {
      throw failure("refused", "Axon", { words: "The stored Axon secret could not be opened.", cause });
    }
  }

  async function reject(source: SearchSource, token: string): Promise<void> {
    held.delete(source.integrationId);
    // Another isolate may have replaced it already; its token must be kept.
    if ((await tokens.find(source.integrationId))?.token === token) await tokens.forget(source.integrationId);
  }

  return { prepare, current, reject };
}
