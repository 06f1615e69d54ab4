// The contract of a camera program, which Odin asks for reads and images. Only providers know the vendor's formats.
// They return pages as they arrive and throw ProviderFailure with a message that users may read.

import type { CameraSeen } from "#app/entities/ingest/camera.ts";
import type { SearchFilter, SightingQuery, SourceProgram } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { ImageType } from "#app/lib/images/type.ts";

export type SearchInput = {
  source: SearchSource;
  /** Sources of the same integration that are searched with one call; `source` is the first of them. */
  together: SearchSource[];
  query: SightingQuery;
  /** Maximum number of reads to return. */
  maxReads: number;
  /** Aborted at the deadline and when the user cancels. */
  signal: AbortSignal;
};

/** A page of reads; `truncated` on the last one if there are more than `maxReads`. */
export type SightingPage = { sightings: Sighting[]; truncated: boolean };

type ImageInput = { source: SearchSource; locator: string; signal: AbortSignal };

/** An image whose type was determined from its content. */
export type ProviderImage = { bytes: Uint8Array<ArrayBuffer>; type: ImageType };

/** A camera in the vendor's own list. */
export type ListedCamera = Pick<CameraSeen, "id" | "name" | "siteName" | "latitude" | "longitude">;

/** Message that the credentials are valid, and the vendor's list of cameras; null if it returned none. */
type ProviderCheck = { words: string; cameras: ListedCamera[] | null };

export type Provider = {
  program: SourceProgram;
  /** Returns the filters of a query that this program cannot apply; if there are any, it is not asked. */
  unsupported(query: SightingQuery): SearchFilter[];
  /** Returns which look-alikes the program was not asked for, as text for the user; undefined if none was left out. */
  asked?(query: SightingQuery): string | undefined;
  /**
   * Called before a search, perhaps while it is still being recorded: looks up in Odin's databases, for all sources
   * together, what they need. Sends nothing to a vendor and reads no data that the search asks for.
   */
  prepare?(sources: readonly SearchSource[], query: SightingQuery): Promise<void>;
  /** Yields reads that match the query, newest first within a page and across pages. Throws ProviderFailure. */
  search(input: SearchInput): AsyncIterable<SightingPage>;
  /** Checks the source's credentials without looking up any read. Throws ProviderFailure. */
  check(input: { source: SearchSource; signal: AbortSignal }): Promise<ProviderCheck>;
  /** Returns the image of a locator that this provider issued. Throws ProviderFailure. */
  image(input: ImageInput): Promise<ProviderImage>;
};

export type Providers = Record<SourceProgram, Provider>;

/** Why a program failed. The circuit breaker counts failures of the integration itself. */
export type FailureKind =
  | "timeout"
  | "unreachable"
  | "refused"
  | "rate-limited"
  | "server-error"
  | "bad-answer"
  | "missing"
  /** Part of its storage did not answer. The integration itself works. */
  | "incomplete"
  | "cancelled";

/** The error of a provider. Its message may be shown to users: it contains no text from the vendor and no secret. */
export class ProviderFailure extends Error {
  readonly kind: FailureKind;
  /** Milliseconds to wait before retrying, if the vendor sent them. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ProviderFailure";
    this.kind = kind;
    this.retryAfter = options.retryAfter;
  }
}

/** Returns whether an error is a ProviderFailure, by its name and kind. */
export function isProviderFailure(error: unknown): error is ProviderFailure {
  return error instanceof Error && error.name === "ProviderFailure" && "kind" in error;
}

/** Returns the decrypted secret of a source; set by the context, so that providers never have the sealing keys. */
export type OpenSecret = (source: SearchSource) => Promise<string>;
