// One search over all programs. The search is recorded in the audit log before any source is searched; its result is
// stored as columns for a limited time. A source that fails is reported as failed, never as "no results".

import type { AppContext } from "#app/context.ts";
import { placeCameras } from "#app/domain/ingest/camera-places.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { rangesInUtc } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { lookAlikeMatcher } from "#app/entities/search/look-alikes.ts";
import { loggedPlate } from "#app/entities/search/plate.ts";
import { confirmationProblems, prohibitedReason } from "#app/entities/search/prohibited-purpose.ts";
import { CONFIRMATION_PHRASE, purposeProblem } from "#app/entities/search/purpose.ts";
import {
  caseNumberProblem,
  rangeProblem,
  type SearchProgress,
  type SourceStatus,
} from "#app/entities/search/query.ts";
import { queryOf, type SearchRequest } from "#app/entities/search/request.ts";
import { type ColumnsBuilder, createColumns } from "#app/entities/search/result-builder.ts";
import { likeliestFirst, newestFirst } from "#app/entities/search/result-columns.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { noteIntegrations } from "#app/store/integrations/sources.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { writeFindingOfNewestRow } from "#app/store/oversight/review-job.ts";
import { findSearchPolicy, finishResultSet, insertResultSet } from "#app/store/search/result-sets.ts";
import { keepPartialResults } from "./partial.ts";
import { purgeAfter } from "./purge.ts";
import { storeResultFiles } from "./result-files.ts";
import { countAgencies, listSources, selectSources, storedAgencies, waiting } from "./searchable.ts";
import { findBreakers, prepareSources, searchSources } from "./sources.ts";
import { requireStillPermitted } from "./still-permitted.ts";

/** A finished search. The columns are for the response being written; later requests read them from R2. */
export type Searched = {
  resultId: string;
  statuses: SourceStatus[];
  columns: ColumnsBuilder;
  order: Uint32Array;
};

/**
 * Authorizes a search, asks every selected source, and stores the result for its user only. `signal` cancels;
 * `onProgress` is called with each change of a source. Throws AppError bad_request, forbidden or confirmation_required
 * (all audited, nothing is sent to a vendor), gone if it was canceled, unavailable if the audit log cannot be written, and
 * what `requireStillPermitted` throws.
 */
export async function searchReads(
  app: AppContext,
  actor: Actor,
  input: {
    request: SearchRequest;
    signal: AbortSignal;
    onProgress: (progress: SearchProgress) => void;
    /** Whether results are also stored as they arrive, one set per program that has answered. */
    wantsPartial?: boolean;
  },
): Promise<Searched> {
  const { signal, onProgress, wantsPartial = false } = input;
  const asked = at(await rangesInUtc(app, actor, [input.request]), 0);
  const { sources, agencies, lifetime, prohibited } = await authorize(app, actor, asked);
  const request = { ...asked, agencies };
  const createdAt = app.clock();
  const resultId = randomToken();
  const statuses = sources.map(waiting);
  const set = { id: resultId, userId: actor.userId, agencyId: actor.agencyId };
  const query = queryOf(request, createdAt);
  // Read in the meantime. If that fails, it is reported where it is awaited, once the search has its audit row.
  const prepared = Promise.all([findBreakers(app, sources), prepareSources(app, sources, query)]);
  prepared.catch(() => undefined);
  await writeAudit(app, [
    insertResultSet(app.db, { ...set, request, statuses, createdAt, expiresAt: createdAt + lifetime }),
    insertAudit(app.db, searchEntry(app, actor, { request, sources, object: resultId })),
    ...(prohibited ? reportProhibited(app, actor, { reason: prohibited, request, at: createdAt }) : []),
  ]);
  onProgress({ type: "started", sources: statuses });

  const columns = createColumns(query.lookAlikes ? lookAlikeMatcher(query.plate) : undefined);
  const inOrder = query.lookAlikes ? likeliestFirst : newestFirst;
  const running = { resultId, createdAt, request, statuses, columns, inOrder, lifetime, signal, onProgress };
  const partial = wantsPartial ? keepPartialResults(app, actor, running) : undefined;
  const report = (status: SourceStatus) => {
    onProgress({ type: "status", source: status });
    partial?.check();
  };
  try {
    const [breakers] = await prepared;
    const searched = await searchSources(app, {
      sources,
      statuses,
      query,
      signal,
      columns,
      report,
      breakers,
      isPrepared: true,
    });
    if (!signal.aborted) await requireStillPermitted(app, actor, { since: createdAt, statuses });
    const seen = await placeCameras(app, { sources, columns });
    const order = inOrder(columns);
    if (!signal.aborted) await storeResultFiles(app, { id: resultId, columns, order });
    await partial?.end();
    const expiresAt = app.clock() + lifetime;
    const state = signal.aborted ? "cancelled" : "ready";
    await finish(app, actor, {
      resultId,
      state,
      statuses,
      columns,
      truncated: searched.truncated,
      expiresAt,
      health: searched.health,
      seen,
    });
    if (signal.aborted) throw audited(new AppError("gone", "The search was canceled."));
    purgeAfter(app, { id: resultId, lifetime });
    onProgress({ type: "done", resultId, count: columns.count });
    return { resultId, statuses, columns, order };
  } catch (error) {
    const isRecorded = isAppError(error) && error.audited;
    if (!isRecorded) {
      const ended = {
        resultId,
        state: "failed" as const,
        statuses,
        columns,
        truncated: false,
        expiresAt: app.clock(),
      };
      await finish(app, actor, { ...ended, health: [], seen: [] });
    }
    throw isAppError(error) ? audited(error) : error;
  }
}

