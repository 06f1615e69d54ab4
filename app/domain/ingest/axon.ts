// Polls Axon every minute for new reads, because Axon has no webhooks. The cursor is a time that advances only after
// all reads up to it were matched. Windows overlap, because Axon learns of some reads late. After an outage the poller
// catches up piece by piece, so that a failed run repeats one piece and not everything.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import { TIME_OF_ARRIVAL } from "#app/entities/ingest/rekor-event.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { fullJitter, retryBriefly, withRetry } from "#app/lib/retry.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  leaseCursor,
  listPollable,
  moveCursor,
  noteAxonCameras,
  type Pollable,
  releaseCursor,
} from "#app/store/ingest/axon.ts";
import { noteIntegration } from "#app/store/integrations/sources.ts";

/** How far a window overlaps the one before it. */
const OVERLAP = 10 * MINUTE;
/** A run must end, and the lease of a crashed run must expire, before the next minute's run. */
const RUN_MS = 50 * SECOND;
const LEASE_MS = 55 * SECOND;
/**
 * Length of a query's time window: starts at `first`, doubles up to `most` after each success, and is divided by four down
 * to `least` if the window has too many reads.
 */
const QUERY_WINDOW = { first: 15 * MINUTE, most: 4 * HOUR, least: SECOND };
/** Reads that one query returns, and queries per window. */
const MAX_READS = 5000;
const MAX_QUERIES = 20;
/** A Worker may have six open connections; the databases need some of them. */
const AT_ONCE = 3;

/**
 * Polls every Axon integration once. A failure is counted by the integration's circuit breaker, and the next run starts
 * at the same cursor. Throws AggregateError, after all integrations were polled, if a failure could not be recorded.
 */
export async function pollAxon(app: AppContext): Promise<void> {
  const pollables = await retryBriefly(() => listPollable(app.db, app.clock()));
  const poll = (one: Pollable) => pollOne(app, one);
  await pMap(pollables, poll, { concurrency: AT_ONCE, stopOnError: false });
}

async function pollOne(app: AppContext, pollable: Pollable): Promise<void> {
  const now = app.clock();
  const { integrationId } = pollable.source;
  // A random end time identifies the lease when two runs start at the same millisecond.
  const until = now + LEASE_MS + Math.floor(Math.random() * SECOND);
  const cursor = await retryBriefly(() =>
    leaseCursor(app.db, { integrationId, start: isoTime(now), now, until }),
  );
  if (cursor === null) return;
  const run: Run = { app, pollable, signal: AbortSignal.timeout(RUN_MS), newest: new Map() };
  const since = Math.max(Date.parse(cursor), now - DAY) - OVERLAP;
  let reached: number | null = null;
  let failure: string | null = null;
  try {
    for await (const to of pollPieces(run, { from: since, to: now })) {
      reached = to;
      if (to === now) break;
      // If this fails, the next move or the release of the lease makes up for it.
      await moveCursor(app.db, { integrationId, cursor: isoTime(to), until, now: app.clock() }).catch(
        () => {},
      );
    }
  } catch (error) {
    // A run that is still catching up when its time is over has not failed.
    if (reached === null || !run.signal.aborted) failure = failureWords(error);
  }
  const moved = reached === null ? null : isoTime(reached);
  await retryBriefly(() => releaseCursor(app.db, { integrationId, cursor: moved, until, now: app.clock() }));
  // Reads of a catch-up do not show how long a camera is usually quiet.
  const seen = { agencyId: pollable.agencyId, newest: run.newest, isLive: now - since <= QUERY_WINDOW.first };
  await retryBriefly(() =>
    inOneStep(app.db, [
      noteIntegration(app.db, { integrationId, failure, now: app.clock() }),
      noteAxonCameras(app.db, seen),
    ]),
  );
}

/** One run over one integration. `newest` maps a camera's name to the time of its latest read in this run. */
type Run = { app: AppContext; pollable: Pollable; signal: AbortSignal; newest: Map<string, number> };
type Window = { from: number; to: number };

function failureWords(error: unknown): string {
  if (error instanceof Error && (isProviderFailure(error) || isAppError(error))) return error.message;
  logError("an Axon poll failed", error);
  return "The reads could not be matched.";
}

/**
 * Matches the reads of a window and yields the time reached so far. After an outage, the latest reads are matched
 * first.
 */
async function* pollPieces(run: Run, window: Window): AsyncGenerator<number> {
  const poll = (piece: Window) => retryOwnFailures(() => pollWindow(run, piece), run.signal);
  if (window.to - window.from > QUERY_WINDOW.first) await poll({ from: window.to - OVERLAP, to: window.to });
  let piece = QUERY_WINDOW.first;
  for (let { from } = window; from < window.to; ) {
    const to = Math.min(from + piece, window.to);
    if (await poll({ from, to })) {
      yield to;
      from = to;
      piece = Math.min(2 * piece, QUERY_WINDOW.most);
    } else if (to - from > QUERY_WINDOW.least) {
      piece = Math.max(Math.floor((to - from) / 4), QUERY_WINDOW.least);
    } else {
      throw new AppError("unavailable", "Axon has more reads in one second than a query can return.");
    }
  }
}

/** Retries work whose own database calls may fail now and then. A failing vendor waits for the next minute. */
function retryOwnFailures<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return withRetry(work, {
    attempts: 3,
    delayAfter: (error, attempt) =>
      isProviderFailure(error) ? undefined : fullJitter(attempt, { base: 100, cap: SECOND }),
    signal,
  });
}

/**
 * Matches all reads of a window, newest first. Returns false if the window has more reads than the queries can return.
 */
async function pollWindow(run: Run, window: Window): Promise<boolean> {
  const { app, pollable, signal, newest } = run;
  const { source } = pollable;
  let to = window.to;
  for (let queries = 0; queries < MAX_QUERIES; queries++) {
    const query = everything({ from: window.from, to });
    let truncated = false;
    let oldest = to;
    for await (const page of app.providers.Axon.search({
      source,
      together: [source],
      query,
      maxReads: MAX_READS,
      signal,
    })) {
      const reads = page.sightings.map((sighting) => liveRead(pollable, sighting, app.clock()));
      // Retried here, so that the vendor is not queried again for the same page.
      await retryOwnFailures(() => matchReads(app, reads), signal);
      truncated = page.truncated;
      for (const { capturedAt, cameraName } of page.sightings) {
        if (capturedAt === null) continue;
        oldest = Math.min(oldest, capturedAt);
        const at = Math.min(capturedAt, app.clock());
        if (cameraName !== "") newest.set(cameraName, Math.max(at, newest.get(cameraName) ?? 0));
      }
    }
    if (!truncated) return true;
    // All reads of a full answer have the same time: no narrower query is possible.
    if (oldest >= to) return false;
    to = oldest;
  }
  return false;
}

function everything(range: Window): SightingQuery {
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
    seenAt: capturedAt ?? now,
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
    caveats: capturedAt === null ? [TIME_OF_ARRIVAL] : [],
    vendorImages: { program: "Axon", source: source.integrationId, vehicle: vehicleImage, plate: plateImage },
    sentImages: [],
  };
}
