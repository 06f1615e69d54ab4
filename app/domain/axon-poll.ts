// Asks Axon every minute for what its cameras have read, since Axon tells nobody. The cursor is a time, and moves only
// when everything up to it has been matched; each window reaches back over the one before, for reads that the vendor
// comes to know late. After an outage it moves some hours at a time, so that a run that fails loses these and not all.

import type { AppContext } from "#app/context.ts";
import type { LiveRead } from "#app/entities/match.ts";
import type { SightingQuery } from "#app/entities/search.ts";
import type { Sighting } from "#app/entities/sighting.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/dates.ts";
import { fullJitter, withRetry } from "#app/lib/retry.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { inOneStep } from "#app/store/database.ts";
import { noteIntegration } from "#app/store/integrations.ts";
import {
  leaseCursor,
  listPollable,
  moveCursor,
  type Pollable,
  releaseCursor,
} from "#app/store/poll-cursors.ts";
import { matchReads } from "./matching.ts";

/** How far a window reaches back over the last one. */
const OVERLAP = 10 * MINUTE;
/** A run has the minute until the next one; a lease outlives a run that died. */
const RUN_MS = 50 * SECOND;
const LEASE_MS = 2 * MINUTE;
/** How much of the time that nobody has asked about is asked for at once. */
const PIECE = 4 * HOUR;
/** Reads that one question gives, and questions of one piece. */
const MOST_READS = 5000;
const MOST_QUESTIONS = 20;
/** A database that fails once is asked again at once: what the vendor has given would have to be given again. */
const MATCH_ATTEMPTS = 3;
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
  let reached: number | null = null;
  let failure: string | null = null;
  try {
    for await (const to of pollPieces(app, pollable, { from: since, to: now })) {
      reached = to;
      if (to === now) break;
      // A move that fails is made up for by the next one, or where the lease is given back.
      await moveCursor(app.db, { integrationId, cursor: isoTime(to), until, now: app.clock() }).catch(
        () => {},
      );
    }
  } catch (error) {
    if (!isProviderFailure(error)) console.error("an Axon poll ended halfway", error);
    failure =
      error instanceof Error && isProviderFailure(error) ? error.message : "The reads could not be matched.";
  }
  const moved = reached === null ? null : isoTime(reached);
  await releaseCursor(app.db, { integrationId, cursor: moved, until, now: app.clock() });
  await inOneStep(app.db, [noteIntegration(app.db, { integrationId, failure, now: app.clock() })]);
}

/** Matches a window from its begin on, and gives how far it has come; what passes now before all that was missed. */
async function* pollPieces(
  app: AppContext,
  pollable: Pollable,
  window: { from: number; to: number },
): AsyncGenerator<number> {
  const signal = AbortSignal.timeout(RUN_MS);
  const isBehind = window.to - window.from > PIECE;
  if (isBehind) await pollWindow(app, pollable, { from: window.to - OVERLAP, to: window.to, signal });
  for (let { from } = window; from < window.to; ) {
    const to = Math.min(from + PIECE, window.to);
    if (!(await pollWindow(app, pollable, { from, to, signal }))) return;
    yield to;
    from = to;
  }
}

/** Matches all reads of a window, newest first; false where there are more than can be asked for. */
async function pollWindow(
  app: AppContext,
  pollable: Pollable,
  window: { from: number; to: number; signal: AbortSignal },
): Promise<boolean> {
  const { source } = pollable;
  const { signal } = window;
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
      await withRetry(() => matchReads(app, reads), {
        attempts: MATCH_ATTEMPTS,
        delayAfter: (_, attempt) => fullJitter(attempt, { base: 100, cap: SECOND }),
        signal,
      });
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
