// The steps that place and convoy searches share: authorize, record in the audit log, gather, rank, store. They are
// privileged: a permission of their own, always a case number, a daily limit, and no prohibited purpose.

import type { AppContext } from "#app/context.ts";
import { placeCameras } from "#app/domain/ingest/camera-places.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { purgeAfter } from "#app/domain/search/purge.ts";
import { storeResultFiles } from "#app/domain/search/result-files.ts";
import { auditView, requireResultSet } from "#app/domain/search/results.ts";
import { writeAudit } from "#app/domain/search/run.ts";
import { waiting } from "#app/domain/search/searchable.ts";
import type { SourcesResult } from "#app/domain/search/sources.ts";
import { requireStillPermitted } from "#app/domain/search/still-permitted.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { INVESTIGATION_ACTIONS } from "#app/entities/oversight/review.ts";
import type {
  AnswerHead,
  EvidenceRead,
  InvestigationAnswer,
} from "#app/entities/search/investigate/answer.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { type ColumnsBuilder, createColumns, pickRows } from "#app/entities/search/result-builder.ts";
import { newestFirst, rowAt } from "#app/entities/search/result-columns.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { noteIntegrations } from "#app/store/integrations/sources.ts";
import { insertAuditBelow } from "#app/store/oversight/audit.ts";
import { findInvestigation, putInvestigation } from "#app/store/search/investigations.ts";
import { finishResultSet, insertResultSetIfChanged } from "#app/store/search/result-sets.ts";
import { auditEntry, authorize, limitReached, refuse } from "./authorize.ts";
import type { Gathering } from "./gather.ts";

type Tool = InvestigationAnswer["tool"];

export type Hooks = { signal: AbortSignal; onProgress: (progress: SearchProgress) => void };

/** The fields of a request that every investigation has, and the range that all its queries are in. */
type Reasoned = {
  justification: string;
  case_number: string;
  purpose: string;
  agencies: string[];
};

/** What a tool found. */
export type Ranking<Answer> = {
  /** Rows of the evidence in the gathered reads. */
  rows: readonly number[];
  /** Returns the answer; `rowOf` converts these rows to rows of the result set. */
  answer: (head: AnswerHead, rowOf: (row: number) => number) => Answer;
};

export type Investigation<Answer> = {
  tool: Tool;
  reasons: Reasoned;
  /** Other texts of the user, by field, that may name a prohibited purpose. */
  named?: Record<string, string>;
  /** The whole request, for the audit log. */
  query: Record<string, unknown>;
  /** The evidence's result set is shown as the result of this search. */
  search: SearchRequest;
  /** Returns the problems of the request by field. */
  problems: (known: {
    sources: SearchSource[];
    limitDays: number;
    now: number;
  }) => Promise<Record<string, string>>;
  gather: (to: Gathering & { sources: SearchSource[] }) => Promise<SourcesResult>;
  rank: (columns: ColumnsBuilder, cut: boolean) => Ranking<Answer>;
};

/**
 * Runs an investigation and stores its evidence as a result set of the user's own, with the ranking next to it. Throws
 * AppError bad_request with the problem of each field, forbidden, too_many (all audited, nothing is sent to a vendor),
 * gone if it was canceled, unavailable if the audit log cannot be written, and what `requireStillPermitted` throws.
 */
export async function investigate<Answer extends InvestigationAnswer>(
  app: AppContext,
  actor: Actor,
  input: Investigation<Answer> & Hooks,
): Promise<Answer> {
  const { signal, onProgress } = input;
  const { sources, lifetime, perDay } = await authorize(app, actor, input);
  const started: Started = {
    resultId: randomToken(),
    createdAt: app.clock(),
    statuses: sources.map(waiting),
    columns: createColumns(),
  };
  const { resultId, createdAt, statuses, columns } = started;
  const entry = { ...auditEntry(app, actor, { input, sources }), object: resultId };
  const [written] = await writeAudit(app, [
    insertAuditBelow(app.db, entry, { actions: INVESTIGATION_ACTIONS, since: createdAt - DAY, most: perDay }),
    insertResultSetIfChanged(app.db, {
      id: resultId,
      userId: actor.userId,
      agencyId: actor.agencyId,
      request: input.search,
      statuses,
      createdAt,
      expiresAt: createdAt + lifetime,
    }),
  ]);
  if (changesOf(written) === 0) throw await refuse(app, actor, input, await limitReached(app, actor, perDay));
  onProgress({ type: "started", sources: statuses });

  const report = (status: SourceStatus) => onProgress({ type: "status", source: status });
  const finish = (ending: Ending) => finishInvestigation(app, actor, { ...started, input, ending });
  try {
    const gathered = await input.gather({ sources, statuses, columns, signal, report });
    for (const status of statuses)
      if (status.state === "waiting") report(Object.assign(status, { state: "ok" }));
    if (!signal.aborted) await requireStillPermitted(app, actor, { since: createdAt, statuses });
    const seen = await placeCameras(app, { sources, columns });
    const expiresAt = app.clock() + lifetime;
    if (signal.aborted) {
      await finish({ state: "cancelled", count: 0, expiresAt, plates: [], ...gathered, seen });
      throw audited(new AppError("gone", "The search was canceled."));
    }
    const ranking = input.rank(columns, gathered.truncated);
    const { answer, count } = await storeAnswer(app, { ...started, ranking, expiresAt });
    const plates = answer.plates.map(({ plate }) => plate);
    await finish({ state: "ready", count, expiresAt, plates, ...gathered, seen });
    purgeAfter(app, { id: resultId, lifetime });
    onProgress({ type: "done", resultId, count });
    return answer;
  } catch (error) {
    const isRecorded = isAppError(error) && error.audited;
    if (!isRecorded) {
      const ended = { count: 0, truncated: false, expiresAt: app.clock(), plates: [], health: [], seen: [] };
      await finish({ state: "failed", ...ended });
    }
    throw isAppError(error) ? audited(error) : error;
  }
}

