// Axon's part in the world of the bench `faults`: cameras of four agencies that nobody asked for the last hours, at a
// vendor that fails in every way of its own. What they read is known from the simulator's world, a pure function.

import { HOUR, SECOND } from "#app/lib/time/dates.ts";
import { axonCredentials } from "../../../workers/vendors/credentials.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { createWorld } from "../../../workers/vendors/world/world.ts";

/** Where the simulated vendors answer, and what makes their world. */
export type VendorSide = { url: string; secret: string; readsPerDay: number };

/** Their agencies with Axon cameras; the first of ours own these. */
const AGENCIES = ["ct-state-police", "east-hartford-pd", "hamden-pd", "new-haven-pd"];
/** How long nobody has asked, when the play begins. */
const BACKLOG = 20 * HOUR;
/** Plates that are watched for, at most; one in so many reads, at least. */
const WATCHED = 150;
const WATCHED_EVERY = 20;
/** Pictures that the vendor says it has no more. */
export const MISSING_PICTURES = 5;

export type AxonRead = { integration: number; plate: string; at: number };

export const axonId = (integration: number) => `axon-${integration}`;

/** What the owners of the integrations know of them. `ours`: ids of agencies, of which the first own them. */
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

/** The window of which every read is judged: from the cursors that the play begins with. */
export function axonWindow(now: number, arrivalSeconds: number) {
  return { from: now - BACKLOG, to: now + arrivalSeconds * SECOND };
}

/** What Axon's cameras read in a window, oldest first. */
export function axonReads(readsPerDay: number, window: { from: number; to: number }): AxonRead[] {
  const world = createWorld({ readsPerDay });
  return AGENCIES.flatMap((agencyId, integration) =>
    world
      .reads({ program: "axon", agencyId, ...window })
      .map(({ plate, at }) => ({ integration, plate, at }))
      .reverse(),
  );
}

/** Reads of a day that give about so many in the window: the programs' share of them, by the hours that it has. */
export function axonReadsPerDay(wanted: number): number {
  return Math.ceil((wanted / 0.33) * (24 / 20.2));
}

/** Of which reads the plates are watched for. */
export function axonWatched(reads: AxonRead[]): AxonRead[] {
  const every = Math.max(WATCHED_EVERY, Math.ceil(reads.length / WATCHED));
  return reads.filter((_, i) => i % every === 0);
}

/** What fails at the vendor, one after the other and some of it again; its pictures are small, since nobody looks. */
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
