// Axon's part of the bench `faults`: cameras of four agencies with a backlog of hours, at a vendor with faults of every
// kind. Their reads are known in advance, because the simulated world is a pure function.

import { HOUR, SECOND } from "#app/lib/time/dates.ts";
import { axonCredentials } from "../../../workers/vendors/credentials.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { createWorld } from "../../../workers/vendors/world/world.ts";

/** The address of the simulated vendors, and the inputs of their world. */
export type VendorSide = { url: string; secret: string; readsPerDay: number };

/** The vendor's agencies with Axon cameras; the first of our agencies own their integrations. */
const AGENCIES = ["ct-state-police", "east-hartford-pd", "hamden-pd", "new-haven-pd"];
/** Age of the poll cursors when the simulation starts. */
const BACKLOG = 20 * HOUR;
/** At most WATCHED plates are listed, and at most one in WATCHED_EVERY reads. */
const WATCHED = 150;
const WATCHED_EVERY = 20;
/** Pictures that the vendor reports as deleted. */
export const MISSING_PICTURES = 5;

export type AxonRead = { integration: number; plate: string; at: number };

export const axonId = (integration: number) => `axon-${integration}`;

/** Returns the integrations, owned by the first agencies of `ours` (ids). */
export function axonIntegrations({ url, secret }: VendorSide, ours: string[]) {
  return Promise.all(
    AGENCIES.map(async (agency, i) => ({
      id: axonId(i),
      agencyId: ours[i] as string,
      baseUrl: `${url}/axon/${agency}`,
      ...(await axonCredentials(secret, agency)),
    })),
  );
}

/** Returns the window whose reads are checked; it starts at the initial poll cursors. */
export function axonWindow(now: number, arrivalSeconds: number) {
  return { from: now - BACKLOG, to: now + arrivalSeconds * SECOND };
}

/** Returns the reads of Axon's cameras in a window, oldest first. */
export function axonReads(readsPerDay: number, window: { from: number; to: number }): AxonRead[] {
  const world = createWorld({ readsPerDay });
  return AGENCIES.flatMap((agencyId, integration) =>
    world
      .reads({ program: "axon", agencyId, ...window })
      .map(({ plate, at }) => ({ integration, plate, at }))
      .reverse(),
  );
}

/**
 * Returns the reads per day (all programs) for about `wanted` Axon reads in the window: 33% of the reads, 20.2 hours.
 */
export function axonReadsPerDay(wanted: number): number {
  return Math.ceil((wanted / 0.33) * (24 / 20.2));
}

/** Returns the reads whose plates are listed. */
export function axonWatched(reads: AxonRead[]): AxonRead[] {
  const every = Math.max(WATCHED_EVERY, Math.ceil(reads.length / WATCHED));
  return reads.filter((_, i) => i % every === 0);
}

/** The vendor's faults, in sequence. Its pictures are small PNG files, because their content does not matter. */
export function axonFaults(): Fault[] {
  const axon = { program: "axon" } as const;
  return [
    { ...axon, kind: "status", code: 503, times: 4 },
    { ...axon, kind: "delay", ms: 300, after: 3, times: 4 },
    { ...axon, kind: "truncated", after: 2, times: 2 },
    { ...axon, kind: "html", after: 3, times: 2 },
    { ...axon, kind: "wrongType", after: 2, times: 2 },
    { ...axon, kind: "duplicateIds", after: 3, times: 8 },
    { ...axon, kind: "expiredToken", after: 4, times: 2 },
    { ...axon, kind: "lostAnswer", after: 3, times: 3 },
    { ...axon, kind: "status", code: 429, retryAfter: 1, after: 5, times: 2 },
    { ...axon, kind: "imageMissing", after: 10, times: MISSING_PICTURES },
    { ...axon, kind: "imageHtml", after: 5, times: 10 },
    { ...axon, kind: "imageTruncated", after: 5, times: 10 },
    { ...axon, kind: "imagePng" },
  ];
}