/** An investigation that has been recorded. Its statuses and columns change while it runs. */
type Started = { resultId: string; createdAt: number; statuses: SourceStatus[]; columns: ColumnsBuilder };

/** Stores the evidence and the answer. Returns the answer and the number of reads. */
async function storeAnswer<Answer extends InvestigationAnswer>(
  app: AppContext,
  input: Started & { ranking: Ranking<Answer>; expiresAt: number },
): Promise<{ answer: Answer; count: number }> {
  const { resultId, createdAt, statuses, columns, ranking, expiresAt } = input;
  const picked = pickRows(columns, ranking.rows);
  const order = newestFirst(picked);
  const position = new Map([...order].map((row, at) => [row, at]));
  const shown = new Map(ranking.rows.map((row, i) => [row, position.get(i) ?? 0]));
  const head: AnswerHead = {
    result_id: resultId,
    created_at: createdAt,
    expires_at: expiresAt,
    reads: [...order].map((row, at) => evidenceOf(picked, row, at)),
    reads_gathered: columns.count,
    sources: statuses,
  };
  const answer = ranking.answer(head, (row) => shown.get(row) ?? 0);
  await storeResultFiles(app, { id: resultId, columns: picked, order });
  await putInvestigation(app.results, resultId, answer);
  return { answer, count: picked.count };
}

type Ending = {
  state: "ready" | "cancelled" | "failed";
  count: number;
  truncated: boolean;
  expiresAt: number;
  plates: string[];
  health: SourcesResult["health"];
  seen: Awaited<ReturnType<typeof placeCameras>>;
};

async function finishInvestigation(
  app: AppContext,
  actor: Actor,
  {
    resultId,
    statuses,
    columns,
    input: { tool, reasons },
    ending,
  }: Started & { input: Pick<Investigation<InvestigationAnswer>, "tool" | "reasons">; ending: Ending },
): Promise<void> {
  const { state, count, truncated, expiresAt, plates, health, seen } = ending;
  const now = app.clock();
  await inOneStep(app.db, [
    finishResultSet(app.db, { id: resultId, state, statuses, count, truncated, expiresAt }),
    auditIfChanged(app, actor, {
      at: now,
      action: `search-${tool}.finished`,
      outcome: state === "ready" ? "ok" : "failed",
      object: resultId,
      caseNumber: reasons.case_number,
      detail: { state, reads: count, gathered: columns.count, truncated, plates, sources: statuses },
    }),
    ...noteIntegrations(app.db, health, now),
    ...seen,
  ]);
}

/** Returns a stored investigation of the actor's own. Throws AppError gone if it was purged, not_found otherwise. */
export async function openInvestigation(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<InvestigationAnswer> {
  const set = await requireResultSet(app, actor, id);
  const answer = await findInvestigation<InvestigationAnswer>(app.results, set.id);
  if (!answer) throw new AppError("not_found", "These results are not of a place or convoy search.");
  await auditView(app, actor, {
    set,
    detail: { reads: answer.reads.length, plates: answer.plates.map(({ plate }) => plate) },
  });
  return answer;
}

function evidenceOf(columns: ColumnsBuilder, row: number, at: number): EvidenceRead {
  const read = rowAt(columns, row);
  return {
    row: at,
    plate: read.plate,
    state: read.state,
    at: read.capturedAt ?? 0,
    camera: read.camera,
    agency: read.agency,
    program: read.program,
    latitude: read.latitude,
    longitude: read.longitude,
    has_image: read.hasVehicleImage || read.hasPlateImage,
    image: read.hasVehicleImage ? "vehicle" : read.hasPlateImage ? "plate" : null,
  };
}
