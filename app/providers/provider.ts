// The contract of a camera program: whom we ask for reads and images. Adapters know the wire, nobody else does.
// An adapter gives pages as they come; what goes wrong is thrown as ProviderFailure, in words a user may read.

import type { CameraSeen } from "#app/entities/ingest/camera.ts";
import type { SearchFilter, SightingQuery, SourceProgram } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { ImageType } from "#app/lib/images/type.ts";

export type SearchInput = {
  source: SearchSource;
  /** Sources of the same integration that are asked in the same breath, `source` the first of them. */
  together: SearchSource[];
  query: SightingQuery;
  /** Give no more reads than this. */
  maxReads: number;
  /** Aborted at the deadline and when the user cancels. */
  signal: AbortSignal;
};

/** A page of reads; `truncated` on the last one where more exist than `maxReads`. */
export type SightingPage = { sightings: Sighting[]; truncated: boolean };

type ImageInput = { source: SearchSource; locator: string; signal: AbortSignal };

/** An image whose type was read from its content. */
export type ProviderImage = { bytes: Uint8Array<ArrayBuffer>; type: ImageType };

/** What a vendor's own list says of a camera. */
export type ListedCamera = Pick<CameraSeen, "id" | "name" | "siteName" | "latitude" | "longitude">;

/** That the credentials are good, in words, and the cameras that the vendor lists; null where it gave no list. */
type ProviderCheck = { words: string; cameras: ListedCamera[] | null };

export type Provider = {
  program: SourceProgram;
  /** Filters of a query that this program cannot apply; where there are any, it is not asked. */
  unsupported(query: SightingQuery): SearchFilter[];
  /** Reads that fit the query, newest first within a page and from page to page. Throws ProviderFailure. */
  search(input: SearchInput): AsyncIterable<SightingPage>;
  /** Asks whether the source's credentials are good without looking any read up. Throws ProviderFailure. */
  check(input: { source: SearchSource; signal: AbortSignal }): Promise<ProviderCheck>;
  /** The image behind a locator that this adapter issued. Throws ProviderFailure. */
  image(input: ImageInput): Promise<ProviderImage>;
};

export type Providers = Record<SourceProgram, Provider>;

/** Why a program gave nothing, and whether the integration itself is to blame (which the breaker counts). */
export type FailureKind =
  | "timeout"
  | "unreachable"
  | "refused"
  | "rate-limited"
  | "server-error"
  | "bad-answer"
  | "missing"
  | "cancelled";

export class ProviderFailure extends Error {
  readonly kind: FailureKind;
  /** Milliseconds after which the vendor asked to be tried again. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ProviderFailure";
    this.kind = kind;
    this.retryAfter = options.retryAfter;
  }
}

export function isProviderFailure(error: unknown): error is ProviderFailure {
  return error instanceof Error && error.name === "ProviderFailure" && "kind" in error;
}

/** Opens the secret of a source; wired by the context, so that adapters never see the keys. */
export type OpenSecret = (source: SearchSource) => Promise<string>;
