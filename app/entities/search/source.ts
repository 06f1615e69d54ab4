import type { SightingQuery, SourceProgram } from "./query.ts";

/** One agency of one program that a tenant may search, with what is needed to reach it. Secrets stay sealed. */
export type SearchSource = {
  /** Rekor: the key's id. Axon: the integration's id. Axis: the owning agency's id. */
  id: string;
  program: SourceProgram;
  agency: string;
  /** Breaker, token and health are kept per integration. Axis agencies share one, our archive, and are asked as one. */
  integrationId: string;
  /** Origin of the vendor, without a trailing slash; empty for Axis, whose reads we hold. */
  baseUrl: string;
  /** Rekor: the sealed API key. Axon: the sealed client secret. Axis: empty. */
  sealedSecret: string;
  /** Axon's client and partner ids; empty elsewhere. */
  clientId: string;
  partnerId: string;
  /** Axis: the cameras to search; empty elsewhere. */
  cameraIds: string[];
};

/** Where Axon's tokens wait between searches. `lease` gives true to the one caller that may fetch a new one. */
export type TokenStore = {
  find(integrationId: string): Promise<{ token: string; expiresAt: number } | null>;
  lease(integrationId: string, until: number): Promise<boolean>;
  save(integrationId: string, token: string, expiresAt: number): Promise<void>;
  forget(integrationId: string): Promise<void>;
};

/** The archive of reads that Odin holds itself; the store implements it, the Axis adapter asks it. */
export type ReadArchive = {
  search(input: {
    agencyIds: string[];
    cameraIds: string[];
    query: SightingQuery;
    maxReads: number;
    signal: AbortSignal;
  }): AsyncIterable<{ reads: ArchivedRead[]; truncated: boolean }>;
  /** Null where there is none, or where it may not be shown any more. */
  image(of: { key: string; agencyId: string }): Promise<Uint8Array<ArrayBuffer> | null>;
};

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
  cameraName: string;
  agency: string;
  vehicleImageKey: string | null;
  plateImageKey: string | null;
  /** `capturedAt` is when it arrived: its camera named no time. */
  timeIsArrival: boolean;
};
