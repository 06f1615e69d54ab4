import type { SightingQuery, SourceProgram } from "./query.ts";

/** One agency of one program that a tenant may search, with what is needed to reach it. Secrets stay encrypted. */
export type SearchSource = {
  /** Rekor: the key's id. Axon: the integration's id. Axis: the owning agency's id. */
  id: string;
  program: SourceProgram;
  agency: string;
  /**
   * Circuit breaker, token and health are per integration, and a search asks each integration once. All Axis agencies
   * share one integration, the archive, as do identical Rekor keys.
   */
  integrationId: string;
  /** Origin of the vendor, without a trailing slash; empty for Axis. */
  baseUrl: string;
  /** Rekor: the encrypted API key. Axon: the encrypted client secret. Axis: empty. */
  sealedSecret: string;
  /** Rekor: the last characters of the key. */
  keyLast4?: string;
  /** Axon's client and partner ids; empty elsewhere. */
  clientId: string;
  partnerId: string;
  /** Axis: the cameras to search; empty elsewhere. */
  cameraIds: string[];
};

/** Stores Axon's tokens between searches. `lease` returns true to the one caller that may fetch a new token. */
export type TokenStore = {
  find(integrationId: string): Promise<{ token: string; expiresAt: number } | null>;
  /** Returns the valid tokens of these integrations, in one query. */
  findAll(integrationIds: readonly string[]): Promise<Map<string, { token: string; expiresAt: number }>>;
  lease(integrationId: string, until: number): Promise<boolean>;
  save(integrationId: string, token: string, expiresAt: number): Promise<void>;
  forget(integrationId: string): Promise<void>;
};

/** The archive of reads that Odin stores itself. The store implements it for the Axis provider. */
export type ReadArchive = {
  /** Begins to look up which databases and keys a search needs. The search of the same query and agencies uses it once. */
  startSearch(input: { agencyIds: string[]; query: SightingQuery }): void;
  search(input: {
    agencyIds: string[];
    cameraIds: string[];
    query: SightingQuery;
    maxReads: number;
    signal: AbortSignal;
  }): AsyncIterable<ReadPage>;
  /** Returns null if there is no such image or its retention has ended. */
  image(of: { key: string; agencyId: string }): Promise<Uint8Array<ArrayBuffer> | null>;
};

/**
 * A page of reads, newest first. `truncated` on the last one if there are more; `missedDays` (UTC days since 1970) if
 * a database did not answer or keys were lost, so that reads of these days may be missing.
 */
export type ReadPage = { reads: ArchivedRead[]; truncated: boolean; missedDays?: number[] };

export type ArchivedRead = {
  /** Stable text id of the read in the archive. */
  id: string;
  plate: string;
  plateState: string;
  capturedAt: number;
  make: string;
  color: string;
  bodyType: string;
  confidence: number | null;
  latitude: number | null;
  longitude: number | null;
  cameraId: string;
  cameraName: string;
  agency: string;
  vehicleImageKey: string | null;
  plateImageKey: string | null;
  /** `capturedAt` is the time of arrival: the camera sent none or a wrong one. */
  timeIsArrival: boolean;
};
