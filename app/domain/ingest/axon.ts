// Polls Axon every minute for new reads, because Axon has no webhooks. The cursor is a time that advances only after
// all reads up to it were matched. Windows overlap, because Axon learns of some reads late. After an outage the poller
// catches up piece by piece, so that a failed run repeats one piece and not everything. Many integrations are polled in
// slices, each in an invocation of its own.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import { TIME_OF_ARRIVAL } from "#app/entities/ingest/rekor-event.ts";
import type { Job } from "#app/entities/operations/job.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { at, chunksOf } from "#app/lib/at.ts";
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
import { noteIntegrations } from "#app/store/integrations/sources.ts";
import { sendJobs } from "#app/store/queue.ts";

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
 * Integrations that one invocation polls. D1 allows 1,000 queries per invocation; a poll makes 8, one with new hits about
 * 16, and each hit 3 to 5 more for its pictures, which an invocation fetches of 40 hits at most.
 */
const SLICE = 25;
/** Queries of a slice, which its integrations share equally. Only catching up after an outage can use up a share. */
const QUERIES = 700;
/** Queries of matching a page of reads without hits, and what up to 200 hits add. */
const MATCH_QUERIES = { reads: 3, hits: 6 };
const HITS_A_WRITE = 200;

/**
 * Polls every Axon integration once: those polled longest ago now, the others in slices that are queued. A failure is
 * counted by the integration's circuit breaker, and the next run starts at the same cursor. Throws AggregateError, after
 * the first slice was polled, if a failure could not be recorded or the queue refused the other slices.
 */
export async function pollAxon(app: AppContext): Promise<void> {
  const pollables = await retryBriefly(() => listPollable(app.db, { now: app.clock() }));
  const ended = await Promise.allSettled([
    queueSlices(app, pollables.slice(SLICE)),
    pollTogether(app, pollables.slice(0, SLICE)),
  ]);
  const problems = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (problems.length > 0) throw new AggregateError(problems, "not every Axon integration was polled");
}

async function queueSlices(app: AppContext, pollables: Pollable[]): Promise<void> {
  const ids = pollables.map(({ source }) => source.integrationId);
  const jobs = chunksOf(ids, SLICE).map(
    (slice): Job => ({ v: 1, type: "axon-poll", id: at(slice, 0), ids: slice }),
  );
  await retryBriefly(() => sendJobs(app.jobs, jobs));
}

/** Polls queued integrations. Never throws: the message is not retried, because the next minute polls them again. */
export async function pollAxonSlice(app: AppContext, ids: readonly string[]): Promise<void> {
  try {
    await pollTogether(app, await retryBriefly(() => listPollable(app.db, { now: app.clock(), ids })));
  } catch (error) {
    logError(`not every one of ${ids.length} Axon integrations was polled`, error);
  }
}

/** Polls integrations, and queues those again that had not caught up when their share of queries was used up. */
async function pollTogether(app: AppContext, pollables: Pollable[]): Promise<void> {
  const behind: Pollable[] = [];
  const poll = async (one: Pollable) => {
    if (await pollOne(app, one, share)) behind.push(one);
  };
  // A single integration delays no other, so it has no limit: if D1 ends its run, the cursor keeps the progress.
  const share = pollables.length === 1 ? Number.POSITIVE_INFINITY : QUERIES / pollables.length;
  try {
    await pMap(pollables, poll, { concurrency: AT_ONCE, stopOnError: false });
  } finally {
    await queueSlices(app, behind);
  }
}

/** Polls one integration. Returns whether it stopped because its share of queries was used up. */
async function pollOne(app: AppContext, pollable: Pollable, share: number): Promise<boolean> {
  const now = app.clock();
  const { integrationId } = pollable.source;
  // A random end time identifies the lease when two runs start at the same millisecond.
  const until = now + LEASE_MS + Math.floor(Math.random() * SECOND);
  const cursor = await retryBriefly(() =>
    leaseCursor(app.db, { integrationId, start: isoTime(now), now, until }),
  );
  if (cursor === null) return false;
  const run: Run = { app, pollable, signal: AbortSignal.timeout(RUN_MS), newest: new Map(), left: share };
  const since = Math.max(Date.parse(cursor), now - DAY) - OVERLAP;
  let reached: number | null = null;
  let failure: string | null = null;
  try {
    for await (const to of pollPieces(run, { from: since, to: now })) {
      reached = to;
      if (to === now) break;
      // If this fails, the next move or the release of the lease stores the cursor.
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
  // Reads of a catch-up do not show a camera's usual gap.
  const seen = { agencyId: pollable.agencyId, newest: run.newest, isLive: now - since <= QUERY_WINDOW.first };
  await retryBriefly(() =>
    inOneStep(app.db, [
      noteAxonCameras(app.db, seen),
      ...noteIntegrations(app.db, [{ integrationId, failure }], app.clock()),
    ]),
  );
  return failure === null && reached !== null && reached < now && run.left <= 0;
}

/**
 * One run over one integration. `newest` maps a camera's name to the time of its latest read in this run; `left` is the
 * number of queries left of its share.
 */
type Run = {
  app: AppContext;
  pollable: Pollable;
  signal: AbortSignal;
  newest: Map<string, number>;
  left: number;
};
type Window = { from: number; to: number };

function failureWords(error: unknown): string {
  if (error instanceof Error && (isProviderFailure(error) || isAppError(error))) return error.message;
  logError("an Axon poll failed", error);
  return "The reads could not be matched.";
}

/**
 * Matches the reads of a window and yields the time reached so far. After an outage, the latest reads are matched
 * first; then at least one piece, and more until the share of queries is used up.
 */
async function* pollPieces(run: Run, window: Window): AsyncGenerator<number> {
  const poll = (piece: Window) => retryOwnFailures(() => pollWindow(run, piece), run.signal);
  if (window.to - window.from > QUERY_WINDOW.first) await poll({ from: window.to - OVERLAP, to: window.to });
  let piece = QUERY_WINDOW.first;
  for (let { from } = window; from < window.to; ) {
    const to = Math.min(from + piece, window.to);
    if (await poll({ from, to })) {
      yield to;
      if (run.left <= 0) return;
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
  // The search looks up its token, and a matched piece moves the cursor.
  run.left -= 2;
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
      truncated = page.truncated;
      // A page without reads only shows that the vendor still answers.
      if (page.sightings.length === 0) continue;
      const reads = page.sightings.map((sighting) => liveRead(pollable, sighting, app.clock()));
      // Retried here, so that the vendor is not queried again for the same page.
      const hits = await retryOwnFailures(() => matchReads(app, reads), signal);
      run.left -= MATCH_QUERIES.reads + MATCH_QUERIES.hits * Math.ceil(hits / HITS_A_WRITE);
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
