// Asks Axon every minute for what its cameras have read, since Axon tells nobody. The cursor is a time, and moves only
// when everything up to it has been matched; each window reaches back over the one before, for reads that the vendor
// comes to know late. What is seen twice makes nothing twice.

import type { AppContext } from "#app/context.ts";
import type { LiveRead } from "#app/entities/match.ts";
import type { SightingQuery } from "#app/entities/search.ts";
import type { Sighting } from "#app/entities/sighting.ts";
import { DAY, isoTime, MINUTE, SECOND } from "#app/lib/dates.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { inOneStep } from "#app/store/database.ts";
import { noteIntegration } from "#app/store/integrations.ts";
import { leaseCursor, listPollable, type Pollable, releaseCursor } from "#app/store/poll-cursors.ts";
import { matchReads } from "./matching.ts";

/** How far a window reaches back over the last one. */
const OVERLAP = 10 * MINUTE;
/** A run has the minute until the next one; a lease outlives a run that died. */
const RUN_MS = 50 * SECOND;
const LEASE_MS = 2 * MINUTE;
/** Reads that one question gives, and questions of one run. What is older is asked for by the next run. */
const MOST_READS = 5000;
const MOST_QUESTIONS = 20;
/** A Worker waits on six connections at a time; the databases need some. */
const AT_ONCE = 3;

/** One run over all integrations. What fails is noted for its breaker and asked again from the same cursor. */
export async function pollAxon(app: AppContext): Promise<void> {
  const queue = await listPollable(app.db, app.clock());
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await pollOne(app, next);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
}

async function pollOne(app: AppContext, pollable: Pollable): Promise<void> {
  const now = app.clock();
  const { integrationId } = pollable.source;
  const until = now + LEASE_MS;
  const cursor = await leaseCursor(app.db, { integrationId, start: isoTime(now), now, until });
  if (cursor === null) return;
  const since = Math.max(Date.parse(cursor), now - DAY) - OVERLAP;
  let done = false;
  let failure: string | null = null;
  try {
    done = await pollWindow(app, pollable, { from: since, to: now });
  } catch (error) {
    if (!isProviderFailure(error)) console.error("an Axon poll ended halfway", error);
    failure =
      error instanceof Error && isProviderFailure(error) ? error.message : "The reads could not be matched.";
  }
  await releaseCursor(app.db, { integrationId, cursor: done ? isoTime(now) : null, until, now: app.clock() });
  await inOneStep(app.db, [noteIntegration(app.db, { integrationId, failure, now: app.clock() })]);
}

/** Matches all reads of a window, newest first; false where there are more than one run can take. */
async function pollWindow(
  app: AppContext,
  pollable: Pollable,
  window: { from: number; to: number },
): Promise<boolean> {
  const { source } = pollable;
  const signal = AbortSignal.timeout(RUN_MS);
  let to = window.to;
  for (let question = 0; question < MOST_QUESTIONS; question++) {
    const query = everything({ from: window.from, to });
    let truncated = false;
    let oldest = to;
    for await (const page of app.providers.Axon.search({
      source,
      together: [source],
      query,
      maxReads: MOST_READS,
      signal,
    })) {
      const reads = page.sightings.map((sighting) => liveRead(pollable, sighting, app.clock()));
      await matchReads(app, reads);
      truncated = page.truncated;
      for (const { capturedAt } of page.sightings)
        if (capturedAt !== null) oldest = Math.min(oldest, capturedAt);
    }
    if (!truncated) return true;
    // As many reads of one instant as a question gives: nothing narrower can be asked.
    if (oldest >= to) return false;
    to = oldest;
  }
  return false;
}

function everything(range: { from: number; to: number }): SightingQuery {
  return {
    plate: { kind: "any" },
    plateState: "",
    color: "",
    make: "",
    bodyType: "",
    marks: [],
    ...range,
  };
}

function liveRead({ source, agencyId }: Pollable, sighting: Sighting, now: number): LiveRead {
  const { plate, plateState, make, color, bodyType, confidence, capturedAt, cameraName } = sighting;
  const { latitude, longitude, vehicleImage, plateImage } = sighting;
  return {
    origin: { program: "Axon", agencyId, integrationId: source.integrationId },
    passKey: `Axon ${sighting.id}`,
    plate,
    plateState,
    facts: {
      plate,
      plateState,
      make,
      color,
      bodyType,
      confidence,
      capturedAt: capturedAt ?? now,
      cameraId: cameraName,
      cameraName,
      latitude,
      longitude,
      vehicleImageKey: null,
      plateImageKey: null,
    },
    rank: 1,
    caveats: capturedAt === null ? ["Time is that of arrival: the read has none"] : [],
    vendorImages: { program: "Axon", source: source.integrationId, vehicle: vehicleImage, plate: plateImage },
    sentImages: [],
  };
}
