// All camera programs. A program without a provider does not compile. Every error becomes a ProviderFailure, so that
// one program's unexpected error never breaks a search.

import type { SourceProgram } from "#app/entities/search/query.ts";
import type { ReadArchive, TokenStore } from "#app/entities/search/source.ts";
import { createAxisProvider } from "./axis.ts";
import { createAxonProvider } from "./axon.ts";
import { abortFailure, failure } from "./failures.ts";
import { createVendorHttp } from "./http.ts";
import { isProviderFailure, type OpenSecret, type Provider, type Providers } from "./provider.ts";
import { createRekorProvider } from "./rekor.ts";

export type ProviderOptions = {
  archive: ReadArchive;
  openSecret: OpenSecret;
  tokens: TokenStore;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Allows vendors on this machine over http, for development and tests. */
  allowLoopback: boolean;
  /** Hosts that may be called; every public host if not set. */
  vendorHosts?: readonly string[];
};

/** Returns the provider of each program. Searches, checks and images throw only ProviderFailure. */
export function createProviders({
  archive,
  openSecret,
  tokens,
  clock,
  allowLoopback,
  vendorHosts,
}: ProviderOptions): Providers {
  const http = (program: SourceProgram) =>
    createVendorHttp({ program, allowLoopback, hosts: vendorHosts, clock });
  return {
    Rekor: guarded(createRekorProvider({ http: http("Rekor"), openSecret })),
    Axon: guarded(createAxonProvider({ http: http("Axon"), openSecret, tokens, clock })),
    Axis: guarded(createAxisProvider(archive)),
  } satisfies Record<SourceProgram, Provider>;
}

/** Returns the provider with all errors converted to ProviderFailure. */
function guarded(provider: Provider): Provider {
  const asFailure = (error: unknown, signal: AbortSignal) => {
    if (isProviderFailure(error)) return error;
    if (signal.aborted) return abortFailure(signal, provider.program);
    return failure("bad-answer", provider.program, { cause: error });
  };
  return {
    ...provider,
    async *search(input) {
      try {
        yield* provider.search(input);
      } catch (error) {
        throw asFailure(error, input.signal);
      }
    },
    async check(input) {
      try {
        return await provider.check(input);
      } catch (error) {
        throw asFailure(error, input.signal);
      }
    },
    async image(input) {
      try {
        return await provider.image(input);
      } catch (error) {
        throw asFailure(error, input.signal);
      }
    },
  };
}
