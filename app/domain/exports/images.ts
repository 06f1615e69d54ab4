// Fetches the images of an export in the order of its records, a little ahead of the record that is being written. A
// source that fails several times in a row is paused, and after a few pauses is not asked again: otherwise each of its
// images would cost a full timeout.

import type { AppContext } from "#app/context.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { release } from "#app/lib/buffers.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { listSourcesWithoutCameras } from "#app/store/integrations/sources.ts";
import type { ReportImage } from "./picture.ts";

/** Concurrent calls across all vendors; the runtime allows no more open connections. */
const AT_ONCE = 6;
/** No further image is requested while this many bytes wait to be written. */
const MAX_WAITING = 8 * 1024 * 1024;
const DEADLINE_MS = 15_000;
/** Failures in a row after which a source is paused. After a pause, one more failure pauses it again. */
const PATIENCE = 8;
/** The pauses of a source, in order. If it fails after the last one, it is not asked again. */
const RESTS_MS = [SECOND, 3 * SECOND, 8 * SECOND];

export type RecordImages = { record: ExportRecord; vehicle: ReportImage; plate: ReportImage };

/** Releases the memory of images that were written. */
export function releaseImages({ vehicle, plate }: Pick<RecordImages, "vehicle" | "plate">): void {
  for (const image of [vehicle, plate]) if ("bytes" in image) release(image.bytes);
}
type Kind = "vehicle" | "plate";
type Tenant = { agencyId: string };

/**
 * How long a list of sources is used. An export may take a quarter of an hour, in which an agency may end its sharing; D1
 * allows 1,000 queries in that time, and a list takes three.
 */
const SOURCES_MS = 30 * SECOND;

/** Returns a function that returns the sources that a tenant may search, read at most SOURCES_MS ago. */
function createSources(app: AppContext, { agencyId: tenantId }: Tenant): () => Promise<SearchSource[]> {
  let listed: { at: number; sources: Promise<SearchSource[]> } | undefined;
  return () => {
    const now = app.clock();
    if (listed === undefined || now - listed.at >= SOURCES_MS)
      listed = {
        at: now,
        sources: retryBriefly(() => listSourcesWithoutCameras(app.db, { tenantId, now })),
      };
    return listed.sources;
  };
}

/**
 * Yields the images of all records, in order. Only sources that the tenant may search at the time are asked. Aborting the
 * signal throws its reason.
 */
export async function* fetchRecordImages(
  app: AppContext,
  input: { records: readonly ExportRecord[]; tenant: Tenant; signal: AbortSignal },
): AsyncGenerator<RecordImages> {
  const { records, signal } = input;
  const ask = createAsker(app, input);
  const answers = new Map<number, Promise<ReportImage>>();
  let [next, active, waiting] = [0, 0, 0];

  /** Starts as many calls as allowed. The calls of the current record are always allowed. */
  function start(wanted: number): void {
    while (next < records.length * 2 && active < AT_ONCE) {
      if (next >= wanted + 2 && waiting > MAX_WAITING) return;
      const place = next++;
      const record = at(records, place >> 1);
      active++;
      answers.set(
        place,
        ask(record, place % 2 === 0 ? "vehicle" : "plate").then((image) => {
          active--;
          if ("bytes" in image) waiting += image.bytes.length;
          start(current);
          return image;
        }),
      );
    }
  }

  let current = 0;
  async function take(place: number): Promise<ReportImage> {
    const image = await answers.get(place);
    if (!image) throw new RangeError(`image ${place} was not requested`);
    answers.delete(place);
    if ("bytes" in image) waiting -= image.bytes.length;
    return image;
  }

  for (const [i, record] of records.entries()) {
    signal.throwIfAborted();
    current = i * 2;
    start(current);
    const vehicle = await take(current);
    // The plate image may have been past the limit at first.
    start(current);
    const plate = await take(current + 1);
    signal.throwIfAborted();
    yield { record: record, vehicle, plate };
  }
}

/** How a source has answered: its failures in a row, and the number of failures that pauses it. */
type Health = { failures: number; restsAt: number; rests: number; resting?: Promise<void> };

/** Waits while a source is paused. Returns false if it is not asked again. */
async function isAskable(health: Health, signal: AbortSignal): Promise<boolean> {
  while (health.failures >= health.restsAt) {
    const ms = RESTS_MS[health.rests];
    if (!health.resting) {
      if (ms === undefined) return false;
      health.rests++;
      health.resting = sleep(ms, signal).then(() => {
        health.restsAt = health.failures + 1;
        health.resting = undefined;
      });
    }
    await health.resting;
  }
  return true;
}

function createAsker(app: AppContext, input: { tenant: Tenant; signal: AbortSignal }) {
  const known = new Map<string, Health>();
  const sourcesNow = createSources(app, input.tenant);

  function healthOf({ integrationId }: SearchSource): Health {
    const health = known.get(integrationId) ?? { failures: 0, restsAt: PATIENCE, rests: 0 };
    known.set(integrationId, health);
    return health;
  }

  return async function ask(record: ExportRecord, kind: Kind): Promise<ReportImage> {
    const locator = kind === "vehicle" ? record.vehicleImage : record.plateImage;
    if (locator === null)
      return { reason: `${record.program} has no ${kind} image of this read.`, isFailure: false };
    const source = (await sourcesNow()).find(
      ({ id, program }) => id === record.sourceId && program === record.program,
    );
    if (!source) return { reason: "You may no longer search this agency's reads.", isFailure: true };
    const health = healthOf(source);
    if (!(await isAskable(health, input.signal)))
      return {
        reason: `Not requested: ${source.agency} failed ${health.failures} times in a row.`,
        isFailure: true,
      };
    try {
      const signal = AbortSignal.any([input.signal, AbortSignal.timeout(DEADLINE_MS)]);
      const { bytes, type } = await app.providers[source.program].image({ source, locator, signal });
      health.failures = 0;
      health.restsAt = PATIENCE;
      return { bytes, type, sha256: await sha256(bytes) };
    } catch (error) {
      if (!isProviderFailure(error)) {
        if (input.signal.aborted) return { reason: "Cancelled.", isFailure: true };
        throw error;
      }
      const { kind: why, message } = error;
      const isTheirs = why !== "missing" && why !== "bad-answer" && why !== "cancelled";
      if (isTheirs) health.failures++;
      return { reason: message, isFailure: true };
    }
  };
}