/** Writes the audit row before any source is searched. If that fails, the search is refused (CJIS AU-5). */
export async function writeAudit(
  app: AppContext,
  statements: [Statement, ...Statement[]],
): Promise<unknown[]> {
  try {
    return await inOneStep(app.db, statements);
  } catch (error) {
    logError("a search was refused because its audit row could not be written", error);
    const message =
      "Odin cannot write to its audit log at the moment, so nothing was searched. Try again soon.";
    throw new AppError("unavailable", message, { retryAfter: 60, cause: error });
  }
}

/** Returns the statements that report a confirmed search for a prohibited purpose to a supervisor immediately. */
function reportProhibited(
  app: AppContext,
  actor: Actor,
  input: { reason: string; request: SearchRequest; at: number },
): Statement[] {
  const { reason, request, at } = input;
  return writeFindingOfNewestRow(app.db, {
    kind: "prohibited",
    agencyId: actor.agencyId,
    userId: actor.userId,
    username: actor.username,
    day: utcDay(at),
    at,
    reason: `${reason} The searcher confirmed it and named as supervisor: ${request.supervisor}.`,
  });
}

/** Checks whether the user may search these agencies over this range. Refusals are audited before they are thrown. */
async function authorize(app: AppContext, actor: Actor, request: SearchRequest) {
  const [policy, all, holder] = await Promise.all([
    findSearchPolicy(app.db, actor.agencyId),
    listSources(app, actor),
    actor.service && findUserById(app.db, actor.service.answered_by),
  ]);
  const range = {
    start: Date.parse(request.start_time),
    end: Date.parse(request.end_time),
    now: app.clock(),
  };
  const problem =
    rangeProblem({ ...range, limitDays: policy?.searchLimitDays ?? 0 }) ??
    caseNumberProblem(request.case_number, policy?.caseNumberRequired ?? false) ??
    purposeProblem(request.purpose, policy?.purposeRequired ?? false);
  const sources = selectSources(all, request.agencies);
  const prohibited = prohibitedReason(request.justification);
  const unconfirmed = confirmationProblems(request, actor, ...(holder ? [holder] : []));
  const isConfirmed = Object.keys(unconfirmed).length === 0;
  if (!problem && sources && isConfirmed) {
    return {
      sources,
      agencies: storedAgencies(all, sources, request.agencies),
      lifetime: (policy?.resultLifetimeMinutes ?? 60) * MINUTE,
      prohibited,
    };
  }
  const error = problem
    ? new AppError("bad_request", problem)
    : sources
      ? confirmationRequired(prohibited, unconfirmed)
      : new AppError("forbidden", "You cannot search one of the selected agencies.", {
          field: "agencies",
        });
  const entry = searchEntry(app, actor, { request, sources: sources ?? [], object: "" });
  await writeAudit(app, [
    insertAudit(app.db, { ...entry, outcome: "refused", detail: { ...entry.detail, reason: error.message } }),
  ]);
  throw audited(error);
}

/** `field` is the first field to correct, `problems` says what is wrong with each. */
function confirmationRequired(reason = "", problems: Record<string, string>): AppError {
  const message = `${reason} Confirm this search and name a supervisor.`;
  const details = { field: Object.keys(problems)[0], problems, phrase: CONFIRMATION_PHRASE };
  return new AppError("confirmation_required", message, { problems, details });
}

/** Returns the audit row of a search: query, sources, reason (specification section 3, audit log entry). */
function searchEntry(
  app: AppContext,
  actor: Actor,
  input: { request: SearchRequest; sources: SearchSource[]; object: string },
) {
  const { request, sources, object } = input;
  const { agencies, ...parameters } = request;
  return {
    ...auditWho(actor),
    at: app.clock(),
    action: "search",
    outcome: "ok",
    object,
    plate: loggedPlate(request.plate),
    caseNumber: request.case_number,
    programsQueried: [...new Set(sources.map((source) => source.program))].join(","),
    // The request names agencies by identifier; an agency may have several.
    detail: {
      query: parameters,
      agencies,
      ...(sources.length > 0 && { agency_count: countAgencies(sources) }),
    },
  } as const;
}

type Ending = {
  resultId: string;
  state: "ready" | "cancelled" | "failed";
  statuses: SourceStatus[];
  columns: ColumnsBuilder;
  truncated: boolean;
  expiresAt: number;
  health: { integrationId: string; failure: string | null }[];
  /** Statements that register Rekor's cameras among the reads. */
  seen: Statement[];
};

async function finish(app: AppContext, actor: Actor, ending: Ending): Promise<void> {
  const { resultId, state, statuses, columns, truncated, expiresAt, health, seen } = ending;
  const now = app.clock();
  const record = finishResultSet(app.db, {
    id: resultId,
    state,
    statuses,
    count: columns.count,
    truncated,
    expiresAt,
  });
  const audit = auditIfChanged(app, actor, {
    at: now,
    action: "search.finished",
    outcome: state === "ready" ? "ok" : "failed",
    object: resultId,
    detail: { state, reads: columns.count, truncated, sources: statuses },
  });
  await inOneStep(app.db, [record, audit, ...noteIntegrations(app.db, health, now), ...seen]);
}
