// Asks Axon every minute for what its cameras have read, since Axon tells nobody. The cursor is a time, and moves only
// when everything up to it has been matched; each window reaches back over the one before, for reads that the vendor
// comes to know late. After an outage it moves a piece at a time, so that a run that fails loses this and not all.

import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { fullJitter, retryBriefly, withRetry } from "#app/lib/retry.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { isProviderFailure } from "#app/providers/provider.ts";
import { inOneStep } from "#app/store/database.ts";
import { noteAxonCameras } from "#app/store/ingest/axon-cameras.ts";
import {
  leaseCursor,
  listPollable,
  moveCursor,
  type Pollable,
  releaseCursor,
} from "#app/store/ingest/poll-cursors.ts";
import { noteIntegration } from "#app/store/integrations/sources.ts";

/** How far a window reaches back over the last one. */
const OVERLAP = 10 * MINUTE;
/** A run has the minute until the next one, which is not kept from its turn by the lease of one that died. */
const RUN_MS = 50 * SECOND;
const LEASE_MS = 55 * SECOND;
/** How much is asked for at once: more than a usual minute wants, then twice as much each time, less where it is dense. */
const PIECE = { first: 15 * MINUTE, most: 4 * HOUR, least: SECOND };
/** Reads that one question gives, and questions of one piece. */
const MOST_READS = 5000;
const MOST_QUESTIONS = 20;
/** A Worker waits on six connections at a time; the databases need some. */
const AT_ONCE = 3;

/**
 * One run over all integrations. What fails is noted for its breaker and asked again from the same cursor; where even
 * that cannot be noted, no other is kept from its turn, and it throws when all have had theirs.
 */
export async function pollAxon(app: AppContext): Promise<void> {
  const pollables = await retryBriefly(() => listPollable(app.db, app.clock()));
  const queue = [...pollables];
  const problems: unknown[] = [];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift())
      await pollOne(app, next).catch((error: unknown) => problems.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
  if (problems.length > 0)
    throw new AggregateError(
      problems,
      `${problems.length} of ${pollables.length} Axon integrations were not asked to the end`,
    );
}

async function pollOne(app: AppContext, pollable: Pollable): Promise<void> {
  const now = app.clock();
  const { integrationId } = pollable.source;
  // Two runs that begin at once have two ends, by which each knows its own lease again.
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
      // A move that fails is made up for by the next one, or where the lease is given back.
      await moveCursor(app.db, { integrationId, cursor: isoTime(to), until, now: app.clock() }).catch(
        () => {},
      );
    }
  } catch (error) {
    // Who catches up until the time is over has not failed.
    if (reached === null || !run.signal.aborted) failure = failureWords(error);
  }
  const moved = reached === null ? null : isoTime(reached);
  await retryBriefly(() => releaseCursor(app.db, { integrationId, cursor: moved, until, now: app.clock() }));
  // What is caught up with says nothing of how long a camera usually is quiet.
  const seen = { agencyId: pollable.agencyId, newest: run.newest, isLive: now - since <= PIECE.first };
  await retryBriefly(() =>
    inOneStep(app.db, [
      noteIntegration(app.db, { integrationId, failure, now: app.clock() }),
      noteAxonCameras(app.db, seen),
    ]),
  );
}

/** One run over one integration; `newest` is when each camera, by its name, gave the latest read that was seen. */
type Run = { app: AppContext; pollable: Pollable; signal: AbortSignal; newest: Map<string, number> };
type Window = { from: number; to: number };

function failureWords(error: unknown): string {
  if (error instanceof Error && (isProviderFailure(error) || isAppError(error))) return error.message;
  console.error("an Axon poll ended halfway", error);
  return "The reads could not be matched.";
}

/** Matches a window from its begin on, and gives how far it has come; what passes now before all that was missed. */
async function* pollPieces(run: Run, window: Window): AsyncGenerator<number> {
  const poll = (piece: Window) => insist(() => pollWindow(run, piece), run.signal);
  if (window.to - window.from > PIECE.first) await poll({ from: window.to - OVERLAP, to: window.to });
  let piece = PIECE.first;
  for (let { from } = window; from < window.to; ) {
    const to = Math.min(from + piece, window.to);
    if (await poll({ from, to })) {
      yield to;
      from = to;
      piece = Math.min(2 * piece, PIECE.most);
    } else if (to - from > PIECE.least) {
      piece = Math.max(Math.floor((to - from) / 4), PIECE.least);
    } else {
      throw new AppError("unavailable", "Axon has more reads of one second than can be asked for.");
    }
  }
}

/** Does work of which a database of ours may fail once in a while; a vendor that fails has its minute. */
function insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return withRetry(work, {
    attempts: 3,
    delayAfter: (error, attempt) =>
      isProviderFailure(error) ? undefined : fullJitter(attempt, { base: 100, cap: SECOND }),
    signal,
  });
}

/** Matches all reads of a window, newest first; false where there are more than can be asked for. */
async function pollWindow(run: Run, window: Window): Promise<boolean> {
  const { app, pollable, signal, newest } = run;
  const { source } = pollable;
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
      // What the vendor has given would have to be given again.
      await insist(() => matchReads(app, reads), signal);
      truncated = page.truncated;
      for (const { capturedAt, cameraName } of page.sightings) {
        if (capturedAt === null) continue;
        oldest = Math.min(oldest, capturedAt);
        const at = Math.min(capturedAt, app.clock());
        if (cameraName !== "") newest.set(cameraName, Math.max(at, newest.get(cameraName) ?? 0));
      }
    }
    if (!truncated) return true;
    // As many reads of one instant as a question gives: nothing narrower can be asked.
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
